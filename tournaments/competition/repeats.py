"""Repeated deals: what deals say in a game without chance, where bots that repeat themselves play the same games.

There a deal decides nothing. While all deals of the same bots in the same order around the table are equal, after the
same opening if they have one, they are one observation. Once two of them differ, all count: the bots choose at random,
and a line that recurs is the likelier for it. (Counting each line once would be wrong: where one recurs in 36 % of the
deals, intervals would hold the truth in 62 % of the cases after 40 deals, and in 2 % after 200.) Means are over all
deals in either case.

A deal with a fault equals no other one: to fail is never better than to lose.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from statistics import fmean
from typing import Final, NamedTuple, TypeVar

from msgspec import Struct

from referee.outcome import opening_of, without_decisions
from tournaments.competition.rounds import GameResult, PlayedRound, Table, derived

MAX_REPEATS: Final = 20
"""After so many deals, or rounds, that only repeat others, what waits for more observations ends."""
T = TypeVar("T")
Seating = tuple[int, ...]
"""The bots of a game by seat."""
Around = tuple[int, ...]
"""The bots of a table in their order around it: that of its seatings with the first bot in seat 0."""
Line = tuple[Around, str]
"""What deals that can be equal have in common: the order around the table, and the opening."""


class Decided(NamedTuple):
    """A game as far as it can be a repeat."""

    deal: Hashable
    seating: Seating
    decisions_hash: str
    """Of decisions nothing where it equals no other game: with chance, and with a fault."""

    @property
    def line(self) -> Line:
        return around(self.seating), opening_of(self.decisions_hash)

    @property
    def is_unique(self) -> bool:
        """Whether it is equal to no other one."""
        return not self.decisions_hash or self.decisions_hash.endswith(":")


def as_decided(deal: Hashable, seating: Seating, faults: Iterable[object], decisions_hash: str) -> Decided:
    """A game with these faults by seat, which are false where there is none."""
    return Decided(deal, seating, without_decisions(decisions_hash) if any(faults) else decisions_hash)


def decided(table: Table, game: GameResult) -> Decided:
    seating = table.bots[game.rotation :] + table.bots[: game.rotation]
    return as_decided(game.deal, seating, game.faults, game.decisions_hash)


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


def repeating(games: Iterable[Decided]) -> frozenset[Line]:
    """The lines of which all deals are equal."""
    found: dict[tuple[Seating, str], str] = {}
    lines: set[Line] = set()
    differing: set[Line] = set()
    for game in games:
        line = game.line
        lines.add(line)
        if game.is_unique or found.setdefault((game.seating, line[1]), game.decisions_hash) != game.decisions_hash:
            differing.add(line)
    return frozenset(lines - differing)


def count_deals(games: Iterable[Decided]) -> DealCounts | None:
    """The deals of all tables. None where no deal is equal to another one."""
    games = list(games)
    repeated = repeating(games)
    by_line: dict[Line, dict[Hashable, set[Hashable]]] = defaultdict(lambda: defaultdict(set))
    for game in games:
        decisions = game.deal if game.is_unique else game.decisions_hash
        by_line[game.line][game.deal].add((game.seating, decisions))
    deals = distinct = counted = 0
    for line, own in by_line.items():
        deals += len(own)
        # Where all are equal, also those of which games are missing.
        distinct += 1 if line in repeated else len(set(map(frozenset, own.values())))
        counted += 1 if line in repeated else len(own)
    return None if distinct == deals else DealCounts(deals=deals, distinct=distinct, observations=counted)


def without_repeats(games: Sequence[tuple[Decided | None, T]]) -> list[T]:
    """What comes with the games, without that of deals that are equal to another one where they are one observation.
    None: a game that can't be a repeat."""
    repeated = repeating(decided for decided, _ in games if decided is not None)
    if not repeated:
        return [own for _, own in games]
    counted: dict[Line, Hashable] = {}
    return [
        own
        for decided, own in games
        if decided is None
        or decided.line not in repeated
        or counted.setdefault(decided.line, decided.deal) == decided.deal
    ]


def observation(deal: Hashable, games: Iterable[Decided], repeated: Collection[Line]) -> Hashable:
    """What a deal with these games is a part of: equal for deals that are one observation. `repeated`: see
    `repeating`."""
    if not repeated:
        return deal
    lines = frozenset(game.line for game in games)
    return lines if lines <= frozenset(repeated) else deal


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
