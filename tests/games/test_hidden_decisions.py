"""Decisions that others may not see, and actions as they are recorded: as the game lists them."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

from referee.games import IllegalAction, find_game, new_game, reconstruct
from referee.games.interface import ALL, DecisionEvent
from referee.games.known import KnownGame
from referee.games.year_of_the_dragon.actions import Draft
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay
from tests.game_runner.harness import FIRST, Harness, lines_of
from tests.games.sealed_bids import KNOWN, NARRATOR, KnownSealedBids, SealedBids, Shown
from tests.pages.playing import page
from tests.registered import registered

RESIGNS = """
ready()
for act in messages():
    if act["type"] == "act":
        assert all(event["type"] != "decision" or event["seat"] == 0 for event in act["events"])
        report(json.dumps(act["events"]))
        send("action", id=act["id"], action={"action": 2, "text": "I resign"})
"""


@pytest.fixture(autouse=True)
def sealed_bids() -> Iterator[None]:
    """The game is registered."""
    with registered(SealedBids, narrator=NARRATOR, known=KNOWN):
        yield


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Harness]:
    """Plays games with processes."""
    made = Harness(tmp_path)
    yield made
    made.close()


async def test_what_is_recorded_and_sent_is_the_listed_action_and_no_text_of_a_bot(harness: Harness) -> None:
    played = await harness.play_one(harness.bot(RESIGNS), FIRST, game=SealedBids)
    assert played.outcome.faults == [None, None]
    assert [line["action"] for line in lines_of(played, "decision")][:2] == [
        {"action": 2, "text": "bid 2"},
        {"action": 0, "text": "bid 0"},
    ]
    assert played.record is not None
    assert b"resign" not in played.record.read_bytes()
    sent = [event for line in harness.all_reported() for event in json.loads(line)]
    own = {"type": "decision", "seat": 0, "decision": "bid", "action": {"action": 2, "text": "bid 2"}}
    assert sent[:4] == [own, {"type": "shown", "bids": [2, 0]}] * 2
    Replay(played.record).check()
    forged = played.record.read_bytes().replace(b'"bid 2"', b'"I resign"')
    with pytest.raises(InvalidRecord, match="not as the game lists it"):
        Replay(forged).check()


async def test_the_pages_of_a_seat_and_of_the_public_do_not_show_hidden_decisions_of_others(harness: Harness) -> None:
    played = await harness.play_one(harness.bot(RESIGNS), FIRST, game=SealedBids)
    assert played.record is not None
    for audience in (0, 1, "public"):
        document = page(played.record, [audience])
        steps = [step for step in document.steps if step.kind == "decision"]
        known = {step.views[0].decision.seat for step in steps if step.views[0].decision is not None}
        assert known == ({audience} if isinstance(audience, int) else set())
        told = [document.texts[line.text] for step in document.steps for line in step.views[0].lines]
        assert told.count("Bids: 2 and 0") == 4


def test_a_draft_keeps_the_order_in_which_its_persons_are_placed() -> None:
    game = new_game("year_of_the_dragon", 1, players=2)
    assert game.canonical(Draft(persons=("scholar", "monk"))) == Draft(persons=("scholar", "monk"))
    assert game.canonical(Draft(persons=("monk", "monk"))) is None
    game.apply(Draft(persons=("scholar", "monk")))
    assert [event.action for event, _ in game.log if isinstance(event, DecisionEvent)] == [
        Draft(persons=("scholar", "monk"))
    ]


@pytest.mark.parametrize("name", ["year_of_the_dragon", "forbidden_city"])
def test_decisions_of_our_games_are_public(name: str) -> None:
    game, random = new_game(name, 1), Random(1)
    while game.turn is not None:
        game.apply(random.choice(game.legal_actions()))
    assert {audience for event, audience in game.log if isinstance(event, DecisionEvent)} == {ALL}


def test_a_known_game_follows_hidden_decisions_or_says_that_it_can_not() -> None:
    config = find_game("sealed_bids").Config(players=2)
    events = [
        DecisionEvent(seat=1, decision="bid", action={"action": 3}),
        Shown(bids=[1, 3]),
        DecisionEvent(seat=1, decision="bid", action={"action": 2}),
    ]
    known = KnownGame(KnownSealedBids, config)
    assert [*known.follow(events)]
    assert known.game is not None
    assert known.game.bids == [[1, 3], [0, 2], []]
    with pytest.raises(IllegalAction, match="hidden from this audience"):
        [*KnownGame(SealedBids, config).follow(events)]
    with pytest.raises(IllegalAction, match="may be hidden from seat 1"):
        reconstruct(SealedBids, config, 1, {}, msgspec.to_builtins(events), Random(1))
