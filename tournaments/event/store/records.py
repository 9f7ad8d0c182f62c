"""Reading the result of a game from its record, and checking that its draws are those of its seed."""

import hashlib
import random
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import UNSET

from protocol.codec import encode_json
from protocol.record import ChanceLine, DecisionLine, FaultLine, GameLine, ResultLine
from referee.games import Action, ChanceError, GameConfig, IllegalAction, OptionError, Seeded, config_from, find_game
from referee.games.chance import format_draw
from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.opening import GivenOpenings, Opener
from referee.outcome import hash_of_decisions
from referee.record.reader import InvalidRecord, TruncatedRecord, parse_line
from referee.record.replay import Replay, as_json, draw_of
from referee.seeds import bot_seed, keyed, public_id, substitute_random
from tournaments.competition.games import StoredGame, deal_seed, game_id_of, parse_game_id
from tournaments.competition.regulations import Regulations
from tournaments.competition.rounds import Deal
from tournaments.play.configuration import openings_of

HASHED: Final = (b'{"type":"decision"', b'{"type":"chance"')
"""The beginnings of the lines that make the `decisions_hash`."""


def record_to_game(data: bytes, bots: Mapping[str, int]) -> StoredGame:
    """The game in an uncompressed record. `bots`: by name, the index of the entry. Raises InvalidRecord.

    The result is taken as it stands in the record; it has been verified only if the record has been replayed.
    """
    numbered = first_and_last_lines(data)
    _, header = next(numbered)
    if not isinstance(header, GameLine):
        raise InvalidRecord(1, "a game record begins with a line of type game")
    name = parse_game_id(header.game_id) if isinstance(header.game_id, str) else None
    if name is None:
        raise InvalidRecord(1, "game_id is missing, or not the id of a game of a tournament")
    seats = []
    for player in header.players:
        if player.name not in bots:
            raise InvalidRecord(1, f"unknown bot {as_json(player.name)}")
        seats.append(bots[player.name])
    unstarted = set()
    for _, line in numbered:
        if isinstance(line, FaultLine) and not line.started:
            unstarted.add(line.seat)
        elif isinstance(line, ResultLine):
            result = line
    if not len(seats) == len(result.scores) == len(result.ranks) == len(result.faults):
        raise InvalidRecord(0, "the result and the game line have different numbers of players")
    return StoredGame(
        game_id=game_id_of(*name),
        **name._asdict(),
        bots=tuple(seats),
        scores=tuple(result.scores),
        ranks=tuple(result.ranks),
        faults=tuple(result.faults),
        forfeits=tuple(seat in unstarted for seat in range(len(seats))),
        decisions_hash=decisions_hash_of(data, header),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def decisions_hash_of(data: bytes, header: GameLine) -> str:
    """The `decisions_hash` of the game in an uncompressed record with this first line. Raises InvalidRecord."""
    try:
        if find_game(header.game).traits.chance and header.opening is UNSET:
            return ""
    except OptionError:  # unknown rules: as for those that don't say whether they have chance
        return ""
    lines = [parse_line(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.startswith(HASHED)]
    opening = [encode_json(header.config)]
    events = []
    for line in lines:
        if isinstance(line, ChanceLine):
            events.append(encode_json(line))
        elif isinstance(line, DecisionLine):
            kept = ("seat", "decision", "action", "forced", "opening")
            events.append(encode_json(DecisionEvent(**{name: getattr(line, name) for name in kept})))
            if line.opening:
                opening.append(events[-1])
    return hash_of_decisions(events, () if header.opening is UNSET else opening)


def first_and_last_lines(data: bytes) -> Iterator[tuple[int, object]]:
    """The lines up to the first decision after the opening, and the last one, which is a result. Those between are not
    parsed."""
    lines = data.split(b"\n")
    if lines.pop() or not lines:
        raise TruncatedRecord(0, "the record breaks off: unfinished")
    for number, line in enumerate(lines[:-1], 1):
        parsed = parse_line(number, line)
        yield number, parsed
        if isinstance(parsed, DecisionLine) and not parsed.opening:
            break
    last = parse_line(len(lines), lines[-1])
    if not isinstance(last, ResultLine):
        raise TruncatedRecord(len(lines), "the record breaks off here: unfinished")
    yield len(lines), last


def check_record(replay: Replay) -> None:
    """Replay a record with the rules, in parallel with a game that is played from its seed.

    The draws must be those that the seed gives, and so must the choices of substitutes. Raises InvalidRecord.
    """
    if replay.unstarted is not None:
        raise replay.unstarted
    seeded = _SeededGame(replay)
    for numbered, events in replay.steps():
        if isinstance(numbered.line, DecisionLine):
            decision = next(event for event in events if isinstance(event, DecisionEvent))
            seeded.decide(numbered.number, numbered.line, decision.action)


def tournament_openings(regulations: Regulations, text: str, seed: str) -> GivenOpenings | None:
    """How games begin: None at the first decision. `text`: of the file of openings. Raises OpeningError."""
    rule = regulations.opening
    if rule is UNSET:
        return None
    return openings_of(regulations.game_type, rule.file, text, rule.plies, keyed(seed)("openings"))


class TournamentRecords:
    """Checks the records of a tournament against its regulations and its seed. `openings`: the text of their file."""

    def __init__(self, regulations: Regulations, openings: str, seed: str) -> None:
        """Raises OpeningError."""
        self._regulations, self._seed = regulations, seed
        self._openings = tournament_openings(regulations, openings, seed)
        self._openers: dict[int, Opener] = {}
        """By the size of the table."""

    def check(self, replay: Replay, game: StoredGame) -> None:
        """Check that the record of a game is sound, and that it is what the tournament plays. Raises InvalidRecord."""
        check_record(replay)
        header, regulations, seed = replay.header, self._regulations, self._seed
        if header.game != regulations.game:
            raise InvalidRecord(1, f"the tournament plays {regulations.game}, not {header.game}")
        deal = Deal.of(regulations.deals_of, game.table, game.deal)
        if header.seed != deal_seed(seed, game.round, deal):
            where = f" at table {deal.table}" if deal.table else ""
            raise InvalidRecord(1, f"the seed is not that of deal {deal.number}{where}")
        try:
            config = config_from(regulations.game_type.Config, header.config)
            expected = regulations.config_for(len(game.bots))
            if self._openings is not None:
                expected = self._check_opening(replay, game, expected)
        except OptionError as error:
            raise InvalidRecord(1, str(error)) from None
        if config != expected:
            raise InvalidRecord(1, "the options of the game are not those of the tournament")
        if self._openings is None and header.opening is not UNSET:
            raise InvalidRecord(1, "it has an opening, and games of the tournament have none")
        derive = keyed(seed)
        if header.public_id not in (UNSET, public_id(derive, game.game_id)):
            raise InvalidRecord(1, "the public_id is not that of the game")
        if header.bot_seeds not in (UNSET, [bot_seed(derive, game.game_id, seat) for seat in range(len(game.bots))]):
            raise InvalidRecord(1, "the bot_seeds are not those of the game")

    def _check_opening(self, replay: Replay, game: StoredGame, config: GameConfig) -> GameConfig:
        """Check that the game begins with the opening of its deal. Returns its options. Raises InvalidRecord."""
        assert self._openings is not None
        seats = len(game.bots)
        if seats not in self._openers:
            self._openers[seats] = self._openings.opener(self._regulations.game_type, config)
        opened, source = self._openers[seats].begin(game.deal - 1, replay.header.seed)
        recorded, expected = (
            [as_json(event) for event, _ in log if isinstance(event, DecisionEvent) and event.opening]
            for log in (replay.game.log, opened.log)
        )
        if recorded != expected or replay.header.opening != source:
            raise InvalidRecord(1, f"the opening is not that of deal {game.deal}: {source}")
        own: GameConfig = opened.config
        return own


class _SeededGame:
    """The game of a record, with draws from the seed instead of those recorded."""

    def __init__(self, replay: Replay) -> None:
        self._seed = replay.header.seed
        self._replay = replay
        self._substitutes: dict[int, random.Random] = {}
        self._compared = 0
        try:
            self._game = replay.game_type.new(replay.config, Seeded(self._seed))
        except (ChanceError, OptionError) as error:
            raise InvalidRecord(1, f"no game can be set up from this seed: {error}") from None
        self._compare(1)

    def decide(self, number: int, line: DecisionLine, action: Action) -> None:
        """Take the decision in a line that has been replayed. Raises InvalidRecord."""
        if line.substitute and not line.forced:
            expected = self._substitute(line.seat)
            if as_json(expected) != as_json(action):
                raise InvalidRecord(
                    number, f"by the seed the substitute chose {as_json(expected)}, not {as_json(action)}"
                )
        try:
            self._game.apply(action, opening=line.opening)
        except (ChanceError, IllegalAction) as error:
            raise InvalidRecord(number, f"the game can't continue like this from the seed: {error}") from None
        self._compare(number)

    def _substitute(self, seat: int) -> Action:
        if seat not in self._substitutes:
            self._substitutes[seat] = substitute_random(self._seed, seat)
        return self._substitutes[seat].choice(self._game.legal_actions())

    def _compare(self, number: int) -> None:
        """Check that the same events followed; otherwise some draw was different. Raises InvalidRecord."""
        recorded, own = self._replay.game.log, self._game.log
        for (event, _), (expected, _) in zip(recorded[self._compared :], own[self._compared :], strict=False):
            if isinstance(expected, ChanceEvent) and as_json(event) != as_json(expected):
                draw = format_draw(*draw_of(expected))
                raise InvalidRecord(number, f"{draw}, drawn after this line: the seed gives others than the record has")
        self._compared = len(own)
