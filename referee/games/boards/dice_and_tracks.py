"""Dice, tracks on which seats advance, and the points of backgammon."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from referee.games.boards.pieces import Piece, piece_shape
from referee.games.boards.seats import BOARD, BOARD_WIDTH, NO_STRIP, Strip, word_row
from referee.games.renderer import Node, Panel, Sprite, box, line, text
from referee.games.seat_marks import seat_mark

DIE: Final = 40
PIPS: Final = {1: "5", 2: "19", 3: "159", 4: "1379", 5: "13579", 6: "134679"}
"""Which of the nine places of a die have a pip, in reading order."""
POINT_WIDTH: Final = 27
POINT_HEIGHT: Final = 128
CHECKER: Final = 25


class Throw(NamedTuple):
    """Dice side by side below a title; 0 is a die that is not shown."""

    title: str
    dice: Sequence[int]
    seat: int | None = None


class Track(NamedTuple):
    """Lines from 0 to `end` with the seats at their numbers; `ahead` is what the one that is to decide may win."""

    end: int
    at: Sequence[int]
    ahead: int = 0
    turn: int | None = None


def track_panel(throw: Throw, track: Track, strip: Strip = NO_STRIP, words: Sequence[str] = ()) -> Panel:
    """The latest throw, then a track, and words to click."""
    shape = [text(throw.title, 20, 18, "muted"), *([] if throw.seat is None else [seat_mark(throw.seat, 8, 13.5, 12)])]
    sprites = [*strip.sprites, Sprite(key="throw", x=0, y=0, shape=shape, label=throw.title, quiet=True)]
    sprites += [
        Sprite(key=f"die{place}", x=2 + place * (DIE + 8), y=26, shape=die_shape(value), label=f"die {value}",
               seat=throw.seat) for place, value in enumerate(throw.dice)
    ]  # fmt: skip
    sprites += _track(track, DIE + 42)
    height = 72.0 + DIE + 26 * len(track.at)
    if words:
        added, more = word_row(words, height)
        sprites += added
        height += more
    return Panel(
        key=BOARD, title="", top=-strip.height, width=BOARD_WIDTH, height=strip.height + height, sprites=sprites
    )


@lru_cache(maxsize=16)
def die_shape(value: int) -> tuple[Node, ...]:
    """A die whose upper left corner is at (0, 0)."""
    face = box(0, 0, DIE, DIE, "card", 7)
    if value not in PIPS:
        return face, text("?" if value == 0 else str(value), DIE / 2, DIE / 2 + 5.5, "t16 bold middle")
    spots = ((int(place) - 1) % 3 - 1 for place in PIPS[value]), ((int(place) - 1) // 3 - 1 for place in PIPS[value])
    return face, *(
        Node("circle", {"class": "ink", "cx": DIE / 2 + 10 * x, "cy": DIE / 2 + 10 * y, "r": 3.6})
        for x, y in zip(*spots, strict=True)
    )


def _track(track: Track, y: float) -> list[Sprite]:
    """A line for each seat, from 0 at the left."""
    left, right = 14, BOARD_WIDTH - 64
    unit = (right - left) / track.end
    sprites = []
    for seat, at in enumerate(track.at):
        middle = y + 14 + 26 * seat
        rail = line(left, middle, right, middle, "line-muted")
        sprites.append(Sprite(key=f"rail{seat}", x=0, y=0, shape=(rail,), quiet=True))
        x = left + unit * min(at, track.end)
        if seat == track.turn and track.ahead:
            gain = line(x, middle, min(right, x + unit * track.ahead), middle, f"plank line-seat{seat % 5}")
            more = f"{track.ahead} more if it stops"
            sprites.append(Sprite(key="ahead", x=0, y=0, shape=(gain,), label=more, seat=seat))
        count = f"{at} + {track.ahead}" if seat == track.turn and track.ahead else str(at)
        number = text(count, right + 10, middle + 4.5)
        sprites.append(Sprite(key=f"number{seat}", x=0, y=0, shape=(number,), quiet=True))
        mark = (seat_mark(seat, 0, 0, 15),)
        sprites.append(Sprite(key=f"at{seat}", x=x, y=middle, shape=mark, label=str(at), seat=seat))
    below = y + 14 + 26 * len(track.at)
    ends = text("0", left, below, "muted middle"), text(str(track.end), right, below, "muted middle")
    sprites.append(Sprite(key="ends", x=0, y=0, shape=ends))
    return sprites


class Backgammon(NamedTuple):
    """Checkers by point, 1 to 24 as the second piece's owner counts them, on the bar, and borne off, by seat."""

    points: Mapping[int, tuple[int, int]]
    """By point: a seat, and how many checkers it has there."""
    bar: Sequence[int]
    off: Sequence[int]
    dice: Sequence[int]


