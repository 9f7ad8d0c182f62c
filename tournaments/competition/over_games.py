"""One ranking over several games, from the ratings in each of them.

A rating over games is a bot's part in the least squares fit of: rating in a game = rating over games + offset of the
game, in which each rating counts once, however many deals it comes from. So for bots that play all games it is the mean
of their ratings there. The offsets are what makes a bot that lacks a game comparable: a rating says how good a bot is
beside those that it met, and in the games that it has these may be better than in the others.

What is asked is how good bots are in these games, so that intervals come from the deals within games: a rating over
games is a sum of ratings in games, which are independent of each other, and the distances from a sum to its bounds are
the root of the sum of the squares of theirs (Zou and Donner, "Construction of confidence limits about effect measures",
Statistics in Medicine 27, 2008).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

from tournaments.competition.intervals import MIN_DEALS, Rating
from tournaments.competition.linear_algebra import Factor, Sparse, Vector
from tournaments.competition.ratings import MIN_GAP_LEFT, WIDEST_GAP, Ratings, better_by

RIDGE: Final = 1e-6
"""Is added to the diagonal of the equations, as only differences follow from the ratings."""
MIN_WEIGHT: Final = 1e-7
"""Weights below this are rounding errors."""


def weights_over_games(games: Sequence[Sequence[int]], bots: int) -> list[Vector]:
    """The inverse of the normal equations, but for the same constant in all weights of bots that are connected: by bot
    the weight that each bot's ratings have in its own. `games`: the bots that are rated in each."""
    equations: Sparse = [{bot: RIDGE} for bot in range(bots)]
    for rated in games:
        for bot in rated:
            row = equations[bot]
            row[bot] += 1
            for other in rated:
                row[other] = row.get(other, 0.0) - 1 / len(rated)
    return Factor(equations).inverse()


def over_games(weights: Sequence[Vector], games: Sequence[Mapping[int, float]]) -> Vector:
    """The ratings over games by bot, from those in each game."""
    sums = [0.0] * len(weights)
    for elo in games:
        mean = fmean(elo.values())
        for bot, value in elo.items():
            sums[bot] += value - mean
    return [math.fsum(weight * value for weight, value in zip(row, sums, strict=True)) for row in weights]


class RatingsOverGames:
    """The ratings over games, by bot from 0. Bots are compared if a chain of games connects them."""

    def __init__(self, games: Sequence[tuple[Ratings, Mapping[int, int]]], bots: int) -> None:
        """`games`: the ratings in each, and for each bot that has one its index there."""
        self._games = []
        for ratings, index in games:
            bot_of = {own: bot for bot, own in index.items()}
            for group in ratings.components():
                found = {bot_of[own]: rating for own in group if own in bot_of and (rating := ratings[own])}
                if len(found) > 1:
                    self._games.append((ratings, index, found))
        self._weights = weights_over_games([list(found) for *_, found in self._games], bots)
        self._elo = over_games(
            self._weights, [{bot: own.elo for bot, own in found.items()} for *_, found in self._games]
        )

    def components(self) -> list[list[int]]:
        """The bots in groups that no chain of games connects; the largest group first."""
        bots = range(len(self._elo))
        groups = {tuple(other for other in bots if self._connected(bot, other)) for bot in bots}
        return sorted(map(list, groups), key=lambda group: (-len(group), group))

    def deals(self, bot: int, other: int | None = None) -> int:
        """The fewest rated deals of a bot, or of two, in any of their games."""
        pair = {bot, bot if other is None else other}
        played = [ratings.deals(index[one]) for ratings, index, found in self._games for one in pair & set(found)]
        return min(played, default=0)

    def __getitem__(self, bot: int) -> Rating:
        connected = all(self._connected(bot, other) for other in range(len(self._elo)))
        if not connected or self.deals(bot) < MIN_DEALS:
            return Rating(self._elo[bot], None, None)
        return self._interval(self._elo[bot], self._weights[bot], bot)

    def difference(self, bot: int, other: int) -> Rating | None:
        """The rating of a bot less that of another. None if no chain of games connects them."""
        if not self._connected(bot, other):
            return None
        weights = [one - two for one, two in zip(self._weights[bot], self._weights[other], strict=True)]
        return self._interval(self._elo[bot] - self._elo[other], weights, bot, other)

    def better(self, bot: int, other: int) -> float | None:
        """The confidence that a bot is better than another one, as in one game."""
        found = self.difference(bot, other)
        return None if found is None else better_by(found, self.deals(bot, other))

    def _connected(self, bot: int, other: int) -> bool:
        """The constant in the weights is 1 over the ridge and the number of connected bots."""
        return self._weights[bot][other] > 0.5 / RIDGE / len(self._elo)

    def _interval(self, value: float, weights: Vector, *bots: int) -> Rating:
        """The interval of a sum with these weights, which is the rating of a bot or the difference of two."""
        below, above = (math.hypot(*self._distances(weights, bots, upwards=upwards)) for upwards in (False, True))
        return Rating(value, None if math.isinf(below) else value - below, None if math.isinf(above) else value + above)

    def _distances(self, weights: Vector, bots: Sequence[int], *, upwards: bool) -> Iterator[float]:
        """How far each game's part of a sum may be from its value to one side.

        A bot that has all games, or two that have the same ones, have no other bot's rating in their sum. Else it has
        the others' with small weights, through the offsets of games. Their ratings depend on each other, as all ratings
        of a game have the mean 0, which the factor n / (n - 1) allows for; on that of the bot itself they may depend
        fully.
        """
        for ratings, index, found in self._games:
            others = [bot for bot in found if bot not in bots]
            # As ratings have the mean 0, all weights may be shifted.
            shift = fmean(weights[bot] for bot in others or found)
            own = {bot: weights[bot] - shift for bot in found}
            rest = math.fsum((own[bot] * _reach(found[bot], own[bot] > 0, upwards, WIDEST_GAP)) ** 2 for bot in others)
            distance = math.sqrt(rest * len(found) / (len(found) - 1))
            present = [bot for bot in bots if bot in found]
            if len(present) == 2 and own[present[0]] > 0 > own[present[1]]:
                one, two = present
                weight = min(own[one], -own[two])
                difference = ratings.difference(index[one], index[two])
                assert difference is not None, "they are in one component"
                distance += weight * _reach(difference, True, upwards)
                own[one], own[two] = own[one] - weight, own[two] + weight
            for bot in present:
                if abs(own[bot]) > MIN_WEIGHT:
                    distance += abs(own[bot]) * _reach(found[bot], own[bot] > 0, upwards)
            yield distance


def _reach(rating: Rating, positive: bool, upwards: bool, widest: float = math.inf) -> float:
    """From a rating to the bound that counts where its weight is `positive` or not. `widest`: how far from 0 a rating
    without that bound may be."""
    if positive == upwards:
        bound, gap = rating.high, widest - rating.elo
    else:
        bound, gap = rating.low, widest + rating.elo
    return max(gap, MIN_GAP_LEFT) if bound is None else abs(bound - rating.elo)
