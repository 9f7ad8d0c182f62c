"""The FIDE Dutch system: as bbpPairings 6 pairs, checked, and with the fewest repeats where no legal pairing is left.

`dutch_reference.json` holds tournaments whose rounds were all paired by bbpPairings 6.0.0 (with BBU 0.5) as they stand
there: every odd one with late entries, withdrawals and forfeits. Results are White's: 1, =, 0; + and - are forfeit
wins and losses, f a game that both forfeit.
"""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.competition.formats.tournament_factory import (
    by_chance,
    check_seating,
    play_out,
    tournament,
    with_entry,
)
from tournaments.competition.formats.dutch import allocate_colours, fewest_repeats, pair_round
from tournaments.competition.formats.dutch_player import Player
from tournaments.competition.formats.swiss import Swiss
from tournaments.competition.rounds import Deal, Entry, GameResult, PlayedRound, Points, Round, TableResult

REFERENCE = json.loads(Path(__file__).with_name("dutch_reference.json").read_text())
RANKS = {"1": (1, 2), "0": (2, 1), "=": (1, 1), "+": (1, 2), "-": (2, 1), "f": (1, 1)}


def with_results(round_: Round, results: str) -> PlayedRound:
    """The round with one game at each table."""
    return PlayedRound(
        round=round_,
        results=tuple(
            TableResult(
                table=table,
                games=(
                    GameResult(
                        deal=Deal(1),
                        rotation=0,
                        ranks=RANKS[result],
                        scores=(0, 0),
                        forfeits=(result in "-f", result in "+f"),
                        faults=(False, False),
                    ),
                ),
            )
            for table, result in zip(round_.tables, results, strict=True)
        ),
    )


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case["seed"])
def test_pairs_colours_and_boards_are_those_of_bbp_pairings(case: dict[str, Any]) -> None:
    history: list[PlayedRound] = []
    format_ = Swiss(rounds=len(case["rounds"]))
    events = list(zip(case["joined"], case["withdrawn"], strict=True))
    for number, expected in enumerate(case["rounds"], 1):
        of = tournament(
            [
                Entry(name=f"bot{bot}", joined=joined, withdrawn=withdrawn)
                for bot, (joined, withdrawn) in enumerate(events)
                if joined <= number
            ],
            seed=case["seed"],
        )
        round_ = format_.next_round(of, history)
        assert round_ is not None
        found = [[bot + 1 for bot in table.bots] for table in round_.tables] + [[bot + 1, 0] for bot in round_.byes]
        assert found == expected["pairs"]
        history.append(with_results(round_, expected["results"]))


@given(n=st.integers(2, 12), rounds=st.integers(1, 9), seed=st.integers(0, 1000))
@settings(max_examples=40)
def test_everyone_plays_and_nobody_has_a_second_bye_before_all_had_one(n: int, rounds: int, seed: int) -> None:
    of = tournament(n)
    byes = [0] * n
    for round_ in play_out(Swiss(rounds=rounds), of, by_chance(seed)):
        check_seating(round_.round, of)
        assert len(round_.round.byes) == n % 2
        for bot in round_.round.byes:
            assert byes[bot] == min(byes)
            byes[bot] += 1


