"""Mutations that keep the form of an input: other JSON or TOML values; fields and lines added, removed, moved."""

import re
from collections.abc import Callable
from random import Random
from typing import Final

TOKEN: Final = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|[\[\]{}:,=]|\w+|\n|[^\w\s]'
)
VALUES: Final = (
    *(b"0", b"1", b"-1", b"-0", b"1.0", b"0.0", b"01", b"1e0", b"1e400", b"-1e-400", b"0x1", b"1_000"),
    *(b"2147483648", b"9223372036854775808", b"18446744073709551616", b"1" + b"0" * 30, b"9" * 4300, b"9" * 4301),
    *(b"NaN", b"Infinity", b"nan", b"-inf", b"true", b"false", b"null", b"None", b"1979-05-27T07:32:00Z"),
    *(b'""', b'"0"', b'"1"', b'"action"', b'"ready"', b'"\\u0000"', b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\u00e9"'),
    *(b'"\\"', b'"\\u12"', b'"\\x41"', b'"\x00"', b'"\xff"', b'"\xc3\xa9"', b'"\xed\xa0\x80"', b'"\x1b[2J"', b"'\n'"),
    *(b"[]", b"{}", b"[[]]", b"[1,]", b'{"a":1,"a":2}', b'{"":{}}', b"[" * 101 + b"]" * 101, b'{"a":' * 1001),
    *(b'"' + b"x" * 5000 + b'"', b'"""', b"'''", b"#", b"//", b"/*", b"\xef\xbb\xbf", b"\r\n", b"\n", b"\x00", b" "),
    *(b"[", b"]", b"{", b"}", b":", b",", b"=", b".", b"a.b.c"),
)
"""Replacements for a value."""
FIELDS: Final = (
    *(b'"type":"action"', b'"type":"ready"', b'"type":7', b'"id":1', b'"id":2', b'"id":3', b'"index":0', b'"index":-1'),
    *(b'"index":999', b'"index":null', b'"action":null', b'"action":{}', b'"action":{"palace":0}', b'"info":1'),
    *(b'"action":{"persons":["monk","healer"]}', b'"action":{"kind":"taxes"}', b'"protocol":1', b'"name":"x"'),
    *(b'"options":{"legal":false}', b'"seat":0', b'"seat":9', b'"code":"crash"', b'"retry":true', b'"forced":true'),
    *(b'"config":{"players":2}', b'"players":[]', b'"value":[]', b'"round":1', b'"what":"deck"', b'"record":1'),
    *(b'command = "sh"', b"limits.memory_mb = 1", b'name = "x"', b"build = []", b"[limits]"),
)
"""Fields to insert beside others."""
ANSWER: Final = b'{"type":"action","id":%d,"index":%d}\n'


def mutate(data: bytes, random: Random) -> bytes:
    """The input with one change."""
    return random.choice(CHANGES)(data, random)


def another_value(data: bytes, random: Random) -> bytes:
    """Replace a token by something hostile."""
    start, end = token(data, random)
    return data[:start] + random.choice(VALUES) + data[end:]


def another_place(data: bytes, random: Random) -> bytes:
    """Replace a token by another one of the input."""
    (start, end), (first, last) = token(data, random), token(data, random)
    return data[:start] + data[first:last] + data[end:]


def more(data: bytes, random: Random) -> bytes:
    """Add a field after a token."""
    _, end = token(data, random)
    comma = random.choice((b",", b"\n", b""))
    return data[:end] + comma + random.choice(FIELDS) + comma + data[end:]


def less(data: bytes, random: Random) -> bytes:
    """Remove everything between two tokens."""
    (start, _), (_, end) = sorted((token(data, random), token(data, random)))
    return data[:start] + data[end:]


def nested(data: bytes, random: Random) -> bytes:
    """Nest a token in a few lists or objects, or in too many."""
    start, end = token(data, random)
    levels = random.choice((1, 2, 99, 100, 101, 500, 950, 1100))
    opened, closed = random.choice(((b"[", b"]"), (b'{"a":', b"}")))
    return data[:start] + opened * levels + data[start:end] + closed * levels + data[end:]


def lines_moved(data: bytes, random: Random) -> bytes:
    """Repeat, remove or move a line, or answer again."""
    lines = data.split(b"\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines.insert(to, lines[at])
        case 1:
            del lines[at]
        case 2:
            lines.insert(to, lines.pop(at))
        case _:
            lines.insert(to, (ANSWER % (random.randrange(9), random.randrange(3))).rstrip())
    return b"\n".join(lines)


def another_byte(data: bytes, random: Random) -> bytes:
    """Change or add a byte, or cut the input off there."""
    at = random.randrange(len(data) + 1)
    return (
        data[:at]
        + random.randbytes(1) * random.randrange(2)
        + data[at + random.randrange(2) :][: random.choice((0, None, None))]
    )


CHANGES: Final[tuple[Callable[[bytes, Random], bytes], ...]] = (
    another_value,
    another_place,
    more,
    less,
    nested,
    lines_moved,
    another_byte,
)


def token(data: bytes, random: Random) -> tuple[int, int]:
    """Where a token starts and ends."""
    found = [match.span() for match in TOKEN.finditer(data)]
    return random.choice(found) if found else (len(data), len(data))
