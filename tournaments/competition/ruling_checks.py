"""Rulings before they are applied: whether they can be, by the state of the tournament; and what they say. Pure."""

from collections import Counter
from collections.abc import Collection, Sequence
from math import isfinite
from shlex import quote
from typing import Final

from referee.errors import RefereeError
from referee.games.narrator import format_game_id
from referee.near_misses import did_you_mean
from tournaments.competition.changes import (
    UNDOABLE,
    AnyChange,
    AnyRuling,
    ByeGranted,
    Disqualified,
    Ended,
    PairedByHand,
    Penalised,
    Reinstated,
    Ruled,
    Undone,
)
from tournaments.competition.games import StoredGame
from tournaments.competition.progress import Progress
from tournaments.competition.rulings import standing_events

MAX_ADJUSTMENT: Final = 1000.0
THE_END: Final = "the end"
"""What the ruling that ends a tournament is about."""


class RulingError(RefereeError):
    """A ruling can't be given. The text says why, and what to do."""


class InvalidValue(RulingError):
    """A bot, a game or a round that the tournament doesn't have, or a value that no ruling on it can have."""


def find_bot(progress: Progress, name: str) -> int:
    """The index of the bot with this name. Raises InvalidValue."""
    bot = progress.index(name)
    if bot is None:
        names = [entry.name for entry in progress.entries]
        raise InvalidValue(f'unknown bot "{name}"{did_you_mean(name, names, "the bots are")}')
    return bot


def check_round(progress: Progress, number: int) -> None:
    """Raise InvalidValue if the tournament will have no round with this number."""
    planned = progress.regulations.format_settings.plan(progress.format_context()).rounds
    if number < 1 or (planned is not None and number > max(planned, len(progress.begun))):
        most = "rounds are counted from 1" if planned is None else f"the tournament has at most {planned}"
        raise InvalidValue(f"there is no round {number}; {most}")


def check_ruling(progress: Progress, ruling: AnyRuling, *, finished: bool) -> None:
    """Raise RulingError if a ruling can't be applied now. `finished`: whether the tournament is over."""
    if not ruling.reason.strip():
        raise InvalidValue("a ruling needs a reason, which is published")
    if finished and isinstance(ruling, Reinstated | ByeGranted | PairedByHand | Ended):
        raise RulingError("the tournament is finished, and no further round is played")
    match ruling:
        case Ruled():
            game = game_that_counts(progress, ruling.game_id)
            if ruling.ranks is not None:
                _check_ranks(game, ruling.ranks)
        case Penalised():
            find_bot(progress, ruling.bot)
            if not isfinite(ruling.points) or not 0 < abs(ruling.points) <= MAX_ADJUSTMENT:
                raise InvalidValue(
                    f"points must be below 0 for a penalty or above 0 for a bonus, at most {MAX_ADJUSTMENT:g}, not"
                    f" {ruling.points:g}"
                )
        case Disqualified():
            if progress.entries[find_bot(progress, ruling.bot)].disqualified:
                raise RulingError(f'"{ruling.bot}" has already been disqualified')
        case Reinstated():
            _check_reinstatement(progress, ruling)
        case ByeGranted():
            _check_bye(progress, ruling)
        case PairedByHand():
            _check_tables(progress, ruling)
        case Ended():
            if progress.ended is not None:
                raise RulingError(f"it already ends before round {progress.ended.round}")
        case Undone():
            _check_undo(progress, ruling, finished=finished)


def game_that_counts(progress: Progress, game_id: str) -> StoredGame:
    """The finished game with this id, which counts. Raises RulingError."""
    if game_id in progress.struck_out:
        _, replacement = progress.struck_out[game_id]
        raise RulingError(f"{game_id} has already been played again, as {replacement}: give that id")
    for begun in progress.begun:
        for game in begun.played.values():
            if game.game_id == game_id:
                return game
        if game_id in begun.planned:
            raise RulingError(f"{game_id} has not been played yet: a ruling is possible when it is over")
    raise InvalidValue(f"unknown game {game_id}; `referee tournament games` lists all games")


def _check_ranks(game: StoredGame, ranks: Sequence[int]) -> None:
    size = len(game.bots)
    if len(ranks) != size:
        raise InvalidValue(f"{game.game_id} has {size} seats: give {size} ranks, in the order of the seats")
    if any(rank != 1 + sum(other < rank for other in ranks) for rank in ranks):
        raise InvalidValue(
            f"ranks {', '.join(map(str, ranks))}: the best is 1, equal ones share a rank, and the next one counts all"
            " before it, as in 1, 2, 2, 4"
        )


def _check_reinstatement(progress: Progress, ruling: Reinstated) -> None:
    entry = progress.entries[find_bot(progress, ruling.bot)]
    if entry.disqualified:
        raise RulingError(
            f'"{ruling.bot}" was disqualified: undo that with `referee tournament disqualify DIR {quote(ruling.bot)}'
            " --undo`"
        )
    if entry.withdrawn is None:
        raise RulingError(f'"{ruling.bot}" has not been withdrawn')
    settings = progress.regulations.format_settings
    refused = settings.refuses_return(progress.format_context(), entry, progress.next_number)
    if refused is not None:
        raise RulingError(f'"{ruling.bot}" can\'t come back: {refused}')


