"""Checks of a manifest and of the contents of a database, before anything is computed from them.

They may have been edited, damaged, or crafted to do harm. What passes here is safe to give to `rebuild` and to formats.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from referee.games import OptionError
from referee.players.clock import TimeControlError
from referee.printable import sanitise
from tournaments.competition.changes import (
    UNDOABLE,
    AnyChange,
    BegunAgain,
    ByeGranted,
    Disqualified,
    FilesAccepted,
    Joined,
    PairedByHand,
    Penalised,
    Reinstated,
    Replayed,
    Ruled,
    Undone,
    Withdrawn,
)
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.games import PlannedGame, StoredGame, game_id_of, parse_game_id
from tournaments.competition.progress import OpenRound, Progress
from tournaments.competition.ratings import STATISTICS
from tournaments.competition.regulations import CHAIN, Regulations
from tournaments.competition.rounds import Round
from tournaments.competition.ruling_checks import MAX_ADJUSTMENT
from tournaments.event.store.errors import StoreError
from tournaments.event.store.manifest import Manifest
from tournaments.play.conditions import MAX_NUMBER

MAX_BOTS: Final = 5_000
MAX_GAMES: Final = 5_000_000
MAX_ERROR: Final = 600
MAX_SCHEDULE: Final = 20_000_000
"""The maximum number of tables of a schedule that is computed as a whole."""


class BadManifest(StoreError):
    """A manifest doesn't describe a tournament that could have been played."""

    def __init__(self, message: str) -> None:
        super().__init__(sanitise(message, MAX_ERROR))  # it quotes the manifest, which is untrusted


class BadRounds(StoreError):
    """Rounds and games are not those of a tournament that could have been played."""


def check_manifest(manifest: Manifest) -> None:
    """Raise BadManifest unless the regulations describe a tournament and the changes could have been made to it."""
    try:
        manifest.conditions.control.check()
        _check_regulations(manifest.regulations)
        _check_events(manifest.regulations, manifest.events)
        _check_times([manifest.start_at, *(run.started for run in manifest.sessions)])
    except (FormatError, OptionError, TimeControlError) as error:
        raise BadManifest(f"the manifest: {error}") from None


def bot_indices(manifest: Manifest) -> dict[str, int]:
    """By name, the index of each entry, late ones included."""
    late = [event.bot.name for event in manifest.events if isinstance(event, Joined)]
    return {name: index for index, name in enumerate([*(bot.name for bot in manifest.regulations.bots), *late])}


def _check_regulations(regulations: Regulations) -> None:
    names = Counter(bot.name for bot in regulations.bots)
    if not 2 <= regulations.seats <= 5:
        raise BadManifest(f"the manifest: seats must be from 2 to 5, not {regulations.seats}")
    if not 1 <= regulations.deals <= MAX_NUMBER:
        raise BadManifest(f"the manifest: deals must be from 1 to {MAX_NUMBER}, not {regulations.deals}")
    if not regulations.seats <= len(names) <= MAX_BOTS:
        raise BadManifest(f"the manifest: there must be {regulations.seats} to {MAX_BOTS} bots, not {len(names)}")
    if names.total() > len(names):
        raise BadManifest(f'the manifest: two bots are called "{names.most_common(1)[0][0]}"')
    for name, version, known in (
        ("chain", regulations.chain, CHAIN),
        ("statistics", regulations.statistics, STATISTICS),
        ("pairing", regulations.pairing, regulations.format_settings.algorithm(regulations.seats)),
    ):
        if version != known:
            raise BadManifest(
                f"the manifest: {name} is {version!r}, and this referee knows only {known!r}: use the one that wrote it"
            )
    if regulations.deals_of not in regulations.format_settings.deals_of:
        raise BadManifest(f'the manifest: deals_of can\'t be "{regulations.deals_of}" in this format')
    if not all(name in names for pair in regulations.forbidden for name in pair):
        raise BadManifest("the manifest: `forbidden` names a bot that doesn't take part")
    regulations.config_for(regulations.seats)
    # A design or a list of Berger tables is computed as a whole.
    settings = [regulations.settings.get(name) for name in ("rounds", "cycles")]
    longest = max((number for number in settings if isinstance(number, int)), default=1)
    if longest * len(names) > MAX_SCHEDULE or longest * len(names) ** 2 > 10 * MAX_SCHEDULE:
        raise BadManifest(f"the manifest: {longest} rounds or cycles of {len(names)} bots are too many")
    regulations.format_settings.check(Progress(regulations, "").format_context())


def _check_times(times: Iterable[str | None]) -> None:
    for time in times:
        try:
            moment = datetime.now(UTC) if time is None else datetime.fromisoformat(time)
            if moment.tzinfo is None:
                raise ValueError
            moment.astimezone(UTC)
        except (ValueError, OverflowError):
            raise BadManifest(f'the manifest: "{time}" is not a time with a time zone') from None


