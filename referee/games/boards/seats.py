"""Who plays which side, in words: the row of seats above a drawing."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.games.boards.pieces import Piece, piece_shape
from referee.games.renderer import Node, Sprite, box, text
from referee.games.seat_marks import seat_mark

BOARD_WIDTH: Final = 460
"""Width of drawings: text of 13 units is readable on a phone, and large boards have small fields instead."""
SLOT_HEIGHT: Final = 44
LETTER_WIDTH: Final = 7.2
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
    names: Sequence[str], sides: Sequence[Side], turn: int | None, notes: Sequence[str] = (), width: float = BOARD_WIDTH
) -> Strip:
    """The seats with their sides, the one that is to decide framed, and below them lines of notes."""
    columns = 3 if len(names) in (3, 5, 6) else 2 if len(names) in (2, 4) else 4
    rows = -(-len(names) // columns)
    slot = width / columns
    height = rows * (SLOT_HEIGHT + 4) + len(notes) * NOTE_HEIGHT + 8
    sprites = []
    for seat, (name, side) in enumerate(zip(names, sides, strict=True)):
        x, y = seat % columns * slot, seat // columns * (SLOT_HEIGHT + 4) - height
        edge = f"raised line-seat{seat % 5}" if seat == turn else "none"
        shape = [box(1, 1, slot - 6, SLOT_HEIGHT, edge, 6), seat_mark(seat, 17, SLOT_HEIGHT / 2 + 1, 14)]
        room = slot - 36
        if side.piece is not None:
            room -= 36
            place = f"translate({slot - 28:g} {SLOT_HEIGHT / 2 + 1:g})"
            shape.append(Node("g", {"transform": place}, (piece_shape(side.piece, 34),)))
        middle = SLOT_HEIGHT / 2 + 5.5
        shape.append(text(shortened(name, room), 32, middle - 8 if side.words else middle, "bold"))
        if side.words:
            shape.append(text(shortened(side.words, room), 32, middle + 9, "muted"))
        label = ", ".join(filter(None, (f"{name} {side.words}".strip(), "to decide" if seat == turn else "")))
        sprites.append(Sprite(key=f"seat{seat}", x=x, y=y, shape=shape, label=label, seat=seat, quiet=True))
    for number, note in enumerate(notes):
        y = (number - len(notes) + 1) * NOTE_HEIGHT - 12
        words = text(shortened(note, width), 2, y, "muted")
        sprites.append(Sprite(key=f"note{number}", x=0, y=0, shape=(words,), label=note, quiet=True))
    return Strip(sprites, height)


def shortened(words: str, room: float) -> str:
    """The words, with an ellipsis where they need more room."""
    length = int(room / LETTER_WIDTH)
    return words if len(words) <= length else f"{words[: max(1, length - 1)]}…"


def word_row(words: Sequence[str], y: float) -> list[Sprite]:
    """Words to click, such as "pass", in a row whose upper end is at `y`. The key of each is WORD_KEY and the word."""
    sprites, x = [], 4.0
    for word in words:
        width = len(word) * LETTER_WIDTH + 24
        shape = (box(0, 0, width, 30, "raised line-muted", 15), text(word, width / 2, 19.5, "middle"))
        sprites.append(Sprite(key=WORD_KEY + word, x=x, y=y, shape=shape, label=word, quiet=True))
        x += width + 8
    return sprites