def _check_bye(progress: Progress, ruling: ByeGranted) -> None:
    settings = progress.regulations.format_settings
    entry, number = progress.entries[find_bot(progress, ruling.bot)], ruling.number
    check_round(progress, number)
    if number < progress.next_number:
        raise RulingError(f"round {number} has been paired; the next one is round {progress.next_number}")
    if any(number == other for other, _ in entry.byes):
        raise RulingError(f'"{ruling.bot}" already has a bye in round {number}')
    if not entry.belongs(number):
        raise RulingError(f'"{ruling.bot}" does not take part in round {number}')
    refused = settings.refuses_bye(progress.format_context(), number)
    if refused is not None:
        raise RulingError(f"no bye on request is possible in this format: {refused}")
    if not 0 <= ruling.points <= (1 if settings.bye else 0):
        most = "from 0 to 1 point" if settings.bye else "0 points in this format; a bonus can give points"
        raise InvalidValue(f"a bye on request is worth {most}, not {ruling.points:g}")


def _check_tables(progress: Progress, ruling: PairedByHand) -> None:
    regulations, context = progress.regulations, progress.format_context()
    if not regulations.format_settings.paired_by_hand:
        raise RulingError(f"rounds of the format {regulations.format} can't be paired by hand: they follow a schedule")
    if ruling.number != progress.next_number:
        raise RulingError(f"only the next round can be set, which is round {progress.next_number}")
    if ruling.number in progress.rulings.by_hand:
        raise RulingError(f"round {ruling.number} has been set already: undo that first, with --undo")
    seated = Counter(name for bots in (*ruling.tables, ruling.byes) for name in bots)
    for name, times in seated.items():
        if not progress.entries[find_bot(progress, name)].plays(ruling.number):
            raise RulingError(f'"{name}" does not take part in round {ruling.number}')
        if times > 1:
            raise InvalidValue(f'"{name}" sits twice')
    missing = [name for bot in context.playing(ruling.number) if (name := context.entries[bot].name) not in seated]
    if missing and regulations.format_settings.bye:
        raise InvalidValue(f"without a table: {', '.join(missing)}; give them byes")
    if not ruling.tables:
        raise InvalidValue("at least one table is needed")
    for bots in ruling.tables:
        for a, b in context.forbidden:
            if {context.entries[a].name, context.entries[b].name} <= set(bots):
                raise RulingError(f"{context.entries[a].name} and {context.entries[b].name} may not meet (forbidden)")
    for number, bots in enumerate(ruling.tables, 1):
        if not max(2, regulations.seats - 1) <= len(bots) <= regulations.seats:
            raise InvalidValue(f"table {number} has {len(bots)} bots; tables have {regulations.seats}")


def _check_undo(progress: Progress, ruling: Undone, *, finished: bool) -> None:
    event = dict(standing_events(progress.events)).get(ruling.number)
    if event is None or not isinstance(event, UNDOABLE):
        raise RulingError(f"event {ruling.number} is not a ruling that can be undone")
    if isinstance(event, ByeGranted | PairedByHand) and event.number < progress.next_number:
        raise RulingError(f"round {event.number} has been paired: this can't be undone any more")
    if isinstance(event, Ended) and finished:
        raise RulingError("the tournament is finished, and its seed is public")
    if isinstance(event, Ruled) and progress.ruling_on(game_that_counts(progress, event.game_id)) is not event:
        raise RulingError(f"{event.game_id} has been played again since: the ruling no longer has any effect")


# -- in words -------------------------------------------------------------------------------------------------


def about(events: Sequence[AnyChange], ruling: AnyRuling) -> str:
    """The bot, the game or the round that a ruling is about."""
    match ruling:
        case Ruled():
            return ruling.game_id
        case PairedByHand():
            return f"round {ruling.number}"
        case Ended():
            return THE_END
        case Undone():
            target = events[ruling.number - 1]
            return about(events, target) if isinstance(target, AnyRuling) else ""
        case _:
            return ruling.bot


def format_ruling(events: Sequence[AnyChange], ruling: AnyRuling, *, void: Collection[str] = ()) -> str:
    """A ruling in words, without its reason. `void`: the bots none of whose results count."""
    match ruling:
        case Ruled(ranks=None):
            return f"{format_game_id(ruling.game_id)}, counts for nobody"
        case Ruled():
            ranks = ", ".join(map(str, ruling.ranks or ()))
            return f"the result of {format_game_id(ruling.game_id)}, is set to ranks {ranks}"
        case Penalised():
            kind = "bonus" if ruling.points > 0 else "penalty"
            return f"{ruling.bot} has a {kind} of {ruling.points:+g} points"
        case Disqualified():
            results = "none of its results count" if ruling.bot in void else "its results stay"
            return f"{ruling.bot} is disqualified; {results}"
        case Reinstated():
            return f"{ruling.bot} plays again from round {ruling.round} on"
        case ByeGranted():
            return f"{ruling.bot} is absent in round {ruling.number}, for {ruling.points:g} points"
        case PairedByHand():
            return f"round {ruling.number} was paired by hand"
        case Ended():
            return f"the tournament ends before round {ruling.round}"
        case Undone():
            target = events[ruling.number - 1]
            assert isinstance(target, AnyRuling)
            return f'the ruling "{format_ruling(events, target, void=void)}" is undone'
