"""Double elimination: two defeats, byes, the second grand final, play-offs, withdrawals, and that it ends."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.competition.formats.tournament_factory import (
    all_equal,
    by_chance,
    by_strength,
    check_seating,
    play_out,
    play_with_withdrawals,
    played,
    tournament,
    with_entry,
)
from tournaments.competition.formats.brackets import PLAY_OFFS
from tournaments.competition.formats.double_elimination import DoubleElimination, stage_tables
from tournaments.competition.formats.interface import FormatContext, FormatError
from tournaments.competition.rounds import Entry, History

FORMAT = DoubleElimination()


def names_and_pairs(of: FormatContext, history: History) -> list[tuple[str | None, list[set[int]]]]:
    """Of each round, its name and its tables."""
    return [
        (FORMAT.round_name(of, history[:number]), [set(table.bots) for table in over.round.tables])
        for number, over in enumerate(history)
    ]


def defeats(history: History) -> Counter[int]:
    """By bot, the tables at which the other one had more points."""
    return Counter(
        bot
        for over in history
        for result in over.results
        for place, bot in enumerate(result.table.bots)
        if sum(game.ranks[place] for game in result.games) > len(result.games) * 1.5
    )


def test_eight_bots_meet_as_in_the_usual_brackets() -> None:
    of = tournament(8)
    assert names_and_pairs(of, play_out(FORMAT, of)) == [
        ("winners' quarter-final", [{0, 7}, {1, 6}, {2, 5}, {3, 4}]),
        ("losers' round 1 and winners' semi-final", [{0, 3}, {1, 2}, {7, 4}, {6, 5}]),
        ("losers' round 2", [{4, 2}, {5, 3}]),
        ("losers' semi-final and winners' final", [{0, 1}, {2, 3}]),
        ("losers' final", [{1, 2}]),
        ("grand final", [{0, 1}]),
    ]


def test_a_second_grand_final_decides_if_the_winner_of_the_losers_bracket_wins_the_first() -> None:
    def upset(bots: Sequence[int], _game: int) -> Sequence[int]:
        return bots

    of = tournament(4)
    history = play_out(FORMAT, of, most=3)
    for name in ("grand final", "second grand final"):
        assert FORMAT.round_name(of, history) == name
        round_ = FORMAT.next_round(of, history)
        assert round_ is not None
        assert [set(table.bots) for table in round_.tables] == [{0, 1}]
        assert FORMAT.state(of, history).champion is None
        history.append(played(round_, upset))
    assert FORMAT.next_round(of, history) is None
    assert FORMAT.state(of, history).champion == 1
    assert defeats(history) == {0: 2, 1: 1, 2: 2, 3: 2}


@pytest.mark.slow
def test_any_number_of_bots_ends_after_two_defeats_of_each_but_the_champion() -> None:
    for n in (*range(2, 34), 63, 65):
        of = tournament(n)
        history = play_out(FORMAT, of)
        assert sum(stage_tables(n)) == sum(len(over.round.tables) for over in history) == 2 * n - 2
        assert len(history) == FORMAT.plan(of).usual_rounds
        assert defeats(history) == dict.fromkeys(range(1, n), 2)
        assert FORMAT.state(of, history).champion == 0
        for over in history:
            check_seating(over.round, of)


def test_the_best_seeds_have_no_opponent_in_the_first_stage() -> None:
    of = tournament(6)
    seeded = DoubleElimination(seeds=tuple(f"bot{bot}" for bot in reversed(range(6))))
    first = seeded.next_round(of, [])
    assert first is not None
    assert ([set(table.bots) for table in first.tables], first.byes) == ([{3, 0}, {2, 1}], (4, 5))


def test_no_two_meet_again_before_the_sixth_stage_of_a_large_bracket() -> None:
    of = tournament(32)
    for chance in range(20):

        def play(bots: Sequence[int], _game: int, chance: int = chance) -> list[int]:
            winner = Random(f"{chance}/{sorted(bots)}").choice(sorted(bots))
            return [int(bot == winner) for bot in bots]

        met = [frozenset(table.bots) for over in play_out(FORMAT, of, play, most=5) for table in over.round.tables]
        assert len(set(met)) == len(met) == sum(stage_tables(32)[:5])


def test_rounds_of_another_bracket_are_refused() -> None:
    of = tournament(4)
    history = play_out(DoubleElimination(seeds=("bot0", "bot3", "bot1", "bot2")), of)
    for ask in (FORMAT.next_round, FORMAT.state, FORMAT.additions):
        with pytest.raises(FormatError, match="the tables of round 1 are not those of the bracket"):
            ask(of, history)
    history = play_out(FORMAT, of)
    with pytest.raises(FormatError, match=f"round {len(history) + 1} was played after the end"):
        FORMAT.next_round(of, [*history, history[0]])


def test_places_go_by_when_a_bot_went_out() -> None:
    of = tournament(8)
    history = play_out(FORMAT, of)
    place = FORMAT.order(of, history)
    order = sorted(range(8), key=place)  # type: ignore[arg-type]
    assert order[:4] == [0, 1, 2, 3]
    assert place(4) == place(5)
    assert place(6) == place(7)


def test_a_tie_is_played_off_five_times_then_the_better_seed_goes_on() -> None:
    of = tournament(4)
    history = play_out(FORMAT, of, all_equal)
    assert len(history) == len(stage_tables(4)) * (1 + PLAY_OFFS)
    assert FORMAT.state(of, history).champion == 0


def test_who_withdraws_is_out_and_the_opponent_goes_on_without_a_table() -> None:
    of = tournament(4)
    history = play_out(FORMAT, of, most=1)
    of = with_entry(of, 0, Entry(name="bot0", withdrawn=2))
    second = FORMAT.next_round(of, history)
    assert second is not None
    assert [set(table.bots) for table in second.tables] == [{2, 3}]
    while (round_ := FORMAT.next_round(of, history)) is not None:
        history.append(played(round_, by_strength))
    state = FORMAT.state(of, history)
    assert (state.champion, state.eliminated[0]) == (1, 1)


@pytest.mark.ci_only
@given(n=st.integers(2, 24), seed=st.integers(0, 1000), data=st.data())
@settings(max_examples=5)
def test_it_ends_whatever_is_tied_and_whoever_withdraws(n: int, seed: int, data: st.DataObject) -> None:
    of, history = play_with_withdrawals(FORMAT, tournament(n), by_chance(seed, draws=0.6), data)
    for number, over in enumerate(history):
        assert all(len(table.bots) == 2 for table in over.round.tables)
        out = FORMAT.state(of, history[:number]).eliminated
        assert not set(out) & {bot for table in over.round.tables for bot in table.bots}
    state = FORMAT.state(of, history)
    assert len(state.eliminated) + (state.champion is not None) == n


@pytest.mark.parametrize(
    ("of", "format_", "text"),
    [
        (tournament(4, 3), FORMAT, "at tables of two, not of 3"),
        (tournament(1), FORMAT, "at least 2 bots"),
        (tournament(3), DoubleElimination(seeds=("bot0", "bot1")), '"bot2" is missing'),
        (tournament([Entry(name="a"), Entry(name="b"), Entry(name="c", joined=2)]), FORMAT, "takes no late entries"),
    ],
)
def test_settings_that_cannot_be_met_are_named(of: FormatContext, format_: DoubleElimination, text: str) -> None:
    with pytest.raises(FormatError, match=text):
        format_.check(of)
