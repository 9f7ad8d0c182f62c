"""Text from elsewhere, made fit for people's eyes: what bots, files and command lines say goes through here.

A terminal obeys some characters, lets others reorder a line, and shows many not at all. `printable` puts a visible
sign in their place; `escape` does the same for JSON, which stays the same value.
"""

import unicodedata
from typing import Final

SIGN: Final = "\N{REPLACEMENT CHARACTER}"
"""What stands for a character that can't be shown."""
INVISIBLE: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Letters and marks that nobody sees, though Python calls them printable: fillers, variation selectors, joiners."""
MOST_MARKS: Final = 3
"""Marks that a letter may carry (some scripts need three); more of them pile up over the lines around."""


def printable(text: str, longest: int | None = None) -> str:
    """`text` in one line, of at most `longest` characters, without anything that is obeyed, hidden or out of place.

    Line ends, control characters, those that turn the direction of writing, surrogates and what is invisible become
    a sign; so does a mark without its letter, which would sit on whatever stands before the text.
    """
    cut = text if longest is None or len(text) <= longest else text[: longest - 1] + "…"
    if cut.isascii() and cut.isprintable():
        return cut
    shown = []
    marks = MOST_MARKS
    for char in cut:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        shown.append(char if is_visible(char) and marks <= MOST_MARKS else SIGN)
    return "".join(shown)


def is_visible(char: str) -> bool:
    """Whether a character is seen, and nothing but seen."""
    return char.isprintable() and char not in INVISIBLE


def escape(json: str) -> str:
    """The same JSON, in one line, with everything in its strings spelled out that is not plainly visible."""
    if json.isascii() and json.isprintable():
        return json
    return "".join(char if is_visible(char) else _spelled(char) for char in json)


def _spelled(char: str) -> str:
    """A character as JSON spells it."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
