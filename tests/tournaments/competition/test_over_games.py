"""One ranking over several games: weights, bots that lack a game, and intervals from the deals within games."""

import math
import random
from collections.abc import Iterable, Mapping

import pytest

from tests.tournaments.competition.test_ratings import simulated
from tournaments.competition.fit import RankedGame
from tournaments.competition.over_games import RatingsOverGames, over_games, weights_over_games
from tournaments.competition.ratings import Ratings, rate
from tournaments.competition.rounds import Deal


def fitted(strengths: Iterable[float], deals: int, seed: int) -> Ratings:
    return rate(simulated(list(strengths), deals, 2, random.Random(seed)))


def everybody(*games: Ratings, bots: int) -> RatingsOverGames:
    """Over games that all bots play."""
    return RatingsOverGames([(ratings, {bot: bot for bot in range(bots)}) for ratings in games], bots)


def lost_and_won(winner: int, loser: int, wins: int, deals: int) -> list[RankedGame]:
    orders = [((winner,), (loser,))] * wins + [((loser,), (winner,))] * (deals - wins)
    return [RankedGame(Deal(number), groups) for number, groups in enumerate(orders)]


def test_each_game_has_the_same_weight_however_many_its_deals() -> None:
    games = fitted((0.6, 0, -0.6), 40, 1), fitted((-0.4, 0.4, 0), 8, 2), fitted((0, 0, 0), 15, 3)
    over = everybody(*games, bots=3)
    for bot in range(3):
        found = [game[bot] for game in games]
        ratings = [rating for rating in found if rating is not None]
        assert over[bot].elo == pytest.approx(sum(rating.elo for rating in ratings) / 3, abs=1e-3)
        below = math.hypot(*(rating.elo - (rating.low or 0) for rating in ratings)) / 3
        assert over[bot].low == pytest.approx(over[bot].elo - below, abs=1e-3), "games are independent"
    difference = over.difference(0, 1)
    in_games = [game.difference(0, 1) for game in games]
    assert difference is not None
    assert difference.high is not None
    above = math.hypot(*((own.high or 0) - own.elo for own in in_games if own is not None)) / 3
    assert difference.high - difference.elo == pytest.approx(above, abs=1e-3)
    better = over.better(0, 1)
    assert better is not None
    assert (better > 0.975) == ((difference.low or 0) > 0)


@pytest.mark.parametrize("lacking", [[], [(0, 0)], [(0, 0), (1, 1), (2, 3)], [(0, 0), (0, 1), (1, 2), (1, 3)]])
def test_who_lacks_a_game_is_neither_better_nor_worse_for_it(lacking: list[tuple[int, int]]) -> None:
    """Four bots with the same strengths in three games: ratings in a game are relative to those that play it."""
    true = {0: 300.0, 1: 100.0, 2: -50.0, 3: -350.0}
    games = [{bot: elo for bot, elo in true.items() if (game, bot) not in lacking} for game in range(3)]
    weights = weights_over_games([list(game) for game in games], 4)
    shown: list[Mapping[int, float]] = [
        {bot: elo - sum(game.values()) / len(game) for bot, elo in game.items()} for game in games
    ]
    assert over_games(weights, shown) == pytest.approx(list(true.values()), abs=0.01)


def test_a_bot_that_lacks_a_game_changes_nothing_between_those_that_have_it() -> None:
    first, second = fitted((0.5, 0, -0.5), 20, 4), fitted((0, 0.3, -0.3, 1.5), 20, 5)
    everywhere = {0: 0, 1: 1, 2: 2}
    over = RatingsOverGames([(first, everywhere), (second, {**everywhere, 3: 3})], 4)
    without = RatingsOverGames([(first, everywhere), (second, everywhere)], 3)
    for pair in ((0, 1), (1, 2)):
        one, two = over.difference(*pair), without.difference(*pair)
        assert one is not None
        assert two is not None
        assert (one.elo, one.low, one.high) == pytest.approx((two.elo, two.low, two.high), abs=1e-3)
    own, alone = over[3], second[3]
    assert alone is not None
    assert (own.elo, own.low, own.high) == pytest.approx((alone.elo, alone.low, alone.high), abs=1e-3)


def test_nothing_is_bounded_by_too_few_deals_or_without_a_chain_of_games() -> None:
    enough, few = fitted((0.5, -0.5), 20, 6), fitted((0.5, -0.5), 5, 7)
    over = everybody(enough, few, bots=2)
    assert (over[0].low, over[0].high, over.better(0, 1), over.deals(0)) == (None, None, None, 5)
    apart = RatingsOverGames([(enough, {0: 0, 1: 1}), (enough, {2: 0, 3: 1})], 4)
    assert apart.components() == [[0, 1], [2, 3]]
    assert (apart[0].low, apart.difference(0, 2)) == (None, None)
    assert apart.difference(0, 1) is not None


def test_a_bot_that_won_everything_in_one_game_is_bounded_from_below() -> None:
    over = everybody(rate(lost_and_won(0, 1, 30, 30)), rate(lost_and_won(0, 1, 16, 30)), bots=2)
    assert over[0].high is None
    assert over[0].low is not None
    assert over[1].low is None
