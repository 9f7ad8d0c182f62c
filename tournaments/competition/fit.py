"""The fit of strengths to ranks: the Plackett–Luce model with ties over all games, and what each deal contributes.

The model is that of Turner, van Etten, Firth and Kosmidis ("Modelling rankings in R: the PlackettLuce package",
Computational Statistics 35, 2020; for single choices: Firth, Kosmidis and Turner, "Davidson–Luce model for multi-item
choice with ties", 2019). A game is a sequence of choices: who comes first among all, who comes next among the rest. The
set S is chosen with a probability in proportion to δ(|S|) · (the geometric mean of the strengths in S), with δ(1) = 1.
Without ties that is Plackett and Luce; with two seats Davidson (1970), and without ties Bradley and Terry, which is
Elo's: 400 points are ten wins to one loss.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, groupby
from operator import attrgetter, mul
from statistics import fmean
from typing import Final

from msgspec import Struct

from tournaments.competition.linear_algebra import (
    Factor,
    Sparse,
    Vector,
    conjugate_gradients,
    gathers,
    product,
    solve_without,
)
from tournaments.competition.rounds import Deal

ELO_PER_LOG: Final = 400 / math.log(10)
PRIOR: Final = 0.5
"""Half a win and half a loss of each bot against one of strength 1, so that bots that have only won have a rating. The
same for each δ, so that it is defined with few ties."""
NEWTON_TOLERANCE: Final = 1e-6
"""Newton's method stops after a step this small: the error is then about its square."""
MAX_NEWTON_STEP: Final = 2.0
"""Longer steps of Newton's method are cut to this, in logarithms of strengths: far from the solution they may
overshoot."""


class RankedGame(Struct, frozen=True):
    """A game as input for ratings: its bots in groups, the best first; tied bots share a group."""

    deal: Deal
    groups: tuple[tuple[int, ...], ...]


class Fit:
    """The strengths that fit some games best, on the Elo scale, and how far they can be trusted.

    What is said of a rating is said of its difference to the mean of all; of a difference where another bot is given.
    """

    def __init__(self, games: Iterable[RankedGame]) -> None:
        self.evidence = evidence = Evidence(games)
        bots = evidence.bots
        self._position = {bot: position for position, bot in enumerate(bots)}
        self.deals: dict[int, int] = evidence.deals_of
        self.elo: dict[int, float] = {}
        """The ratings, with mean 0."""
        self.pull: dict[int, float] = {}
        """By how much each rating would change without the prior: a step of Newton's method."""
        if not bots:
            return
        self.parameters = fitted = evidence.fit()
        self.elo = _centred(bots, fitted)
        self._inverse, self._changes = evidence.without_each_deal(fitted)
        self.pull = _centred(bots, product(self._inverse, [-WEAK.slope(value) for value in fitted]))
        self._mean = [math.fsum(column) / len(bots) for column in zip(*self._inverse[: len(bots)], strict=True)]
        self._squares = [self._product_of(one, row) for one, row in enumerate(self._inverse)]
        self._square_of_mean = fmean(self._product_of(one, self._mean) for one in range(len(bots)))

    def variance(self, bot: int, other: int | None = None) -> float:
        """The variance if all games were independent."""
        one = self._position[bot]
        if other is not None:
            two = self._position[other]
            found = self._inverse[one][one] + self._inverse[two][two] - 2 * self._inverse[one][two]
        else:
            found = self._inverse[one][one] - 2 * self._mean[one] + fmean(self._mean[: len(self._position)])
        return found * ELO_PER_LOG**2

    def squared_changes(self, bot: int, other: int | None = None) -> float:
        """The sum of the squared changes when each deal is left out in turn; each change is a step of Newton's method
        (for its error see docs/statistics.md)."""
        one = self._position[bot]
        if other is not None:
            two = self._position[other]
            found = self._squares[one] + self._squares[two] - 2 * self._product_of(one, self._inverse[two])
        else:
            found = self._squares[one] - 2 * self._product_of(one, self._mean) + self._square_of_mean
        return max(0.0, found) * ELO_PER_LOG**2

    def _product_of(self, one: int, row: Vector) -> float:
        """The sum over all deals of the changes of a parameter times those of the one that has this row of A."""
        return sum(map(mul, self._changes[one], row), 0.0)


