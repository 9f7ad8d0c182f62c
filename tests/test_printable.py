"""Text from bots and files becomes printable: nothing in it is interpreted, invisible or out of place."""

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import BadMessage, decode
from referee.players.session import format_bad_message
from referee.printable import MAX_MARKS, REPLACEMENT, escape, escape_lines, printable, without_paths
from tests.hostile_texts import HOSTILE, flaws


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_becomes_harmless(text: str) -> None:
    shown = printable(text)
    assert flaws(shown) == []
    assert "\n" not in shown
    assert len(shown) == len(text)
    assert printable(shown) == shown
    assert (REPLACEMENT in shown) == (flaws(text) != [] or "\n" in text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "Zoë",
        "Zoe\u0308",
        "龍",
        "नमस्ते",
        "ภาษาไทย",
        "Việt Nam",
        "שָׁלוֹם",
        "🐉",
        "± 95 %",
        "[red]",
        "a…b",
        "┃ ∩ ▒",
    ],
)
def test_what_people_write_is_shown_as_it_is(text: str) -> None:
    assert printable(text) == text
    assert escape(json.dumps(text, ensure_ascii=False)) == json.dumps(text, ensure_ascii=False)


@pytest.mark.slow
def test_every_character_is_visible_or_replaced() -> None:
    for code in (*range(0x20000), *range(0xE0000, 0xE0200), 0x10FFFF):
        char = chr(code)
        space = unicodedata.category(char) == "Zs" or char == "\t"
        shown = " " if space else REPLACEMENT if flaws(char) or char == "\n" else char
        assert printable(f"x{char}") == f"x{shown}"


def test_a_text_is_cut_where_it_is_too_long() -> None:
    assert printable("x" * 10, 10) == "x" * 10
    assert printable("x" * 11, 10) == "x" * 9 + "…"
    assert printable("\x1b" * 11, 3) == f"{REPLACEMENT}{REPLACEMENT}…"


def test_marks_belong_to_a_letter_and_do_not_pile_up() -> None:
    assert printable("\u0301e") == f"{REPLACEMENT}e"
    assert printable("e" + "\u0301" * 9) == "e" + "\u0301" * MAX_MARKS + REPLACEMENT * (9 - MAX_MARKS)


@pytest.mark.ci_only
@settings(derandomize=True)
@given(st.recursive(st.text() | st.integers(), lambda part: st.lists(part) | st.dictionaries(st.text(), part)))
def test_escaped_json_is_the_same_value(value: object) -> None:
    escaped = escape(json.dumps(value, ensure_ascii=False))
    assert json.loads(escaped) == value
    assert flaws(escaped) == []
    assert "\n" not in escaped


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_the_description_of_a_bad_line_is_printable_and_short(text: str) -> None:
    for line in (
        text.encode(),
        b"\xff" + text.encode(),
        json.dumps({"type": text}, ensure_ascii=False).encode(),
        json.dumps({"type": "action", "id": text, text: 1}, ensure_ascii=False).encode(),
        json.dumps({"type": "ready", "protocol": 1, "name": [text]}, ensure_ascii=False).encode(),
        json.dumps({"type": "ready", "protocol": 1, "name": "x", "options": {"legal": text}}).encode(),
    ):
        with pytest.raises(BadMessage) as error:
            decode(line)
        assert flaws(format_bad_message(error.value)) == []
        assert "\n" not in format_bad_message(error.value)
        assert len(format_bad_message(error.value)) < 600


@pytest.mark.parametrize("text", ["plain", "Zoë", "\x7f", "\u202e", "\x9b"])
def test_lines_that_are_escaped_together_are_those_escaped_alone(text: str) -> None:
    lines = [json.dumps(["first"]), json.dumps([text], ensure_ascii=False), json.dumps({"last": text})]
    together = escape_lines([line.encode() for line in lines])
    assert together == "".join(f"{escape(line)}\n" for line in lines).encode()
    assert escape_lines([]) == b""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('File "/home/me/my bots/bot.py", line 3', 'File "…/bot.py", line 3'),
        ("[Errno 2] No such file: '/home/me/a.txt'", "[Errno 2] No such file: '…/a.txt'"),
        ("PATH=/usr/bin:/home/me/bin python3 /srv/bots/x/", "PATH=…/bin:…/bin python3 …/x"),
        ("see file:///home/me/x.html (/tmp/a/b)", "see …/x.html (…/b)"),
        ("/home/me/x.py:3:1: error", "…/x.py:3:1: error"),
    ],
)
def test_of_an_absolute_path_only_the_last_name_stays(text: str, shown: str) -> None:
    assert without_paths(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/home/me/x", "bots/steady-python/bot.py", "../bots/x.py", "~/x/y", "2/3 and/or 1/2/3",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "\\__/  \\__/ /\\ / \\", "/", "/ a / b", "no path",
    ],
)  # fmt: skip
def test_what_only_looks_like_an_absolute_path_stays(text: str) -> None:
    assert without_paths(text) == text
