"""The fit of strengths to ranks: the Plackett–Luce model with ties over all games, and what each deal contributes.

The model is that of Turner, van Etten, Firth and Kosmidis ("Modelling rankings in R: the PlackettLuce package",
Computational Statistics 35, 2020; for single choices: Firth, Kosmidis and Turner, "Davidson–Luce model for multi-item
choice with ties", 2019). A game is a sequence of choices: who comes first among all, who comes next among the rest. The
set S is chosen with a probability in proportion to δ(|S|) · (the geometric mean of the strengths in S), with δ(1) = 1.
Without ties that is Plackett and Luce; with two seats Davidson (1970), and without ties Bradley and Terry, which is
Elo's: 400 points are ten wins to one loss.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from operator import mul
from typing import Final

from msgspec import Struct

from tournaments.competition.rounds import Deal

ELO_PER_LOG: Final = 400 / math.log(10)
PRIOR: Final = 0.5
"""Half a win and half a loss of each bot against one of strength 1, so that bots that have only won have a rating. The
same for each δ, so that it is defined with few ties."""
NEWTON_TOLERANCE: Final = 1e-6
"""Newton's method stops after a step this small: the error is then about its square."""
RESIDUAL_TOLERANCE: Final = 1e-12
"""A system of equations counts as solved when the squared error has fallen to this fraction of its initial value."""
MAX_NEWTON_STEP: Final = 2.0
"""Longer steps of Newton's method are cut to this, in logarithms of strengths: far from the solution they may
overshoot."""

Vector = list[float]


class RankedGame(Struct, frozen=True):
    """A game as input for ratings: its bots in groups, the best first; tied bots share a group."""

    deal: Deal
    groups: tuple[tuple[int, ...], ...]


class Fit(Struct, frozen=True, kw_only=True):
    """The strengths that fit some games best, on the Elo scale. All values are of bots, by index."""

    elo: dict[int, float]
    """The ratings, with mean 0."""
    deals: dict[int, int]
    """How many deals each has played."""
    without_deal: dict[int, Vector]
    """By how much the rating changes if a deal is left out, for each deal."""
    pull: dict[int, float]
    """By how much the rating would change without the prior: a step of Newton's method."""
    covariance: dict[int, dict[int, float]]
    """Of the ratings, if all games were independent."""
    bounded: frozenset[int]
    """Those that have neither only won nor only lost."""


def strengths(games: Iterable[RankedGame]) -> dict[int, float]:
    """The ratings alone, as in `fit`, in a tenth of its time."""
    evidence = _Evidence(games)
    fitted = evidence.fit()
    mean = math.fsum(fitted[: len(evidence.bots)]) / max(len(evidence.bots), 1)
    return {bot: (strength - mean) * ELO_PER_LOG for bot, strength in zip(evidence.bots, fitted, strict=False)}


def fit(games: Iterable[RankedGame]) -> Fit:
    """One fit over all games; the order of play doesn't matter. Each change without a deal is one step of Newton's
    method from the full fit (for its error see docs/statistics.md)."""
    evidence = _Evidence(games)
    bots = evidence.bots
    if not bots:
        return Fit(elo={}, deals={}, without_deal={}, pull={}, covariance={}, bounded=frozenset())
    fitted = evidence.fit()
    inverse, steps = evidence.steps_without_each_deal(fitted)
    without_prior = _product(inverse, [-_prior_slope(value) for value in fitted])
    changes = [evidence.centred(step) for step in steps]
    mean = math.fsum(fitted[: len(bots)]) / len(bots)
    return Fit(
        elo={bot: (strength - mean) * ELO_PER_LOG for bot, strength in zip(bots, fitted, strict=False)},
        deals=evidence.deals_of,
        without_deal={bot: [change[position] for change in changes] for position, bot in enumerate(bots)},
        pull=dict(zip(bots, evidence.centred(without_prior), strict=True)),
        covariance={
            bot: {other: value * ELO_PER_LOG**2 for other, value in zip(bots, row, strict=False)}
            for bot, row in zip(bots, inverse, strict=False)
        },
        bounded=frozenset(filter(evidence.is_bounded, bots)),
    )


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


