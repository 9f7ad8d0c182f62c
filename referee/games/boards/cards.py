"""A card table: the seats around it with their hands, and between them what all see, such as a trick or the pot."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from referee.games.boards.dice_and_tracks import die_shape
from referee.games.boards.seats import BOARD, LETTER_WIDTH, shortened, word_row
from referee.games.renderer import Node, Panel, Sprite, box, text
from referee.games.seat_marks import seat_mark

FACE_WIDTH: Final = 36
FACE_HEIGHT: Final = 50
CLOSEST: Final = 21
"""The least distance of two cards in a row, which leaves the rank and the suit of the lower one in sight."""
TEXT_LINE: Final = 21
TABLE_WIDTH: Final = 500
"""Width of a table for hands of many cards."""
LEAST_HEIGHT: Final = 250
"""Height of a table, which is also at least so high that it fills its place on a screen."""
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
HIDDEN_DIE: Final = "die 0"


class Row(NamedTuple):
    """Cards side by side below a title: those of a seat, or in the middle of the table.

    A card is a rank and a suit, such as `Ts` for the ten of spades, any short word, HIDDEN, or a die such as `die 3`.
    `owners`: the seats whose marks the cards have, such as those who played them into a trick.
    """

    title: str
    cards: Sequence[str]
    seat: int | None = None
    owners: Sequence[int] = ()


def card_key(card: str, seat: int | None = None) -> str:
    """The key of the sprite of a card. Of one without a suit each seat may have its own."""
    return f"card {card}" if len(card) > 1 and card[-1] in SUITS else f"card {card} of {seat}"


class CardTable:
    """Draws the table of one game. What is drawn once keeps its place: no part gets smaller than it was."""

    def __init__(self, names: Sequence[str], width: float = TABLE_WIDTH, first: int = 0) -> None:
        """`first`: the seat at the bottom; the others follow clockwise."""
        self.names = names
        self.order = [*range(first, len(names)), *range(first)]
        self.width = max(width, 90 * (len(names) - 3))
        self._heights: Counter[str] = Counter()

    def draw(self, rows: Sequence[Row], words: Sequence[str] = ()) -> Panel:
        """The seats around the table, and below it words to click."""
        width, (first, *others) = self.width, self.order
        has_sides = len(others) > 1
        side = 0.29 * width if has_sides else 16
        upper = others[1:-1] if has_sides else others
        slot = width / max(1, len(upper))
        # Of each seat and of the middle: its part of the table, the middle of its width, and its width.
        places: dict[int | None, tuple[str, float, float]] = {None: ("middle", width / 2, width - 2 * side - 16)}
        places |= {first: ("bottom", width / 2, width - 8)}
        places |= {seat: ("top", (n + 0.5) * slot, slot - 8) for n, seat in enumerate(upper)}
        if has_sides:
            places |= {others[0]: ("side", side / 2, side - 8), others[-1]: ("side", width - side / 2, side - 8)}
        shown = {seat: [row for row in rows if row.seat == seat] for seat in places}
        shown = {seat: own or [Row("", (), seat)] * (seat is not None) for seat, own in shown.items()}
        high = self._heights
        for seat, (part, _, room) in places.items():
            high[part] = max(high[part], round(_tall(shown[seat], room)))
        above, below = high["top"] + 6, high["bottom"] + 6
        between = max(high["middle"] + 20, high["side"], max(width / 1.4, LEAST_HEIGHT) - above - below)
        top = {
            "top": 0.0,
            "side": above + (between - high["side"]) / 2,
            "middle": above + (between - _tall(shown[None], places[None][2])) / 2,
            "bottom": above + between + 6,
        }
        felt = box(side + 2, above, width - 2 * side - 4, between, "field", 22)
        sprites = [Sprite(key="table", x=0, y=0, shape=(felt,), z=-1)]
        seen: Counter[str] = Counter()
        for seat, (part, x, room) in places.items():
            sprites += _block(shown[seat], x, top[part], room, "" if seat is None else self.names[seat], seen)
        height = above + between + below + 4
        if words:
            added, more = word_row(words, height, width)
            sprites += added
            height += more
        return Panel(key=BOARD, title="", width=width, height=round(height, 1), sprites=sprites)


def _per_line(width: float) -> int:
    """The number of cards that have room side by side."""
    return max(1, int((width - FACE_WIDTH) / CLOSEST) + 1)


def _tall(rows: Sequence[Row], width: float, *, with_name: bool = True) -> float:
    """The height of rows one below the other, those of a seat below its name."""
    height = TEXT_LINE * (with_name and bool(rows) and rows[0].seat is not None)
    for row in rows:
        lines = -(-len(row.cards) // _per_line(width))
        height += TEXT_LINE * bool(row.title) + lines * (FACE_HEIGHT + 4) + (14 if row.owners else 4)
    return height


def _block(rows: Sequence[Row], x: float, y: float, width: float, name: str, seen: Counter[str]) -> list[Sprite]:
    """The rows of a part below its upper middle; `seen` counts equal cards, for their keys."""
    sprites: list[Sprite] = []
    for number, row in enumerate(rows):
        shape: list[Node] = []
        begin = y
        if row.seat is not None and number == 0:
            called = shortened(name, width - 24)
            mark = seat_mark(row.seat, -len(called) * LETTER_WIDTH / 2 - 12, 9, 12)
            shape += [mark, text(called, 0, 14, "bold middle")]
            y += TEXT_LINE
        if row.title:
            shape.append(text(shortened(row.title, width, 6.3), 0, y - begin + 14, "middle"))
        label = ": ".join(filter(None, (name, row.title)))
        key = f"title{number}" if row.seat is None else f"hand{row.seat}.{number}"
        sprites += [Sprite(key=key, x=x, y=begin, shape=shape, label=label, quiet=True)] if shape else []
        top, most = y + TEXT_LINE * bool(row.title), _per_line(width)
        longest = min(most, len(row.cards))
        gap = min(FACE_WIDTH + 5, (width - FACE_WIDTH) / max(1, longest - 1))
        left = x - ((longest - 1) * gap + FACE_WIDTH) / 2
        for place, card in enumerate(row.cards):
            key = card_key(card, row.seat)
            seen[key] += 1
            owner = row.owners[place] if place < len(row.owners) else None
            sprites.append(
                Sprite(
                    key=key + f" {seen[key]}" * (seen[key] > 1),
                    x=round(left + place % most * gap, 1),
                    y=round(top + place // most * (FACE_HEIGHT + 4), 1),
                    shape=card_shape(card, owner),
                    label=f"{card_words(card)}, {'on the table' if row.seat is None else 'in hand'}",
                    seat=row.seat if owner is None else owner,
                    slides=True,
                    z=1 + place,
                )
            )
        y += _tall([row], width, with_name=False)
    return sprites


def card_words(card: str) -> str:
    """ "queen of spades", for readers of screens."""
    found = re.fullmatch("(10|[2-9TJQKA])([shdc])", card)
    if found is None:
        return {HIDDEN: "a card face down", HIDDEN_DIE: "a hidden die"}.get(
            card, card if card.startswith("die ") else f"card {card}"
        )
    return f"{RANKS.get(found[1], found[1])} of {SUITS[found[2]][0]}"


@lru_cache(maxsize=1024)
def card_shape(card: str, owner: int | None = None) -> tuple[Node, ...]:
    """A card whose upper left corner is at (0, 0), with the mark of its owner below it."""
    mark = () if owner is None else (seat_mark(owner, FACE_WIDTH / 2, FACE_HEIGHT + 9, 10),)
    if card.startswith("die "):
        return (Node("g", {"transform": "translate(0 6) scale(.9)"}, die_shape(int(card[4:]))),)
    if card == HIDDEN:
        stripes = Node("rect", {"class": "none line", "x": 5, "y": 5, "width": FACE_WIDTH - 10,
                                "height": FACE_HEIGHT - 10, "rx": 3})  # fmt: skip
        return box(0, 0, FACE_WIDTH, FACE_HEIGHT, "card-back", 5), stripes, *mark
    front = box(0, 0, FACE_WIDTH, FACE_HEIGHT, "card", 5)
    found = re.fullmatch("(10|[2-9TJQKA])([shdc])", card)
    if found is None:
        corner = (
            text(card, 11, 18, f"{'t16 ' * (len(card) == 1)}bold middle")
            if len(card) < 3
            else text(card, FACE_WIDTH / 2, 30, "middle")
        )
        return front, corner, *mark
    colour = "suit-red" if found[2] in "hd" else "ink"
    rank = "10" if found[1] == "T" else found[1]
    path = SUITS[found[2]][1]
    # The small one below the rank is in sight where another card lies on this one.
    suits = [Node("path", {"class": colour, "d": path, "transform": at})
             for at in ("translate(11 28) scale(.75)", "translate(25 36) scale(1.1)")]  # fmt: skip
    size = "t16 bold middle" if len(rank) == 1 else "bold middle"
    corner = text(rank, 11, 18, f"{size} {'suit-red' if colour != 'ink' else ''}".strip())
    return front, corner, *suits, *mark
