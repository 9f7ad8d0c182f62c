"""Who plays which side, in words: the row of seats above a drawing."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.games.boards.pieces import Piece, piece_shape
from referee.games.renderer import Node, Sprite, box, text
from referee.games.seat_marks import seat_mark

BOARD: Final = "board"
"""The key of the panel of a drawing."""
BOARD_WIDTH: Final = 420
"""Width of drawings: text of 13 units is readable on a phone, and large boards have small fields instead."""
SLOT_HEIGHT: Final = 44
LETTER_WIDTH: Final = 7.2
"""Of bold text."""
NOTE_HEIGHT: Final = 20
WORD_KEY: Final = "word "


class Side(NamedTuple):
    """What is said of a seat below its name ("White, moves first"), and the piece that it plays with."""

    words: str = ""
    piece: Piece | None = None


class Strip(NamedTuple):
    """The row of seats, whose lower end is at y = 0."""

    sprites: Sequence[Sprite]
    height: float


NO_STRIP: Final = Strip((), 0)


def seat_strip(
    names: Sequence[str],
    sides: Sequence[Side],
    notes: Sequence[str] = (),
    width: float = BOARD_WIDTH,
) -> Strip:
    """The seats with their sides; below them lines of notes."""
    columns = 3 if len(names) in (3, 5, 6) else 2 if len(names) in (2, 4) else 4
    rows = -(-len(names) // columns)
    slot = width / columns
    height = rows * (SLOT_HEIGHT + 4) + len(notes) * NOTE_HEIGHT + 8
    sprites = []
    for seat, (name, side) in enumerate(zip(names, sides, strict=True)):
        x, y = seat % columns * slot, seat // columns * (SLOT_HEIGHT + 4) - height
        shape = [seat_mark(seat, 11, SLOT_HEIGHT / 2 + 1, 14)]
        room = slot - 36
        if side.piece is not None:
            room -= 36
            place = f"translate({slot - 28:g} {SLOT_HEIGHT / 2 + 1:g})"
            shape.append(Node("g", {"transform": place}, (piece_shape(side.piece, 34),)))
        middle = SLOT_HEIGHT / 2 + 5.5
        shape.append(text(shortened(name, room), 26, middle - 8 if side.words else middle, "bold"))
        if side.words:
            shape.append(text(shortened(side.words, room, 6.3), 26, middle + 9, "muted"))
        label = f"{name}: {side.words}" if side.words else name
        sprites.append(Sprite(key=f"seat{seat}", x=x, y=y, shape=shape, label=label, seat=seat, quiet=True))
    for number, note in enumerate(notes):
        if not note:
            continue
        line = text(shortened(note, width, 6.3), 2, (number - len(notes) + 1) * NOTE_HEIGHT - 12, "muted")
        sprites.append(Sprite(key=f"note{number}", x=0, y=0, shape=(line,), label=note, quiet=True))
    return Strip(sprites, height)


def shortened(words: str, room: float, letter: float = LETTER_WIDTH) -> str:
    """The words, with an ellipsis where they need more room."""
    length = int(room / letter)
    return words if len(words) <= length else f"{words[: max(1, length - 1)]}…"


def word_row(words: Sequence[str], y: float, room: float = BOARD_WIDTH) -> tuple[list[Sprite], float]:
    """Words to click, such as "pass", in rows from `y` downwards, and their height. Keys are WORD_KEY and the word.

    They are in sight only while they can be chosen.
    """
    sprites, x, top = [], 4.0, y
    for word in words:
        width = len(word) * LETTER_WIDTH + 24
        if x + width > room and x > 4:
            x, y = 4.0, y + 36
        button = box(0, 0, width, 30, "raised line-muted", 15), text(word, width / 2, 19.5, "middle")
        shape = (Node("g", {"class": "word"}, button),)
        sprites.append(Sprite(key=WORD_KEY + word, x=x, y=y, shape=shape, label=word, quiet=True))
        x += width + 8
    return sprites, y - top + 36
