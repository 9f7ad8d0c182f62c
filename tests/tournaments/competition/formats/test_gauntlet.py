"""Gauntlet: every challenger meets all of the field equally often, on the same deals in the same company."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.competition.formats.tournament_factory import play_out, tournament, with_entry
from tournaments.competition.formats.gauntlet import Gauntlet
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.rounds import Entry


@pytest.mark.slow
@given(field=st.integers(4, 20), k=st.integers(2, 5), challengers=st.integers(1, 3), rounds=st.integers(1, 3))
@settings(max_examples=20)
def test_every_challenger_meets_all_of_the_field_equally_often(
    field: int, k: int, challengers: int, rounds: int
) -> None:
    of = tournament(challengers + field, k, deals=2)
    format_ = Gauntlet(challengers=tuple(f"bot{bot}" for bot in range(challengers)), rounds=rounds)
    format_.check(of)
    plan = format_.plan(of)
    history = play_out(format_, of)
    assert tuple(round_.round for round_ in history) == plan.schedule
    for round_ in history:
        met = Counter[tuple[int, int]]()
        for table in round_.round.tables:
            (challenger,) = [bot for bot in table.bots if bot < challengers]
            assert len(table.bots) == len(set(table.bots)) == k
            met.update((challenger, bot) for bot in table.bots if bot >= challengers)
        assert len(met) == challengers * field
        assert len(set(met.values())) == 1
    assert plan.meetings is not None
    assert len({plan.meetings[a, b] for a in range(challengers) for b in range(challengers, challengers + field)}) == 1
    assert all(plan.meetings[a, b] == 0 for a in range(challengers) for b in range(a + 1, challengers))
    if k == 2:
        assert plan.games == rounds * challengers * field * 2 * 2


def test_challengers_sit_in_the_same_seats_beside_the_same_groups() -> None:
    (round_,) = play_out(Gauntlet(challengers=("bot0", "bot1")), tournament(9, 4))
    companies = [
        {
            tuple("x" if bot < 2 else bot for bot in table.bots)
            for table in round_.round.tables
            if challenger in table.bots
        }
        for challenger in (0, 1)
    ]
    assert companies[0] == companies[1]


def test_owners_of_the_field_are_kept_apart_where_that_is_possible() -> None:
    entries = [Entry(name=f"bot{bot}", owner=None if bot == 0 else f"owner{bot % 3}") for bot in range(7)]
    (round_,) = play_out(Gauntlet(challengers=("bot0",)), tournament(entries, 3))
    for table in round_.round.tables:
        a, b = (bot for bot in table.bots if bot)
        assert a % 3 != b % 3


def test_it_goes_on_with_those_who_are_left() -> None:
    format_ = Gauntlet(challengers=("bot0",), rounds=3)
    of = tournament(5)
    first = play_out(format_, of, most=1)
    without = format_.next_round(with_entry(of, 3, Entry(name="bot3", withdrawn=2)), first)
    assert without is not None
    assert {bot for table in without.tables for bot in table.bots} == {0, 1, 2, 4}


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        (Gauntlet(challengers=()), "at least one"),
        (Gauntlet(challengers=("bot0", "bot0")), "named once"),
        (Gauntlet(challengers=("me",)), 'unknown bot "me"; the bots are bot0, bot1'),
        (Gauntlet(challengers=("bot0", "bot1")), "a field of at least 2; there are 1"),
        (Gauntlet(challengers=("bot0",), rounds=0), "rounds must be at least 1"),
    ],
)
def test_settings_that_cannot_be_met_are_named(format_: Gauntlet, text: str) -> None:
    with pytest.raises(FormatError, match=text):
        format_.check(tournament(3, 3))
