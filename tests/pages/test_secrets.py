"""Non-interference: two games that differ only in what an audience may not know give it the same bytes."""

import contextlib
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games import Game, registered
from referee.games.interface import ChanceEvent
from referee.games.renderer import Audience
from referee.pages.html import write_page
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay
from tests.games.third_game import NARRATOR, PRESENTER, HighCard
from tests.pages.games import CITY, DRAGON, document_of
from tests.record.played import GamePlan, Line, RetryingPlayer, lines_of, write

HIGH_CARD = GamePlan("high_card", {"players": 3}, {0: RetryingPlayer(), 1: RetryingPlayer()})
PLANS = {"year_of_the_dragon": DRAGON, "forbidden_city": CITY, "high_card": HIGH_CARD}


def replayed(path: Path) -> Game:
    """The game at the end of a record that may break off."""
    replay = Replay(path)
    with contextlib.suppress(InvalidRecord):
        replay.check()
    return replay.game


def disguised(lines: list[Line], path: Path, audience: Audience, random: Random) -> list[Line]:
    """The record with other values for everything that the audience may not know."""
    game = replayed(path)
    seats = range(len(lines[0]["players"]))
    # What a seat doesn't know is drawn anew. The public knows least: after two seats nothing hidden is as it was.
    for seat in [audience] if isinstance(audience, int) else [0, 1]:
        game = game.determinize(seat, random)
    draws = {
        (event.what, None if event.round is msgspec.UNSET else event.round): event.value
        for event, _ in game.log
        if isinstance(event, ChanceEvent)
    }
    changed: list[Line] = []
    for line in msgspec.json.decode(msgspec.json.encode(lines)):
        if line["type"] == "game":
            line["seed"] = str(random.random())
            line["bot_seeds"] = [random.randrange(10**6) for _ in seats]
        elif line["type"] == "chance":
            line["value"] = msgspec.to_builtins(draws.get((line["what"], line.get("round")), line["value"]))
        elif line["type"] == "decision" and line["seat"] != audience:
            if "info" in line:
                line["info"] = {"secret": random.random()}
        elif line["type"] == "fault" and line["seat"] != audience:
            line["message"] = f"it wrote {random.random()}"
        changed.append(line)
    return changed


@pytest.mark.parametrize("audience", [0, 1, "public"])
@pytest.mark.parametrize("share", [0.3, 0.8, 1.0])
@pytest.mark.parametrize("name", PLANS)
def test_what_an_audience_may_not_know_is_not_in_its_page(
    name: str, share: float, audience: Any, tmp_path: Path
) -> None:
    with registered(HighCard, narrator=NARRATOR, presenter=PRESENTER):
        whole = lines_of(PLANS[name].record(tmp_path / "whole.jsonl"))
        lines = whole[: int(len(whole) * share)]
        path = write(tmp_path / "0001-1.jsonl", lines)
        twin = write(tmp_path / "twin.jsonl", disguised(lines, path, audience, Random(name)))
        assert twin.read_bytes() != path.read_bytes()
        page = write_page(document_of(path, audience))
        assert write_page(document_of(twin, audience)) == page
        everything = write_page(document_of(path, "all"))
        assert write_page(document_of(twin, "all")) != everything


@pytest.mark.parametrize("presenter", [PRESENTER, None])
def test_nor_in_that_of_a_game_without_a_presenter(presenter: str | None, tmp_path: Path) -> None:
    with registered(HighCard, narrator=NARRATOR, presenter=presenter):
        lines = lines_of(HIGH_CARD.record(tmp_path / "whole.jsonl"))[:40]
        path = write(tmp_path / "0001-1.jsonl", lines)
        for audience in (0, "public"):
            twin = write(tmp_path / "twin.jsonl", disguised(lines, path, audience, Random(1)))
            assert write_page(document_of(twin, audience)) == write_page(document_of(path, audience))


def test_a_seat_sees_its_own_hand_and_the_public_none(tmp_path: Path) -> None:
    path = CITY.record(tmp_path / "0001-1.jsonl")
    own, public = document_of(path, 0), document_of(path, "public")
    asked = [step.views[0].decision for step in own.steps if step.views[0].decision is not None]
    assert any(decision.legal for decision in asked if decision.seat == 0)
    assert not any(decision.legal for decision in asked if decision.seat != 0)
    assert not any(step.views[0].decision.legal for step in public.steps if step.views[0].decision is not None)
    assert not own.seed
    assert not public.seed
