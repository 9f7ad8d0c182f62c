"""Swiss tables of three to five: sizes, the objective in its order, and no worse than greedy pairings."""

import time
from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.competition.formats.tournament_factory import (
    all_equal,
    by_chance,
    check_seating,
    play_out,
    played,
    tournament,
)
from tournaments.competition.formats.interface import FormatContext, FormatError
from tournaments.competition.formats.swiss import Swiss, pair_tables, slots_for
from tournaments.competition.points import totals
from tournaments.competition.rounds import Entry, PlayedRound, Round, Table


def objective(of: FormatContext, history: list[PlayedRound], round_: Round) -> tuple[int, int, object, int]:
    """What the rules ask for, in their order, computed from the rounds themselves."""
    points = totals(of.entries, history, of.points, Swiss.bye)
    small, met = Counter[int](), Counter[tuple[int, ...]]()
    for before in history:
        small.update(before.round.byes)
        for table in before.round.tables:
            small.update(table.bots if len(table.bots) < of.seats else ())
            met.update(combinations(sorted(table.bots), 2))
    apart = [bot for table in round_.tables if len(table.bots) < of.seats for bot in table.bots] + list(round_.byes)
    pairs = [pair for table in round_.tables for pair in combinations(sorted(table.bots), 2)]
    owners = [entry.owner for entry in of.entries]
    return (
        sum(small[bot] for bot in apart),
        sum(met[pair] for pair in pairs),
        sum((points[a] - points[b]) ** 2 for a, b in pairs),
        sum(owners[a] is not None and owners[a] == owners[b] for a, b in pairs),
    )


def greedy_round(of: FormatContext, history: list[PlayedRound], *, avoid_repeats: bool) -> Round:
    """As a simple organiser would do it: the small tables from the end of the standings to those who sat there least;
    then from the top, each with the nearest one in the standings (whom nobody at the table has met, if asked for)."""
    points = totals(of.entries, history, of.points, Swiss.bye)
    left = sorted(range(len(of.entries)), key=lambda bot: (-points[bot], bot))
    small, met = Counter[int](), set[frozenset[int]]()
    for before in history:
        small.update(before.round.byes)
        for table in before.round.tables:
            small.update(table.bots if len(table.bots) < of.seats else ())
            met |= {frozenset(pair) for pair in combinations(table.bots, 2)}
    slots = slots_for(len(left), of.seats)
    from_end = left[::-1]
    apart = sorted(from_end, key=lambda bot: small[bot])[: sum(slot.size for slot in slots if slot.marked)]
    left = [bot for bot in left if bot not in apart]
    tables, byes = [], []
    for slot in slots:
        source, bots = (apart if slot.marked else left), list[int]()
        while len(bots) < slot.size:
            fresh = [bot for bot in source if all(frozenset((bot, other)) not in met for other in bots)]
            bot = fresh[0] if fresh and avoid_repeats else source[0]
            source.remove(bot)
            bots.append(bot)
        tables.extend([Table(tuple(bots))] if slot.plays else [])
        byes.extend([] if slot.plays else bots)
    return Round(number=len(history) + 1, tables=tuple(tables), byes=tuple(byes), deals=of.deals)


@pytest.mark.slow
@pytest.mark.parametrize("tournaments", [100, pytest.param(1000, marks=pytest.mark.check_all)])
def test_no_worse_than_greedy_pairings(tournaments: int) -> None:
    for seed in range(tournaments):
        random = Random(seed)
        seats = random.randint(3, 5)
        bots = range(random.randint(seats, 20))
        entries = [Entry(name=str(bot), owner=random.choice("abcdefgh")) for bot in bots]
        of = tournament(entries, seats, points=random.choice(["game", "table"]), seed=str(seed))
        history: list[PlayedRound] = []
        for _ in range(random.randint(0, 3)):
            history.append(played(greedy_round(of, history, avoid_repeats=True), by_chance(seed)))
        tables, byes = pair_tables(of, history, of.playing(len(history) + 1), steps=4000)
        found = Round(number=len(history) + 1, tables=tables, byes=byes, deals=1)
        check_seating(found, of)
        for avoid_repeats in (False, True):
            other = greedy_round(of, history, avoid_repeats=avoid_repeats)
            assert objective(of, history, found) <= objective(of, history, other)