def strengths(games: Iterable[RankedGame]) -> dict[int, float]:
    """The ratings alone, as in `Fit`, in a tenth of its time."""
    evidence = Evidence(games)
    return _centred(evidence.bots, evidence.fit()) if evidence.bots else {}


class Prior(Struct, frozen=True):
    """What is assumed of the logarithm of a strength before any game."""

    spread: float | None = None
    """The standard deviation of a normal distribution with mean 0. None: half a win and half a loss against a bot of
    strength 1."""
    dispersion: float = 1.0
    """The likelihood of the games counts divided by this, as the games of a deal depend on each other."""

    def log_density(self, value: float) -> float:
        """The logarithm of the density, up to a constant that doesn't depend on the spread."""
        if self.spread is None:
            return PRIOR * (value - 2 * math.log1p(math.exp(value)))
        return -math.log(self.spread) - (value / self.spread) ** 2 / 2

    def slope(self, value: float) -> float:
        """The derivative of the logarithm of the density."""
        return PRIOR * (1 - 2 / (1 + math.exp(-value))) if self.spread is None else -value / self.spread**2

    def curvature(self, value: float) -> float:
        """The negative second derivative."""
        if self.spread is not None:
            return self.spread**-2
        chance = 1 / (1 + math.exp(-value))
        return 2 * PRIOR * chance * (1 - chance)


WEAK: Final = Prior()
"""Of the ratings as shown, and of the parameters of ties."""


class _Choices:
    """Choices from one set of alternatives: how many, and the sum of the features of what was chosen.

    The logarithm of a set's weight is the product of the parameters and its features: 1/|S| for the bots in S, and 1
    for the parameter of ties of its size. So each choice is a multinomial logit, and the likelihood is concave.
    """

    def __init__(self, parameters: tuple[int, ...]) -> None:
        self.parameters = parameters
        self.count = 0
        self.observed = [0.0] * len(parameters)


Feature = tuple[tuple[int, float], ...]
"""Positions in `_Choices.parameters` with their values."""


@cache
def _features(size: int, largest_tie: int) -> tuple[Feature, ...]:
    """The sets that can be chosen from `size` alternatives. The parameters of ties come after those of the bots."""
    return tuple(
        tuple((position, 1 / chosen) for position in members) + (((size + chosen - 2, 1.0),) if chosen > 1 else ())
        for chosen in range(1, min(size, largest_tie) + 1)
        for members in combinations(range(size), chosen)
    )


