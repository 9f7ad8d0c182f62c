"""The FIDE Dutch system: as bbpPairings 6 pairs, checked, and with the fewest repeats where no legal pairing is left.

`bbp_reference.json` holds tournaments whose rounds were all paired by bbpPairings 6.0.0 as they stand there. `make
simulate BBP=PROGRAM` compares thousands more.
"""

import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, count
from pathlib import Path
from typing import Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.simulation.pairings import Event, Reference
from tests.tournaments.competition.formats.tournament_factory import (
    by_chance,
    check_seating,
    play_out,
    tournament,
)
from tests.tournaments.competition.results import game, table
from tournaments.competition.formats.dutch import allocate_colours, fewest_repeats, pair_round
from tournaments.competition.formats.dutch_engine import pair_brackets
from tournaments.competition.formats.dutch_field import Colour, Player
from tournaments.competition.formats.swiss import Swiss
from tournaments.competition.rounds import Entry, PlayedRound, Points, Round, TableResult

REFERENCES: Final = msgspec.json.decode(
    Path(__file__).with_name("bbp_reference.json").read_bytes(), type=list[Reference]
)
MAX_SECONDS_OF_200: Final = 3
MAX_SECONDS_OF_1000: Final = 60
RANKS = {"1": (1, 2), "0": (2, 1), "=": (1, 1), "+": (1, 2), "-": (2, 1), "f": (1, 1)}


def with_results(round_: Round, results: str) -> PlayedRound:
    """The round with one game at each table."""

    def of_table(bots: Sequence[int], result: str) -> TableResult:
        return table(bots, game(RANKS[result], forfeits=[seat for seat in (0, 1) if result in ("-f", "+f")[seat]]))

    tables = [of_table(one.bots, result) for one, result in zip(round_.tables, results, strict=True)]
    return PlayedRound(round=round_, results=tuple(tables))


def drawing(initial: Colour) -> str:
    """A seed by which the lot gives this colour to the first player."""

    def first_has_white(seed: str) -> bool:
        round_ = Swiss(rounds=1).next_round(tournament(2, seed=seed), [])
        assert round_ is not None
        return round_.tables[0].bots == (0, 1)

    return next(seed for seed in map(str, count()) if first_has_white(seed) == (initial == "white"))


def entry(of: Reference, number: int) -> Entry:
    """When a player was there."""
    requested = [at for at, played in enumerate(of.played, 1) if number in played.requested]
    there = [at for at, played in enumerate(of.played, 1) if number not in played.absent or at in requested]
    gone = there[-1] + 1 if there[-1] < len(of.played) else None
    assert there == [*range(there[0], there[-1] + 1)]
    return Entry(
        name=f"bot{number}", joined=there[0], withdrawn=gone, byes=tuple((at, Points(1, 2)) for at in requested)
    )


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda reference: reference.name)
def test_pairs_colours_boards_and_byes_are_those_of_bbp_pairings(reference: Reference) -> None:
    history: list[PlayedRound] = []
    entries = [entry(reference, number) for number in range(1, reference.size + 1)]
    for number, expected in enumerate(reference.played, 1):
        known = [entry for entry in entries if entry.joined <= number]
        of = tournament(known, seed=drawing(reference.initial))
        began = time.process_time()
        round_ = Swiss(rounds=reference.rounds).next_round(of, history)
        assert time.process_time() - began < MAX_SECONDS_OF_200
        assert round_ is not None
        assert [tuple(bot + 1 for bot in table.bots) for table in round_.tables] == expected.pairs
        assert [bot + 1 for bot in round_.byes] == ([] if expected.bye is None else [expected.bye])
        requested = tuple((player - 1, Points(1, 2)) for player in expected.requested)
        history.append(structs.replace(with_results(round_, expected.results), requested=requested))


@pytest.mark.slow
@given(n=st.integers(2, 12), rounds=st.integers(1, 9), seed=st.integers(0, 1000))
@settings(max_examples=20)
def test_everyone_plays_and_nobody_has_a_second_bye_before_all_had_one(n: int, rounds: int, seed: int) -> None:
    of = tournament(n)
    byes = [0] * n
    for round_ in play_out(Swiss(rounds=rounds), of, by_chance(seed)):
        check_seating(round_.round, of)
        assert len(round_.round.byes) == n % 2
        for bot in round_.round.byes:
            assert byes[bot] == min(byes)
            byes[bot] += 1


@pytest.mark.ci_only
@given(n=st.integers(4, 10), seed=st.integers(0, 1000))
@settings(max_examples=6)
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


@pytest.mark.parametrize("leader", [[], [Player(number=4, score=Points(2), opponents=(5,), colours=("white",))]])
def test_of_equal_players_the_one_who_has_played_most_has_the_bye(leader: list[Player]) -> None:
    """C9, in the first bracket and in a later one."""
    lowest = [] if not leader else [Player(number=5, score=Points(3, 2), byes=1, opponents=(4,), colours=("black",))]
    equal = [Player(number=1, score=Points(1), opponents=(6,), colours=("white",))]
    equal += [Player(number=number, score=Points(1)) for number in (2, 3)]
    found = pair_brackets([*leader, *lowest, *equal], frozenset({5} if leader else ()), 2, 5)
    assert found is not None
    assert found[1] == [1]


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
        Player(number=1, score=Points(0), unplayed_wins=1),
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


@pytest.mark.parametrize(("n", "rounds"), [(2, 1), (4, 2), (8, 4), (9, 5), (16, 6), (64, 8), (200, 10)])
def test_the_default_number_of_rounds(n: int, rounds: int) -> None:
    assert Swiss().plan(tournament(n)).rounds == rounds


def test_the_references_have_all_that_makes_pairing_hard() -> None:
    rounds = [played for reference in REFERENCES for played in reference.played]
    assert sum(played.bye is not None for played in rounds) > 20
    assert sum(bool(played.requested) for played in rounds) > 20
    assert sum(bool(set(played.results) & set("+-f")) for played in rounds) > 20
    ends = [(set(reference.played[0].absent), set(reference.played[-1].absent)) for reference in REFERENCES]
    assert sum(bool(first - last) for first, last in ends) > 3  # late entries
    assert sum(bool(last - first) for first, last in ends) > 3  # withdrawals
    assert max(reference.size for reference in REFERENCES) == 200


def test_no_pairing_is_found_where_none_is_legal() -> None:
    players = [Player(number=number, score=Points(1), opponents=(3 - number,)) for number in (1, 2)]
    assert pair_brackets(players, frozenset(), 2, 3) is None
    three = [Player(number=number, score=Points(0), byes=1) for number in (1, 2, 3)]
    assert pair_brackets(three, frozenset({1, 2, 3}), 2, 3) is None


@pytest.mark.check_all
@pytest.mark.parametrize("draws", [0.1, 0.9])
def test_a_thousand_bots_are_paired_within_a_minute(draws: float) -> None:
    event = Event(f"1,000 bots, {draws:.0%} draws", 1000, 6, absences=True, draws=draws)
    for _ in range(3):  # later rounds take no longer
        players = event.players()
        began = time.process_time()
        pairing = event.pair()
        assert time.process_time() - began < MAX_SECONDS_OF_1000
        seated = Counter([number for pair in pairing.pairs for number in pair] + [pairing.bye or 0])
        assert seated == Counter(player.number for player in players) + Counter([0] * (pairing.bye is None))
        met = {player.number: player.opponents for player in players}
        assert not any(black in met[white] for white, black in pairing.pairs)
        event.play_by_chance(pairing)
