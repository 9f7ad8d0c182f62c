"""Cards on a table: rows of them, such as the hand of a seat, the trick, the board of poker, or a discard pile."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from referee.games.boards.seats import BOARD, BOARD_WIDTH, NO_STRIP, Strip, word_row
from referee.games.renderer import Node, Panel, Sprite, box, text
from referee.games.seat_marks import seat_mark

FACE_WIDTH: Final = 36
FACE_HEIGHT: Final = 50
ROW_TITLE: Final = 22
CLOSEST: Final = 31
"""The least distance of two cards in a row, which leaves the rank and the suit of the lower one in sight."""
SUITS: Final = {
    "s": ("spades", "M0,-7C2.6,-3.6 6.4,-1.4 6.4,1.8C6.4,4.6 3,5.4 1.2,3.4Q1.4,5.8 2.8,7h-5.6Q-1.4,5.8 -1.2,3.4"
          "C-3,5.4 -6.4,4.6 -6.4,1.8C-6.4,-1.4 -2.6,-3.6 0,-7z"),
    "h": ("hearts", "M0,7C-3.4,3.4 -6.6,.8 -6.6,-2.6C-6.6,-6.4 -1.8,-7 0,-3.4"
          "C1.8,-7 6.6,-6.4 6.6,-2.6C6.6,.8 3.4,3.4 0,7z"),
    "d": ("diamonds", "M0,-7.4L5.4,0L0,7.4L-5.4,0z"),
    "c": ("clubs", "M-1,3.2C-2.4,6 -6.6,5 -6.4,1.6C-6.2,-1 -3.8,-1.8 -2.4,-1.2C-4.2,-3.4 -2.8,-7 0,-7S4.2,-3.4 2.4,-1.2"
          "C3.8,-1.8 6.2,-1 6.4,1.6C6.6,5 2.4,6 1,3.2Q1.2,5.8 2.8,7h-5.6Q-1.2,5.8 -1,3.2z"),
}  # fmt: skip
"""By letter: the name of a suit, and its shape."""
RANKS: Final = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"}
HIDDEN: Final = "?"
"""A card that is face down."""


class Row(NamedTuple):
    """Cards side by side below a title, which may have the mark of a seat.

    A card is a rank and a suit, such as `Ts` for the ten of spades, or any short word, or HIDDEN. `owners`: the seats
    whose marks the cards have, such as those who played them into a trick.
    """

    title: str
    cards: Sequence[str]
    seat: int | None = None
    owners: Sequence[int] = ()


def card_key(card: str, seat: int | None = None) -> str:
    """The key of the sprite of a card. Of one without a suit each seat may have its own."""
    return f"card {card}" if len(card) > 1 and card[-1] in SUITS else f"card {card} of {seat}"


def cards_panel(rows: Sequence[Row], strip: Strip = NO_STRIP, words: Sequence[str] = ()) -> Panel:
    """The rows one below the other, wrapped, with cards closer together in long ones; below them words to click."""
    sprites = [*strip.sprites]
    seen: Counter[str] = Counter()
    y = 4.0
    for number, row in enumerate(rows):
        shape = [text(row.title, 20 if row.seat is not None else 2, 14, "muted" if row.seat is None else "bold")]
        if row.seat is not None:
            shape.append(seat_mark(row.seat, 8, 9.5, 12))
        sprites.append(Sprite(key=f"title{number}", x=0, y=y, shape=shape, label=row.title, quiet=True))
        y += ROW_TITLE
        most = int((BOARD_WIDTH - FACE_WIDTH - 4) / CLOSEST) + 1
        gap = min(FACE_WIDTH + 5, (BOARD_WIDTH - FACE_WIDTH - 4) / max(1, min(most, len(row.cards)) - 1))
        for place, card in enumerate(row.cards):
            key = card_key(card, row.seat)
            seen[key] += 1
            key += f" {seen[key]}" * (seen[key] > 1)
            owner = row.owners[place] if place < len(row.owners) else None
            sprites.append(
                Sprite(
                    key=key,
                    x=round(2 + place % most * gap, 1),
                    y=y + place // most * (FACE_HEIGHT + 4),
                    shape=card_shape(card, owner),
                    label=f"{card_words(card)}, {'on the table' if row.seat is None else 'in hand'}",
                    seat=row.seat if owner is None else owner,
                    slides=True,
                    z=1 + place,
                )
            )
        lines = -(-len(row.cards) // most)
        y += lines * (FACE_HEIGHT + 4) + (20 if row.owners else 8) if row.cards else 4
    if words:
        added, height = word_row(words, y + 2)
        sprites += added
        y += height + 2
    return Panel(key=BOARD, title="", top=-strip.height, width=BOARD_WIDTH, height=strip.height + y, sprites=sprites)


def card_words(card: str) -> str:
    """ "queen of spades", for readers of screens."""
    found = re.fullmatch("(10|[2-9TJQKA])([shdc])", card)
    if found is None:
        return "a card face down" if card == HIDDEN else f"card {card}"
    return f"{RANKS.get(found[1], found[1])} of {SUITS[found[2]][0]}"


@lru_cache(maxsize=1024)
def card_shape(card: str, owner: int | None = None) -> tuple[Node, ...]:
    """A card whose upper left corner is at (0, 0), with the mark of its owner below it."""
    mark = () if owner is None else (seat_mark(owner, FACE_WIDTH / 2, FACE_HEIGHT + 9, 10),)
    if card == HIDDEN:
        stripes = Node("rect", {"class": "none line", "x": 5, "y": 5, "width": FACE_WIDTH - 10,
                                "height": FACE_HEIGHT - 10, "rx": 3})  # fmt: skip
        return box(0, 0, FACE_WIDTH, FACE_HEIGHT, "card-back", 5), stripes, *mark
    front = box(0, 0, FACE_WIDTH, FACE_HEIGHT, "card", 5)
    found = re.fullmatch("(10|[2-9TJQKA])([shdc])", card)
    if found is None:
        corner = text(card, 6, 19, "t16 bold") if len(card) < 3 else text(card, FACE_WIDTH / 2, 30, "middle")
        return front, corner, *mark
    colour = "suit-red" if found[2] in "hd" else "ink"
    rank = "10" if found[1] == "T" else found[1]
    suit = Node("path", {"class": colour, "d": SUITS[found[2]][1], "transform": "translate(25 36) scale(1.1)"})
    corner = text(rank, 6, 19, f"t16 bold {'suit-red' if colour != 'ink' else ''}".strip())
    return front, corner, suit, *mark
