"""Repeated deals: what deals say in a game without chance, where bots that repeat themselves play the same games.

There a deal decides nothing. While all deals of the same bots in the same order around the table are equal, they are
one observation. Once two of them differ, all count: the bots choose at random, and a line that recurs is the likelier
for it. (Counting each line once would be wrong: where one recurs in 36 % of the deals, intervals would hold the
truth in 62 % of the cases after 40 deals, and in 2 % after 200.) Means are over all deals in either case.

A deal with a fault equals no other one: to fail is never better than to lose.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from statistics import fmean
from typing import Final, NamedTuple, TypeVar

from msgspec import Struct

from tournaments.competition.rounds import GameResult, PlayedRound, Table, derived

MAX_REPEATS: Final = 20
"""After so many deals, or rounds, that only repeat others, what waits for more observations ends."""
T = TypeVar("T")
Seating = tuple[int, ...]
"""The bots of a game by seat."""
Around = tuple[int, ...]
"""The bots of a table in their order around it: that of its seatings with the first bot in seat 0."""


class Decided(NamedTuple):
    """A game as far as it can be a repeat."""

    deal: Hashable
    seating: Seating
    decisions_hash: str
    """Empty where it equals no other game: with chance, and with a fault."""


def decided(table: Table, game: GameResult) -> Decided:
    seating = table.bots[game.rotation :] + table.bots[: game.rotation]
    return Decided(game.deal, seating, "" if any(game.faults) else game.decisions_hash)


@derived
def decided_games(played: PlayedRound) -> tuple[Decided, ...]:
    """The games of a round that can be repeats of others: none in a game with chance."""
    return tuple(
        decided(result.table, game)
        for result in played.results
        for game in result.games
        if game.decisions_hash and not game.by_ruling
    )


class DealCounts(Struct, frozen=True, kw_only=True):
    """How many deals tables have played in a game without chance, and what they are worth."""

    deals: int
    distinct: int
    """Without those that are equal to one before."""
    observations: int
    """What counts for intervals, ratings and tests: all, but one of those that are all equal."""


def around(seating: Seating) -> Around:
    """The order around the table, which is the same in all rotations."""
    first = seating.index(min(seating))
    return seating[first:] + seating[:first]


def repeating(games: Iterable[Decided]) -> frozenset[Around]:
    found: dict[Seating, str] = {}
    differing: set[Seating] = set()
    for _, seating, decisions in games:
        if not decisions or found.setdefault(seating, decisions) != decisions:
            differing.add(seating)
    return frozenset(map(around, found)) - frozenset(map(around, differing)) if found else frozenset()


def count_deals(games: Iterable[Decided]) -> DealCounts | None:
    """The deals of all tables. None where no deal is equal to another one."""
    games = list(games)
    repeated = repeating(games)
    by_table: dict[Around, dict[Hashable, set[Hashable]]] = defaultdict(lambda: defaultdict(set))
    for deal, seating, decisions in games:
        by_table[around(seating)][deal].add((seating, decisions or deal))
    deals = distinct = counted = 0
    for table, own in by_table.items():
        deals += len(own)
        # Where all are equal, also those of which games are missing.
        distinct += 1 if table in repeated else len(set(map(frozenset, own.values())))
        counted += 1 if table in repeated else len(own)
    return None if distinct == deals else DealCounts(deals=deals, distinct=distinct, observations=counted)


def without_repeats(games: Sequence[tuple[Decided | None, T]]) -> list[T]:
    """What comes with the games, without that of deals that are equal to another one where they are one observation.
    None: a game that can't be a repeat."""
    repeated = repeating(decided for decided, _ in games if decided is not None)
    if not repeated:
        return [own for _, own in games]
    counted: dict[Around, Hashable] = {}
    found = []
    for decided, own in games:
        table = () if decided is None else around(decided.seating)
        if decided is None or table not in repeated or counted.setdefault(table, decided.deal) == decided.deal:
            found.append(own)
    return found


def observation(deal: Hashable, seatings: Iterable[Seating], repeated: Collection[Around]) -> Hashable:
    """What a deal is a part of: equal for deals that are one observation. `seatings`: of its games; `repeated`: the
    tables all of whose deals are equal."""
    if not repeated:
        return deal
    tables = frozenset(map(around, seatings))
    return tables if tables <= frozenset(repeated) else deal


def observed(values: Sequence[float], observations: Sequence[Hashable]) -> Sequence[float]:
    """One value for each observation, from one for each deal: their mean is that over all deals, and their variance is
    that of a mean of unequal clusters. The values themselves if there are no `observations`: each deal is one."""
    sizes = Counter(observations)
    if len(sizes) in (0, len(values)):
        return values
    if min(values) == max(values):
        return values[: len(sizes)]  # without rounding errors
    mean = fmean(values)
    sums = dict.fromkeys(sizes, 0.0)
    for value, own in zip(values, observations, strict=True):
        sums[own] += value - mean
    return [mean + deviation * len(sizes) / len(values) for deviation in sums.values()]
