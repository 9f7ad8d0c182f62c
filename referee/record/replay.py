"""Replaying a record with the rules, checking every line."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET

from protocol.messages import FaultCode
from protocol.record import ChanceLine, DecisionLine, FaultLine, GameLine, ResultLine
from referee.games import Action, ChanceError, Event, Game, GameConfig, OptionError, Recorded, config_from, find_game
from referee.games.chance import DrawKey, format_draw
from referee.games.interface import ChanceEvent
from referee.games.registry import rules_version
from referee.outcome import Eliminations
from referee.printable import printable
from referee.record.reader import InvalidRecord, NumberedLine, TruncatedRecord, parse_line, parse_record, read_unpacked

MAX_RULES: Final = 100
"""Characters of the name and version of rules that are shown."""


def draw_of(line: ChanceLine | ChanceEvent) -> DrawKey:
    """The key of a draw, which a game makes only once."""
    return line.what, None if line.round is UNSET else line.round


def as_json(value: Any) -> str:
    """A value as JSON. Values of different types differ, even `1`, `1.0` and `true`."""
    return msgspec.json.encode(value).decode()


def index_of(action: Any, legal: Sequence[Action]) -> int | None:
    """The index of a recorded action among the legal ones; None if it is written differently."""
    encoded = as_json(action)
    return next((index for index, other in enumerate(legal) if as_json(other) == encoded), None)


class Replay:
    """A record, and its game after the lines replayed so far.

    `step` replays a line, `steps` and `check` all that are left. The constructor raises InvalidRecord if the game can't
    be set up from the record.

        replay = Replay(Path("records/0001-1.jsonl"))
        for line, events in replay.steps():
            print(line.number, replay.game.ranking().scores)
    """

    header: GameLine
    """The first line: the game and its players."""
    game_type: type[Game]
    config: GameConfig
    game: Game
    """The game after the lines replayed so far. Not set if `unstarted`."""
    lines: int
    """The number of complete lines in the record."""
    result: ResultLine | None
    """The last line, after it has been replayed and verified."""
    rest: list[NumberedLine]
    """All lines after the first, in the order in which they are replayed."""
    replayed: int
    """The number of lines of `rest` that have been replayed."""
    position: int
    """The number of decisions and faults among them: that of the position, as on the page of the game."""
    eliminations: Eliminations
    """The seats of bots that are out so far."""
    unstarted: TruncatedRecord | None
    """Set if there is no `game`, because the record ends before the game's first draws."""

    def __init__(self, record: Path | str | bytes) -> None:
        """Read a file, plain or gzipped, or take the contents of a plain one, and set the game up.

        Raises InvalidRecord.
        """
        content = record if isinstance(record, bytes) else read_unpacked(Path(record))
        lines, self._whole = parse_record(content)
        header = lines[0].line
        assert isinstance(header, GameLine)
        self.header = header
        self.lines = len(lines)
        self.result = None
        self.unstarted = None
        self.rest = lines[1:]
        self.replayed = self.position = self._told = 0
        self._values: dict[DrawKey, Any] = {}
        self._chance_lines: dict[DrawKey, NumberedLine] = {}
        self._drawn: dict[DrawKey, int] = {}
        """The draws that the game has made, each with the number of its line."""
        self._faults: list[FaultCode | None] = [None] * len(header.players)
        self.eliminations = Eliminations(seats=len(header.players))
        self._missing: TruncatedRecord | None = None
        """Set if the record ends before a draw that the game needs. The lines before it are still to be checked."""
        self._due: list[dict[str, Any]] = []
        """Events as JSON whose lines must come next."""
        self._collect_draws(self.rest)
        self._set_up(header)

    @property
    def other_rules(self) -> tuple[str, str] | None:
        """The name and version of the rules here, and those in the record, if they differ."""
        here, there = rules_version(self.game_type) or "", self.header.rules or ""
        return None if here == there else (here or "the referee", printable(there, MAX_RULES) or "no version")

    def extend(self, lines: bytes) -> None:
        """Add lines to a record that is still being written: decisions with all draws that follow from them.

        Raises InvalidRecord.
        """
        added = [
            NumberedLine(number, parse_line(number, line))
            for number, line in enumerate(lines.splitlines(), start=self.lines + 1)
        ]
        self._collect_draws(added)
        self.rest += added
        self.lines += len(added)

    def _collect_draws(self, lines: Iterable[NumberedLine]) -> None:
        """Collect chance lines first, because the game draws while the preceding decision is applied."""
        for numbered in lines:
            if isinstance(numbered.line, ChanceLine) and draw_of(numbered.line) not in self._chance_lines:
                self._chance_lines[draw_of(numbered.line)] = numbered
                self._values[draw_of(numbered.line)] = numbered.line.value

    def _set_up(self, header: GameLine) -> None:
        try:
            self.game_type = game_type = find_game(header.game)
            if not isinstance(header.config, dict):
                raise OptionError("config must be an object")
            self.config = config = config_from(game_type.Config, header.config)
        except OptionError as error:
            raise InvalidRecord(1, str(error)) from None
        if len(header.players) != config.players:
            raise InvalidRecord(1, f"a game of {config.players} players has {len(header.players)} names")
        for name in ("bot_seeds", "shown_names", "banks_ms"):
            given = getattr(header, name)
            if given is not UNSET and len(given) != config.players:
                raise InvalidRecord(1, f"{name} has {len(given)} values in a game of {config.players}")
        try:
            self.game = game_type.new(config, Recorded(self._values))
        except OptionError as error:
            raise InvalidRecord(1, str(error)) from None
        except ChanceError as error:
            invalid = self._invalid_draw(1, error)
            if not isinstance(invalid, TruncatedRecord):
                raise invalid from None
            self.unstarted = invalid
        else:
            self._note_draws(0)

    def _note_draws(self, since: int) -> None:
        """Remember the draws in the log, from position `since` on."""
        for event, _ in self.game.log[since:]:
            if isinstance(event, ChanceEvent):
                draw = draw_of(event)
                self._drawn[draw] = self._chance_lines[draw].number

    def _invalid_draw(self, number: int, error: ChanceError) -> InvalidRecord:
        """The error for a draw needed after line `number`.

        An impossible value is an error in its own line. A missing draw is an error in the line that it should follow,
        unless the record ends there: then the record is truncated.
        """
        if not error.missing:
            return InvalidRecord(self._chance_lines[error.name, error.round_no].number, str(error))
        follows = self.rest[number - 1 :]
        if all(isinstance(numbered.line, ChanceLine | dict) for numbered in follows):
            draw = format_draw(error.name, error.round_no)
            return TruncatedRecord(self.lines, f"the record breaks off here, before the draw of {draw}: unfinished")
        return InvalidRecord(number, f"after this line the game needs {error}")

    def latest(self) -> list[tuple[Event, int | None]]:
        """The events since the last call, each with its audience."""
        latest = self.game.log[self._told :]
        self._told += len(latest)
        return latest

    def events(self) -> list[Event]:
        """All events of the game so far, including those only for the record."""
        return [event for event, _ in self.game.log]

    def steps(self) -> Iterator[tuple[NumberedLine, list[Event]]]:
        """Replay each line after the first, and yield it with the resulting events.

        Raises InvalidRecord at the first line that is wrong, and TruncatedRecord if the record ends before the game.
        """
        while self.replayed < len(self.rest):
            since = 0 if self.unstarted is not None else len(self.game.log)
            self.step()
            if self.unstarted is None:
                yield self.rest[self.replayed - 1], [event for event, _ in self.game.log[since:]]
        self.check_end()

    def step(self) -> None:
        """Replay the next line of `rest`. Raises InvalidRecord if it is wrong."""
        numbered = self.rest[self.replayed]
        self.replayed += 1
        if self.result is not None:
            raise InvalidRecord(numbered.number, "nothing may follow the result")
        self._replay(numbered)
        self.position += isinstance(numbered.line, DecisionLine | FaultLine)

    @property
    def plays_on(self) -> bool:
        """Whether decisions have been taken and bots are left to take more, so that substitutes play for the others."""
        return self.eliminations.started and self.eliminations.stopped is None

    def check_end(self) -> None:
        """Raises TruncatedRecord if the record ends before the game, and InvalidRecord if something follows its end."""
        if self.unstarted is not None:
            raise self.unstarted
        if self.result is None:
            raise self._missing or TruncatedRecord(self.lines, "the record breaks off here: unfinished")
        if not self._whole:
            raise InvalidRecord(self.lines + 1, "nothing may follow the result")

    @property
    def is_cut_off(self) -> bool:
        """Whether the record ends within the latest decision: a draw that follows from it is missing."""
        return self._missing is not None

    def check(self) -> None:
        """Replay all lines. Raises InvalidRecord."""
        for _ in self.steps():
            pass

    def _replay(self, numbered: NumberedLine) -> None:
        number, line = numbered.number, numbered.line
        match line:
            case ChanceLine():
                first = self._chance_lines[draw_of(line)].number  # the value is checked when the game draws
                if first != number:
                    raise InvalidRecord(number, f"line {first} gives the same draw")
            case FaultLine():
                self._fault(number, line)
            case DecisionLine():
                self._require_complete(number)
                self._decide(number, line)
            case ResultLine():
                self._require_complete(number)
                self._finish(number, line)
            case dict():
                self._recorded_event(number, line)

    def _decide(self, number: int, line: DecisionLine) -> None:
        """The decision must be the one that is due, legal, and correctly marked as forced or substituted."""
        turn = self.game.turn
        if turn is None:
            raise InvalidRecord(number, "the game is over: no decision is due")
        if self.eliminations.stopped:
            raise InvalidRecord(number, "the game has stopped: at most one bot is left without a fault")
        if (line.seat, line.decision) != (turn.seat, turn.decision):
            raise InvalidRecord(
                number, f"{turn.decision} of seat {turn.seat} is due, not {line.decision} of seat {line.seat}"
            )
        forced = self.game.is_forced()
        if line.forced != forced:
            raise InvalidRecord(
                number, "not forced: there is a choice" if line.forced else "forced: there is no choice"
            )
        self._validate_decider(number, line, forced=forced)
        try:
            action = msgspec.convert(line.action, self.game.actions[turn.decision])
        except msgspec.ValidationError as error:
            raise InvalidRecord(number, f"not an action of {turn.decision}: {error}") from None
        self._apply(number, action, opening=line.opening)

    def _validate_decider(self, number: int, line: DecisionLine, *, forced: bool) -> None:
        """Nobody decides in the opening, which precedes everything else; afterwards a player or a substitute."""
        if line.opening:
            if self.header.opening is UNSET:
                raise InvalidRecord(number, "not of the opening: line 1 names none")
            if self.eliminations.started or self.eliminations.groups:
                raise InvalidRecord(number, "not of the opening: the game has begun")
            if line.substitute or line.ms is not UNSET:
                raise InvalidRecord(number, "a decision of the opening, which nobody is asked for")
            return
        self.eliminations.started = True
        out = line.seat in self.eliminations
        if line.substitute != out and not (forced and out):
            raise InvalidRecord(
                number, f"seat {line.seat} {'is out: a substitute decides' if out else 'decides for itself'}"
            )

    def _apply(self, number: int, action: Action, *, opening: bool) -> None:
        recorded = self.game.canonical(action)
        if recorded is None:
            raise InvalidRecord(number, f"{as_json(action)} is not legal here")
        if as_json(recorded) != as_json(action):
            raise InvalidRecord(number, f"{as_json(action)} is not as the game lists it: {as_json(recorded)}")
        since = len(self.game.log)
        try:
            self.game.apply(action, opening=opening)
        except ChanceError as error:
            invalid = self._invalid_draw(number, error)
            if not isinstance(invalid, TruncatedRecord):
                raise invalid from None
            self._missing = invalid
        self._note_draws(since)
        self._due += [
            msgspec.json.decode(msgspec.json.encode(event))
            for event, _ in self.game.log[since:]
            if isinstance(event, self.game.recorded)
        ]

    def _fault(self, number: int, line: FaultLine) -> None:
        """The seat must still be in the game. A fault without a retry eliminates it."""
        if not 0 <= line.seat < len(self._faults):
            raise InvalidRecord(number, f"unknown seat {line.seat}")
        if line.seat in self.eliminations:
            raise InvalidRecord(number, f"seat {line.seat} is already out")
        turn = self.game.turn
        if turn is None or (self.eliminations.started and self.eliminations.stopped):
            raise InvalidRecord(number, "no further decision is due: the result should follow")
        if line.retry and (turn.seat != line.seat or self.game.is_forced()):
            raise InvalidRecord(number, f"seat {line.seat} was not asked: {turn.decision} of seat {turn.seat} is due")
        if not line.started and (line.retry or self.eliminations.started):
            raise InvalidRecord(number, f"seat {line.seat} was started: the game has begun")
        if line.retry:
            return
        self._faults[line.seat] = line.code
        self.eliminations.eliminate(line.seat)

    def _recorded_event(self, number: int, line: dict[str, Any]) -> None:
        """The line must be the game's next recorded event; it may have additional fields."""
        if not self._due:
            raise InvalidRecord(number, f"unexpected line of type {line['type']}")
        due = self._due.pop(0)
        if any(as_json(line.get(name)) != as_json(value) for name, value in due.items()):
            raise InvalidRecord(number, f"the rules say {as_json(due)}")

    def _require_complete(self, number: int) -> None:
        """The lines of all events and draws that result from the previous decision must precede this line."""
        if self._due:
            raise InvalidRecord(number, f"a line of type {self._due[0]['type']} is missing before this one")
        for draw, given in self._drawn.items():
            if given > number:
                needed = format_draw(*draw)
                raise InvalidRecord(number, f"the game needs {needed} before this line; line {given} is too late")

    def _finish(self, number: int, line: ResultLine) -> None:
        """The game must be over or stopped, and the result must follow from its ranking and the faults."""
        if self.game.turn is not None and not self.eliminations.stopped:
            raise InvalidRecord(number, f"too early: {self.game.turn.decision} of seat {self.game.turn.seat} is due")
        for draw, given in self._chance_lines.items():
            if draw not in self._drawn:
                raise InvalidRecord(given.number, "the game never makes this draw")
        if line.stopped is not UNSET and self.game.turn is None:
            raise InvalidRecord(number, "the game was not stopped: it was played to its end")
        ranking = self.game.ranking()
        expected = {
            "scores": ranking.scores,
            "ranks": self.eliminations.final_ranks(ranking.ranks),
            "faults": self._faults,
        }
        for name, value in expected.items():
            if getattr(line, name) != value:
                raise InvalidRecord(number, f"the {name} are {as_json(value)}, not {as_json(getattr(line, name))}")
        self.result = line
