"""A record is truncated, never invalid, wherever the referee was killed, and is rendered as far as it goes."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.record import ResultLine
from referee.record.reader import InvalidRecord, TruncatedRecord, parse_record, read_unpacked
from tests.record.conftest import EVENTFUL
from tests.record.played import FaultyPlayer, GamePlan, Line, first_error, render_until_error, write
from tournaments.event.store.records import first_and_last_lines

GAMES = {
    "year_of_the_dragon": EVENTFUL,
    "a game with a fault before the first decision": GamePlan(
        "year_of_the_dragon", {"players": 3, "super_event": "random"}, {0: FaultyPlayer(at=1)}
    ),
    "forbidden_city": GamePlan("forbidden_city", {"players": 2}),
}


@pytest.fixture(scope="module", params=GAMES.values(), ids=list(GAMES))
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A complete record."""
    content: bytes = request.param.record(tmp_path_factory.mktemp("whole") / "whole.jsonl").read_bytes()
    return content


@pytest.mark.parametrize("place", ["end", "middle"])
@pytest.mark.parametrize("packed", [False, True])
def test_what_editors_make_of_a_record_is_read(whole: bytes, place: str, packed: bool, path: Path) -> None:
    lines = whole.splitlines()[: None if place == "end" else 5]
    content = b"\n".join(lines)

    def found(content: bytes) -> tuple[type[InvalidRecord], int] | None:
        path.write_bytes(gzip.compress(content) if packed else content)
        error = first_error(path)
        return None if error is None else (type(error), error.line)

    expected = found(content + b"\n")
    assert expected == (None if place == "end" else (TruncatedRecord, 5))
    for edited in (
        content,
        content + b"\n\n",
        b"\xef\xbb\xbf" + content,
        b"\r\n".join(lines),
        b"\r\n".join([*lines, b""]),
    ):
        assert found(edited) == expected
        assert len(parse_record(edited)[0]) == len(lines)
        if place == "end":
            assert [type(line) for _, line in first_and_last_lines(read_unpacked(path))][-1] is ResultLine
    assert found(b"\xef\xbb\xbf" + content[:-1]) == (TruncatedRecord, len(lines) - 1)


def is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def assert_truncated(path: Path, content: bytes) -> None:
    """These bytes are a record that is truncated after its last complete line."""
    path.write_bytes(content)
    found = first_error(path)
    assert type(found) is TruncatedRecord, found
    _, _, rest = content.rpartition(b"\n")
    assert found.line == content.count(b"\n") + is_json(rest)
    assert str(found).endswith(": unfinished")


@pytest.mark.ci_only
def test_a_record_cut_after_any_of_its_lines_or_within_its_first_is_truncated(whole: bytes, path: Path) -> None:
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in (*range(ends[0]), *ends[:-1]):
        assert_truncated(path, whole[:cut])


@settings(derandomize=True, max_examples=30)
@given(st.data())
def test_a_record_cut_anywhere_is_truncated(
    whole: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(whole) - 2))
    assert_truncated(tmp_path_factory.getbasetemp() / "cut-anywhere", whole[:cut])


def test_a_record_that_ends_within_a_character_is_truncated(lines: list[Line], path: Path) -> None:
    lines[0]["players"][0]["name"] = "Zoë 龍"
    content = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
    for character in ("ë", "龍"):
        assert_truncated(path, content[: content.index(character.encode()) + 1])
    later = next(place for place, line in enumerate(lines) if "info" in line and place > 20)
    lines[later]["info"] = "龍"
    content = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
    assert_truncated(path, content[: content.rindex("龍".encode()) + 2])


def test_the_lines_of_a_truncated_record_are_checked(lines: list[Line], path: Path) -> None:
    """A round is wrong where the draw after it is missing, and a line that follows from nothing."""
    place = next(i for i, line in enumerate(lines) if line["type"] == "round")
    assert lines[place + 1]["type"] == "chance"
    assert type(first_error(write(path, lines[: place + 1]))) is TruncatedRecord
    wrong = {**lines[place], "scores": [0, 0, 0, 0]}
    for content, number in (
        ([*lines[:place], wrong], place + 1),
        ([*lines[: place + 1], lines[place]], place + 2),
        ([lines[0], {"type": "strange"}], 2),
        ([*lines[:2], lines[1]], 3),
    ):
        found = first_error(write(path, content))
        assert type(found) is InvalidRecord
        assert found.line == number


@pytest.mark.parametrize("kept", [1, 2])
def test_a_record_of_hardly_more_than_its_first_line_is_rendered_with_what_was_to_be_played(
    lines: list[Line], path: Path, kept: int
) -> None:
    text, error = render_until_error(write(path, lines[:kept]))
    assert isinstance(error, TruncatedRecord)
    assert text[0] == "In the Year of the Dragon"
    assert "great wall yes" in text[1]
    assert "super event random" in text[1]
    assert any("seat 3: player 3" in line for line in text)
    assert text[-1] == f"The record breaks off here, after line {kept}: the game is unfinished."
