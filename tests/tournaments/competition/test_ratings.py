"""Ratings against published fits, other programs and the Elo tables; intervals against full fits without a deal."""

import importlib
import math
import random
from collections.abc import Sequence
from itertools import combinations

import pytest
from msgspec import structs

from tests.tournaments.competition.results import game, played, table
from tournaments.competition.fit import ELO_PER_LOG, RankedGame
from tournaments.competition.intervals import t_quantile
from tournaments.competition.ratings import Ratings, ranked_games, rate, sure
from tournaments.competition.rounds import Deal

PUDDINGS = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip
"""Two brands, how often each was preferred, and how often neither: Davidson (1970), Journal of the American Statistical
Association 65, table 1; also in the R package PlackettLuce."""


def elo(ratings: Ratings, bot: int) -> float:
    rating = ratings[bot]
    assert rating is not None
    return rating.elo


def half_width(ratings: Ratings, bot: int) -> float:
    rating = ratings[bot]
    assert rating is not None
    assert rating.low is not None
    assert rating.high is not None
    return (rating.high - rating.low) / 2


def duels(wins: int, losses: int, ties: int = 0, *, deal: int = 1, bots: tuple[int, int] = (0, 1)) -> list[RankedGame]:
    one, other = bots
    dealt = Deal(deal)
    return (
        [RankedGame(dealt, ((one,), (other,)))] * wins
        + [RankedGame(dealt, ((other,), (one,)))] * losses
        + [RankedGame(dealt, ((one, other),))] * ties
    )


def simulated(
    strengths: Sequence[float], deals: int, seats: int, rng: random.Random, *, tie: float = 0.0, luck: float = 0.7
) -> list[RankedGame]:
    """Every deal is played in all rotations by all sets of bots; those who finish closer than `tie` share a place."""
    games = []
    for deal in range(deals):
        base = [strength + rng.gauss(0, luck) for strength in strengths]
        for bots in combinations(range(len(strengths)), seats):
            for _ in range(seats):
                performance = {bot: base[bot] - math.log(rng.expovariate(1)) for bot in bots}
                groups: list[list[int]] = []
                for bot in sorted(bots, key=lambda bot: -performance[bot]):
                    if groups and performance[groups[-1][-1]] - performance[bot] < tie:
                        groups[-1].append(bot)
                    else:
                        groups.append([bot])
                games.append(RankedGame(Deal(deal), tuple(tuple(group) for group in groups)))
    return games


# -- known values -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ratings_with_ties_are_those_of_a_published_fit() -> None:
    """Turner and others, the vignette of PlackettLuce, section 2.1: worths of the puddings, without a prior. It weighs
    nothing here against a thousand times the data. The published fit was stopped after seven iterations, just before
    it had converged.
    """
    published = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    ratings = rate(
        one for i, j, first, second, ties in PUDDINGS for one in duels(first, second, ties, bots=(i, j)) * 1000
    )
    worths = [10 ** (elo(ratings, brand) / 400) for brand in range(1, 7)]
    assert [worth / sum(worths) for worth in worths] == pytest.approx(published, abs=2.5e-5)


@pytest.mark.parametrize(("odds", "difference"), [(1, 0), (10, 400), (100, 800), (math.sqrt(10), 200)])
def test_400_points_are_ten_wins_to_one_loss(odds: float, difference: float) -> None:
    """Also where many games are tied: the odds are those of wins to losses."""
    for ties in (0, 5_000):
        ratings = rate(duels(round(odds * 5_000), 5_000, ties))
        assert elo(ratings, 0) - elo(ratings, 1) == pytest.approx(difference, abs=0.1)