class _Evidence:
    """All choices that the games consist of, added up by the set of alternatives, in all and for each deal.

    Parameters are the logarithms of the strengths, in the order of `bots`, then those of δ(2), δ(3) and so on.
    """

    def __init__(self, games: Iterable[RankedGame]) -> None:
        counted = Counter(games)
        ordered = sorted(counted, key=lambda game: (game.deal, game.groups))
        self.bots = sorted({bot for game in ordered for group in game.groups for bot in group})
        self.deals_of = dict(
            Counter(bot for _, bot in {(g.deal, bot) for g in ordered for gr in g.groups for bot in gr})
        )
        self._not_first = {bot for game in ordered for group in game.groups[1:] for bot in group}
        self._not_last = {bot for game in ordered for group in game.groups[:-1] for bot in group}
        for game in ordered:
            for group in game.groups:
                if len(group) > 1:
                    self._not_first.update(group)
                    self._not_last.update(group)
        self._largest_tie = max((len(group) for game in ordered for group in game.groups), default=1)
        self._size = len(self.bots) + self._largest_tie - 1
        self._all: dict[tuple[int, ...], _Choices] = {}
        self._by_deal: dict[Deal, dict[tuple[int, ...], _Choices]] = defaultdict(dict)
        index = {bot: position for position, bot in enumerate(self.bots)}
        for game in ordered:
            rest = sorted(index[bot] for group in game.groups for bot in group)
            for group in game.groups:
                if len(rest) > 1:
                    chosen = [index[bot] for bot in group]
                    for choices in (self._all, self._by_deal[game.deal]):
                        self._add(choices, tuple(rest), chosen, counted[game])
                rest = [position for position in rest if self.bots[position] not in group]

    def is_bounded(self, bot: int) -> bool:
        """Whether a bot has neither only won nor only lost."""
        return bot in self._not_first and bot in self._not_last

    def fit(self) -> Vector:
        """The parameters of highest posterior density."""
        parameters = [0.0] * self._size
        for _ in range(200):
            gradient, curvature, _ = self._derivatives(parameters)
            step = _Cholesky(curvature).solve(gradient)
            longest = max(map(abs, step))
            scale = min(1.0, MAX_NEWTON_STEP / longest) if longest else 1.0
            parameters = [value + scale * change for value, change in zip(parameters, step, strict=True)]
            if longest < NEWTON_TOLERANCE:
                break
        return parameters

    def steps_without_each_deal(self, fitted: Vector) -> tuple[list[Vector], list[Vector]]:
        """The inverse of the negative Hessian at the full fit, and Newton's step from there towards the fit without a
        deal, for each deal."""
        _, curvature, moments = self._derivatives(fitted)
        inverse = _Cholesky(curvature).inverse()
        steps = []
        for deal in sorted(self._by_deal):
            gradient = [0.0] * self._size
            lost = []
            for alternatives, choices in self._by_deal[deal].items():
                mean, covariance = moments[alternatives]
                for position, observed, expected in zip(choices.parameters, choices.observed, mean, strict=True):
                    gradient[position] -= observed - choices.count * expected
                lost.append((choices.parameters, choices.count, covariance))
            steps.append(_solve_without(inverse, lost, gradient))
        return inverse, steps

    def centred(self, step: Vector) -> Vector:
        """Changes of the bots' ratings, with mean 0."""
        own = step[: len(self.bots)]
        mean = math.fsum(own) / len(own)
        return [(change - mean) * ELO_PER_LOG for change in own]

    def _add(
        self, choices: dict[tuple[int, ...], _Choices], rest: tuple[int, ...], chosen: list[int], times: int
    ) -> None:
        found = choices.get(rest)
        if found is None:
            ties = range(min(len(rest), self._largest_tie) - 1)
            found = choices[rest] = _Choices((*rest, *(len(self.bots) + tie for tie in ties)))
        found.count += times
        for position in chosen:
            found.observed[rest.index(position)] += times / len(chosen)
        if len(chosen) > 1:
            found.observed[len(rest) + len(chosen) - 2] += times

    def _derivatives(self, parameters: Vector) -> tuple[Vector, list[Vector], dict[tuple[int, ...], "_Moments"]]:
        """Gradient and negative Hessian of the log posterior, and the moments of the choices they are made of."""
        gradient = [0.0] * self._size
        curvature = [[0.0] * self._size for _ in parameters]
        for position, value in enumerate(parameters):
            chance = 1 / (1 + math.exp(-value))
            gradient[position] = _prior_slope(value)
            curvature[position][position] = 2 * PRIOR * chance * (1 - chance)
        moments = {}
        for alternatives, choices in self._all.items():
            mean, covariance = moments[alternatives] = _moments(
                [parameters[position] for position in choices.parameters],
                _features(len(alternatives), self._largest_tie),
            )
            for row, position in enumerate(choices.parameters):
                gradient[position] += choices.observed[row] - choices.count * mean[row]
                target = curvature[position]
                for column, value in zip(choices.parameters, covariance[row], strict=True):
                    target[column] += choices.count * value
        return gradient, curvature, moments


