"""`referee record review`: what decisions cost, as text, as JSON, and on the page of the game."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.command import Run, assert_error, referee
from tests.cli.test_loop import commands, printed
from tests.pages.browser import Answer


@pytest.fixture
def record(played: tuple[Run, Path], tmp_path: Path) -> Path:
    """A record of random play in a folder of its own."""
    return Path(shutil.copy(played[1] / "0001-1.jsonl", tmp_path))


@pytest.mark.ci_only
def test_the_worst_decisions_of_a_seat_are_named_and_marked_on_the_page_and_then_shown_as_it_knew_them(
    record: Path,
) -> None:
    ended = referee("record", "review", record.name, "--seat", "0", "--playouts", "40", "--json", cwd=record.parent)
    assert ended.status == 0, ended.err
    assert "reviewing" in ended.err  # with how long it will take
    assert "for each, about" in ended.err
    found = printed(ended, "record-review")
    [review] = found["reviews"]
    assert {each["seat"] for each in review["decisions"]} == {0}
    assert (review["policies"], review["interrupted"]) == (8, False)
    worst = found["worst"]
    assert 2 < len(worst) <= 5  # of random play
    assert all(
        each["verdict"] == "candidate" and each["low"] > 0 < review["threshold"] < each["cost"] for each in worst
    )
    assert [step["command"] for step in found["next"]][-1] == worst[0]["play_on"]
    assert {kind["bot"] for kind in found["kinds"]} == {worst[0]["player"]}
    assert json.loads((record.parent / "0001-1.review.json").read_bytes()) == review
    document = Answer(200, {}, referee("record", "view", record, "-o", "-").out.encode()).document
    marked = {number for number, step in enumerate(document.steps) if "candidate" in step.views[0].marks}
    assert {each["position"] + 1 for each in worst} <= marked
    show, confirm, play_on = commands(found)
    assert confirm == f"referee record review {record.name} --seat 0 --play-on BOT --json"
    [step] = printed(referee(*shlex.split(show)[1:], cwd=record.parent), "record-show")["steps"]
    assert (step["position"], step["decision"]) == (worst[0]["position"], worst[0]["decision"])
    assert step["observation"] is not None
    assert play_on.startswith("referee match BOT BOT --from ")


@pytest.mark.ci_only
def test_text_has_the_costs_their_interval_and_what_they_are_based_on(record: Path) -> None:
    ended = referee("record", "review", record, "--seat", "0", "--playouts", "20", "--time", "5m", "--worst", "1")
    assert ended.status == 0, ended.err
    assert " cores: 5 min" in ended.err
    lines = ended.out.splitlines()
    assert sum("better  " in line for line in lines) == 1
    assert any(line.startswith("   referee match BOT BOT --from ") for line in lines)
    assert any("cost a game to bot" in line for line in lines)
    assert "playouts in" in lines[-3]
    assert "8 policies" in lines[-2]
    assert "--play-on" in lines[-1]


def test_what_cannot_be_reviewed_is_said(record: Path, tmp_path: Path) -> None:
    both = referee("record", "review", record, "--seat", "0", "--bot", "random")
    assert_error(both, 2, "--seat and --bot can't be combined")
    assert_error(referee("record", "review", record, "--time", "0"), 2, "--time must be at least 100ms")
    assert_error(referee("record", "review", record, "--bot", "nobody"), 1, "nothing to review")
    unknown = referee("record", "review", record, "--play-on", "nobody")
    assert_error(unknown, 2, "nobody: no such folder or program")
    assert "reviewing" not in unknown.err
    assert_error(referee("record", "review", record, "--time", "soon"), 2, "'soon' is not a duration")
    assert_error(referee("record", "review", tmp_path / "none.jsonl"), 1, "No such file")
    (tmp_path / "begun.jsonl").write_text(record.read_text().partition("\n")[0] + "\n")
    assert_error(referee("record", "review", tmp_path / "begun.jsonl"), 1, "breaks off here, before the draw of")
