"""The short form of `make simulate`: what standings claim holds in the formats as they are played, also at the ends of
the table; sequential tests keep their error rates; nobody gains by failing. `make check-all` has more of the cases."""

import math
from collections.abc import Sequence

import pytest

from tests.simulation.coverage import coverage
from tests.simulation.event import Event, round_robin
from tests.simulation.field import Field, normal
from tests.simulation.order import order
from tests.simulation.policies import (
    Doing,
    after_a_lost_rotation,
    against,
    gain,
    in_rounds,
    let_win,
    with_a_bad_draw,
)
from tests.simulation.sequential import advantage_of, decisions, sampling_error, sprt
from tournaments.competition.results import tournament_standings

SWISS = Event(format="swiss", bots=16, deals=2, settings={"rounds": 7})
LADDER = Event(format="ladder", bots=16, deals=2, settings={"budget": 480})

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("short_search")]


@pytest.mark.ci_only
@pytest.mark.parametrize(
    ("event", "spread", "runs"),
    [
        (SWISS, 0, 12),
        pytest.param(round_robin(16, 2, 15), 0, 10, marks=pytest.mark.check_all),
        pytest.param(LADDER, 139, 10, marks=pytest.mark.check_all),
        pytest.param(
            Event(format="swiss", bots=17, deals=2, late=1, byes=2, settings={"rounds": 8}), 70, 10,
            marks=pytest.mark.check_all,
        ),
    ],
)  # fmt: skip
def test_intervals_hold_the_truth_in_every_format_and_at_the_ends_of_the_table(
    event: Event, spread: float, runs: int
) -> None:
    found = coverage(event, normal(event.bots, spread), runs=runs, seed="short")
    assert found.ratings.share >= 0.95 - sampling_error(0.95, runs)
    assert found.ends.share >= 0.92 - sampling_error(0.92, runs)
    assert found.differences.share >= 0.95 - sampling_error(0.95, runs)
    assert found.neighbours.above >= 0.95 - sampling_error(0.95, runs)
    assert found.ratings.half_width <= 1.15 * found.by_games.half_width
    if event is SWISS:  # Without the normal prior the first places are shown far too high: so all this can fail.
        assert found.by_games.share < found.ratings.share - 0.05


@pytest.mark.check_all
def test_a_ladder_lets_nearly_all_pairs_meet_and_orders_as_well_as_a_round_robin() -> None:
    equal = Event(format="ladder", bots=10, deals=2, settings={"budget": 900})
    met = order(equal, [0.0] * 10, runs=1, seed="short")
    assert met.pairs == 1
    assert met.most <= 6
    ladder, robin = (order(event, normal(16, 139), runs=4, seed="short") for event in (LADDER, round_robin(16, 2, 30)))
    assert ladder.correlation > robin.correlation - 0.05


@pytest.mark.ci_only
@pytest.mark.parametrize(
    ("elo1", "seats", "field"),
    [(150, 2, 0), *(pytest.param(200, *row, marks=pytest.mark.check_all) for row in ((2, 1), (4, 3)))],
    ids=["two bots", "field of 1", "field of 3"],
)
@pytest.mark.parametrize("at_elo1", [False, True])
def test_the_sprt_format_keeps_its_error_rates(elo1: float, seats: int, field: int, at_elo1: bool) -> None:
    event = sprt(elo1, batch=6, max_games=4000, seats=seats, field=field)
    found = decisions(event, elo1 if at_elo1 else 0, runs=60, seed="short")
    wrong = found.rejected if at_elo1 else found.accepted
    assert found.undecided == 0
    assert wrong / found.runs <= 0.05 + 1.5 * sampling_error(0.05, found.runs)


def test_advantage_is_none_between_equals_and_larger_where_luck_hides_it() -> None:
    assert advantage_of(0) == pytest.approx(0, abs=1e-6)
    assert advantage_of(100) > 105


# -- policies -------------------------------------------------------------------------------------------------


@pytest.mark.ci_only
@pytest.mark.parametrize(
    "doing",
    [
        after_a_lost_rotation,
        *(pytest.param(doing, marks=pytest.mark.check_all) for doing in (with_a_bad_draw, against(5), in_rounds([7]))),
    ],
)
@pytest.mark.parametrize(
    "event",
    [
        Event(format="round_robin", bots=8, deals=2),
        pytest.param(Event(format="swiss", bots=8, deals=2, settings={"rounds": 7}), marks=pytest.mark.check_all),
        Event(format="ladder", bots=8, deals=2, settings={"budget": 112}),
        pytest.param(
            Event(format="round_robin", bots=8, seats=4, deals=2, settings={"rounds": 7}), marks=pytest.mark.check_all
        ),
    ],
    ids=["round robin", "swiss", "ladder", "4 seats"],
)
def test_failing_is_never_better_than_losing_the_same_games(event: Event, doing: Doing) -> None:
    found = gain(event, normal(8, 70), 3, {3: doing("fail")}, {3: doing("lose")}, runs=4)
    assert found.places <= 2 * found.places_error
    assert found.points <= 2 * found.points_error + 1e-9
    assert found.elo <= 2 * found.elo_error + 1e-6


def test_failing_gets_no_sequential_test_accepted() -> None:
    def dodging(elos: Sequence[float], seed: object, tie: float) -> Field:
        return Field(elos, seed, tie=tie, policies={0: after_a_lost_rotation("fail")})

    found = decisions(sprt(100, batch=6, max_games=1200), 0, runs=10, seed="short", field_of=dodging)
    assert found.accepted == 0


def test_a_bot_that_fails_often_is_withdrawn() -> None:
    event = Event(format="ladder", bots=4, deals=2, settings={"budget": 200})
    progress = event.play(Field([0.0] * 4, "often", policies={1: after_a_lost_rotation("fail")}), "often")
    rows = {row.name: row for row in tournament_standings(progress, finished=True).standings}
    assert rows["b1"].withdrawn
    assert not rows["b0"].withdrawn


def test_what_colluding_bots_gain_is_measured() -> None:
    event = Event(format="round_robin", bots=6, deals=2)
    helped = gain(event, [0.0] * 6, 1, let_win([4], 1), {}, runs=4)
    assert helped.elo > 50
    thrown = gain(event, [0.0] * 6, 1, {1: in_rounds(range(1, 6))("lose")}, {}, runs=4)
    assert thrown.places < 0
    assert math.isfinite(thrown.elo)
