"""Ratings under a normal prior whose spread is unknown: what results say where they also decided who met whom.

Bots that are lucky at first meet stronger opponents, so the ratings at the ends of a table are too far out, the more so
the more bots there are and the closer they are. The prior says how far bots are likely to be from each other: strengths
are normal with mean 0 and a spread τ, which is uniform a priori (Gelman, "Prior distributions for variance parameters
in hierarchical models", Bayesian Analysis 1, 2006) and follows from the games, with its uncertainty. So the posterior
is a mixture over a grid of τ, weighted by the integrated likelihood in Laplace's approximation (Tierney and Kadane,
"Accurate approximations for posterior moments and marginal densities", Journal of the American Statistical Association
81, 1986). That pairings depend on results changes nothing in it, as the likelihood is the same.
"""

import math
from collections.abc import Iterator
from statistics import fmean
from typing import Final

from msgspec import Struct

from tournaments.competition.fit import ELO_PER_LOG, Evidence, Prior
from tournaments.competition.linear_algebra import Factor, Vector

SMALLEST_SPREAD: Final = 10.0
"""In Elo: with less bots are as good as equal."""
LARGEST_SPREAD: Final = 1280.0
SPREAD_RATIO: Final = 2.0
"""Of one spread of the grid to the one before."""
NEGLIGIBLE: Final = 7.0
"""A spread whose log weight is this far below the highest one is left out, as are those beyond it."""


class Posterior(Struct):
    """Given one spread: the parameters of highest density, the factor of the inverse of their covariance, and the log
    weight of the spread."""

    parameters: Vector
    precision: Factor
    log_weight: float


class ShrunkRatings:
    """Mean and standard deviation of ratings and differences, on the Elo scale."""

    def __init__(self, evidence: Evidence, dispersion: float, spread: float, fitted: Vector) -> None:
        """`dispersion`: the variance over deals divided by that if all games were independent. `spread`: of the ratings
        without this prior, in Elo, near which the grid is searched first. `fitted`: the parameters without it."""
        self._position = {bot: position for position, bot in enumerate(evidence.bots)}
        size = len(self._position)
        found = list(_posteriors(evidence, dispersion, spread, fitted))
        highest = max(posterior.log_weight for posterior in found)
        weights = [math.exp(posterior.log_weight - highest) for posterior in found]
        total = math.fsum(weights)
        self._mean = [0.0] * size
        self._row_means = [0.0] * size
        """Of the second moments around the mean rating."""
        self._mixture: list[tuple[float, Vector, Factor]] = []
        """The share of each spread, its centred ratings, and the factor of the inverse of its covariance."""
        for weight, posterior in zip(weights, found, strict=True):
            if total + weight == total:
                continue  # it changes no digit, so nothing is inverted for it
            share, own = weight / total, posterior.parameters[:size]
            middle = fmean(own)
            centred = [value - middle for value in own]
            self._mixture.append((share, centred, posterior.precision))
            # Parameters of ties are no bots.
            ones = [1 / size] * size + [0.0] * (len(posterior.parameters) - size)
            row_means = posterior.precision.inverse_times(ones)
            for one, value in enumerate(centred):
                self._mean[one] += share * value
                self._row_means[one] += share * row_means[one]
        self._mean_of_all = fmean(self._row_means)

    def estimate(self, bot: int, other: int | None = None) -> tuple[float, float]:
        """The mean of a rating, or of the difference to another one, and its standard deviation."""
        one = self._position[bot]
        if other is None:
            mean = self._mean[one]
            second = self._second(one, one) - 2 * self._row_means[one] + self._mean_of_all
        else:
            two = self._position[other]
            mean = self._mean[one] - self._mean[two]
            second = self._second(one, one) + self._second(two, two) - 2 * self._second(one, two)
        return mean * ELO_PER_LOG, math.sqrt(max(0.0, second - mean**2)) * ELO_PER_LOG

    def _second(self, one: int, two: int) -> float:
        """The second moment of two ratings around the mean of all."""
        return sum(
            share * (precision.inverse_at(one, two) + centred[one] * centred[two])
            for share, centred, precision in self._mixture
        )


def _posteriors(evidence: Evidence, dispersion: float, spread: float, fitted: Vector) -> Iterator[Posterior]:
    """Those of all spreads of the grid whose weight counts, beginning near `spread` and from there to both sides."""
    grid = [SMALLEST_SPREAD]
    while grid[-1] < LARGEST_SPREAD:
        grid.append(grid[-1] * SPREAD_RATIO)
    middle = min(range(len(grid)), key=lambda index: abs(math.log(grid[index] / max(spread, SMALLEST_SPREAD))))
    first = _posterior(evidence, grid[middle], dispersion, fitted)
    yield first
    highest = first.log_weight
    for side in (grid[middle + 1 :], grid[middle - 1 :: -1] if middle else []):
        last = first
        for own in side:
            last = _posterior(evidence, own, dispersion, last.parameters)
            highest = max(highest, last.log_weight)
            if last.log_weight < highest - NEGLIGIBLE:
                break
            yield last


def _posterior(evidence: Evidence, spread: float, dispersion: float, start: Vector) -> Posterior:
    """Given a spread in Elo. Its weight is in proportion to the step of the grid around it, as τ is uniform."""
    prior = Prior(spread / ELO_PER_LOG, dispersion)
    parameters = evidence.fit(prior, start)
    precision = Factor(evidence.derivatives(parameters, prior)[1])
    log_weight = evidence.log_posterior(parameters, prior) - precision.log_determinant / 2 + math.log(spread)
    return Posterior(parameters, precision, log_weight)
