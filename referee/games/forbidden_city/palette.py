"""Tints and letters of room colours in drawings, and the CSS classes of this game's own."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

START_COLOURS: Final = ("green", "pink", "white")
"""The colours of the start tile, which every tile set has beside its own."""
TINTS: Final = {
    "white": ("#FFFFFF", "#63696E"),
    "yellow": ("#F9E6A2", "#6A5B26"),
    "pink": ("#F8C3D0", "#7B3C4F"),
    "blue": ("#9BC5F0", "#1B4873"),
    "green": ("#84BB89", "#1A4322"),
    "violet": ("#A693CB", "#352859"),
    "brown": ("#B18255", "#392000"),
}
"""Tints on light and on dark paper, from the lightest to the darkest on both."""


class Colour(NamedTuple):
    """How rooms of a colour are drawn: the class of their tint, and the letters that tell it from others."""

    css_class: str
    letters: str


def palette(colours: Sequence[str]) -> Mapping[str, Colour]:
    """How each colour of a tile set is drawn, and those of the start tile.

    A colour named like a tint has that one, others have the next one that is free. There may be more colours than
    tints: then some share one, and only the letters, which are unique, tell them apart.
    """
    every = list(dict.fromkeys((*START_COLOURS, *colours)))
    free = [tint for tint in TINTS if tint not in every]
    drawn: dict[str, Colour] = {}
    taken: set[str] = set()
    for number, colour in enumerate(every):
        tint = colour if colour in TINTS else free.pop(0) if free else list(TINTS)[number % len(TINTS)]
        letters = _free_letters(colour, taken)
        taken.add(letters)
        drawn[colour] = Colour(f"tint-{tint}", letters)
    return drawn


def _free_letters(colour: str, taken: set[str]) -> str:
    """The first letter of a colour's name, alone or with a later one, or else a number, that is not taken."""
    word = "".join(colour.split())
    first = word[0].upper()
    pairs = (first + later for later in word[1:])
    numbers = (str(number) for number in range(1, len(taken) + 2))
    return next(letters for letters in (first, *pairs, *numbers) if letters not in taken)


def _tint_rules() -> str:
    light = "".join(f"--tint-{tint}:{shades[0]};" for tint, shades in TINTS.items())
    dark = "".join(f"--tint-{tint}:{shades[1]};" for tint, shades in TINTS.items())
    classes = "\n".join(f".scene .tint-{tint} {{ fill: var(--tint-{tint}); }}" for tint in TINTS)
    return (
        f".scene {{ {light} --table:#E8E1D4; --court:#D2C9B7; --tree:#5E7F57; }}\n"
        f".dark .scene, .scene.dark {{ {dark} --table:#0C0E11; --court:#262B31; --tree:#6F9868; }}\n{classes}"
    )


CSS: Final = f"""{_tint_rules()}
.scene .city-table {{ fill: var(--table); }} .scene .city-court {{ fill: var(--court); }}
.scene .city-tree {{ fill: var(--tree); }}
.scene .city-grid {{ stroke: var(--ink); stroke-width: 1; opacity: .07; fill: none; }}
.scene .city-free {{ fill: var(--paper); fill-opacity: .35; stroke: var(--muted); stroke-width: 1;
  stroke-dasharray: 2 4; stroke-opacity: .6; }}
.scene .city-dragon {{ fill: none; stroke: var(--accent); stroke-width: 3.5; stroke-linecap: round; }}
.scene .city-veil {{ fill: var(--table); opacity: .6; }}
.scene .city-hatch {{ fill: none; opacity: .6; }}
.scene .city-outline {{ fill: none; stroke-width: 5; }}
.scene text.city-letter {{ font-size: 10px; }}
"""
