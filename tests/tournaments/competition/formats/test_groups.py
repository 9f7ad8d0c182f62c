"""Groups: who is in which, who goes on, the final, rulings, withdrawals, and that it ends."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.tournaments.competition.formats.tournament_factory import (
    by_chance,
    play_out,
    play_with_withdrawals,
    tournament,
    with_entry,
)
from tournaments.competition.formats.groups import Groups, LadderFinal, SwissFinal
from tournaments.competition.formats.interface import FormatContext, FormatError
from tournaments.competition.formats.ladder import strengths
from tournaments.competition.formats.stages import Staged
from tournaments.competition.formats.swiss import Swiss
from tournaments.competition.rounds import Entry


def test_groups_are_dealt_to_and_fro_and_all_of_a_group_meet() -> None:
    of, format_ = tournament(8), Groups(groups=2)
    history = play_out(format_, of)
    met = {
        frozenset(table.bots)
        for number, over in enumerate(history)
        if (format_.round_name(of, history[:number]) or "").startswith("group stage")
        for table in over.round.tables
    }
    groups = ({0, 3, 4, 7}, {1, 2, 5, 6})
    assert met == {frozenset(pair) for group in groups for pair in combinations(group, 2)}
    assert format_.additions(of, history).added == {
        "groups": {"A": ["bot0", "bot3", "bot4", "bot7"], "B": ["bot1", "bot2", "bot5", "bot6"]}
    }


def test_the_first_of_each_group_go_on_to_a_knockout_and_do_not_meet_their_own_group_at_once() -> None:
    of, format_ = tournament(8), Groups(groups=2, third_place=True)
    history = play_out(format_, of)
    names = [format_.round_name(of, history[:number]) for number in range(len(history))]
    assert names == [
        *(f"group stage, round {number} of 3" for number in (1, 2, 3)),
        "semi-final",
        "final and third place",
    ]
    assert {frozenset(table.bots) for table in history[3].round.tables} == {frozenset({0, 2}), frozenset({1, 3})}
    assert {frozenset(table.bots) for table in history[4].round.tables} == {frozenset({0, 1}), frozenset({2, 3})}
    place = format_.order(of, history)
    assert sorted(range(8), key=place) == list(range(8))  # type: ignore[arg-type]
    assert (place(4), place(6)) == (place(5), place(7))
    assert format_.additions(of, history).eliminated == {1: 5, 2: 4, 3: 4, 4: 3, 5: 3, 6: 3, 7: 3}


@pytest.mark.parametrize(("n", "groups", "advance"), [(12, 3, 2), (16, 4, 2), (24, 8, 2), (15, 3, 3), (20, 5, 1)])
def test_so_many_of_each_group_are_in_the_final(n: int, groups: int, advance: int) -> None:
    of, format_ = tournament(n), Groups(groups=groups, advance=advance)
    format_.check(of)
    history = play_out(format_, of)
    rounds = next(number for number in range(99) if "group" not in (format_.round_name(of, history[:number]) or ""))
    ranked = format_.additions(of, history).added["groups"]
    assert len(ranked) == groups
    ahead = {name for names in ranked.values() for name in names[:advance]}
    finalists = {of.entries[bot].name for over in history[rounds:] for table in over.round.tables for bot in table.bots}
    assert finalists == ahead
    plan = format_.plan(of)
    assert (len(history), sum(len(result.games) for over in history for result in over.results)) == (
        plan.usual_rounds,
        plan.usual_games,
    )


def test_who_withdraws_before_the_final_is_replaced_by_the_next_of_its_group() -> None:
    of, format_ = tournament(8), Groups(groups=2)
    history = play_out(format_, of, most=3)
    of = with_entry(of, 0, Entry(name="bot0", withdrawn=4))
    semi = format_.next_round(of, history)
    assert semi is not None
    assert {bot for table in semi.tables for bot in table.bots} == {1, 2, 3, 4}


@pytest.mark.parametrize(("groups", "advance"), [(2, 1), (2, 3), (3, 2), (4, 2), (5, 2), (8, 2), (4, 4)])
def test_nobody_meets_one_of_the_own_group_in_the_first_stage_of_the_final(groups: int, advance: int) -> None:
    of, format_ = tournament(groups * 4), Groups(groups=groups, advance=advance)
    history = play_out(format_, of)
    ranked = format_.additions(of, history).added["groups"]
    group_of = {name: group for group, names in ranked.items() for name in names}
    first = history[3].round
    assert len(first.byes) + sum(len(table.bots) for table in first.tables) == groups * advance
    for table in first.tables:
        assert len({group_of[of.entries[bot].name] for bot in table.bots}) == 2


def test_a_penalty_in_the_group_stage_decides_who_goes_on_and_a_later_one_does_not() -> None:
    of, format_ = tournament(6), Groups(groups=2, advance=1)
    history = play_out(format_, of, most=3)
    for number, finalist in ((4, 3), (5, 0)):
        entry = Entry(name="bot0", adjustments=((number, Fraction(-2)),))
        final = format_.next_round(with_entry(of, 0, entry), history)
        assert final is not None
        assert set(final.tables[0].bots) == {1, finalist}


def test_groups_are_settled_when_the_final_begins() -> None:
    of, format_ = tournament(8), Groups(groups=2)
    assert [format_.settled_rounds(of, begun) for begun in range(6)] == [0, 0, 0, 0, 3, 4]
    assert format_.refuses_bye(of, 2) is None
    assert "is out" in (format_.refuses_bye(of, 4) or "")
    back = Entry(name="bot0", withdrawn=2)
    assert format_.refuses_return(of, back, 3) is None
    assert "out of the bracket" in (format_.refuses_return(of, Entry(name="bot0", withdrawn=4), 5) or "")


@pytest.mark.ci_only
@given(
    groups=st.integers(1, 4), size=st.integers(0, 2), k=st.integers(2, 4), more=st.integers(0, 3),
    advance=st.integers(1, 3), seed=st.integers(0, 1000), data=st.data(),
)  # fmt: skip
@settings(max_examples=4)
def test_it_ends_whatever_is_tied_and_whoever_withdraws(
    groups: int, size: int, k: int, more: int, advance: int, seed: int, data: st.DataObject
) -> None:
    advance = max(advance, -(-k // groups))
    n = groups * (max(k, advance) + size) + more
    of, format_ = tournament(n, k, points="game"), Groups(groups=groups, advance=advance)
    format_.check(of)
    of, history = play_with_withdrawals(format_, of, by_chance(seed, draws=0.6), data)
    place = format_.order(of, history)
    first = min(range(n), key=place)  # type: ignore[arg-type]
    eliminated = format_.additions(of, history).eliminated
    assert first not in eliminated or len(eliminated) == n


@pytest.mark.parametrize(
    ("of", "format_", "text"),
    [
        (tournament(6), Groups(groups=4), "leave 1 in a group, and a table has 2 seats"),
        (tournament(6), Groups(groups=3, advance=3), "3 of the 2 bots of a group can't advance"),
        (tournament(8, 4), Groups(groups=2, advance=1), "too few for a final at a table of 4"),
        (tournament(8), Groups(groups=0), "groups must be at least 1"),
        (tournament(8, 4), Groups(groups=2, third_place=True), "with two seats, not with 4"),
        (tournament([*(Entry(name=n) for n in "abcd"), Entry(name="e", joined=2)]), Groups(), "takes no late entries"),
    ],
)
def test_settings_that_cannot_be_met_are_named(of: FormatContext, format_: Groups, text: str) -> None:
    with pytest.raises(FormatError, match=text):
        format_.check(of)


# -- a Swiss or a ladder with a final ----------------------------------------------------------------------------


def test_a_swiss_with_a_final_is_paired_as_a_swiss_and_its_best_play_a_knockout() -> None:
    of, format_ = tournament(9), SwissFinal(rounds=4, advance=4, third_place=True)
    format_.check(of)
    history = play_out(format_, of)
    names = [format_.round_name(of, history[:number]) for number in range(len(history))]
    assert names == [*(f"Swiss, round {n} of 4" for n in (1, 2, 3, 4)), "semi-final", "final and third place"]
    swiss = Swiss(rounds=4)
    group = structs.replace(of, seed=f"{of.seed}/bot0")
    for number in range(4):
        assert swiss.next_round(group, history[:number]) == history[number].round
    best = [own.bot for own in swiss.by_points(of, history[:4])][:4]
    assert {bot for table in history[4].round.tables for bot in table.bots} == set(best)
    # The seeds of the final are the places in the Swiss: 1 meets 4.
    assert {frozenset(table.bots) for table in history[4].round.tables} == {
        frozenset((best[0], best[3])),
        frozenset((best[1], best[2])),
    }
    plan = format_.plan(of)
    assert (len(history), sum(len(result.games) for over in history for result in over.results)) == (
        plan.usual_rounds,
        plan.usual_games,
    )


def test_a_ladder_with_a_final_goes_by_the_strengths_that_are_whole_numbers() -> None:
    of, format_ = tournament(8), LadderFinal(budget=43, advance=2)  # five rounds of eight games, and three more
    format_.check(of)
    history = play_out(format_, of)
    assert [format_.round_name(of, history[:number]) for number in (0, 5)] == ["ladder, round 1 of 5", "final"]
    found, _ = strengths(of, history[:5])
    assert set(history[5].round.tables[0].bots) == set(sorted(range(8), key=lambda bot: -found[bot])[:2])
    assert format_.plan(of).usual_games == sum(len(result.games) for over in history for result in over.results)


@pytest.mark.ci_only
@pytest.mark.parametrize("format_", [SwissFinal(rounds=3, advance=3), LadderFinal(rounds=3, advance=3)])
@given(st.data())
@settings(max_examples=3)
def test_stages_end_whoever_withdraws(format_: Staged, data: st.DataObject) -> None:
    of, history = play_with_withdrawals(format_, tournament(7), by_chance(data.draw(st.integers(0, 99))), data)
    format_.order(of, history)


@pytest.mark.parametrize(
    ("format_", "words"),
    [
        (LadderFinal(), "give either `rounds` or `budget`"),
        (LadderFinal(rounds=1, budget=12), "give either `rounds` or `budget` .* not both"),
        (LadderFinal(budget=5), "budget = 5 is less than one round, which has 6 games"),
        (SwissFinal(advance=9), "advance can be at most 7"),
        (SwissFinal(advance=1), "1 bots are too few for a final at a table of 2"),
    ],
)
def test_settings_of_stages_that_can_not_be_met(format_: Staged, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        format_.check(tournament(7))
