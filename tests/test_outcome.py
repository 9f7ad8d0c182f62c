"""Ranks count from the table, with faults below all who had none, a later fault above an earlier one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.outcome import Eliminations


@pytest.mark.parametrize(
    ("table", "faulted", "ranks"),
    [
        ([2, 1], [], [2, 1]),
        ([1, 1, 3], [], [1, 1, 3]),
        ([1, 2, 3], [[0]], [3, 1, 2]),
        ([1, 1, 3], [[1]], [1, 3, 2]),
        ([1, 2, 3], [[0], [1]], [3, 2, 1]),
        ([1, 2, 3], [[1], [0]], [2, 3, 1]),
        ([1, 2, 3, 4], [[0, 1]], [3, 3, 1, 2]),
        ([1, 2, 3, 4], [[0, 1], [3]], [3, 3, 1, 2]),
        ([1, 2], [[0], [1]], [2, 1]),
        ([1, 2], [[0, 1]], [1, 1]),
    ],
)
def test_examples(table: list[int], faulted: list[list[int]], ranks: list[int]) -> None:
    assert Eliminations(seats=len(table), groups=faulted).final_ranks(table) == ranks


@pytest.mark.slow
@settings(derandomize=True)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.data())
def test_faults_stand_below_and_everyone_else_as_on_the_table(points: list[int], data: st.DataObject) -> None:
    table = [1 + sum(other > own for other in points) for own in points]
    out = data.draw(
        st.permutations(range(len(points))).flatmap(lambda order: st.integers(0, len(points)).map(lambda n: order[:n]))
    )
    ranks = Eliminations(seats=len(table), groups=[[seat] for seat in out]).final_ranks(table)
    clean = [seat for seat in range(len(points)) if seat not in out]
    assert all((ranks[a] < ranks[b]) == (table[a] < table[b]) for a in clean for b in clean)
    assert all(ranks[seat] <= len(clean) for seat in clean)
    assert [ranks[seat] for seat in reversed(out)] == list(range(len(clean) + 1, len(points) + 1))
    assert min(ranks) == 1
