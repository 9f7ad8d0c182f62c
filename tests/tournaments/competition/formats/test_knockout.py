"""Knockout: brackets, byes, play-offs, third place, withdrawals, and that it ends."""

from itertools import pairwise

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
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.formats.knockout import Knockout, stage_sizes, table_sizes
from tournaments.competition.rounds import Entry, PlayedRound


@pytest.mark.slow
@pytest.mark.parametrize(("k", "advance"), [(2, 1), (3, 1), (4, 1), (4, 2), (5, 1), (5, 2)])
def test_it_ends_for_any_number_of_bots(k: int, advance: int) -> None:
    for n in (*range(k, 36), 63, 64, 65, 200):
        of = tournament(n, k)
        format_ = Knockout(advance=advance)
        history = play_out(format_, of)
        state = format_.state(of, history)
        assert state.champion == 0
        assert sorted(state.eliminated) == list(range(1, n))
        stages = list(stage_sizes(n, k, advance))
        assert [[len(table.bots) for table in round_.round.tables] for round_ in history] == stages
        for round_ in history:
            check_seating(round_.round, of)


def test_all_tables_but_those_of_the_first_stage_are_full() -> None:
    for k, advance in [(2, 1), (3, 1), (4, 1), (4, 2), (5, 1), (5, 2)]:
        for n in range(k, 201):
            first, *others = stage_sizes(n, k, advance)
            assert max(first) - min(first) <= 1
            assert all(size == k for sizes in others for size in sizes)


def test_eight_bots_meet_as_in_the_usual_bracket() -> None:
    history = play_out(Knockout(), tournament(8))
    pairs = [{frozenset(bot + 1 for bot in table.bots) for table in round_.round.tables} for round_ in history]
    assert pairs == [
        {frozenset({1, 8}), frozenset({2, 7}), frozenset({3, 6}), frozenset({4, 5})},
        {frozenset({1, 4}), frozenset({2, 3})},
        {frozenset({1, 2})},
    ]


def test_the_winner_of_one_and_eight_meets_the_winner_of_four_and_five() -> None:
    def upsets(bots: object, _game: int) -> list[int]:
        order = [int(str(bot)) for bot in bots]  # type: ignore[attr-defined]
        return order if set(order) == {0, 7} else [-bot for bot in order]

    history = play_out(Knockout(), tournament(8), upsets)
    assert {frozenset(table.bots) for table in history[1].round.tables} == {frozenset({7, 3}), frozenset({1, 2})}


def test_byes_go_to_the_best_seeds() -> None:
    names = tuple(f"bot{bot}" for bot in reversed(range(11)))
    history = play_out(Knockout(seeds=names), tournament(11))
    assert history[0].round.byes == (6, 7, 8, 9, 10)
    assert [len(round_.round.byes) for round_ in history] == [5, 0, 0, 0]


def test_two_of_each_table_go_on_and_do_not_meet_again_at_once() -> None:
    history = play_out(Knockout(advance=2), tournament(32, 4))
    assert [len(round_.round.tables) for round_ in history] == [8, 4, 2, 1]
    for before, after in pairwise(history[:-1]):
        together = {frozenset((a, b)) for table in before.round.tables for a in table.bots for b in table.bots if a < b}
        for table in after.round.tables:
            assert not any(frozenset((a, b)) in together for a in table.bots for b in table.bots if a < b)


def test_a_tie_is_played_off_five_times_then_the_better_seed_goes_on() -> None:
    of = tournament(4)
    history = play_out(Knockout(), of, all_equal)
    assert len(history) == 2 * (1 + PLAY_OFFS)
    assert Knockout().state(of, history).champion == 0
    assert len(history) == Knockout().plan(of).rounds


def test_only_those_at_the_cut_play_off() -> None:
    of = tournament(4, 4)
    first = Knockout(advance=2).next_round(of, [])
    assert first is not None
    levels = {0: 1, 1: 2, 2: 2, 3: 2}
    history = [played(first, lambda bots, _game: [levels[bot] for bot in bots])]
    second = Knockout(advance=2).next_round(of, history)
    assert second is not None
    assert [sorted(table.bots) for table in second.tables] == [[1, 2, 3]]
    assert second.byes == ()
    history.append(played(second, lambda bots, _game: [int(bot != 3) for bot in bots]))
    third = Knockout(advance=2).next_round(of, history)
    assert third is not None
    assert [sorted(table.bots) for table in third.tables] == [[1, 2]]
    history.append(played(third, by_strength))
    assert Knockout(advance=2).next_round(of, history) is None
    assert Knockout(advance=2).state(of, history).champion == 1


