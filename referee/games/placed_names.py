"""Players' names as characters in a narrator's lines, so that they need not be found: a bot may be called `palace`.

A narrator is given `place_names(names)` instead of the names.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from referee.printable import printable

FIRST_PLACE: Final = 0xE000
"""The private-use character that stands for the player of seat 0; the next one for seat 1, …"""
_run: Final = re.compile("(([\ue000-\uf8ff])\\2*)")


def place_names(names: Sequence[str]) -> list[str]:
    """For each player one character, as often as the name has characters, which keeps tables aligned."""
    return [chr(FIRST_PLACE + seat) * len(name) for seat, name in enumerate(names)]


def split_names(text: str) -> Iterator[tuple[str, int | None]]:
    """The parts of a line: text, and players by seat."""
    parts = _run.split(text)
    for plain, run in zip(parts[::3], [*parts[1::3], ""], strict=True):
        yield plain, None
        if run:
            yield run, ord(run[0]) - FIRST_PLACE


def printable_around(text: str) -> str:
    """`printable`, which leaves the characters of players as they are."""
    return "".join(part if seat is not None else printable(part) for part, seat in split_names(text))


def with_names(text: str, names: Sequence[str]) -> str:
    """The line with the names themselves."""
    return "".join(part if seat is None else names[seat] for part, seat in split_names(text))
