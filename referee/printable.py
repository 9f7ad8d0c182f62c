"""Making untrusted text safe to show: everything from bots, files and command lines passes through here.

Terminals interpret some characters as commands, let others reorder a line, and do not show some at all. `printable`
replaces them with a visible character; `escape` and `escape_lines` escape them in JSON, which keeps its value.
`sanitise` and `excerpt` shorten errors and bytes for a message, `escape_string` shortens a text for a record.
`without_paths` leaves out what pages must not tell of this machine.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import category

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
"""Replaces a character that can't be shown safely."""
INVISIBLE: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Invisible letters and marks that `str.isprintable` accepts: fillers, variation selectors, joiners."""
ABSOLUTE_PATH: Final = re.compile(
    r"""(?<=["'`])(?:/[A-Za-z.][^"'`\n/]+)(?:/[^"'`\n/]+)+/?(?=["'`])"""  # in quotes, perhaps with spaces
    r"""|(?<![\w./~-])(?:file://)?/[A-Za-z.][^\s/'"`:,;<>|()\[\]{}]+(?:/[^\s/'"`:,;<>|()\[\]{}]+)+/?"""
)
"""A path from the root with at least two names. Parts of relative paths and of addresses are none."""
PLAIN: Final = bytes(range(0x20, 0x7F)) + b"\n"
"""The ASCII characters that never have to be escaped in lines of JSON, and the end of a line."""
MAX_MARKS: Final = 3
"""Combining marks allowed on a letter (some scripts need three). More would cover the lines around it."""
MAX_NAME: Final = 60
"""Maximum length of a bot's name, version and author."""
WHOLE_ESCAPES: Final = re.compile(r"(?:[^\\]|\\[^u]|\\ud[89ab]..\\u....|\\u(?!d[89ab])....)*")
"""The longest prefix of a JSON string's content that doesn't end inside an escape sequence or a surrogate pair."""


def printable(text: str, max_chars: int | None = None) -> str:
    """`text` on one line of at most `max_chars` characters, without anything interpreted, invisible or out of place.

    Line ends, control characters, characters that change the direction of writing, surrogates and invisible characters
    become REPLACEMENT; so does a combining mark at the beginning, which would join the text before it. A space of any
    kind becomes a plain space.
    """
    cut = text if max_chars is None or len(text) <= max_chars else text[: max_chars - 1] + "…"
    if cut.isascii() and cut.isprintable():
        return cut
    cut = "".join(" " if char == "\t" or category(char) == "Zs" else char for char in cut)
    return "".join(char if plain else REPLACEMENT for char, plain in _classify(cut, MAX_MARKS))


def without_paths(text: str) -> str:
    """`text` with only the last name of each absolute path: for pages that are sent to people who don't have them."""
    if "/" not in text:
        return text
    return ABSOLUTE_PATH.sub(lambda found: f"…/{found[0].rstrip('/').rpartition('/')[2]}", text)


def displayed_name(text: str | None) -> str | None:
    """A name, version or author from a bot, printable and truncated to MAX_NAME; None if nothing would be visible."""
    shown = printable((text or "").strip()[:MAX_NAME])
    return shown if shown.strip(f" {REPLACEMENT}") else None


def escape(json: str) -> str:
    """The same JSON on one line, with all unprintable characters in its strings escaped."""
    if json.isascii() and json.isprintable():
        return json
    return "".join(char if plain else _escape_char(char) for char, plain in _classify(json, 0))


def escape_lines(lines: Sequence[bytes]) -> bytes:
    """Lines of JSON, each without its LF, as one text in which each has its LF and is escaped (see `escape`)."""
    text = b"\n".join((*lines, b""))
    if not text.translate(None, PLAIN):
        return text
    return b"".join(escape(line.decode()).encode() + b"\n" for line in lines)


def escape_string(json: str, max_bytes: int) -> str:
    """The beginning of a JSON string with all unprintable characters escaped, in at most `max_bytes` bytes.

    The quotes, and the … that marks where it was cut off, are not counted.
    """
    content = escape(json)[1:-1].encode()
    if len(content) <= max_bytes:
        return f'"{content.decode()}"'
    whole = WHOLE_ESCAPES.match(content[:max_bytes].decode(errors="ignore"))
    assert whole is not None
    return f'"{whole[0]}…"'


def excerpt(data: bytes, width: int = 80) -> str:
    """The first `width` bytes as printable ASCII in quotes, followed by the total number of bytes if there are more."""
    text = ascii(data[:width].decode(errors="replace"))
    return f"{text} … ({len(data)} bytes)" if len(data) > width else text


def sanitise(error: Exception | str, width: int = 160) -> str:
    """A message that may quote untrusted text, made printable. One longer than `width` loses its middle."""
    text = str(error)
    if len(text) > width:
        text = f"{text[: width // 2]} … {text[-width // 2 :]}"
    return printable(text)


def _classify(text: str, marks: int) -> Iterator[tuple[str, bool]]:
    """Each character, and whether it can be shown unchanged. `marks`: combining marks that precede the text."""
    for char in text:
        marks = marks + 1 if category(char) in ("Mn", "Me") else 0
        yield char, char.isprintable() and char not in INVISIBLE and marks <= MAX_MARKS


def _escape_char(char: str) -> str:
    """A character as a JSON escape sequence."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
