"""JSON by the C module behind json: importing json takes as long as starting Python."""

from __future__ import annotations

from _json import encode_basestring_ascii, make_encoder, make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Reading:
    """How JSON is read: as by json.loads."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


read = make_scanner(Reading)  # type: ignore[arg-type]
write = make_encoder(None, None, encode_basestring_ascii, None, ": ", ", ", False, False, True)  # type: ignore[arg-type]


def decode(line: str) -> dict[str, Any]:
    """The message in a line."""
    text = line.strip()
    message: dict[str, Any]
    message, end = read(text, 0)
    assert end == len(text), line
    return message


def encode(message: dict[str, Any]) -> bytes:
    """The line of a message, with its LF."""
    return "".join(write(message, 0)).encode() + b"\n"