def test_the_losers_of_the_semi_finals_play_for_the_third_place_beside_the_final() -> None:
    of = tournament(6)
    format_ = Knockout(third_place=True)
    history = play_out(format_, of)
    assert {frozenset(table.bots) for table in history[-1].round.tables} == {frozenset({0, 1}), frozenset({2, 3})}
    state = format_.state(of, history)
    assert (state.champion, state.third) == (0, 2)
    assert len(play_out(format_, tournament(3))[-1].round.tables) == 1


def test_stages_and_play_offs_have_names() -> None:
    of, ties = tournament(9), Knockout(third_place=True)
    history = play_out(ties, of, all_equal)
    names = [ties.round_name(of, history[:number]) for number in range(len(history))]
    assert names[:7] == [
        "round of 9",
        *(f"round of 9, play-off {again} of 5" for again in range(1, 6)),
        "quarter-final",
    ]
    assert names[12] == "semi-final"
    assert names[18:20] == ["final and third place", "final and third place, play-off 1 of 5"]


def test_who_withdraws_is_out_and_the_opponent_goes_on_without_a_table() -> None:
    of = tournament(8)
    history = play_out(Knockout(), of, most=1)
    of = with_entry(of, 0, Entry(name="bot0", withdrawn=2))
    second = Knockout().next_round(of, history)
    assert second is not None
    assert [set(table.bots) for table in second.tables] == [{1, 2}]
    history.append(played(second, by_strength))
    history += play_out_from(of, history)
    state = Knockout().state(of, history)
    assert state.champion == 1
    assert state.eliminated[0] == 1
    assert {bot for table in history[-1].round.tables for bot in table.bots} == {1, 3}


def play_out_from(of: object, history: list[PlayedRound]) -> list[PlayedRound]:
    """The rest of a tournament."""
    rest: list[PlayedRound] = []
    while (round_ := Knockout().next_round(of, [*history, *rest])) is not None:  # type: ignore[arg-type]
        rest.append(played(round_, by_strength))
    return rest


@pytest.mark.slow
@given(n=st.integers(2, 60), k=st.integers(2, 5), advance=st.integers(1, 2), seed=st.integers(0, 1000), data=st.data())
@settings(max_examples=6)
def test_it_ends_whatever_is_tied_and_whoever_withdraws(
    n: int, k: int, advance: int, seed: int, data: st.DataObject
) -> None:
    n, advance = max(n, k), min(advance, k // 2)
    of, format_ = tournament(n, k), Knockout(advance=advance, third_place=k == 2)
    of, history = play_with_withdrawals(format_, of, by_chance(seed, draws=0.7), data)
    assert all(len(table.bots) >= 2 for over in history for table in over.round.tables)
    state = format_.state(of, history)
    assert len(state.eliminated) + (state.champion is not None) == n


@pytest.mark.parametrize(
    ("n", "k", "advance", "sizes"),
    [(5, 2, 1, [2]), (7, 2, 1, [2, 2, 2]), (16, 4, 1, [4] * 4), (17, 4, 1, [2]), (18, 4, 1, [3]),
     (20, 4, 1, [3, 3]), (21, 4, 1, [4, 3]), (9, 4, 2, [3]), (12, 4, 2, [4, 4])],
)  # fmt: skip
def test_the_first_stage_reduces_to_a_full_bracket(n: int, k: int, advance: int, sizes: list[int]) -> None:
    assert table_sizes(n, k, advance) == sizes


@pytest.mark.parametrize(
    ("format_", "k", "text"),
    [
        (Knockout(advance=2), 2, r"from 1 to 1 \(half of the 2 seats\)"),
        (Knockout(third_place=True), 4, "with two seats, not with 4"),
        (Knockout(seeds=("bot0", "bot1")), 2, '"bot2" is missing'),
        (Knockout(seeds=("bot0", "x")), 2, 'unknown bot "x"'),
        (Knockout(), 5, "needs at least 5 bots; there are 4"),
    ],
)
def test_settings_that_cannot_be_met_are_named(format_: Knockout, k: int, text: str) -> None:
    with pytest.raises(FormatError, match=text):
        format_.check(tournament(4, k))


def test_nobody_can_join_late() -> None:
    with pytest.raises(FormatError, match="takes no late entries"):
        Knockout().check(tournament([Entry(name="a"), Entry(name="b"), Entry(name="c", joined=2)]))