def _check_events(regulations: Regulations, events: Sequence[AnyChange]) -> None:
    names = {bot.name for bot in regulations.bots}
    withdrawn: set[str] = set()
    replaced: set[str] = set()
    undone: set[int] = set()
    for number, event in enumerate(events, 1):
        where = f"the manifest: event {number}"
        if not 1 <= event.round <= MAX_NUMBER:
            raise BadManifest(f"{where}: invalid round {event.round}")
        match event:
            case Joined():
                if event.bot.name in names or len(names) >= MAX_BOTS:
                    raise BadManifest(f'{where}: "{event.bot.name}" joined, but already takes part')
                names.add(event.bot.name)
            case Withdrawn():
                if event.bot not in names or event.bot in withdrawn:
                    raise BadManifest(f'{where}: "{event.bot}" withdrew, but did not take part')
                withdrawn.add(event.bot)
            case Reinstated():
                if event.bot not in withdrawn:
                    raise BadManifest(f'{where}: "{event.bot}" was reinstated, but not withdrawn')
                withdrawn.discard(event.bot)
            case Ruled() | Penalised() | Disqualified() | ByeGranted() | PairedByHand():
                problem = _ruling_problem(event, names, regulations.seats)
                if problem is not None:
                    raise BadManifest(f"{where}: {problem}")
            case Undone():
                if not 1 <= event.number < number or event.number in undone:
                    raise BadManifest(f"{where}: there is no event {event.number} to undo")
                if not isinstance(events[event.number - 1], UNDOABLE):
                    raise BadManifest(f"{where}: event {event.number} can't be undone")
                undone.add(event.number)
            case FilesAccepted():
                if not set(event.bots) <= names:
                    raise BadManifest(f"{where}: changed files of bots that don't take part are accepted")
            case Replayed():
                _check_replay(regulations, event, where, len(names))
                if not replaced.isdisjoint((event.game_id, event.replacement)):
                    raise BadManifest(f"{where}: a game is played again that has already been replaced")
                replaced.add(event.game_id)
            case BegunAgain():
                if not all(map(parse_game_id, event.games)):
                    raise BadManifest(f"{where}: invalid game id")


def _ruling_problem(
    event: Ruled | Penalised | Disqualified | ByeGranted | PairedByHand, names: Collection[str], seats: int
) -> str | None:
    """Why no referee can have written a ruling; None if one can."""
    match event:
        case Ruled():
            if parse_game_id(event.game_id) is None:
                return f"invalid game id {event.game_id}"
            ranks = event.ranks
            if ranks is not None and not (2 <= len(ranks) <= seats and all(1 <= rank <= len(ranks) for rank in ranks)):
                return "invalid ranks"
        case PairedByHand():
            if event.number != event.round or not all(2 <= len(bots) <= seats for bots in event.tables):
                return "its tables can't be played"
            if not all(name in names for bots in (*event.tables, event.byes) for name in bots):
                return "a bot at its tables doesn't take part"
        case _:
            if event.bot not in names:
                return f'"{event.bot}" doesn\'t take part'
            if not isinstance(event, Disqualified) and not abs(event.points) <= MAX_ADJUSTMENT:
                return f"invalid points {event.points:g}"
    return None


def _check_replay(regulations: Regulations, event: Replayed, where: str, bots: int) -> None:
    old, first, second = event.old, parse_game_id(event.game_id), parse_game_id(event.replacement)
    if first is None or second is None or first == second:
        raise BadManifest(f"{where}: invalid game id {event.game_id} or {event.replacement}")
    if not (
        old.game_id == event.game_id
        and first == (old.round, old.table, old.deal, old.rotation, old.again)
        and first[:4] == second[:4]
        and second.again > old.again
        and old.round < event.round
    ):
        raise BadManifest(f"{where}: {event.replacement} can't be the replay of {event.game_id}")
    problem = game_problem(old, bots, regulations.seats)
    if problem is not None:
        raise BadManifest(f"{where}: the old result of {event.game_id}: {problem}")


def game_problem(game: StoredGame, bots: int, seats: int) -> str | None:
    """Why a game can't be one of a tournament with this number of bots; None if it can."""
    size = len(game.bots)
    if not 2 <= size <= seats:
        return f"it has {size} seats"
    if len(set(game.bots)) < size or not all(0 <= bot < bots for bot in game.bots):
        return "its seats don't have different bots"
    if any(len(values) != size for values in (game.scores, game.ranks, game.faults, game.forfeits)):
        return "its lists have different lengths"
    if not all(1 <= rank <= size for rank in game.ranks):
        return f"its ranks are not between 1 and {size}"
    return None


def round_problem(round_: Round, bots: int, seats: int) -> str | None:
    """Why a round can't be played in a tournament with this number of bots; None if it can."""
    tables, known = [table.bots for table in round_.tables], range(bots)
    if not all(2 <= len(table) <= seats and len(set(table)) == len(table) for table in tables):
        return "a table is too small or too large, or a bot sits twice at one"
    if not all(bot in known for table in [*tables, round_.byes] for bot in table):
        return "unknown bot index"
    if not 1 <= round_.deals * sum(map(len, tables)) <= MAX_GAMES:
        return f"it has no game, or over {MAX_GAMES:,}"
    return None


def check_rounds(regulations: Regulations, bots: int, rounds: Sequence[Round], games: Iterable[StoredGame]) -> None:
    """Raise BadRounds unless these rounds could have been paired, and each game belongs to one of them."""
    planned: dict[str, PlannedGame] = {}
    first_deal = 1
    for number, round_ in enumerate(rounds, 1):
        if round_.number != number:
            raise BadRounds(f"round {number} is missing")
        problem = round_problem(round_, bots, regulations.seats)
        if problem is not None or len(planned) > MAX_GAMES:
            raise BadRounds(f"round {number}: {problem or 'too many games'}")
        open_round = OpenRound(round_, first_deal, regulations.deals_of)
        planned |= open_round.planned
        first_deal = open_round.deals.stop
    for game in games:
        if (
            game.planned_id not in planned
            or planned[game.planned_id].bots != game.bots
            or game.game_id != game_id_of(game.round, game.table, game.deal, game.rotation, game.again)
            or game_problem(game, bots, regulations.seats) is not None
        ):
            raise BadRounds(f"the game {game.game_id} doesn't belong to any of its rounds")
