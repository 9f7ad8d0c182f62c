"""The known designs of round robins at tables of three to five: each is what it is said to be, and is used."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest

from tests.simulation.schedules import least_spread
from tests.tournaments.competition.formats.tournament_factory import check_seating, tournament
from tournaments.competition.formats.designs import Tables, developed, known_designs, starters
from tournaments.competition.formats.round_robin import RoundRobin
from tournaments.competition.rounds import Entry


def meetings(design: Sequence[Tables], n: int) -> Counter[tuple[int, int]]:
    met = Counter(dict.fromkeys(combinations(range(n), 2), 0))
    met.update(pair for tables in design for table in tables for pair in combinations(sorted(table), 2))
    return met


def times_seated(design: Sequence[Tables], n: int) -> set[int]:
    return {sum(bot in table for tables in design for table in tables) for bot in range(n)}


@pytest.mark.parametrize(("n", "k"), starters())
def test_a_starter_makes_rounds_of_full_tables_with_even_meetings_and_byes(n: int, k: int) -> None:
    for starter in starters()[n, k]:
        design = developed(n, k, starter)
        for tables in design:
            seated = [bot for table in tables for bot in table]
            assert len(tables) == n // k
            assert all(len(table) == k for table in tables)
            assert len(seated) == len(set(seated))
            assert set(seated) <= set(range(n))
        counts = set(meetings(design, n).values())
        assert len(counts) == 1 or counts == {0, 1}
        seated_times = times_seated(design, n)
        assert max(seated_times) - min(seated_times) <= (0 if len(counts) == 1 else 1)


@pytest.mark.parametrize(
    ("n", "k", "rounds", "times"),
    [*((n, 3, (n - 1) // 2, 1) for n in (9, 15, 21, 27, 33, 39)),  # Kirkman triple systems
     *((n, 4, n - 1, 3) for n in (8, 12, 20, 24, 32, 36)),  # whist
     *((n, 4, n, 3) for n in (5, 9, 13, 17, 21, 25, 29, 33, 37)),
     (16, 4, 5, 1), (28, 4, 9, 1), (40, 4, 13, 1), (25, 5, 6, 1)],
)  # fmt: skip
def test_all_pairs_meet_equally_often_where_designs_for_it_are_known(n: int, k: int, rounds: int, times: int) -> None:
    of = tournament(n, k)
    plan = RoundRobin(rounds=rounds).plan(of)
    assert (plan.spread, plan.even_rounds) == ((times, times), None)
    assert plan.seat_counts is not None
    assert len(set(plan.seat_counts)) == 1
    assert plan.schedule is not None
    for round_ in plan.schedule:
        check_seating(round_, of)


@pytest.mark.parametrize(
    ("n", "k", "rounds"),
    [(18, 3, 8), (24, 3, 11), (30, 3, 14), (36, 3, 17),  # nearly Kirkman triple systems
     (14, 3, 7), (20, 3, 10), (26, 3, 13), (32, 3, 16), (38, 3, 19),  # Kirkman triple systems with one bot less
     (15, 4, 5), (27, 4, 9), (39, 4, 13), (24, 5, 6), (34, 5, 7), (40, 5, 8)],
)  # fmt: skip
def test_nobody_meets_twice_where_designs_for_it_are_known(n: int, k: int, rounds: int) -> None:
    plan = RoundRobin(rounds=rounds).plan(tournament(n, k))
    assert (plan.repeats, plan.spread) == (0, (0, 1))
    assert plan.seat_counts is not None
    tables = [counts[0] for counts in plan.seat_counts]
    assert max(tables) - min(tables) <= 1


@pytest.mark.parametrize(
    ("n", "k", "rounds", "spread"), [(12, 4, 22, (6, 6)), (15, 3, 11, (1, 2)), (40, 4, 20, (1, 2)), (21, 3, 4, (0, 1))]
)
def test_fewer_rounds_than_a_design_has_and_more_are_as_even_as_can_be(
    n: int, k: int, rounds: int, spread: tuple[int, int]
) -> None:
    assert RoundRobin(rounds=rounds).plan(tournament(n, k)).spread == spread


@pytest.mark.parametrize(
    ("n", "k", "rounds", "even"),
    [(15, 3, 3, 7), (15, 3, 8, 14), (12, 4, 12, 22), (14, 4, 1, 91), (5, 2, 6, 10), (6, 2, 5, None)],
)
def test_a_plan_names_the_next_number_of_rounds_at_which_meetings_come_out_even(
    n: int, k: int, rounds: int, even: int | None
) -> None:
    assert RoundRobin(rounds=rounds).plan(tournament(n, k)).even_rounds == even
    if even is not None:
        spread = RoundRobin(rounds=even).plan(tournament(n, k)).spread
        assert spread is not None
        assert spread[0] == spread[1]


@pytest.mark.slow
def test_no_schedule_is_more_even_than_the_bound() -> None:
    """Two tables of five: any two rounds seat at least three bots of a table together again."""
    assert [least_spread(10, 5, rounds) for rounds in (1, 2, 9, 126)] == [1, 2, 2, 0]
    assert [least_spread(n, 5, (n - 1) // 4) for n in (20, 23, 24, 25)] == [2, 2, 1, 0]
    for n, k in starters():
        for design in known_designs(n, k):
            for rounds in {1, 2, len(design) // 2, len(design)} - {0}:
                counts = meetings(design[:rounds], n).values()
                assert max(counts) - min(counts) >= least_spread(n, k, rounds)


def test_bots_of_one_owner_meet_no_more_often_than_others_in_a_known_design() -> None:
    of = tournament([Entry(name=f"bot{bot}", owner=f"owner{bot // 3}") for bot in range(15)], 3)
    plan = RoundRobin(rounds=7).plan(of)
    assert plan.spread == (1, 1)


def test_the_seed_decides_who_sits_where_in_a_known_design() -> None:
    first, again, other = (RoundRobin(rounds=7).plan(tournament(15, 3, seed=seed)).schedule for seed in "aab")
    assert first == again != other
