"""What the drawings of this game are composed of: text that fits, persons, cards."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from referee.games.narrator import readable
from referee.games.renderer import Node, box, text
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.narrator import format_name
from referee.games.year_of_the_dragon.shapes import CARD_FORMS, PERSON_FORMS, form
from referee.games.year_of_the_dragon.tiles import ActionCard, Age, PersonType

PANEL_WIDTH: Final = 420
"""Width of every panel but that of the year: half of a wide table, all of a phone."""
ROOM_WIDTH: Final = 82
ROOM_HEIGHT: Final = 32
ELLIPSIS: Final = "…"
ORDINALS: Final = ("1st", "2nd", "3rd", "4th", "5th")

_NARROW: Final = frozenset("ijlftrI.,:;'|!()[] ")
_WIDE: Final = frozenset("mwMW@%+")
_FIRST_FULL_WIDTH: Final = "\u1100"


@cache
def text_width(content: str, size: float = 13) -> float:
    """The width of text in common fonts, estimated on the safe side."""
    ems = sum(
        0.36
        if letter in _NARROW
        else 0.95
        if letter in _WIDE
        else 1.1
        if letter >= _FIRST_FULL_WIDTH
        else 0.7
        if letter.isupper()
        else 0.61
        for letter in content
    )
    return ems * size


@cache
def fit(content: str, width: float, size: float = 13) -> str:
    """The text, cut off if it is wider than `width`."""
    if text_width(content, size) <= width:
        return content
    kept = len(content)
    while kept > 1 and text_width(content[:kept] + ELLIPSIS, size) > width:
        kept -= 1
    return content[:kept].rstrip() + ELLIPSIS


def tight(content: str, width: float) -> str:
    """The class of a text that has little room in `width`."""
    return "tight" if text_width(content) > width else ""


@cache
def wrap(content: str, width: float) -> tuple[str, ...]:
    """The text in lines of up to `width`, broken between words."""
    lines = [""]
    for word in content.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_width(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return tuple(lines)


@cache
def symbols(kind: PersonType, age: Age, x: float, middle: float, *, narrow: bool = False) -> tuple[Node, ...]:
    """The symbols of a person tile side by side, smaller if there are three of them or `narrow`."""
    count = tiles.SYMBOLS[kind][age]
    size = (14 if count < 3 else 10.5) if not narrow else (13, 12, 10)[count - 1]
    pitch = size + (1 if not narrow else 0.5)
    return tuple(form(PERSON_FORMS[kind], x + number * pitch, middle - size / 2, size) for number in range(count))


@cache
def person(kind: PersonType, age: Age) -> Sequence[Node]:
    """A person in a room whose upper left corner is at (0, 0): name, symbols, age."""
    return (
        box(1, 1.5, ROOM_WIDTH - 2, ROOM_HEIGHT - 3, f"tile-{age}", 3),
        text(readable(kind), 2.5, 13, tight(readable(kind), ROOM_WIDTH - 6)),
        *symbols(kind, age, 3, 22.5),
        text(age, ROOM_WIDTH - 4, 27.5, "end" if age == "young" else "end bold"),
    )


@cache
def named_card(name: ActionCard, width: float, height: float) -> Sequence[Node]:
    """A card with its form and its name, with its upper left corner at (0, 0)."""
    lines = wrap(format_name(name), width - 22)
    top = height / 2 + 5 - 7.5 * (len(lines) - 1)
    return (
        box(0, 0, width, height, "raised line"),
        form(CARD_FORMS[name], 3, height / 2 - 8, 16),
        *(text(content, 22, top + 15 * number, tight(content, width - 26)) for number, content in enumerate(lines)),
    )
