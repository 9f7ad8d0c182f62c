"""Intervals: quantiles against printed tables, coverage by simulation, and bounds that mean something."""

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import some_in_ci
from tournaments.competition.intervals import (
    Estimate,
    confidence,
    mean_interval,
    share_interval,
    t_probability,
    t_quantile,
)

QUANTILES = {
    1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262, 10: 2.228, 20: 2.086, 29: 2.045, 30: 2.042,
    31: 2.040, 35: 2.030, 40: 2.021, 50: 2.009, 60: 2.000, 80: 1.990, 100: 1.984, 120: 1.980, 1000: 1.962,
}  # fmt: skip
"""Two-sided 95 % quantiles of Student's t, from printed tables."""


@pytest.mark.parametrize(("freedom", "quantile"), QUANTILES.items())
def test_t_quantile(freedom: int, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, abs=0.0006)


def test_t_quantiles_fall_towards_the_normal_one() -> None:
    quantiles = [t_quantile(freedom) for freedom in range(1, 400)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert t_quantile(10**9) == pytest.approx(1.959964)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 6, 9, 10, 29, 30, 50, 120, 500, 99_999])
def test_t_probability_at_its_quantiles(freedom: int) -> None:
    assert t_probability(QUANTILES.get(freedom, t_quantile(freedom)), freedom) == pytest.approx(0.975, abs=5e-5)
    assert t_probability(-t_quantile(freedom), freedom) == pytest.approx(0.025, abs=5e-5)
    assert t_probability(0, freedom) == 0.5
    assert 0.0 <= t_probability(-1e9, freedom) < t_probability(1e9, freedom) <= 1.0


PERCENTILES = {
    (1, 0.95): 6.314, (1, 0.995): 63.657, (2, 0.95): 2.920, (5, 0.9): 1.476, (6, 0.975): 2.447, (10, 0.95): 1.812,
    (10, 0.99): 2.764, (20, 0.75): 0.687, (30, 0.9995): 3.646, (60, 0.99): 2.390, (120, 0.975): 1.980,
}  # fmt: skip
"""Percentiles of Student's t by degrees of freedom (Abramowitz and Stegun, table 26.10)."""


@pytest.mark.parametrize(("freedom", "probability"), PERCENTILES)
def test_t_probability_agrees_with_published_percentiles(freedom: int, probability: float) -> None:
    t = PERCENTILES[freedom, probability]
    assert t_probability(t, freedom) == pytest.approx(probability, abs=2e-4)
    assert t_probability(-t, freedom) == pytest.approx(1 - probability, abs=2e-4)


# -- means and shares ---------------------------------------------------------------------------------------------


def test_mean_interval_of_a_worked_example() -> None:
    """1 to 5: mean 3, standard error √(2.5 / 5), four degrees of freedom."""
    margin = 2.776 * math.sqrt(0.5)
    assert mean_interval([1, 2, 3, 4, 5]) == Estimate(3, margin, 3 - margin, 3 + margin)
    assert mean_interval([4.0]) == Estimate(4.0)


def test_share_interval_of_a_worked_example() -> None:
    """Seven deals, each all or nothing, four of them won: Wilson's interval for 4 of 7 with t = 2.447.

    The effective number is p(1 − p) ÷ (s² ÷ 7) = 0.2449 ÷ (0.2857 ÷ 7) = 6.
    """
    found = share_interval([1, 1, 1, 1, 0, 0, 0], 2)
    q, p = 2.447**2 / 6, 4 / 7
    root = math.sqrt(q * p * (1 - p) + q * q / 4)
    assert found.low == pytest.approx((p + q / 2 - root) / (1 + q))
    assert found.high == pytest.approx((p + q / 2 + root) / (1 + q))


@pytest.mark.parametrize("shares", [[0.0], [1.0, 0.5], [0.0, 1.0, 1.0]])
def test_share_of_too_few_deals_has_no_interval(shares: list[float]) -> None:
    found = share_interval(shares, 2)
    assert (found.mean, found.low, found.high) == (statistics.fmean(shares), None, None)


def test_bot_that_wins_everything_may_still_lose_some_day() -> None:
    """All of four deals: with an effective number of 4, from 4 ÷ (4 + 3.182²)."""
    found = share_interval([1.0] * 4, 3)
    assert found.low == pytest.approx(4 / (4 + 3.182**2))
    assert found.high == 1


@pytest.mark.ci_only
@pytest.mark.parametrize("mean", some_in_ci((0.0, 1.5, 3.0), (0.0, 3.0)))
@pytest.mark.parametrize("deals", some_in_ci((4, 7, 20), (4,)))
def test_share_interval_covers_the_truth(deals: int, mean: float) -> None:
    """Two games per deal with a luck in common: in 1,000 matches at least 93 % of the intervals hold the truth."""
    rng = random.Random(5)

    def share() -> float:
        chance = 1 / (1 + math.exp(-mean - rng.gauss(0, 1)))
        return sum(rng.random() < chance for _ in range(2)) / 2

    truth = statistics.fmean(share() for _ in range(50_000))
    found = [share_interval([share() for _ in range(deals)], 2) for _ in range(1000)]
    assert sum((row.low or 0) <= truth <= (row.high or 0) for row in found) >= 930


NEWCOMBE = {(81, 263): (0.2553, 0.3662), (15, 148): (0.0624, 0.1605)}
"""Wilson's score interval of so many out of so many (Newcombe: Two-sided confidence intervals for the single
proportion, 1998, table I, method 3)."""


@pytest.mark.parametrize(("wins", "games"), NEWCOMBE)
def test_interval_of_a_share_of_single_games_is_the_published_one(wins: int, games: int) -> None:
    """But for the small difference between Student's t and the normal distribution."""
    samples = [1.0] * wins + [0.0] * (games - wins)
    found = share_interval(samples, 1)
    assert (found.low, found.high) == pytest.approx(NEWCOMBE[wins, games], abs=0.002)


@pytest.mark.slow
@given(st.lists(st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0]), min_size=7, max_size=40), st.integers(1, 5))
def test_interval_of_a_share_holds_it_and_never_leaves_0_to_1(samples: list[float], rotations: int) -> None:
    found = share_interval(samples, rotations)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found.high - found.low > 0.05, "so few deals leave doubt, even if all are alike"


def test_games_of_a_deal_that_share_its_luck_tell_no_more_than_one() -> None:
    deals = [1.0, 0.0] * 10
    assert share_interval(deals, 3) == share_interval(deals, 1)
    assert width(share_interval([2 / 3, 1 / 3] * 10, 3)) < width(share_interval(deals, 3))


def width(interval: Estimate) -> float:
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low


# -- differences between two bots ----------------------------------------------------------------------------------


def test_confidence_and_interval_agree() -> None:
    rng = random.Random(6)
    for _ in range(300):
        sample = [rng.gauss(0.7, 1) for _ in range(rng.randint(2, 12))]
        sure, low = confidence(sample), mean_interval(sample).low
        assert sure is not None
        assert low is not None
        if abs(sure - 0.975) > 1e-4:
            assert (sure > 0.975) == (low > 0)


@pytest.mark.parametrize(
    ("sample", "sure"),
    [([3.0], None), ([], None), ([0.0, 0.0], 0.5), ([1.0, 1.0], 0.75), ([-1.0] * 3, 0.125), ([2.0] * 7, 1 - 2**-7)],
)
def test_confidence_where_every_deal_says_the_same_is_that_of_the_sign_test(
    sample: list[float], sure: float | None
) -> None:
    assert confidence(sample) == sure
