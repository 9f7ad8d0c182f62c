"""The short form of `make simulate`: intervals of ratings hold the truth as often as they say, and what tells a
sequential test that errs too often from one that does not.
"""

import math
import random
from itertools import combinations

import pytest

from tests.simulation.collusion import effect, let_win, lose_at_first
from tests.simulation.coverage import Schedule, coverage, ladder, round_robin, swiss
from tests.simulation.sequential import (
    advantage_of,
    decisions,
    format_decisions,
    sampling_error,
    sprt_of,
    wald,
)
from tournaments.competition.rounds import DealsOf

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("schedule", "bots", "seats", "deals", "runs"),
    [
        (round_robin, 8, 2, 7, 80),
        pytest.param(round_robin, 8, 2, 28, 40, marks=pytest.mark.ci_only),
        pytest.param(round_robin, 8, 4, 14, 25, marks=pytest.mark.ci_only),
    ],
)
@pytest.mark.parametrize("deals_of", ["table", "round"])
def test_intervals_of_round_robins_hold_the_truth(
    schedule: Schedule, bots: int, seats: int, deals: int, runs: int, deals_of: DealsOf
) -> None:
    found = coverage(schedule, bots=bots, seats=seats, deals=deals, deals_of=deals_of, runs=runs, seed="short")
    # With seven deals a single bot often has few upsets, and intervals that allow for that are somewhat wide.
    assert 0.93 <= found.share <= (0.985 if deals == 7 else 0.98)
    assert found.without <= 0.02 * found.intervals


@pytest.mark.parametrize("schedule", [swiss, ladder])
def test_intervals_of_swiss_and_ladder_hold_the_truth_less_often(schedule: Schedule) -> None:
    """Who meets whom depends on luck there: about 90 %, which is why they are marked as conditional."""
    found = coverage(schedule, bots=8, seats=2, deals=14, deals_of="table", runs=50, seed="short")
    assert 0.85 <= found.share <= 0.97


def test_simulated_round_robin_lets_everybody_meet_everybody() -> None:
    rounds = [round_robin(number, 8, 2, [], random.Random(1)) for number in range(7)]
    assert sorted(tuple(sorted(pair)) for tables in rounds for pair in tables) == list(combinations(range(8), 2))


@pytest.mark.parametrize("elo", [0, 100])
def test_sequential_test_keeps_its_error_rates(elo: int) -> None:
    found = decisions(wald(0, 100, 0.05), elo=elo, batch=8, max_deals=5000, runs=300, seed="short")
    wrong = found.accepted if elo == 0 else found.rejected
    assert found.undecided == 0
    assert wrong / found.runs <= 0.05 + sampling_error(0.05, found.runs)


@pytest.mark.parametrize(
    ("elo1", "seats", "field"), [(150, 2, 0), (200, 2, 1), (200, 4, 3)], ids=["two bots", "field of 1", "field of 3"]
)
@pytest.mark.parametrize("at_elo1", [False, True])
def test_the_sprt_format_keeps_its_error_rates(elo1: float, seats: int, field: int, at_elo1: bool) -> None:
    format_, of = sprt_of(elo1, batch=6, max_games=4000, seats=seats, field=field)
    found = format_decisions(format_, of, elo=elo1 if at_elo1 else 0, runs=100, seed="short")
    wrong = found.rejected if at_elo1 else found.accepted
    assert found.undecided == 0
    assert wrong / found.runs <= 0.05 + 1.5 * sampling_error(0.05, found.runs)


def test_test_that_takes_games_for_independent_is_found_out() -> None:
    found = decisions(
        wald(0, 100, 0.05, independent_games=True), elo=0, batch=8, max_deals=5000, runs=300, seed="short"
    )
    assert found.accepted / found.runs > 0.05 + sampling_error(0.05, found.runs)


def test_matches_stop_at_the_largest_number_of_deals() -> None:
    found = decisions(lambda differences: "undecided", elo=0, batch=10, max_deals=30, runs=5, seed="short")
    assert (found.undecided, found.mean_deals) == (5, 30)


def test_advantage_is_none_between_equals_and_larger_where_luck_hides_it() -> None:
    assert advantage_of(0) == pytest.approx(0, abs=1e-9)
    assert advantage_of(100) > 100 * math.log(10) / 400


def test_what_colluding_bots_gain_is_measured() -> None:
    helped = effect("round_robin", let_win([4], 1), 1, bots=6, seats=2, rounds=5, runs=4)
    assert helped.elo > 50
    thrown = effect("round_robin", lose_at_first(1, 5), 1, bots=6, seats=2, rounds=5, runs=4)
    assert thrown.places < 0
