"""What the changes of a tournament come to: its bots, and the results that count. Pure.

Every ruling is an event. `entries_after` and `rulings_after` apply events in their order, and `ruled` applies rulings
to a round; formats, standings and lists only see what results from that.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct, structs

from tournaments.competition.changes import (
    AnyChange,
    ByeGranted,
    Disqualified,
    Ended,
    Joined,
    PairedByHand,
    Penalised,
    Reinstated,
    Replayed,
    Ruled,
    Undone,
    Withdrawn,
)
from tournaments.competition.games import parse_game_id
from tournaments.competition.rounds import Entry, GameResult, PlayedRound, Points, TableResult

Slot = tuple[int, int, int]
"""Table, deal and rotation (from 1) of a game of a round, whether it was replayed or not."""

NO_RULINGS: Final[Mapping[Slot, Ruled]] = {}


class Rulings(Struct, frozen=True, kw_only=True):
    """The rulings that hold, besides those that are in entries."""

    results: dict[int, dict[Slot, Ruled]]
    """By round."""
    by_hand: dict[int, PairedByHand]
    """By round."""
    ended: Ended | None


def standing_events(events: Sequence[AnyChange]) -> Iterator[tuple[int, AnyChange]]:
    """The events that have not been undone, with their numbers from 1, and without those that undo."""
    undone = {event.number for event in events if isinstance(event, Undone)}
    for number, event in enumerate(events, 1):
        if number not in undone and not isinstance(event, Undone):
            yield number, event


def points_of(value: float) -> Points:
    """The exact points that a decimal number stands for."""
    return Fraction(str(value))


def rulings_after(events: Sequence[AnyChange]) -> Rulings:
    """The rulings that hold after these events.

    A later ruling on a game takes the place of an earlier one, and a replay ends it, unless the record was lost.
    """
    results = defaultdict[int, dict[Slot, Ruled]](dict)
    by_hand: dict[int, PairedByHand] = {}
    ended = None
    for _, event in standing_events(events):
        match event:
            case Ruled():
                name = parse_game_id(event.game_id)
                assert name is not None
                results[name.round][name[1:4]] = event
            case Replayed() if not event.lost:
                name = parse_game_id(event.game_id)
                assert name is not None
                results[name.round].pop(name[1:4], None)
            case PairedByHand():
                by_hand[event.number] = event
            case Ended():
                ended = event
    return Rulings(results=dict(results), by_hand=by_hand, ended=ended)


def entries_after(initial: Sequence[Entry], events: Sequence[AnyChange]) -> list[Entry]:
    """The bots after these events; late entries come last."""
    found = {entry.name: entry for entry in initial}
    withdrawn: dict[str, int] = {}
    standing = {number for number, _ in standing_events(events)}

    def withdraw(name: str, number: int, *, disqualified: bool) -> None:
        entry = found[name]
        found[name] = structs.replace(
            entry,
            withdrawn=number if entry.withdrawn is None else min(number, entry.withdrawn),
            disqualified=entry.disqualified or disqualified,
        )

    def come_back(name: str, number: int, again: int | None) -> None:
        """From a round on, until one before which it had withdrawn besides."""
        entry = found[name]
        since = number if entry.withdrawn is None else entry.withdrawn
        missed = range(since, number if again is None else min(number, again))
        found[name] = structs.replace(
            entry,
            withdrawn=again,
            disqualified=False,
            missed=(*entry.missed, missed) if missed else entry.missed,
        )

    for number, event in enumerate(events, 1):
        match event:
            case Joined():
                found[event.bot.name] = Entry(name=event.bot.name, owner=event.bot.owner, joined=event.round)
            case Withdrawn():
                withdrawn[event.bot] = event.round
                withdraw(event.bot, event.round, disqualified=False)
            case Reinstated():
                withdrawn.pop(event.bot, None)
                come_back(event.bot, event.round, None)
            case Disqualified():
                withdraw(event.bot, event.round, disqualified=True)
            case Undone():
                target = events[event.number - 1]
                if isinstance(target, Disqualified):
                    come_back(target.bot, event.round, withdrawn.get(target.bot))
            case Penalised() if number in standing:
                entry, adjustment = found[event.bot], (event.round, points_of(event.points))
                found[event.bot] = structs.replace(entry, adjustments=(*entry.adjustments, adjustment))
            case ByeGranted() if number in standing:
                entry, bye = found[event.bot], (event.number, points_of(event.points))
                found[event.bot] = structs.replace(entry, byes=(*entry.byes, bye))
    return list(found.values())


def requested_byes(entries: Sequence[Entry], number: int) -> tuple[tuple[int, Points], ...]:
    """The bots that are absent in a round at their request, with their points."""
    return tuple(
        (bot, points)
        for bot, entry in enumerate(entries)
        for round_number, points in entry.byes
        if round_number == number and entry.belongs(number)
    )


def ruled(
    played: PlayedRound, results: Mapping[Slot, Ruled], void: Collection[int], requested: Sequence[tuple[int, Points]]
) -> PlayedRound:
    """A round with rulings applied to the games as they were played. All games of the bots in `void` are void."""
    if not results and not void and not requested:
        return played
    tables = {slot[0] for slot in results}
    return structs.replace(
        played,
        results=tuple(
            _ruled_table(number, result, results, all_void=not set(void).isdisjoint(result.table.bots))
            if number in tables or not set(void).isdisjoint(result.table.bots)
            else result
            for number, result in enumerate(played.results, 1)
        ),
        requested=tuple(requested),
    )


def _ruled_table(number: int, result: TableResult, results: Mapping[Slot, Ruled], *, all_void: bool) -> TableResult:
    games: list[GameResult] = []
    void: list[GameResult] = []
    for game in result.games:
        ruling = results.get((number, game.deal.number, game.rotation + 1))
        if all_void or (ruling is not None and ruling.ranks is None):
            void.append(game)
        elif ruling is None or ruling.ranks is None or len(ruling.ranks) != len(game.ranks):
            games.append(game)
        else:
            # Nobody has forfeited a game whose ranks are set: the bots have met.
            size = len(ruling.ranks)
            ranks = tuple(ruling.ranks[(position - game.rotation) % size] for position in range(size))
            games.append(structs.replace(game, ranks=ranks, forfeits=(False,) * size, by_ruling=True))
    return structs.replace(result, games=tuple(games), void=tuple(void))
