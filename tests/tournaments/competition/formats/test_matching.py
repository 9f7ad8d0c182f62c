"""Matchings of maximum weight, against all matchings of small graphs, and while weights change."""

from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.competition.formats.matching import FREE, Matching

WEIGHTS: Final = ([1], [0, 1], [0, 1, 2, 3], range(20), [0, 10**40, 10**40 + 1, 2 * 10**40])
"""From which those of a graph are drawn: many ties, few ties, and too large for a machine word."""

Rows = list[list[int]]


def heaviest(rows: Rows, left: list[int]) -> int:
    """The maximum weight of a matching of these vertices, by trying all."""
    if len(left) < 2:
        return 0
    first, *others = left
    return max(
        heaviest(rows, others),
        *(rows[first][other] + heaviest(rows, [x for x in others if x != other]) for other in others),
    )


def weight_of(rows: Rows, mates: list[int]) -> int:
    """The weight of a matching; it must be one."""
    total = 0
    for vertex, mate in enumerate(mates):
        if mate != FREE:
            assert mates[mate] == vertex
            assert rows[vertex][mate] > 0
            total += rows[vertex][mate]
    return total // 2


def random_rows(random: Random, size: int) -> Rows:
    """A graph."""
    values = random.choice(WEIGHTS)
    rows = [[0] * size for _ in range(size)]
    for a in range(size):
        for b in range(a):
            rows[a][b] = rows[b][a] = random.choice(values)
    return rows


@given(size=st.integers(1, 9), seed=st.integers(0, 10**6))
@settings(max_examples=60)
@pytest.mark.slow
def test_a_matching_is_of_maximum_weight_whatever_changes(size: int, seed: int) -> None:
    random = Random(seed)
    rows = random_rows(random, size)
    first = random.randint(0, size)
    graph = Matching(rows, [first, size - first])
    for _ in range(4):
        assert weight_of(rows, graph.solve()) == heaviest(rows, list(range(size)))
        other_rows = random_rows(random, size)
        if random.random() < 0.3:
            changed = [(a, b) for a in range(size) for b in range(a) if random.random() < 0.5]
            graph.change_all([(a, b, other_rows[a][b]) for a, b in changed])
        else:
            vertex = random.randrange(size)
            changed = [(vertex, b) for b in range(size) if b != vertex and random.random() < 0.7]
            graph.change(vertex, [(b, other_rows[vertex][b]) for _, b in changed])
        for a, b in changed:
            rows[a][b] = rows[b][a] = other_rows[a][b]


@given(size=st.integers(2, 9), seed=st.integers(0, 10**6))
@settings(max_examples=50)
def test_a_pair_that_is_kept_leaves_the_rest_at_its_best(size: int, seed: int) -> None:
    rows = random_rows(Random(seed), size)
    graph = Matching(rows)
    left = list(range(size))
    total = 0
    while any(mate != FREE for vertex, mate in enumerate(graph.solve()) if vertex in left):
        a = next(vertex for vertex in left if graph.mates[vertex] != FREE)
        b = graph.mates[a]
        total += rows[a][b]
        graph.fix(a, b)
        left = [vertex for vertex in left if vertex not in (a, b)]
        assert graph.solve()[a] == b
        assert weight_of(rows, graph.mates) == total + heaviest(rows, left)


def test_odd_cycles_in_odd_cycles() -> None:
    """Two triangles, joined by an edge and each with a tail, whose edges all weigh the same: only blossoms find it."""
    edges = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5), (0, 6), (5, 7)]
    rows = [[0] * 8 for _ in range(8)]
    for a, b in edges:
        rows[a][b] = rows[b][a] = 1
    assert FREE not in Matching(rows).solve()
