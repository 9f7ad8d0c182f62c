"""`referee record show --round`, `--seat` and `--info`: a part of a game, and what one seat was asked."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from referee.games.narrator import format_game_id
from referee.record.reader import TruncatedRecord
from referee.record.render import NoSuchRound, render
from referee.record.replay import Replay
from tests.cli.command import assert_error, referee

GOLDEN = Path(__file__).parent.parent / "golden/records"
DRAGON = GOLDEN / "whole-game.jsonl"
CITY = GOLDEN / "city.jsonl"
RECORDS = pytest.mark.parametrize(
    "record", [DRAGON, CITY, GOLDEN / "city-advanced-parts-left-out.jsonl"], ids=lambda path: path.stem
)


def shown(record: Path | bytes, **parts: Any) -> list[str]:
    return list(render(Replay(record), **parts))


@RECORDS
def test_a_round_is_its_part_of_the_game_below_the_header(record: Path) -> None:
    whole = shown(record)
    header = whole[: whole.index("")]
    begins = [index - 1 for index, line in enumerate(whole) if line.startswith("Round ")]
    for number in (1, 2, len(begins)):
        lines = shown(record, round_no=number)
        begin = begins[number - 1]
        end = next(index for index in range(begin + 1, len(whole)) if not whole[index])
        assert whole[begin + 1].startswith(f"Round {number} of {len(begins)}")
        assert end - begin > 5
        assert lines == [*header, *whole[begin:end]]


@pytest.mark.parametrize(
    ("game_id", "name"),
    [
        ("r03-t002-d05-s1", "round 3, table 2, deal 5, rotation 1"),
        ("r12-t010-d100-s2-again3", "round 12, table 10, deal 100, rotation 2, replay 3"),
        ("0007-2", "deal 7, rotation 2"),
        ("0007-2-1", "table 1, deal 7, rotation 2"),
        ("my game", "my game"),
        ("9" * 40 + "-1", "9" * 40 + "-1"),
    ],
)
def test_the_id_of_a_game_is_said_in_words(game_id: str, name: str) -> None:
    assert format_game_id(game_id) == name


def test_a_round_that_is_not_in_the_record_is_refused_with_the_last_one() -> None:
    with pytest.raises(NoSuchRound, match="round 13 is not in this record: the last one is round 12"):
        shown(DRAGON, round_no=13)
    unfinished = b"".join(CITY.read_bytes().splitlines(keepends=True)[:2])
    with pytest.raises(NoSuchRound, match="round 3 is not in this record: it has no rounds"):
        shown(unfinished, round_no=3)


def test_a_round_of_an_unfinished_record_is_shown_before_its_error() -> None:
    unfinished = b"".join(DRAGON.read_bytes().splitlines(keepends=True)[:60])
    lines: list[str] = []
    with pytest.raises(TruncatedRecord):
        lines.extend(render(Replay(unfinished), round_no=2))
    assert any(line.startswith("Round 2 ") for line in lines)
    assert not any(line.startswith("Round 3 ") for line in lines)


@RECORDS
@pytest.mark.parametrize("seat", [0, 1])
def test_every_decision_of_a_seat_is_there_with_its_number_of_legal_actions(record: Path, seat: int) -> None:
    steps = [line for line in map(json.loads, record.read_text().splitlines()) if line["type"] in ("decision", "fault")]
    decisions = [line for line in steps if line["type"] == "decision" and line["seat"] == seat]
    notes = unwrapped(shown(record, seat=seat))
    found = [line for line in notes if re.search(r"legal, .* \(#\d+, line \d+\)$", line)]
    asked = 0
    for line, note in zip(decisions, found, strict=True):
        asked += "ms" in line
        number = next(number for number, step in enumerate(steps) if step is line)
        assert f" (#{number}, line " in note, "the position in which it is due"
        begins = f"act {asked}, " if "ms" in line else ""
        action = json.dumps(line["action"], separators=(",", ":"))
        assert note.startswith(f"{begins}{line['decision']}: {action}, index ") or " legal, written differently" in note
        if isinstance(line.get("info"), dict) and "legal" in line["info"]:
            assert f" of {line['info']['legal']} legal, " in note
        assert f"{line['ms']} ms" in note if "ms" in line else ("by a substitute" in note or "forced" in note)
    infos = [json.loads(line.removeprefix("info: ")) for line in notes if line.startswith("info: ")]
    assert infos == [line["info"] for line in decisions if "info" in line]


def unwrapped(lines: list[str]) -> list[str]:
    """The notes, each on one line."""
    notes: list[str] = []
    for line in lines:
        if line.startswith(" " * 12) and notes:
            notes[-1] += " " + line.strip()
        elif line.startswith(" " * 8):
            notes.append(line.strip())
    return notes


def test_info_is_shown_for_all_seats_and_without_it_nothing_changes() -> None:
    plain, told = shown(DRAGON), shown(DRAGON, info=True)
    infos = [line for line in told if line.startswith("        info: ")]
    assert len(infos) == DRAGON.read_text().count('"info":') > 0
    assert [line for line in told if line not in infos] == plain


def test_what_a_bot_sent_as_info_can_not_reach_the_terminal(tmp_path: Path) -> None:
    record = tmp_path / "0001-1.jsonl"
    lines = [json.loads(line) for line in DRAGON.read_text().splitlines()]
    told = next(line for line in lines if "info" in line)
    told["info"] = "\x1b[2J\u202e " + "x " * 3000
    record.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    ended = referee("record", "show", record, "--info")
    assert ended.status == 0, ended.err
    assert "\u202e" not in ended.out
    assert "x x x" in ended.out
    assert len(ended.out) < len("x " * 3000) + len(DRAGON.read_text())


def test_wrong_seats_and_rounds_are_usage_errors() -> None:
    assert_error(referee("record", "show", DRAGON, "--seat", "9"), 2, "has no seat 9: its seats are 0 (")
    ended = referee("record", "show", DRAGON, "--round", "99")
    assert ended.status == 2
    assert "round 99 is not in this record" in ended.err
