"""The coverage of what standings claim of ratings where a group of bots is much stronger than the rest.

All bots of a tier are within 100 Elo. Games are independent and follow the model exactly, so the true ratings are known
however far apart the tiers are.
"""

import math
import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct

from tests.simulation.coverage import Schedule
from tournaments.competition.fit import ELO_PER_LOG, Fit, RankedGame
from tournaments.competition.ratings import Rating, Ratings, jackknife_margin
from tournaments.competition.rounds import Deal

WITHIN: Final = 100.0
"""From the best to the last bot of a tier, in Elo."""


class Claims(Struct):
    """What was claimed of a kind of value, such as ratings, and how much of it was true."""

    values: int = 0
    intervals: int = 0
    covering: int = 0
    runs: int = 0
    """Tournaments with an interval."""
    half_widths: float = 0.0
    jackknife: float = 0.0
    """The half-widths of the jackknife alone, of the same values."""
    one_sided: int = 0
    holding: int = 0
    """One-sided bounds that hold."""

    def add(self, found: Rating | None, true: float, jackknife: float) -> bool:
        """Count a value. Returns whether it has an interval."""
        self.values += 1
        if found is None:
            return False
        if found.low is not None and found.high is not None:
            self.intervals += 1
            self.covering += found.low <= true <= found.high
            self.half_widths += (found.high - found.low) / 2
            self.jackknife += jackknife
            return True
        if found.low is not None or found.high is not None:
            self.one_sided += 1
            self.holding += (found.low is None or found.low <= true) and (found.high is None or true <= found.high)
        return False


class TierCoverage(Struct):
    """Of a row."""

    ratings: Claims
    differences: Claims


def tiers(bots: int, top: int, apart: float) -> list[float]:
    """True ratings with mean 0: `top` bots in the upper tier, the others in the lower one."""
    found = []
    for size, middle in ((top, apart), (bots - top, 0.0)):
        found += [middle + WITHIN * (place / (size - 1) - 0.5) if size > 1 else middle for place in range(size)]
    mean = math.fsum(found) / bots
    return [elo - mean for elo in found]


def games_of(
    schedule: Schedule, elos: Sequence[float], seats: int, deals: int, rng: random.Random
) -> Iterator[RankedGame]:
    """A tournament with a deal per round and table, in each rotation."""
    points = [0.0] * len(elos)
    for number in range(deals):
        for table, bots in enumerate(schedule(number, len(elos), seats, points, rng), 1):
            for _ in bots:
                performance = {bot: elos[bot] / ELO_PER_LOG - math.log(rng.expovariate(1)) for bot in bots}
                order = sorted(bots, key=lambda bot: -performance[bot])
                for behind, bot in enumerate(reversed(order)):
                    points[bot] += behind / (len(bots) - 1)
                yield RankedGame(Deal.of("table", table, number), tuple((bot,) for bot in order))


def tier_coverage(
    schedule: Schedule, *, bots: int, top: int, seats: int, deals: int, apart: float, runs: int, seed: str
) -> TierCoverage:
    """Simulate tournaments of two tiers, and compare ratings and differences with the truth."""
    rng = random.Random(seed)
    true = tiers(bots, top, apart)
    found = TierCoverage(Claims(), Claims())
    for _ in range(runs):
        games = list(games_of(schedule, true, seats, deals, rng))
        fitted = Fit(games)
        ratings = Ratings(fitted, games)
        any_rating = any_difference = False
        for bot in range(bots):
            any_rating |= found.ratings.add(ratings[bot], true[bot], jackknife_margin(fitted, bot))
        for bot, other in combinations(range(bots), 2):
            difference = ratings.difference(bot, other)
            any_difference |= found.differences.add(
                difference, true[bot] - true[other], jackknife_margin(fitted, bot, other)
            )
        found.ratings.runs += any_rating
        found.differences.runs += any_difference
    return found