@given(n=st.integers(3, 60), k=st.integers(3, 5))
def test_tables_are_full_but_for_the_fewest_small_ones(n: int, k: int) -> None:
    slots = slots_for(n, k)
    small = -n % k
    if n >= small * (k - 1):
        assert (
            Counter(slot.size for slot in slots) == Counter({k: (n - small * (k - 1)) // k, k - 1: small}) - Counter()
        )
        assert all(slot.plays for slot in slots)
    else:
        assert sum(slot.size for slot in slots if not slot.plays) == n % k
    assert sum(slot.size for slot in slots) == n


@given(n=st.integers(3, 26), k=st.integers(3, 5), rounds=st.integers(1, 5), seed=st.integers(0, 99))
@settings(max_examples=10)
@pytest.mark.slow
def test_nobody_sits_at_a_second_small_table_before_everybody_had_one(n: int, k: int, rounds: int, seed: int) -> None:
    if n < k:
        return
    of = tournament(n, k, points="game", seed=str(seed))
    plan = Swiss(rounds=rounds).plan(of)
    history = play_out(Swiss(rounds=rounds), of, by_chance(seed))
    assert len(history) == plan.rounds
    assert sum(len(round_.results) for round_ in history) == plan.tables
    assert sum(len(result.games) for round_ in history for result in round_.results) == plan.games
    small = [0] * n
    for round_ in history:
        check_seating(round_.round, of)
        apart = [bot for table in round_.round.tables if len(table.bots) < k for bot in table.bots]
        least = sorted(small)[: len(apart) + len(round_.round.byes)]
        assert sorted(small[bot] for bot in (*apart, *round_.round.byes)) == least
        for bot in (*apart, *round_.round.byes):
            small[bot] += 1


@pytest.mark.slow
def test_nobody_meets_twice_where_that_is_easily_avoided() -> None:
    met = Counter[tuple[int, ...]]()
    for round_ in play_out(Swiss(rounds=5), tournament(40, 4, points="game"), by_chance(5)):
        for table in round_.round.tables:
            met.update(combinations(sorted(table.bots), 2))
    assert max(met.values()) == 1


def test_scores_are_near_and_owners_apart_where_nothing_else_matters() -> None:
    entries = [Entry(name=str(bot), owner=str(bot // 4)) for bot in range(16)]
    of = tournament(entries, 4)
    (first,) = play_out(Swiss(rounds=1), of, all_equal)
    assert all(len({bot // 4 for bot in table.bots}) == 4 for table in first.round.tables)
    history = play_out(Swiss(rounds=1), tournament(64, 4))
    second = Swiss(rounds=2).next_round(tournament(64, 4), history)
    assert second is not None
    points = totals(tournament(64, 4).entries, history, "table", Swiss.bye)
    assert all(len({points[bot] for bot in table.bots}) == 1 for table in second.tables)


def test_the_same_seed_makes_the_same_tables_on_every_machine() -> None:
    history = play_out(Swiss(rounds=2), tournament(10, 4, seed="fixed"), most=2)
    assert [table.bots for round_ in history for table in round_.round.tables] == FIXED


FIXED = [(0, 6, 1), (2, 5, 7), (3, 8, 9, 4), (3, 0, 4), (5, 2, 6, 1), (7, 8, 9)]
"""What one machine has found."""


@pytest.mark.check_all
def test_the_time_of_a_round_grows_slowly_with_the_bots() -> None:
    def seconds(n: int) -> float:
        of = tournament(n, 4, points="game")
        history = play_out(Swiss(rounds=3), of, by_chance(1), most=2)
        begin = time.process_time()
        Swiss(rounds=3).next_round(of, history)
        return time.process_time() - begin

    seconds(50)  # warm up
    assert seconds(200) < 60 * seconds(50)  # 16 times as many pairs


def test_more_than_two_seats_need_the_number_of_rounds() -> None:
    with pytest.raises(FormatError, match="needs the number of `rounds`"):
        Swiss().check(tournament(8, 4))


@pytest.mark.parametrize("seats", [2, 3])
def test_the_plan_knows_who_is_absent_joins_or_is_withdrawn(seats: int) -> None:
    entries = [
        Entry(name="stays"),
        Entry(name="late", joined=2),
        Entry(name="leaves", withdrawn=3),
        Entry(name="rests", byes=((2, Fraction(1, 2)),)),
        *(Entry(name=f"bot{number}") for number in range(5)),
    ]
    swiss, of = Swiss(rounds=4), tournament(entries, seats, deals=3)
    tables = [len(table.bots) for done in play_out(swiss, of) for table in done.round.tables]
    plan = swiss.plan(of)
    assert (plan.rounds, plan.tables, plan.games) == (4, len(tables), 3 * sum(tables))