class Evidence:
    """All choices that the games consist of, added up by the set of alternatives.

    Parameters are the logarithms of the strengths, in the order of `bots`, then those of δ(2), δ(3) and so on.
    """

    def __init__(self, games: Iterable[RankedGame]) -> None:
        counted = Counter(games)
        ordered = sorted(counted, key=lambda game: (game.deal, game.groups))
        self.bots = sorted({bot for game in ordered for group in game.groups for bot in group})
        self.deals_of = dict(
            Counter(bot for _, bot in {(g.deal, bot) for g in ordered for gr in g.groups for bot in gr})
        )
        self._largest_tie = max((len(group) for game in ordered for group in game.groups), default=1)
        self._size = len(self.bots) + self._largest_tie - 1
        self._index = {bot: position for position, bot in enumerate(self.bots)}
        self._games, self._counted = ordered, counted
        self._all = self._choices(ordered)

    def fit(self, prior: Prior = WEAK, start: Vector | None = None) -> Vector:
        """The parameters of highest posterior density. `start`: parameters that are not far from them."""
        parameters = start or [0.0] * self._size
        for _ in range(200):
            gradient, curvature = self.derivatives(parameters, prior)
            step = conjugate_gradients(curvature, gradient)
            longest = max(map(abs, step))
            scale = min(1.0, MAX_NEWTON_STEP / longest) if longest else 1.0
            parameters = [value + scale * change for value, change in zip(parameters, step, strict=True)]
            if longest < NEWTON_TOLERANCE:
                break
        return parameters

    def without_each_deal(self, fitted: Vector) -> tuple[list[Vector], list[Sequence[float]]]:
        """A and A · Y. A is the inverse of the negative Hessian at the full fit; A · Y · A is the sum of x · xᵀ over
        all deals, where x is Newton's step from the full fit towards the fit without the deal.

        The steps themselves are not kept: with many bots they are far more than the entries of A. x = A · y, and y is 0
        but for the parameters of the deal, so that Y is a sum of small blocks.
        """
        inverted = Factor(self.derivatives(fitted)[1]).inverse()
        moments = {own: self._moments_of(own, choices, fitted) for own, choices in self._all.items()}
        products: list[dict[int, float]] = [{} for _ in fitted]
        for _, games in groupby(self._games, key=attrgetter("deal")):
            slope: dict[int, float] = defaultdict(float)
            lost = []
            for alternatives, choices in self._choices(games).items():
                mean, covariance = moments[alternatives]
                for position, observed, expected in zip(choices.parameters, choices.observed, mean, strict=True):
                    slope[position] -= observed - choices.count * expected
                lost.append((choices.parameters, choices.count, covariance))
            positions = sorted(slope)
            found = solve_without(inverted, positions, lost, [slope[position] for position in positions])
            for position, value in zip(positions, found, strict=True):
                row = products[position]
                for other, factor in zip(positions, found, strict=True):
                    row[other] = row.get(other, 0.0) + value * factor
        rows = gathers(products)
        return inverted, [
            array("d", [sum(map(mul, values, gather(own))) for gather, values in rows]) for own in inverted
        ]

    def _choices(self, games: Iterable[RankedGame]) -> dict[tuple[int, ...], _Choices]:
        """What these games consist of, by the alternatives."""
        found: dict[tuple[int, ...], _Choices] = {}
        for game in games:
            times = self._counted[game]
            rest = sorted(self._index[bot] for group in game.groups for bot in group)
            for group in game.groups:
                if len(rest) > 1:
                    alternatives = tuple(rest)
                    choices = found.get(alternatives)
                    if choices is None:
                        ties = range(len(self.bots), len(self.bots) + min(len(rest), self._largest_tie) - 1)
                        choices = found[alternatives] = _Choices((*rest, *ties))
                    for bot in group:
                        choices.observed[rest.index(self._index[bot])] += times / len(group)
                    if len(group) > 1:
                        choices.observed[len(rest) + len(group) - 2] += times
                    choices.count += times
                rest = [position for position in rest if self.bots[position] not in group]
        return found

    def log_posterior(self, parameters: Vector, prior: Prior) -> float:
        """The logarithm of the posterior density, up to a constant that no prior changes."""
        likelihood = 0.0
        for alternatives, choices in self._all.items():
            values = [parameters[position] for position in choices.parameters]
            chosen = math.fsum(map(mul, choices.observed, values))
            likelihood += chosen - choices.count * _log_sum(values, _features(len(alternatives), self._largest_tie))
        bots = len(self.bots)
        return likelihood / prior.dispersion + math.fsum(
            prior.log_density(value) if position < bots else WEAK.log_density(value)
            for position, value in enumerate(parameters)
        )

    def derivatives(self, parameters: Vector, prior: Prior = WEAK) -> tuple[Vector, Sparse]:
        """Gradient and negative Hessian of the log posterior."""
        gradient = [0.0] * self._size
        curvature: Sparse = [defaultdict(float) for _ in parameters]
        for position, value in enumerate(parameters):
            density = prior if position < len(self.bots) else WEAK
            gradient[position] = density.slope(value)
            curvature[position][position] = density.curvature(value)
        weight = 1 / prior.dispersion
        self._add_duels(parameters, weight, gradient, curvature)
        for alternatives, choices in self._all.items():
            if len(alternatives) == 2:
                continue
            mean, covariance = self._moments_of(alternatives, choices, parameters)
            count, own = choices.count, choices.parameters
            times = weight * count
            for position, observed, expected, row in zip(own, choices.observed, mean, covariance, strict=True):
                gradient[position] += weight * (observed - count * expected)
                target = curvature[position]
                for column, value in zip(own, row, strict=True):
                    target[column] += times * value
        return gradient, curvature

    def _add_duels(self, parameters: Vector, weight: float, gradient: Vector, curvature: Sparse) -> None:
        """Add the choices between two bots, which are most of the work of a fit: the same sums, written out."""
        bots = len(self.bots)
        odds = math.exp(parameters[bots]) if self._largest_tie > 1 else 0.0
        with_ties = [0.0] * bots
        ties = slope = 0.0
        for alternatives, choices in self._all.items():
            if len(alternatives) != 2:
                continue
            one, two = alternatives
            times, observed = weight * choices.count, choices.observed
            root = math.exp((parameters[two] - parameters[one]) / 2)
            first = 1 / (1 + root * (odds + root))
            second, both = first * root * root, first * root * odds
            half, quarter = both / 2, both / 4
            a, b = first + half, second + half
            gradient[one] += weight * observed[0] - times * a
            gradient[two] += weight * observed[1] - times * b
            row, other = curvature[one], curvature[two]
            row[one] += times * (first + quarter - a * a)
            other[two] += times * (second + quarter - b * b)
            row[two] = other[one] = row[two] + times * (quarter - a * b)
            if odds:
                with_ties[one] += times * (half - a * both)
                with_ties[two] += times * (half - b * both)
                ties += times * (both - both * both)
                slope += weight * observed[2] - times * both
        if odds:
            gradient[bots] += slope
            curvature[bots][bots] += ties
            for bot, value in enumerate(with_ties):
                curvature[bot][bots] += value
                curvature[bots][bot] += value

    def _moments_of(self, alternatives: tuple[int, ...], choices: _Choices, parameters: Vector) -> "_Moments":
        values = [parameters[position] for position in choices.parameters]
        return _moments(values, _features(len(alternatives), self._largest_tie))


