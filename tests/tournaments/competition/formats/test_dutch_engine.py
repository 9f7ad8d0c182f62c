"""The engine of our own pairs as bbpPairings 6 does, with all kinds of absences, and fast.

`bbp_reference.json` holds tournaments whose rounds were all paired by bbpPairings 6.0.0 as they stand there. `make
simulate BBP=PROGRAM` compares thousands more.
"""

import time
from collections import Counter
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.simulation.pairings import Event, Reference, Standing
from tournaments.competition.formats.dutch import Pairing
from tournaments.competition.formats.dutch_engine import pair_brackets
from tournaments.competition.formats.dutch_player import Player
from tournaments.competition.rounds import Points

REFERENCES: Final = msgspec.json.decode(
    Path(__file__).with_name("bbp_reference.json").read_bytes(), type=list[Reference]
)
MAX_SECONDS_OF_200: Final = 3
MAX_SECONDS_OF_1000: Final = 60


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda reference: reference.name)
def test_pairs_colours_boards_and_byes_are_those_of_bbp_pairings(reference: Reference) -> None:
    standing = Standing(reference.size, reference.rounds, reference.initial)
    for played in reference.played:
        standing.arrive(played.absent, played.requested)
        expected = Pairing(tuple(played.pairs), played.bye)
        began = time.process_time()
        assert standing.pair() == expected
        assert time.process_time() - began < MAX_SECONDS_OF_200
        standing.play(expected, played.results)


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


@pytest.mark.ci_only
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
