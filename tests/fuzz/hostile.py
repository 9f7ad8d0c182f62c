"""Hostile lines of any size, to make a parser slow, recurse deeply or fail. Too large to keep in a corpus."""

from collections.abc import Callable
from typing import Final

LineBuilder = Callable[[int], bytes]
"""Makes a line of about this number of bytes."""


def info(value: bytes) -> bytes:
    """A valid answer with this `info`."""
    return b'{"type":"action","id":1,"index":0,"info":' + value + b"}"


def action(value: bytes) -> bytes:
    """An answer with this action."""
    return b'{"type":"action","id":1,"action":' + value + b"}"


def listed(part: bytes, size: int) -> bytes:
    """A list with the part repeated."""
    return b"[" + part + (b"," + part) * (size // (len(part) + 1)) + b"]"


def keys(size: int) -> bytes:
    """An object with many keys."""
    return b"{" + b",".join(b'"%07d":0' % number for number in range(size // 12)) + b"}"


def text(part: bytes, size: int) -> bytes:
    """A string with the part repeated."""
    return b'"' + part * (size // len(part)) + b'"'


HOSTILE_LINES: Final[dict[str, LineBuilder]] = {
    "no JSON": lambda size: b"x" * size,
    "invalid UTF-8 at the end": lambda size: info(text("é".encode(), size) + b"\xff"),
    "spaces": lambda size: b" " * size + info(b"1"),
    "spaces in the info": lambda size: info(b"[" + b" " * size + b"]"),
    "lists that open and never close": lambda size: info(b"[" * size),
    "objects that open and never close": lambda size: b'{"type":' * (size // 8),
    "lists too deep": lambda size: info(b"[" * (size // 2) + b"]" * (size // 2)),
    "objects too deep": lambda size: action(b'{"a":' * (size // 6) + b"0" + b"}" * (size // 6)),
    "lists as deep as may be": lambda size: info(listed(b"[" * 900 + b"]" * 900, size)),
    "empty lists": lambda size: info(listed(b"[]", size)),
    "empty objects": lambda size: info(listed(b"{}", size)),
    "small numbers": lambda size: info(listed(b"0", size)),
    "many keys": lambda size: info(keys(size)),
    "many keys in the action": lambda size: action(keys(size)),
    "the same key": lambda size: info(b"{" + b'"k":[],' * (size // 7) + b'"k":0}'),
    "the same field": lambda size: b'{"type":"action","id":1,' + b'"index":0,' * (size // 10) + b'"index":0}',
    "the same type": lambda size: b"{" + b'"type":"action",' * (size // 16) + b'"type":"action","id":1,"index":0}',
    "the same info": lambda size: b'{"type":"action","id":1,' + b'"info":[0],' * (size // 11) + b'"index":0}',
    "a long string": lambda size: info(text(b"x", size)),
    "escapes": lambda size: info(text(b"\\u00e9", size)),
    "escaped controls": lambda size: info(text(b"\\u0001", size)),
    "surrogate pairs": lambda size: info(text(b"\\ud83d\\ude00", size)),
    "backslashes": lambda size: info(text(b"\\\\", size)),
    "quotes": lambda size: info(text(b'\\"', size)),
    "a string that never ends": lambda size: info(b'"' + b"\\\\" * (size // 2)),
    "letters of two bytes": lambda size: info(text("é".encode(), size)),
    "a long integer": lambda size: info(b"9" * size),
    "a long negative integer": lambda size: info(b"-" + b"9" * size),
    "integers as long as may be": lambda size: info(listed(b"9" * 4300, size)),
    "a long id": lambda size: b'{"type":"action","index":0,"id":' + b"9" * size + b"}",
    "a long index": lambda size: b'{"type":"action","id":1,"index":' + b"9" * size + b"}",
    "a long fraction": lambda size: info(b"0." + b"9" * size),
    "a long fraction of zeros": lambda size: info(b"0." + b"0" * size + b"1"),
    "a long exponent": lambda size: info(b"1e" + b"9" * size),
    "a long negative exponent": lambda size: info(b"1e-" + b"9" * size),
    "zeros and an exponent": lambda size: info(b"1" + b"0" * size + b"e-%d" % size),
    "fractions hard to round": lambda size: info(listed(b"9007199254740993." + b"0" * 700 + b"1", size)),
    "a long type": lambda size: b'{"type":' + text(b"x", size) + b"}",
    "a long key": lambda size: b'{"type":"action",' + text(b"\\u0061", size) + b":0}",
    "a long name": lambda size: b'{"type":"ready","protocol":1,"name":' + text("é".encode(), size) + b"}",
    "a long list for an action": lambda size: action(b'{"persons":' + listed(b'"monk"', size) + b"}"),
    "a long word in an action": lambda size: action(b'{"persons":["monk",' + text(b"\\u0061", size) + b"]}"),
    "a long number in an action": lambda size: action(b'{"persons":["monk",' + b"9" * size + b"]}"),
    "an unknown field in an action": lambda size: action(b'{"persons":["monk","healer"],"x":' + keys(size) + b"}"),
    "the same field in an action": lambda size: action(
        b"{" + b'"persons":["monk","healer"],' * (size // 28) + b'"x":0}'
    ),
}
"""One line each, all in answer to act 1, a draft."""
