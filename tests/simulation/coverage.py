"""The coverage of rating intervals in simulated tournaments of honest bots.

A bot performs in a game by its strength, a luck of its own in that deal, and chance: performance = strength + luck +
Gumbel noise, and the ranks are the order of performances, those who are close to each other tied. Luck is what makes
the rotations of a deal depend on each other.
"""

import math
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from tests.tournaments.competition.results import game
from tournaments.competition.fit import RankedGame
from tournaments.competition.points import game_points
from tournaments.competition.ratings import rate
from tournaments.competition.rounds import Deal, DealsOf

LUCK: Final = 0.7
"""Standard deviation of a bot's luck in a deal, on the scale of the logarithm of strengths: 120 Elo."""
SPREAD: Final = 0.8
"""Standard deviation of strengths: 140 Elo."""
TIE: Final = 0.1
TRUTH_DEALS: Final = 2000

Tables = list[tuple[int, ...]]
Points = Sequence[float]
"""What each bot has scored so far."""
Schedule = Callable[[int, int, int, Points, random.Random], Tables]
"""The tables of a round, given its number from 0, the number of bots and of seats, and the points so far."""


class Coverage(Struct, frozen=True, kw_only=True):
    """Over all bots of all runs of one schedule."""

    intervals: int
    covering: int
    without: int
    """Bots without an interval, because they had only won or only lost."""
    half_width: float
    """Mean half-width in Elo."""

    @property
    def share(self) -> float:
        """The share of intervals that contain the true rating."""
        return self.covering / self.intervals


def round_robin(number: int, bots: int, seats: int, points: Points, rng: random.Random) -> Tables:
    """Two seats: the circle method, over and over. More: a partition that no result has influenced."""
    if seats > 2:
        order = rng.sample(range(bots), bots)
        return _cut(order, seats)
    turn = number % (bots - 1)
    circle = [bots - 1, *((bot + turn) % (bots - 1) for bot in range(bots - 1))]
    return [(circle[place], circle[-1 - place]) for place in range(bots // 2)]


def swiss(number: int, bots: int, seats: int, points: Points, rng: random.Random) -> Tables:
    """Those with the most points at the first table, and so on; equals in random order."""
    return _cut(sorted(range(bots), key=lambda bot: (-points[bot], rng.random())), seats)


def ladder(number: int, bots: int, seats: int, points: Points, rng: random.Random) -> Tables:
    """Neighbours in the order by points, cut at a place that moves, so that everybody meets both neighbours."""
    order = sorted(range(bots), key=lambda bot: (-points[bot], rng.random()))
    shift = number * (seats // 2) % seats
    return _cut(order[shift:] + order[:shift], seats)


def _cut(order: Sequence[int], seats: int) -> Tables:
    return [tuple(order[start : start + seats]) for start in range(0, len(order) - seats + 1, seats)]


def tournament(
    schedule: Schedule,
    strengths: Sequence[float],
    seats: int,
    deals: int,
    deals_per_round: int,
    rng: random.Random,
    deals_of: DealsOf,
) -> Iterator[RankedGame]:
    """The games of a tournament: each table plays every deal in every rotation.

    With deals per round, all tables of a round play the same deals; a bot's luck is the same at each of its tables.
    """
    points = [0.0] * len(strengths)
    for number in range(deals // deals_per_round):
        tables = schedule(number, len(strengths), seats, points, rng)
        for deal in range(number * deals_per_round, (number + 1) * deals_per_round):
            base = [strength + rng.gauss(0, LUCK) for strength in strengths]
            for table, bots in enumerate(tables, 1):
                for _ in bots:
                    groups = _play(bots, base, rng)
                    ranks = {bot: rank for rank, group in enumerate(groups, 1) for bot in group}
                    for bot, value in zip(bots, game_points(game([ranks[bot] for bot in bots])), strict=True):
                        points[bot] += float(value)
                    yield RankedGame(Deal.of(deals_of, table, deal), groups)


def _play(bots: Sequence[int], base: Sequence[float], rng: random.Random) -> tuple[tuple[int, ...], ...]:
    performance = {bot: base[bot] - math.log(rng.expovariate(1)) for bot in bots}
    groups: list[list[int]] = []
    for bot in sorted(bots, key=lambda bot: -performance[bot]):
        if groups and performance[groups[-1][-1]] - performance[bot] < TIE:
            groups[-1].append(bot)
        else:
            groups.append([bot])
    return tuple(map(tuple, groups))


def truth(strengths: Sequence[float], seats: int, rng: random.Random) -> list[float]:
    """The ratings that a very long tournament without influence of results tends to."""
    games = tournament(round_robin, strengths, seats, TRUTH_DEALS, 1, rng, "round")
    # As one deal, so that no time goes into intervals.
    ratings = rate(RankedGame(Deal(0), one.groups) for one in games)
    return [rating.elo for bot in range(len(strengths)) if (rating := ratings[bot]) is not None]


def strengths_of(bots: int) -> list[float]:
    """Evenly spread over the quantiles of the normal distribution."""
    normal = statistics.NormalDist(0, SPREAD)
    return [normal.inv_cdf((bot + 0.5) / bots) for bot in range(bots)]


def coverage(
    schedule: Schedule,
    *,
    bots: int,
    seats: int,
    deals: int,
    deals_per_round: int = 1,
    deals_of: DealsOf,
    runs: int,
    seed: str,
) -> Coverage:
    """Simulate tournaments and count the intervals that hold the truth."""
    rng = random.Random(seed)
    strengths = strengths_of(bots)
    true = truth(strengths, seats, rng)
    widths = []
    covering = without = 0
    for _ in range(runs):
        ratings = rate(tournament(schedule, strengths, seats, deals, deals_per_round, rng, deals_of))
        for bot in range(bots):
            rating = ratings[bot]
            if rating is None or rating.low is None or rating.high is None:
                without += 1
                continue
            widths.append((rating.high - rating.low) / 2)
            covering += rating.low <= true[bot] <= rating.high
    return Coverage(intervals=len(widths), covering=covering, without=without, half_width=statistics.fmean(widths))
