"""Lines for the JSON readers of the kits whose languages have none, with what each means."""

import json
import re
from typing import Any, Final

from tests.kits.harness import bad_lines

INVALID: Final = object()
"""What is not JSON."""
MAX_DEPTH: Final = 500
"""No reader needs to go deeper; none may crash. No case is between 100 and 1000 levels deep."""

VALID: Final[dict[str, Any]] = {
    # numbers
    **{text: json.loads(text) for text in ("0", "-0", "1", "-1", "42", "123456789012345678", "-9007199254740993")},
    **{text: float(text) for text in ("1.5", "-1.5e-3", "1E5", "1e+5", "0.1", "-0.0", "0e1", "1e400", "1e-400")},
    "12345678901234567890123": 12345678901234567890123.0,
    # strings
    '""': "",
    r'"\"\\\/\b\f\n\r\t"': '"\\/\b\f\n\r\t',
    r'"\u0041\u00e9\u9F8D\u0000"': "Aé龍\0",
    r'"\ud83d\udc09 \uD83D\uDC09"': "🐉 🐉",
    '"é龍🐉\u2028\x7f\ufeff"': "é龍🐉\u2028\x7f\ufeff",
    '"{[,:]} // null"': "{[,:]} // null",
    # values and structure
    "true": True,
    "false": False,
    "null": None,
    "{}": {},
    "[]": [],
    "[[],[{}],[null,[1]]]": [[], [{}], [None, [1]]],
    '{"a":{"b":[1,2,{"c":null}]},"d":true}': {"a": {"b": [1, 2, {"c": None}]}, "d": True},
    ' \t{ "a" :\t[ 1 , 2 ] , "b":3 } \r': {"a": [1, 2], "b": 3},
    '{"":1}': {"": 1},
    '{"a":1,"b":2,"a":[3]}': {"a": [3], "b": 2},
    r'{"a":1,"\u0061":2}': {"a": 2},
    "[" * 100 + "]" * 100: json.loads("[" * 100 + "]" * 100),
}
WRONG: Final = (
    # numbers
    *("01", "-", "+1", ".5", "1.", "-.5", "1.e5", "1e", "1e+", "0x10", "1_000", "--1", "1 2", "1,5", "٣", "1f"),
    *("NaN", "Infinity", "-Infinity", "nan"),
    # strings
    *('"abc', '"abc\\', r'"abc\"', '"a\tb"', '"\x00"', r'"\x41"', r'"\u12"', r'"\u12g4"', r'"\u 123"', r'"\u+123"'),
    *(r'"\ud83d"', r'"\udc09"', r'"\udc09\ud83d"', r'"\ud83dx"', r'"\ud83d\u0041"', r'"\ud83d\n"', "'a'", '"a" "b"'),
    # structure
    *('{"a":1,}', "[1,]", "[,1]", "[,]", "{,}", '{"a"}', '{"a":}', "{:1}", "{a:1}", "{'a':1}", '{"a":1 "b":2}'),
    *('{"a" 1}', "{1:2}", "[1 2]", "[1}", '{"a":1]', '{"a":1}}', "[1]]", "[", "{", "]", "}", '{"a":[}', ":", ","),
    *("tru", "True", "truth", "nul", "nullx", "undefined", "", "   ", "\r", "\x00", "1\x00", "[1]x"),
    *("// comment", "[1] // comment", "/* */ 1", "\ufeff1", "\u00a01", "\v1", "\f1", "[1\v]"),
    *("[" * 5000 + "]" * 5000, "[" * 100_000, '{"a":' * 100_000, '[{"a":' * 100_000),
)
WRONG_BYTES: Final = (b'"\xff"', b'"\xe9"', b'"\xc0\xaf"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'"\x80"', b"\xff")
"""Not UTF-8."""


def cases() -> list[tuple[bytes, Any]]:
    """Every line with its value. The lines of bad-lines.json are among them."""
    found = [(text.encode(), value) for text, value in VALID.items()]
    found += [(text.encode(), INVALID) for text in WRONG]
    found += [(line, INVALID) for line in WRONG_BYTES]
    return found + [(line, value_of(line)) for line in bad_lines().split(b"\n")[:-1]]


def value_of(line: bytes) -> Any:
    """What a line means by RFC 8259, with half of a surrogate pair and too many levels counting as invalid."""
    try:
        text = line.decode()
        value = json.loads(text, parse_int=_integer, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return INVALID
    return INVALID if _depth(text) > MAX_DEPTH else value


def _integer(text: str) -> int | float:
    return int(text) if len(text) < 19 else float(text)


def _refuse(word: str) -> None:
    raise ValueError(word)


def _depth(text: str) -> int:
    depth = deepest = 0
    for bracket in re.findall(r'"(?:\\.|[^"\\])*"|([\[{]|[\]}])', text):
        depth += {"": 0, "[": 1, "{": 1}.get(bracket, -1)
        deepest = max(deepest, depth)
    return deepest