_Moments = tuple[Vector, list[Vector]]


def _moments(parameters: Vector, features: Sequence[Feature]) -> _Moments:
    """Mean and covariance of the features of one choice."""
    logs = [sum(parameters[position] * value for position, value in feature) for feature in features]
    highest = max(logs)
    weights = [math.exp(log - highest) for log in logs]
    total = sum(weights)
    mean = [0.0] * len(parameters)
    second = [[0.0] * len(parameters) for _ in parameters]
    for weight, feature in zip(weights, features, strict=True):
        for position, value in feature:
            share = weight / total * value
            mean[position] += share
            row = second[position]
            for other, other_value in feature:
                row[other] += share * other_value
    return mean, [
        [value - own * other for value, other in zip(row, mean, strict=True)]
        for row, own in zip(second, mean, strict=True)
    ]


def _log_sum(parameters: Vector, features: Sequence[Feature]) -> float:
    """The logarithm of the sum of the weights of one choice."""
    logs = [sum(parameters[position] * value for position, value in feature) for feature in features]
    highest = max(logs)
    return highest + math.log(math.fsum(math.exp(log - highest) for log in logs))


def _centred(bots: Sequence[int], values: Vector) -> dict[int, float]:
    """Those of the bots on the Elo scale, with mean 0. Parameters of ties follow them."""
    own = values[: len(bots)]
    mean = math.fsum(own) / len(own)
    return {bot: (value - mean) * ELO_PER_LOG for bot, value in zip(bots, own, strict=True)}
