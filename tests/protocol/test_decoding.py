"""Whatever a bot sends, decoding gives a message or BadMessage, which says what is wrong with a short quote."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.codec import BadMessage, decode
from protocol.messages import ActParts, Answer, Ready
from referee.players.session import format_bad_message
from referee.printable import excerpt

fixed = settings(derandomize=True, max_examples=200)
MAX_DESCRIPTION = 600
"""Maximum length of the description of a bad line of any length."""

ANSWER = b'{"type":"action","id":1,"index":2}'
DEEP = 200_000

SHAPED = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["action", "ready", "hello", "\ud800", "\x00", "\x1b[2J"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "id", "index", "action", "protocol", "name", "options", "x"]), inner)
    ),
    max_leaves=8,
)
"""JSON values that look like messages; with NaN and lone surrogates."""


def assert_message_or_bad(line: bytes) -> None:
    """Check that the line gives a message, or a BadMessage with a short and printable description."""
    description = ""
    try:
        assert isinstance(decode(line), Ready | Answer)
    except BadMessage as error:
        description = format_bad_message(error)
    assert len(description) <= MAX_DESCRIPTION
    assert description.isprintable()


@pytest.mark.slow
@fixed
@given(st.binary())
@example(b"")
@example(b"\xff\xfe")
@example(ANSWER[:-1])
def test_any_bytes_give_a_message_or_bad_message(line: bytes) -> None:
    assert_message_or_bad(line)


@pytest.mark.slow
@fixed
@given(SHAPED)
def test_any_json_gives_a_message_or_bad_message(value: Any) -> None:
    assert_message_or_bad(json.dumps(value).encode())


@pytest.mark.slow
@fixed
@given(st.integers(0, len(ANSWER) - 1), st.integers(0, 255))
def test_an_answer_with_any_byte_changed_gives_a_message_or_bad_message(place: int, byte: int) -> None:
    assert_message_or_bad(ANSWER[:place] + bytes([byte]) + ANSWER[place + 1 :])


NOT_JSON = "not a JSON object: "


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"I play 3",
        b'{"type":"action","id":1',
        ANSWER + b" and more",
        b'{"type":"action","id":1,"info":"\\ud800"}',
        b'{"type":"action","id":1,"info":"\x00"}',
        b'{"type":"action","id":1}\x00',
        b'{"type":"action","id":NaN}',
        b'{"type":"action","id":1,"info":NaN}',
        b'{"type":"action","id":1,"info":[Infinity]}',
        b"\xef\xbb\xbf" + ANSWER,
    ],
)
def test_a_line_that_is_not_json_is_called_so_and_quoted(line: bytes) -> None:
    with pytest.raises(BadMessage) as error:
        decode(line)
    assert format_bad_message(error.value).startswith(NOT_JSON)
    assert format_bad_message(error.value).endswith(excerpt(line) if line else "")
    assert_message_or_bad(line)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (b"{}", "type"),
        (b'{"id":1,"index":0}', "type"),
        (b'{"type":"act","id":1}', "type"),
        (b'{"type":7}', "type"),
        (b'{"type":"action","index":0}', "id"),
        (b'{"type":"action","id":"1","index":0}', "id"),
        (b'{"type":"action","id":1.5}', "id"),
        (b'{"type":"action","id":true}', "id"),
        (b'{"type":"action","id":1e999}', "id"),
        (b'{"type":"action","id":' + b"9" * 5000 + b"}", "id"),
        (b'{"type":"action","id":1,"index":"0"}', "index"),
        (b'{"type":"ready","protocol":1}', "name"),
        (b'{"type":"ready","protocol":"1","name":"x"}', "protocol"),
        (b'{"type":"ready","protocol":1,"name":"x","options":{"legal":0}}', "options.legal"),
        (b"3", ""),
        (b"null", ""),
        (b"[]", ""),
        (b"[" * DEEP, ""),
    ],
)
def test_a_line_that_is_json_but_not_a_message_is_quoted_and_its_wrong_field_named(line: bytes, field: str) -> None:
    with pytest.raises(BadMessage) as error:
        decode(line)
    problem = format_bad_message(error.value).removesuffix(f": {excerpt(line)}")
    assert problem != format_bad_message(error.value)
    assert re.search(rf"\b{re.escape(field)}\b", problem) or not field
    assert not problem.startswith(NOT_JSON)
    assert_message_or_bad(line)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"type":"action","id":1,"info":"\xe9"}', "not valid UTF-8 at byte 32"),
        (b'{"type":"action","id":1,"unknown":"\xff"}', "not valid UTF-8 at byte 35"),
        (b'{"type":"action","id":1,"info":' + b"[" * DEEP + b"]" * DEEP + b"}", NOT_JSON + "nested too deeply"),
        (
            b'{"type":"action","id":1,"unknown":' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}",
            NOT_JSON + "nested too deeply",
        ),
    ],
)
def test_bad_utf_8_and_deep_nesting_are_named(line: bytes, problem: str) -> None:
    with pytest.raises(BadMessage) as error:
        decode(line)
    assert format_bad_message(error.value) == f"{problem}: {excerpt(line)}"
    assert_message_or_bad(line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (ANSWER, Answer(id=1, index=2)),
        (b' { "index" : 2 , "type" : "action" , "id" : 1 } ', Answer(id=1, index=2)),
        (b'{"type":"action","id":1,"index":null}', Answer(id=1)),
        (b'{"type":"action","id":1,"index":-3}', Answer(id=1, index=-3)),
        (b'{"type":"action","id":99,"id":1,"index":2}', Answer(id=1, index=2)),
        (b'{"type":"action","id":1,"index":2,"comment":["unknown",{"fields":"are ignored"}]}', Answer(id=1, index=2)),
        (b'{"type":"ready","protocol":1,"name":"x"}', Ready(protocol=1, name="x")),
        (b'{"type":"ready","protocol":9,"name":"","capabilities":[1]}', Ready(protocol=9, name="")),
        (
            '{"type":"ready","protocol":1,"name":"é\\u0000","version":"2","author":null}'.encode(),
            Ready(protocol=1, name="é\0", version="2"),
        ),
        (
            b'{"type":"ready","protocol":1,"name":"x","options":{"legal":false,"sound":true}}',
            Ready(protocol=1, name="x", options=ActParts(legal=False)),
        ),
    ],
)
def test_what_a_bot_may_send_is_understood(line: bytes, message: Ready | Answer) -> None:
    assert decode(line) == message


def test_action_and_info_stay_as_they_were_sent_until_somebody_reads_them() -> None:
    answer = decode(b'{"type":"action","id":1,"action":{ "palace": 0 },"info":[1e999, {"a":"\\u00e9"}]}')
    assert isinstance(answer, Answer)
    assert bytes(answer.action) == b'{ "palace": 0 }'  # type: ignore[arg-type]
    assert bytes(answer.info) == b'[1e999, {"a":"\\u00e9"}]'  # type: ignore[arg-type]


@pytest.mark.parametrize("filler", [b"A", b"\\u001b[31m", b"\x07", b"\xff", b"\\n"])
def test_nothing_that_a_bot_sends_makes_an_error_long_or_unprintable(filler: bytes) -> None:
    for line in (b'{"type":"%s"}', b"%s", b'{"type":"ready","protocol":1,"name":3,"%s":0}'):
        with pytest.raises(BadMessage) as error:
            decode(line.replace(b"%s", filler * 10_000))
        assert format_bad_message(error.value).isprintable()
        assert len(format_bad_message(error.value)) <= MAX_DESCRIPTION


def test_an_excerpt_is_printable_ascii_and_short_and_says_how_much_there_was() -> None:
    assert excerpt(b"short") == "'short'"
    assert excerpt("é\n\x1b\0".encode()) == r"'\xe9\n\x1b\x00'"
    assert excerpt(b"\xff") == r"'\ufffd'"
    assert excerpt(b"x" * 81) == f"'{'x' * 80}' … (81 bytes)"


@pytest.mark.parametrize("half", [r"\ud83c", r"\\\uD83C \ud83c", r"\ud83c\u0041", r"\ud83c\\udfb2"])
def test_half_of_a_surrogate_pair_is_named(half: str) -> None:
    with pytest.raises(BadMessage, match=r"^not a JSON object: \\u[dD]83[cC] is half of a surrogate pair$"):
        decode(f'{{"type":"ready","protocol":1,"name":"{half}"}}'.encode())


def test_whole_surrogate_pairs_are_not_to_blame_for_another_error() -> None:
    line = rb'{"type":"ready","protocol":1,"name":"\ud83c\udfb2 \\ud83c"}'
    assert decode(line) == Ready(protocol=1, name="\N{GAME DIE} \\ud83c")
    with pytest.raises(BadMessage) as error:
        decode(line.replace(b"}", b",}"))
    assert "surrogate" not in error.value.problem