@pytest.mark.slow
@given(n=st.integers(4, 10), seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_nobody_meets_twice_while_a_legal_pairing_is_left(n: int, seed: int) -> None:
    met: set[tuple[int, ...]] = set()
    for round_ in play_out(Swiss(rounds=n), tournament(n), by_chance(seed)):
        pairs = {tuple(sorted(table.bots)) for table in round_.round.tables}
        repeats = len(pairs & met)
        if repeats:
            everyone = [bot for bot in range(n) if bot not in round_.round.byes]
            assert repeats <= fewest(everyone, met)
        met |= pairs


def fewest(bots: list[int], met: set[tuple[int, ...]]) -> int:
    """The fewest repeated meetings of any pairing of these, by trying all."""
    if not bots:
        return 0
    first, *others = bots
    return min(((first, other) in met) + fewest([bot for bot in others if bot != other], met) for other in others)


def test_a_tournament_of_more_rounds_than_opponents_goes_on_with_repeated_meetings() -> None:
    history = play_out(Swiss(rounds=12), tournament(4), by_chance(3))
    assert len(history) == 12
    met = [tuple(sorted(table.bots)) for round_ in history for table in round_.round.tables]
    assert max(map(met.count, combinations(range(4), 2))) <= 5


def test_the_bye_of_a_repaired_round_goes_to_who_had_none() -> None:
    players = [
        Player(number=number, score=Points(number), byes=int(number < 3), opponents=tuple({1, 2, 3} - {number}))
        for number in (1, 2, 3)
    ]
    no_bye = frozenset({1, 2})
    pairs, left = fewest_repeats(players, no_bye)
    assert (pairs, left) == ([(1, 2)], [3])


def test_a_forfeit_win_counts_as_a_bye_and_no_meeting() -> None:
    of = tournament(3)
    first = Swiss(rounds=3).next_round(of, [])
    assert first is not None
    (white, black), (bye,) = first.tables[0].bots, first.byes
    history = [with_results(first, "+")]
    second = Swiss(rounds=3).next_round(of, history)
    assert second is not None
    assert second.byes == (black,)
    assert set(second.tables[0].bots) == {white, bye}


def test_neither_a_forfeit_win_nor_a_bye_leaves_room_for_a_bye() -> None:
    """C2, where who would have it by score must not."""
    won, had, free = (
        Player(number=1, score=Points(0), forfeit_wins=1),
        Player(number=2, score=Points(0), byes=1),
        Player(number=3, score=Points(2)),
    )
    assert pair_round([won, had, free], 3, 5, "white").bye == 3


COLOURS = [
    ("ww", "b", "black", "both get what they prefer"),
    ("wwb", "b", "black", "both get what they prefer"),
    ("wb", "bw", "white", "both get what they prefer"),
    ("w", "w", "black", "the higher ranked one's preference"),
    ("bw", "bw", "black", "the higher ranked one's preference"),
    ("wbw", "bww", "white", "an absolute preference of the lower ranked one beats a strong one"),
    ("wbb", "bww", "white", "both get what they prefer"),
    ("ww", "www", "white", "of two absolute preferences, the wider difference"),
    ("www", "ww", "black", "of two absolute preferences, the wider difference"),
    ("", "", "white", "an odd number has the initial colour"),
    ("", "w", "white", "only one prefers a colour"),
]


@pytest.mark.parametrize(("high", "low", "expected", "rule"), COLOURS)
def test_colours_by_the_rules_of_allocation(high: str, low: str, expected: str, rule: str) -> None:
    names = {"w": "white", "b": "black"}
    one = Player(number=1, score=Points(1), colours=tuple(names[colour] for colour in high))  # type: ignore[misc]
    two = Player(number=2, score=Points(0), colours=tuple(names[colour] for colour in low))  # type: ignore[misc]
    white, _black = allocate_colours(two, one, "white")
    assert (white.number == 1) == (expected == "white"), rule


def test_late_entrants_and_withdrawals_take_effect_in_their_round() -> None:
    of = tournament(6)
    first = play_out(Swiss(rounds=4), of, by_chance(2), most=1)
    of = with_entry(of, 2, Entry(name="bot2", withdrawn=2))
    of = with_entry(of, 6, Entry(name="late", joined=2))
    second = Swiss(rounds=4).next_round(of, first)
    assert second is not None
    check_seating(second, of)
    assert {bot for table in second.tables for bot in table.bots} == {0, 1, 3, 4, 5, 6}


@pytest.mark.parametrize(("n", "rounds"), [(2, 1), (4, 2), (8, 4), (9, 5), (16, 6), (64, 8), (200, 10)])
def test_the_default_number_of_rounds(n: int, rounds: int) -> None:
    assert Swiss().plan(tournament(n)).rounds == rounds
