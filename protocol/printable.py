"""Text from elsewhere, made fit for people's eyes: what bots, files and command lines say goes through here.

A terminal obeys some characters, lets others reorder a line, and shows many not at all. `printable` puts a visible
sign in their place; `escape` does the same for JSON, which stays the same value.
"""

from collections.abc import Iterator
from typing import Final
from unicodedata import category

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
    a sign; so does a mark without its letter, which would sit on whatever stands before the text. A space of any
    kind is a space.
    """
    cut = text if longest is None or len(text) <= longest else text[: longest - 1] + "…"
    if cut.isascii() and cut.isprintable():
        return cut
    cut = "".join(" " if char == "\t" or category(char) == "Zs" else char for char in cut)
    return "".join(char if plain else SIGN for char, plain in _judged(cut, MOST_MARKS))


def escape(json: str) -> str:
    """The same JSON, in one line, with everything in its strings spelled out that is not plainly visible."""
    if json.isascii() and json.isprintable():
        return json
    return "".join(char if plain else _spelled(char) for char, plain in _judged(json, 0))


def _judged(text: str, marks: int) -> Iterator[tuple[str, bool]]:
    """Each character, and whether it is seen and nothing but seen; `marks` are carried by what stands before."""
    for char in text:
        marks = marks + 1 if category(char) in ("Mn", "Me") else 0
        yield char, char.isprintable() and char not in INVISIBLE and marks <= MOST_MARKS


def _spelled(char: str) -> str:
    """A character as JSON spells it."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