def backgammon_panel(
    board: Backgammon, pieces: Sequence[Piece], throws: Sequence[Throw] = (), strip: Strip = NO_STRIP
) -> Panel:
    """The board with its points, the bar in the middle, checkers borne off at the right.

    `throws`: the last one in the right half, the one before in the left.
    """
    left, bar = 8, 34
    high = 2 * POINT_HEIGHT + 44
    right = left + 12 * POINT_WIDTH + bar
    ground = [box(left - 4, 0, 12 * POINT_WIDTH + bar + 8, high, "field", 6),
              box(left + 6 * POINT_WIDTH, 0, bar, high, "field-deep", 0)]  # fmt: skip
    sprites = [*strip.sprites]
    for point in range(1, 25):
        x, top = _point_at(point, left, bar), point > 12
        tip, base = (POINT_HEIGHT, 4) if top else (high - POINT_HEIGHT, high - 4)
        corners = f"{x - 12},{base} {x + 12},{base} {x},{tip}"
        ground.append(Node("polygon", {"class": "field-deep" if point % 2 else "piece-dot", "points": corners}))
        ground.append(text(str(point), x, -5 if top else high + 15, "muted middle"))
    sprites.append(Sprite(key="ground", x=0, y=18, shape=ground))
    for point in range(1, 25):
        x, top = _point_at(point, left, bar), point > 12
        seat, count = board.points.get(point, (0, 0))
        label = f"point {point}" + (f": {count} {pieces[seat].words}" if count else "")
        area = Node("rect", {"class": "cell", "x": -11, "y": 0, "width": 22, "height": POINT_HEIGHT})
        y = 22 if top else 14 + high - POINT_HEIGHT
        sprites.append(Sprite(key=f"point{point}", x=x, y=y, shape=(area,), label=label, z=1))
        sprites += _checkers(f"on{point}", x, 18 + (18 if top else high - 18), 1 if top else -1, pieces[seat], count)
    for seat, piece in enumerate(pieces):
        sign, middle = 1 if seat == 0 else -1, 18 + high / 2
        sprites += _checkers(
            f"bar{seat}", left + 6 * POINT_WIDTH + bar / 2, middle - sign * 20, -sign, piece, board.bar[seat]
        )
        off = f"{board.off[seat]} off"
        said = (text(off, right + 10, 18 + (30 if seat == 0 else high - 20)),)
        sprites.append(Sprite(key=f"off{seat}", x=0, y=0, shape=said, label=f"{off} {piece.words}", seat=seat))
    for number, throw in enumerate(reversed(throws)):
        begin = left + 8 if number else left + 6 * POINT_WIDTH + bar + 8
        shape = [seat_mark(throw.seat or 0, 8, 0, 14), text(throw.title, 22, 4.5)]
        shape += [Node("g", {"transform": f"translate({72 + 38 * place} -15) scale(.75)"}, die_shape(value))
                  for place, value in enumerate(throw.dice)]  # fmt: skip
        label = f"{throw.title}: {' and '.join(map(str, throw.dice))}"
        sprites.append(Sprite(key=f"throw{number}", x=begin, y=18 + high / 2, shape=shape, label=label,
                              seat=throw.seat, quiet=True, z=3))  # fmt: skip
    height = high + 42
    return Panel(
        key=BOARD, title="", top=-strip.height, width=BOARD_WIDTH, height=strip.height + height, sprites=sprites
    )


def _point_at(point: int, left: float, bar: float) -> float:
    column = point - 13 if point > 12 else 12 - point
    return left + (column + 0.5) * POINT_WIDTH + (bar if column > 5 else 0)


def _checkers(key: str, x: float, y: float, step: int, piece: Piece, count: int) -> list[Sprite]:
    """Checkers one above the other, closer together if there are many."""
    gap = min(CHECKER, (POINT_HEIGHT - CHECKER - 16) / max(1, count - 1))
    return [
        Sprite(key=f"{key}.{n}", x=x, y=round(y + step * n * gap, 1), shape=(piece_shape(piece, 32),), quiet=True, z=2)
        for n in range(count)
    ]
