"""Round robin: the printed Berger tables, complete and even designs, late entries and withdrawals."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.competition.formats.tournament_factory import (
    by_strength,
    check_seating,
    play_out,
    played,
    tournament,
    with_entry,
)
from tournaments.competition.formats.designs import planes
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.formats.round_robin import MAX_SETS, RoundRobin, berger_cycles, berger_table
from tournaments.competition.rounds import Entry, PlayedRound

BERGER = {
    4: "1-4 2-3|4-3 1-2|2-4 3-1",
    6: "1-6 2-5 3-4|6-4 5-3 1-2|2-6 3-1 4-5|6-5 1-4 2-3|3-6 4-2 5-1",
    16: "1-16 2-15 3-14 4-13 5-12 6-11 7-10 8-9|16-9 10-8 11-7 12-6 13-5 14-4 15-3 1-2|"
    "2-16 3-1 4-15 5-14 6-13 7-12 8-11 9-10|16-10 11-9 12-8 13-7 14-6 15-5 1-4 2-3|"
    "3-16 4-2 5-1 6-15 7-14 8-13 9-12 10-11|16-11 12-10 13-9 14-8 15-7 1-6 2-5 3-4|"
    "4-16 5-3 6-2 7-1 8-15 9-14 10-13 11-12|16-12 13-11 14-10 15-9 1-8 2-7 3-6 4-5|"
    "5-16 6-4 7-3 8-2 9-1 10-15 11-14 12-13|16-13 14-12 15-11 1-10 2-9 3-8 4-7 5-6|"
    "6-16 7-5 8-4 9-3 10-2 11-1 12-15 13-14|16-14 15-13 1-12 2-11 3-10 4-9 5-8 6-7|"
    "7-16 8-6 9-5 10-4 11-3 12-2 13-1 14-15|16-15 1-14 2-13 3-12 4-11 5-10 6-9 7-8|"
    "8-16 9-7 10-6 11-5 12-4 13-3 14-2 15-1",
}
"""FIDE Handbook C.05, Annex 1: by number of players, rounds and pairs with white first."""


@pytest.mark.parametrize("players", BERGER)
def test_berger_tables_are_those_of_the_fide_handbook(players: int) -> None:
    expected = [
        [tuple(int(number) - 1 for number in pair.split("-")) for pair in pairs.split()]
        for pairs in BERGER[players].split("|")
    ]
    assert berger_table(players) == expected
    without_last = [[pair for pair in pairs if max(pair) < players - 1] for pairs in expected]
    assert berger_table(players - 1) == without_last


def test_nobody_has_one_colour_three_times_in_a_row_in_a_double_round_robin() -> None:
    for players in range(4, 20, 2):
        rounds = berger_cycles(players, 2)
        for player in range(players):
            colours = "".join("w" if pair[0] == player else "b" for pairs in rounds for pair in pairs if player in pair)
            assert "www" not in colours
            assert "bbb" not in colours
        assert Counter(pair for pairs in rounds for pair in pairs).most_common(1)[0][1] == 1


@pytest.mark.slow
@given(n=st.integers(2, 40), cycles=st.integers(1, 3))
@settings(max_examples=30)
def test_with_two_seats_all_pairs_meet_once_per_cycle(n: int, cycles: int) -> None:
    of = tournament(n)
    plan = RoundRobin(cycles=cycles).plan(of)
    assert plan.rounds == cycles * (n - 1 + n % 2)
    assert plan.tables == cycles * comb(n, 2)
    assert plan.games == 2 * cycles * comb(n, 2)
    assert plan.spread == (cycles, cycles)
    assert plan.seat_counts is not None
    assert all(counts == (cycles * (n - 1),) * 2 for counts in plan.seat_counts)
    assert plan.schedule is not None
    for round_ in plan.schedule:
        check_seating(round_, of)
        assert len(round_.byes) == n % 2


@pytest.mark.parametrize(("n", "k"), [(n, k) for k in (3, 4, 5) for n in range(k, 16) if comb(n, k) <= MAX_SETS])
def test_every_set_of_bots_meets_once_in_as_few_rounds_as_there_can_be(n: int, k: int) -> None:
    of = tournament(n, k)
    schedule = RoundRobin().plan(of).schedule
    assert schedule is not None
    sets = [frozenset(table.bots) for round_ in schedule for table in round_.tables]
    assert len(sets) == len(set(sets)) == comb(n, k)
    assert len(schedule) == -(-comb(n, k) // (n // k))
    for round_ in schedule:
        check_seating(round_, of)


@pytest.mark.parametrize(
    ("n", "k", "rounds", "spread"),
    [(16, 4, 5, (1, 1)), (25, 5, 6, (1, 1)), (16, 4, 10, (2, 2)), (9, 3, 4, (1, 1)), (20, 4, 5, (0, 1)),
     (32, 4, 8, (0, 1)), (33, 3, 11, (0, 1)), (200, 4, 10, (0, 1))],
)  # fmt: skip
def test_meetings_differ_by_at_most_one_where_lines_of_a_plane_or_room_allow_it(
    n: int, k: int, rounds: int, spread: tuple[int, int]
) -> None:
    assert RoundRobin(rounds=rounds).plan(tournament(n, k)).spread == spread


@pytest.mark.slow
@pytest.mark.usefixtures("short_search")
@given(n=st.integers(6, 24), k=st.integers(3, 5), rounds=st.integers(1, 4), seed=st.text(max_size=3))
@settings(max_examples=6)
def test_a_plan_states_the_figures_of_the_rounds_that_are_played(n: int, k: int, rounds: int, seed: str) -> None:
    of = tournament(n, k, deals=2, seed=seed)
    plan = RoundRobin(rounds=rounds).plan(of)
    history = play_out(RoundRobin(rounds=rounds), of)
    assert tuple(round_.round for round_ in history) == plan.schedule
    met = Counter[tuple[int, int]]()
    for round_ in history:
        check_seating(round_.round, of)
        for table in round_.round.tables:
            met.update(combinations(sorted(table.bots), 2))
    assert plan.meetings == {pair: met[pair] for pair in combinations(range(n), 2)}
    assert plan.repeats == sum(count - 1 for count in met.values() if count > 1)
    assert (plan.rounds, plan.tables, plan.games) == (rounds, rounds * (n // k), rounds * (n // k) * 2 * k)
    tables = Counter(bot for round_ in history for table in round_.round.tables for bot in table.bots)
    assert plan.seat_counts == tuple((2 * tables[bot],) * k for bot in range(n))
    assert max(tables.values()) - min(tables[bot] for bot in range(n)) <= 1


@pytest.mark.parametrize(("n", "each"), [(20, 5), (26, 2)])
def test_owners_are_kept_apart_while_there_is_room(n: int, each: int) -> None:
    of = tournament([Entry(name=f"bot{bot}", owner=f"owner{bot // each}") for bot in range(n)], 4)
    for round_ in play_out(RoundRobin(rounds=5), of):
        for table in round_.round.tables:
            assert len({bot // each for bot in table.bots}) == 4


def test_the_order_around_the_table_varies() -> None:
    orders = [
        table.bots for round_ in play_out(RoundRobin(cycles=12), tournament(4, 4)) for table in round_.round.tables
    ]
    assert len(set(orders)) > 6


@pytest.mark.slow
@pytest.mark.usefixtures("short_search")
def test_tables_of_a_late_entrant_come_at_the_end() -> None:
    for seats, format_ in ((2, RoundRobin()), (3, RoundRobin()), (4, RoundRobin(rounds=4))):
        of = tournament(13 if seats == 4 else 6, seats)
        n = len(of.entries)
        before = format_.plan(of).schedule
        assert before is not None
        late = with_entry(of, n, Entry(name="late", joined=3))
        history = play_out(format_, late)
        assert tuple(round_.round for round_ in history[: len(before)]) == before
        at_the_end = [table.bots for round_ in history[len(before) :] for table in round_.round.tables]
        assert all(n in bots for bots in at_the_end)
        assert len(at_the_end) == {2: 6, 3: comb(6, 2), 4: 3}[seats]
        for round_ in history:
            check_seating(round_.round, late)


def test_unplayed_tables_of_a_withdrawn_bot_are_dropped_and_played_ones_stay() -> None:
    of = tournament(6)
    history: list[PlayedRound] = []
    plan = RoundRobin().plan(of).schedule
    assert plan is not None
    for number in range(1, 6):
        if number == 3:
            of = with_entry(of, 2, Entry(name="bot2", withdrawn=3))
        round_ = RoundRobin().next_round(of, history)
        assert round_ is not None
        dropped = [table for table in plan[number - 1].tables if number >= 3 and 2 in table.bots]
        assert set(round_.tables) == set(plan[number - 1].tables) - set(dropped)
        check_seating(round_, of)
        history.append(played(round_, by_strength))
    assert RoundRobin().next_round(of, history) is None


@pytest.mark.parametrize(
    ("format_", "n", "k", "text"),
    [
        (RoundRobin(), 3, 4, "needs at least 4 bots; there are 3"),
        (RoundRobin(), 20, 4, "give the number of `rounds`"),
        (RoundRobin(cycles=0), 4, 2, "cycles must be at least 1"),
        (RoundRobin(cycles=1, rounds=3), 4, 2, "not both"),
    ],
)
def test_settings_that_cannot_be_met_are_named(format_: RoundRobin, n: int, k: int, text: str) -> None:
    with pytest.raises(FormatError, match=text):
        format_.check(tournament(n, k))


@pytest.mark.slow
@pytest.mark.usefixtures("short_search")
def test_another_seed_makes_another_design_and_the_same_seed_the_same() -> None:
    first, again, other = (
        RoundRobin(rounds=2).plan(tournament(7, 3, seed=seed)).schedule for seed in ("one", "one", "two")
    )
    assert first == again != other


@pytest.mark.parametrize("k", [3, 4, 5])
def test_lines_of_a_plane_seat_everybody_each_round_and_nobody_twice_together(k: int) -> None:
    orders = [*range(1, 18), 25, 31, 32]
    found = {q: list(planes(q * k, k)) for q in orders}
    for q, classes in found.items():
        assert len(classes) in (0, q + (q == k))
        assert all(sorted(point for line in lines for point in line) == list(range(q * k)) for lines in classes)
        met = Counter(pair for lines in classes for line in lines for pair in combinations(sorted(line), 2))
        assert set(met.values()) <= {1}
    assert [q for q in orders if found[q]] == {
        3: [3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 25, 31, 32],
        4: [4, 5, 7, 8, 11, 13, 16, 17, 25, 31, 32],
        5: [5, 7, 8, 11, 13, 16, 17, 25, 31, 32],
    }[k]
    assert list(planes(5 * k + 1, k)) == []
