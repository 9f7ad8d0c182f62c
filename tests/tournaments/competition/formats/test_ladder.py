"""Ladder: its budget, its tables among those that are close or little known, and its end by `until`."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.competition.formats.tournament_factory import (
    by_chance,
    by_strength,
    check_seating,
    play_out,
    tournament,
)
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.formats.ladder import UNIT, Ladder, strengths

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("short_search")]


@given(n=st.integers(2, 20), k=st.integers(2, 5), batch=st.integers(1, 3), tables=st.integers(1, 20))
@settings(max_examples=15)
def test_it_plays_as_many_tables_as_the_budget_allows(n: int, k: int, batch: int, tables: int) -> None:
    n = max(n, k)
    of = tournament(n, k)
    budget = tables * batch * k + batch * k // 2
    format_ = Ladder(budget=budget, batch=batch)
    format_.check(of)
    history = play_out(format_, of, by_chance(n))
    plan = format_.plan(of)
    assert sum(len(round_.results) for round_ in history) == plan.tables == tables
    assert sum(len(result.games) for round_ in history for result in round_.results) == plan.games
    assert len(history) == plan.rounds
    for round_ in history:
        check_seating(round_.round, of)
        assert round_.round.deals == batch


def test_neighbours_in_strength_meet_more_often_than_others() -> None:
    meetings = Counter[int]()
    history = play_out(Ladder(budget=400), tournament(16), by_strength)
    for round_ in history[10:]:
        for table in round_.round.tables:
            a, b = table.bots
            meetings[abs(a - b)] += 1
    near, far = (sum(meetings[d] for d in of) / sum(16 - d for d in of) for of in (range(1, 5), range(8, 16)))
    assert near > 2 * far


def test_strengths_are_those_of_colley() -> None:
    # Two bots, one won both games: (1 + 1) / (2 + 2) = 1/2 + 1/4 if they had not met each other; solved as a pair,
    # r = (1 + 1/2 + (1 - r)) / 3 gives 5/8 and 3/8 for one result.
    of = tournament(2)
    history = play_out(Ladder(budget=2), of)
    found, deals = strengths(of, history)
    assert found[0] == pytest.approx(UNIT * 5 / 8, abs=10)
    assert found[1] == pytest.approx(UNIT * 3 / 8, abs=10)
    assert deals == [1, 1]


def test_nobody_is_left_out_for_good_where_not_all_find_a_table() -> None:
    history = play_out(Ladder(budget=200), tournament(5), by_chance(2))
    counts = Counter(bot for round_ in history for table in round_.round.tables for bot in table.bots)
    assert min(counts[bot] for bot in range(5)) >= 10


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        (Ladder(), "needs a `budget` of games or `until`"),
        (Ladder(budget=3, batch=2), "a table alone plays 4 games"),
        (Ladder(until=0), "until must be more than 0"),
        (Ladder(budget=100, batch=0), "batch must be at least 1"),
    ],
)
def test_settings_that_cannot_be_met_are_named(format_: Ladder, text: str) -> None:
    with pytest.raises(FormatError, match=text):
        format_.check(tournament(4))