def _prior_slope(parameter: float) -> float:
    """The derivative of the logarithm of the prior."""
    return PRIOR * (1 - 2 / (1 + math.exp(-parameter)))


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


class _Cholesky:
    """The factor of a positive definite matrix."""

    def __init__(self, matrix: Sequence[Vector]) -> None:
        self._rows: list[Vector] = []
        self._diagonal: Vector = []
        for position, row in enumerate(matrix):
            own: Vector = []
            for column, (other, pivot) in enumerate(zip(self._rows, self._diagonal, strict=True)):
                own.append((row[column] - sum(map(mul, own, other))) / pivot)
            self._diagonal.append(math.sqrt(row[position] - sum(map(mul, own, own))))
            self._rows.append(own)
        size = len(self._rows)
        self._columns = [[self._rows[row][column] for row in range(column + 1, size)] for column in range(size)]

    def solve(self, right: Vector) -> Vector:
        """x where matrix · x = right."""
        forward: Vector = []
        for value, row, pivot in zip(right, self._rows, self._diagonal, strict=True):
            forward.append((value - sum(map(mul, row, forward))) / pivot)
        backward: Vector = []
        for value, column, pivot in zip(
            reversed(forward), reversed(self._columns), reversed(self._diagonal), strict=True
        ):
            backward.append((value - sum(map(mul, column, reversed(backward)))) / pivot)
        return backward[::-1]

    def inverse(self) -> list[Vector]:
        """The inverse of the matrix."""
        size = len(self._rows)
        return [self.solve([float(row == column) for row in range(size)]) for column in range(size)]


def _solve_without(
    inverse: list[Vector], lost: list[tuple[tuple[int, ...], int, list[Vector]]], right: Vector
) -> Vector:
    """x where (matrix − lost) · x = right, by conjugate gradients preconditioned with the inverse of the whole matrix.

    One deal is a small part of the matrix, so that few steps suffice.
    """
    solution = [0.0] * len(right)
    residual = right
    direction = conditioned = _product(inverse, residual)
    # The whole matrix times the direction, without a multiplication: the matrix times `conditioned` is the residual.
    image_of_all = residual
    size = first = sum(map(mul, residual, conditioned))
    for _ in right:
        if size <= first * RESIDUAL_TOLERANCE:
            break
        image = list(image_of_all)
        for positions, count, covariance in lost:
            local = [direction[position] for position in positions]
            for position, row in zip(positions, covariance, strict=True):
                image[position] -= count * sum(map(mul, row, local))
        length = size / sum(map(mul, direction, image))
        solution = [value + length * change for value, change in zip(solution, direction, strict=True)]
        residual = [value - length * change for value, change in zip(residual, image, strict=True)]
        conditioned = _product(inverse, residual)
        size, before = sum(map(mul, residual, conditioned)), size
        direction = [value + size / before * change for value, change in zip(conditioned, direction, strict=True)]
        image_of_all = [value + size / before * change for value, change in zip(residual, image_of_all, strict=True)]
    return solution


def _product(matrix: list[Vector], vector: Vector) -> Vector:
    return [sum(map(mul, row, vector)) for row in matrix]
