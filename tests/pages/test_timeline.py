"""A page says what the record says: each step with its sentence, its position, its decision and its scores."""

from pathlib import Path

import msgspec
import pytest

from protocol.record import DecisionLine
from referee.games import find_presenter, registered
from referee.games.renderer import TAGS
from referee.pages.document import Document, encode_document
from referee.pages.html import write_page
from referee.pages.svg import panels_at
from referee.record.replay import Replay
from tests.games.third_game import NARRATOR, PRESENTER, HighCard
from tests.pages.games import CITY, DRAGON, document_of
from tests.record.played import FaultyPlayer, GamePlan, lines_of, write

GAMES = {"year_of_the_dragon": DRAGON, "forbidden_city": CITY}
MAX_USUAL_PAGE = 300_000
"""Bytes, promised for a usual game."""


@pytest.fixture(scope="module", params=GAMES)
def record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game with faults and retries, of the largest number of players and with all expansions."""
    plan: GamePlan = GAMES[request.param]
    return plan.record(tmp_path_factory.mktemp("pages") / "0001-1.jsonl")


@pytest.fixture(scope="module")
def document(record: Path) -> Document:
    """The data of its page, for all audiences; the first is `all`."""
    return document_of(record)


def test_every_decision_and_fault_is_a_step_and_the_result_the_last_one(record: Path, document: Document) -> None:
    lines = lines_of(record)
    kinds = [line["type"] for line in lines if line["type"] in ("decision", "fault", "result")]
    assert [step.kind for step in document.steps] == ["setup", *kinds]
    decided = [line for line in lines if line["type"] == "decision"]
    steps = [step for step in document.steps if step.kind == "decision"]
    for line, step in zip(decided, steps, strict=True):
        shown = step.views[0].decision
        assert shown is not None
        assert (shown.seat, shown.kind) == (line["seat"], line["decision"].replace("_", " "))
        assert shown.ms == line.get("ms")
        assert shown.substitute == line.get("substitute", False)


def test_the_action_that_was_taken_is_marked_among_the_legal_ones(record: Path, document: Document) -> None:
    replay = Replay(record)
    steps = iter(step for step in document.steps if step.kind == "decision")
    legal = [*replay.game.legal_actions()]
    for numbered, _ in replay.steps():
        if isinstance(numbered.line, DecisionLine):
            shown = next(steps).views[0].decision
            assert shown is not None
            if not shown.forced:
                assert shown.taken is not None
                assert len(shown.legal) == len(legal)
                taken = msgspec.json.decode(msgspec.json.encode(legal[shown.taken]))
                assert taken == numbered.line.action
            assert len({action.label for action in shown.legal}) == len(shown.legal)
        legal = [*replay.game.legal_actions()]


def test_the_sentences_are_the_narrators(record: Path, document: Document) -> None:
    replay = Replay(record)
    presenter = find_presenter(replay.game_type)
    assert presenter is not None
    narrator = presenter.narrator(replay.game, [player.name for player in replay.header.players])
    told = "\n".join(narrator.narrate(replay.events()))
    for _, events in replay.steps():
        told += "\n" + "\n".join(narrator.narrate(events))
    decided = [step.views[0] for step in document.steps if step.kind == "decision"]
    sentences = [document.texts[view.lines[0].text] for view in decided if view.lines]
    assert len(sentences) > 50
    for sentence in sentences:
        for part in sentence.split("; "):
            assert part.split(": ")[0] in told


def test_scores_and_the_final_breakdown_are_those_of_the_record(record: Path, document: Document) -> None:
    result = lines_of(record)[-1]
    for audience in range(len(document.audiences)):
        scores = [step.views[audience].scores for step in document.steps]
        assert next(score for score in reversed(scores) if score is not None) == result["scores"]
    assert document.result is not None
    assert (document.result.scores, document.result.ranks) == (result["scores"], result["ranks"])
    assert document.breakdown is not None
    totals = [sum(points) for points in zip(*document.breakdown.points, strict=True)]
    assert totals == result["scores"]


def test_every_panel_has_a_name_and_every_key_is_unique(record: Path) -> None:
    document = document_of(record, "public")
    for number in range(0, len(document.steps), 10):
        panels = panels_at(document, number)
        assert len({panel.key for panel in panels}) == len(panels)
        for panel in panels:
            assert len({sprite.key for sprite in panel.sprites}) == len(panel.sprites)
            assert all(node.tag in TAGS for sprite in panel.sprites for node in sprite.shape)


def test_a_fault_does_not_end_the_page(document: Document) -> None:
    fault = next(
        number for number, step in enumerate(document.steps) if step.views[0].fault and not step.views[0].fault.retry
    )
    assert len(document.steps) > fault + 10
    shown = document.steps[fault].views[0].fault
    assert shown is not None
    assert shown.message is not None
    assert "failed on purpose" in document.texts[shown.message]


def test_numbers_of_info_are_evaluations(document: Document) -> None:
    shown = [step.views[0].decision for step in document.steps]
    assert [decision.numbers["asked"] for decision in shown if decision is not None and decision.numbers][:2] == [1, 2]


def test_a_usual_game_is_a_small_page(tmp_path: Path) -> None:
    for name in GAMES:
        path = GamePlan(name, {"players": 3}).record(tmp_path / f"{name}.jsonl")
        assert len(write_page(document_of(path))) < MAX_USUAL_PAGE


def test_the_same_record_gives_the_same_bytes(record: Path, document: Document) -> None:
    assert write_page(document_of(record)) == write_page(document)


@pytest.mark.parametrize("name", GAMES)
def test_a_record_that_breaks_off_is_shown_up_to_there(name: str, tmp_path: Path) -> None:
    lines = lines_of(GAMES[name].record(tmp_path / "whole.jsonl"))
    document = document_of(write(tmp_path / "part.jsonl", lines[: len(lines) // 2]), "all")
    assert document.steps[-1].kind == "broken off"
    assert f"after line {len(lines) // 2}: the game is unfinished" in document.error
    assert document.result is None
    decisions = [line for line in lines[: len(lines) // 2] if line["type"] == "decision"]
    assert len([step for step in document.steps if step.kind == "decision"]) >= len(decisions) - 1


def test_a_wrong_record_is_shown_up_to_there(tmp_path: Path) -> None:
    path = DRAGON.record(tmp_path / "right.jsonl")
    lines = lines_of(path)
    wrong = next(n for n, line in enumerate(lines) if n > 40 and line["type"] == "decision")
    lines[wrong]["action"] = {"nonsense": 1}
    document = document_of(write(tmp_path / "wrong.jsonl", lines), "all")
    assert f"wrong in line {wrong + 1}" in document.error
    assert document.steps[-1].kind == "broken off"


def test_a_game_that_stops_when_all_but_one_have_failed_has_its_result(tmp_path: Path) -> None:
    plan = GamePlan("forbidden_city", {"players": 2}, {1: FaultyPlayer(at=3)})
    document = document_of(plan.record(tmp_path / "stopped.jsonl"), "all")
    assert [step.kind for step in document.steps][-2:] == ["fault", "result"]
    assert document.result is not None
    assert document.result.stopped
    assert document.breakdown is None


HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)">\u2028'


def test_text_of_bots_stays_text(tmp_path: Path) -> None:
    path = DRAGON.record(tmp_path / "0001-1.jsonl")
    lines = lines_of(path)
    lines[0]["players"][0].update(name=HOSTILE, bot=HOSTILE, author=HOSTILE)
    lines[0]["game_id"] = HOSTILE
    for line in lines:
        if line["type"] == "decision" and "info" in line:
            line["info"] = {HOSTILE: 1, "text": HOSTILE}
        if line["type"] == "fault":
            line["message"] = HOSTILE
    document = document_of(write(path, lines), "all")
    page = write_page(document)
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    assert HOSTILE.rstrip("\u2028").encode()[:20] in encode_document(document)


@pytest.mark.parametrize("presenter", [PRESENTER, None], ids=["presenter", "no presenter"])
def test_a_game_without_a_renderer_has_a_page(presenter: str | None, tmp_path: Path) -> None:
    with registered(HighCard, narrator=NARRATOR, presenter=presenter):
        path = GamePlan("high_card", {"players": 3}).record(tmp_path / "0001-1.jsonl")
        document = document_of(path)
        assert document.steps[-1].kind == "result"
        assert len([step for step in document.steps if step.kind == "decision"]) == 60
        write_page(document)
