"""A page that is cut for an audience doesn't depend on anything that is hidden from it."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games.interface import ChanceEvent, Game
from referee.games.renderer import Audience
from referee.pages.document import Document
from referee.pages.html import write_page
from referee.record.replay import Replay
from tests.cases import some_in_ci
from tests.pages.playing import PLANS, page
from tests.record.played import Line, lines_of

AUDIENCES: list[Audience] = [0, 1, 2, "public"]
CUTS = some_in_ci((0.5, 0.02, 1.0), [0.5])
"""How much of a record is there."""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pages")]  # whose records and pages are made once


def encoded(lines: Sequence[Line]) -> bytes:
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def part(record: Path, share: float) -> list[Line]:
    """The lines of the beginning of a record, up to a decision that is due."""
    lines = lines_of(record)
    if share == 1:
        return lines
    cut = 1 + next(n for n, line in enumerate(lines) if n >= share * len(lines) and line["type"] == "decision")
    while cut < len(lines) and lines[cut]["type"] != "decision":
        cut += 1
    return lines[:cut]


def replayed(lines: Sequence[Line]) -> Game:
    """The game at the end of these lines."""
    replay = Replay(encoded(lines))
    for _ in replay.rest:
        replay.step()
    return replay.game


def with_other_secrets(lines: Sequence[Line], audience: Audience, random: Random) -> list[Line]:
    """The same game, with other values of everything that this audience may not see."""
    changed = copy.deepcopy(list(lines))
    changed[0]["seed"] = f"seed {random.random()}"
    changed[0]["bot_seeds"] = [random.getrandbits(53) for _ in changed[0]["players"]]
    for line in changed:
        if line.get("seat") in (None, audience):
            continue
        if line["type"] == "decision" and "ms" in line:
            line["info"] = {"value": random.random(), "plan": f"plan {random.random()} </script>"}
            line["stderr"] = random.randrange(1, 2000)
        if line["type"] == "fault":
            line["message"] = f"message {random.random()}"
    for seat in range(len(changed[0]["players"])):
        if seat == audience:
            continue
        # what a seat doesn't know is drawn again for each seat that the audience is not; the audience's own stays
        own = audience if isinstance(audience, int) else seat
        twin = replayed(changed).determinize(own, random)
        draws = {
            (event.what, None if event.round is msgspec.UNSET else event.round): msgspec.to_builtins(event.value)
            for event, _ in twin.log
            if isinstance(event, ChanceEvent)
        }
        for line in changed:
            if line["type"] == "chance":
                line["value"] = draws.get((line["what"], line.get("round")), line["value"])
    return changed


def draws_of(lines: Sequence[Line]) -> list[Any]:
    return [line["value"] for line in lines if line["type"] == "chance"]


def written(seats: int, audience: Audience, random: Random) -> list[bytes]:
    """What the bots wrote to their standard error; that of the audience is always the same."""
    return [
        b"mine\n" * 300 if seat == audience else random.randbytes(900).hex().encode() + b"\n" for seat in range(seats)
    ]


def cut_page(lines: Sequence[Line], audience: Audience, random: Random) -> Document:
    stderr = written(len(lines[0]["players"]), audience, random)
    return page(encoded(lines), [audience], stderr)


@pytest.mark.parametrize("share", CUTS)
@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("game", PLANS)
def test_two_games_that_differ_only_in_what_is_hidden_have_the_same_page_without_legal_actions_of_others(
    records: Mapping[str, Path], game: str, audience: Audience, share: float
) -> None:
    lines = part(records[game], share)
    random = Random(f"{game} {audience} {share}")
    first, second = (with_other_secrets(lines, audience, random) for _ in range(2))
    assert first[0] != second[0]
    if game != "year_of_the_dragon" and share < 1:  # in that one only future draws are hidden, and no record has them
        assert draws_of(first) != draws_of(second)
    document = cut_page(first, audience, random)
    assert write_page(document) == write_page(cut_page(second, audience, random))
    assert not document.seed
    decisions = [view.decision for step in document.steps for view in step.views if view.decision is not None]
    assert {decision.seat for decision in decisions if decision.legal} <= {audience}
    assert {decision.seat for decision in decisions if decision.info is not None} <= {audience}
    if share >= 0.5:
        assert len(decisions) > 20
        assert {audience} - {"public"} <= {decision.seat for decision in decisions if decision.legal}


@pytest.mark.ci_only
@pytest.mark.parametrize("game", PLANS)
def test_a_page_that_is_not_cut_has_all_of_it(records: Mapping[str, Path], game: str) -> None:
    lines = part(records[game], 0.5)
    random = Random(game)
    secrets = with_other_secrets(lines, "public", random)
    stderr = written(3, "public", random)
    document = page(encoded(secrets), None, stderr)
    content = msgspec.json.encode(document).decode()
    hidden: list[Any] = [
        secrets[0]["seed"],
        *(line["message"] for line in secrets if line["type"] == "fault"),
        *(line["info"]["value"] for line in secrets if "info" in line),
    ]
    assert len(hidden) > 5
    assert all(str(value) in content for value in hidden)
    shown = [view.decision for step in document.steps for view in step.views[:1] if view.decision is not None]
    for seat, text in enumerate(stderr):
        pieces = [document.texts[each.stderr] for each in shown if each.seat == seat and each.stderr is not None]
        assert "".join([*pieces, document.stderr[seat]]) == text.decode()


def test_a_seat_that_was_told_other_names_finds_no_others_in_its_page(records: Mapping[str, Path]) -> None:
    lines = lines_of(records["forbidden_city"])
    lines[0]["shown_names"] = ["one", "two", "three"]
    lines[0]["players"] = [{"name": f"famous {seat}", "bot": f"program {seat}"} for seat in range(3)]
    content = msgspec.json.encode(page(encoded(lines), [1])).decode()
    assert "famous 1" in content
    assert "program 1" in content
    assert not any(f"{word} {seat}" in content for word in ("famous", "program") for seat in (0, 2))