@pytest.mark.ci_only
@pytest.mark.parametrize("seats", [3, pytest.param(2, marks=pytest.mark.check_all), 5])
def test_ratings_are_those_of_choix(seats: int) -> None:
    """Without ties: Maystre's choix has the maximum likelihood of Plackett and Luce, ours differs by the weak prior."""
    rng = random.Random(seats)
    games = simulated([-1.0, -0.4, 0.0, 0.1, 0.6, 1.2], 60 // seats, seats, rng)
    found = rate(games)
    choix = importlib.import_module("choix")  # and with it SciPy, which would make collecting a fifth slower
    other = choix.ilsr_rankings(6, [[bot for group in one.groups for bot in group] for one in games])
    expected = [float(value - sum(other) / 6) * ELO_PER_LOG for value in other]
    assert [elo(found, bot) for bot in range(6)] == pytest.approx(expected, abs=2)


# -- what the fit promises ----------------------------------------------------------------------------------------


def test_order_of_play_has_no_influence() -> None:
    rng = random.Random(1)
    games = simulated([0.0, 0.5, 1.0, 1.5], 10, 3, rng, tie=0.3)
    found = rate(games)
    rng.shuffle(games)
    again = rate(games)
    assert [found[bot] for bot in range(4)] == [again[bot] for bot in range(4)]
    assert found.better(3, 2) == again.better(3, 2)


def test_mean_of_all_ratings_is_0() -> None:
    found = rate(simulated([0.0, 2.0, 3.0, 7.0], 8, 2, random.Random(2)))
    assert sum(elo(found, bot) for bot in range(4)) == pytest.approx(0, abs=1e-6)


def test_bots_without_a_game_have_no_rating() -> None:
    found = rate(duels(3, 1, bots=(1, 3)))
    assert [found[bot] is None for bot in range(4)] == [True, False, True, False]
    assert found.better(0, 1) is None
    assert rate([])[0] is None


@pytest.mark.parametrize("games", [1, 30, 100_000])
def test_rating_exists_for_a_bot_that_has_only_won_but_nothing_bounds_it(games: int) -> None:
    found = rate([one for deal in range(10) for one in duels(games, 0, deal=deal)])
    assert 50 < elo(found, 0) < 2000
    winner, loser, difference = found[0], found[1], found.difference(0, 1)
    assert winner is not None
    assert loser is not None
    assert difference is not None
    assert winner.high is loser.low is difference.high is None
    assert winner.low is not None
    assert winner.low < winner.elo
    assert loser.high == pytest.approx(-winner.low)
    assert found.better(0, 1) is None
    assert (found.only(0), found.only(1)) == ("won", "lost")


@pytest.mark.parametrize("deals", [7, 14, 56])
@pytest.mark.parametrize("deal", [[*duels(1, 1)], [*duels(0, 0, 2)]], ids=["split", "tied"])
def test_deals_that_are_all_alike_leave_doubt(deal: list[RankedGame], deals: int) -> None:
    """Seven deals are not sure to ± 0, even if a win and a loss in each leave nothing for the jackknife to see."""
    found = rate([structs.replace(one, deal=Deal(number)) for number in range(deals) for one in deal])
    margin = half_width(found, 0)
    difference = found.difference(0, 1)
    assert difference is not None
    assert difference.low is not None
    # Of n deals 3/n might have been won by one bot.
    assert margin > 400 / math.log(10) * t_quantile(deals - 1) / deals / 2
    assert difference.low == pytest.approx(-2 * margin)
    assert found.better(0, 1) == 0.5


# -- intervals ----------------------------------------------------------------------------------------------------


@pytest.mark.ci_only
@pytest.mark.parametrize(
    ("bots", "seats", "deals", "tie"),
    [(6, 2, 7, 0.0), (6, 2, 14, 0.4), (6, 3, 7, 0.2), pytest.param(6, 4, 14, 0.0, marks=pytest.mark.check_all)],
)
def test_intervals_are_those_of_full_fits_without_each_deal(bots: int, seats: int, deals: int, tie: float) -> None:
    """Within 5 %, with Student's t and deals − 1 degrees of freedom: what one Newton step instead of a fit costs."""
    rng = random.Random(deals * seats)
    games = simulated([rng.gauss(0, 0.8) for _ in range(bots)], deals, seats, rng, tie=tie)
    fitted = rate(games)
    without = [rate(one for one in games if one.deal.number != deal) for deal in range(deals)]
    for bot in range(bots):
        squares = sum((elo(fit, bot) - elo(fitted, bot)) ** 2 for fit in without)
        expected = t_quantile(deals - 1) * math.sqrt((deals - 1) / deals * squares)
        assert fitted.margin(bot) == pytest.approx(expected, rel=0.05)
    for bot, other in combinations(range(bots), 2):
        difference = elo(fitted, bot) - elo(fitted, other)
        squares = sum((elo(fit, bot) - elo(fit, other) - difference) ** 2 for fit in without)
        expected = t_quantile(deals - 1) * math.sqrt((deals - 1) / deals * squares)
        assert fitted.margin(bot, other) == pytest.approx(expected, rel=0.05)


def test_fewer_than_seven_deals_give_no_interval() -> None:
    for deals, exists in ((6, False), (7, True)):
        found = rate([one for deal in range(deals) for one in duels(3, 2, deal=deal)])
        rating = found[0]
        assert rating is not None
        assert (rating.low is not None, rating.high is not None) == (exists, exists)
        assert (found.better(0, 1) is not None) is exists


def test_seven_deals_of_a_bot_count_not_those_of_the_tournament() -> None:
    games = [one for deal in range(20) for one in duels(3 + deal % 2, 2, deal=deal)]
    games += [one for deal in range(6) for one in duels(1, 2, deal=deal, bots=(2, 0))]
    found = rate(games)
    late = found[2]
    assert late is not None
    assert late.low is None
    assert half_width(found, 0) > 0
    assert found.better(0, 2) is None


def test_games_of_one_deal_are_not_independent_evidence() -> None:
    """The same games in ten deals that differ, and a hundred times as many games in the same ten deals."""
    one = [game for deal in range(10) for game in duels(2 + deal % 3, 3 - deal % 2, deal=deal)]
    assert rate(one * 100).margin(0) == pytest.approx(rate(one).margin(0), rel=0.05)


@pytest.mark.parametrize("difference", [0.5, 100.0])
@pytest.mark.parametrize("error", [0.0, 1e-9, 1e-3])
def test_without_doubt_the_confidence_is_that_of_deals_that_all_went_one_way(difference: float, error: float) -> None:
    assert sure(difference, error, 10) == 1 - 0.5**10
    assert sure(-difference, error, 10) == 0.5**10
    assert sure(0.0, error, 10) == sure(-1e-9, error, 10) == 0.5
    assert 0.5**10 < sure(-difference, difference, 10) < 0.5


def test_more_deals_give_narrower_intervals_and_surer_order() -> None:
    rng = random.Random(3)
    games = simulated([0.0, 0.3, 0.6], 120, 2, rng)
    few, many = rate(one for one in games if one.deal.number < 12), rate(games)
    assert half_width(many, 1) < half_width(few, 1) / 2
    assert (many.better(2, 0) or 0) > 0.99
    assert many.better(0, 2) == pytest.approx(1 - (many.better(2, 0) or 0))


@pytest.mark.parametrize("best", [1.4, 7.0])
def test_reversed_results_give_the_mirrored_ratings_and_intervals(best: float) -> None:
    """With two seats. Also where one bot has won all games, so that nothing bounds how much better it is."""
    games = simulated([0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, best], 7, 2, random.Random(1))
    found, reverse = rate(games), rate(structs.replace(one, groups=one.groups[::-1]) for one in games)
    for bot in range(8):
        rating, mirrored = found[bot], reverse[bot]
        assert rating is not None
        assert mirrored is not None
        assert rating.elo == pytest.approx(-mirrored.elo, abs=0.01)
        for bound, opposite in ((rating.low, mirrored.high), (rating.high, mirrored.low)):
            assert bound == (None if opposite is None else pytest.approx(-opposite, abs=0.01))
    assert found.only(7) == ("won" if best == 7 else None)


# -- games of a tournament ----------------------------------------------------------------------------------------


def test_who_forfeits_comes_last_in_that_game() -> None:
    history = [
        played([table((4, 0, 2), game([1, 3, 2], forfeits=[1]), game([2, 1, 3], deal=2))]),
        played([table((0, 4), game([1, 1], deal=3)), table((1, 2), game([1, 2], deal=3, forfeits=[1])), table((5, 6))]),
    ]
    assert ranked_games(history) == [
        RankedGame(Deal(1), ((4,), (2,), (0,))),
        RankedGame(Deal(2), ((0,), (4,), (2,))),
        RankedGame(Deal(3), ((0, 4),)),
        RankedGame(Deal(3), ((1,), (2,))),
    ]
    both = played([table((0, 1, 2), game([3, 1, 2], forfeits=[0, 2]))])
    assert ranked_games([both]) == [RankedGame(Deal(1), ((1,), (0, 2)))]
