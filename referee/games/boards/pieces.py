"""Pieces for boards: stones, marks, letters and chess pieces, each drawn around (0, 0) in a field of 44 units."""

from functools import lru_cache
from math import cos, pi, sin, sqrt
from typing import Final, NamedTuple

from referee.games.renderer import Node, box
from referee.games.seat_marks import seat_mark

FIELD: Final = 44
"""Width of the field that pieces are drawn for."""
WHITE: Final = "piece-white"
BLACK: Final = "piece-black"
NEUTRAL: Final = "piece-neutral"

BOARD_CSS: Final = """
.scene { --field:#F1EADD; --field-deep:#DCCFB8; --field-line:#A8997F; --piece-white:#FFFDF8; --piece-black:#2E2924;
  --piece-edge:#2E2924; }
.dark .scene, .scene.dark { --field:#4A525C; --field-deep:#363D46; --field-line:#7C8794; --piece-white:#F3EFE7;
  --piece-black:#101215; --piece-edge:#101215; }
.scene .field { fill: var(--field); } .scene .field-deep { fill: var(--field-deep); }
.scene .field-line { stroke: var(--field-line); stroke-width: 1.2; fill: none; }
.scene .field-edge { stroke: var(--field-line); stroke-width: 1.2; }
.scene line.slot { stroke: transparent; stroke-width: 16; }
.scene .cell { fill: var(--field); fill-opacity: 0; }
.scene .piece, .scene .is-ghost .piece { pointer-events: none; }
.scene .piece-white { fill: var(--piece-white); stroke: var(--piece-edge); stroke-width: 1.3; stroke-linejoin: round; }
.scene .piece-black { fill: var(--piece-black); stroke: var(--piece-white); stroke-width: 1.1; stroke-linejoin: round; }
.scene .piece-neutral { fill: var(--field-line); }
.scene .piece-dot { fill: var(--field-line); opacity: .55; }
.scene path.stroke, .scene circle.stroke { fill: none; stroke-width: 5.5; stroke-linecap: round; }
.scene text.glyph { font-size: 23px; font-weight: 600; text-anchor: middle; }
.scene text.glyph-long { font-size: 14px; font-weight: 600; text-anchor: middle; }
.scene text.on-white { fill: var(--piece-black); } .scene text.on-black { fill: var(--piece-white); }
.scene line.plank { stroke-width: 6; stroke-linecap: round; }
.scene .won { stroke: var(--ink); stroke-width: 4; } .scene .won-halo { stroke: var(--paper); stroke-width: 9; }
.scene .won, .scene .won-halo { fill: none; stroke-linecap: round; stroke-linejoin: round; pointer-events: none; }
.scene .word { display: none; } .scene .is-target .word, .scene .is-chosen .word { display: inline; }
.scene .card { fill: var(--raised); stroke: var(--muted); stroke-width: 1; }
.scene .card-back { fill: var(--quiet); stroke: var(--muted); stroke-width: 1; }
.scene .suit-red { fill: var(--accent); } .scene text.suit-red { fill: var(--accent); }
"""
"""What a renderer that uses these drawings has as its `css`, or at the beginning of it."""


class Piece(NamedTuple):
    """What stands on a field. `shape`: a chess piece by its name, `disc`, `small disc`, `crowned disc`, `cross`,
    `ring`, `block`, `dot`, `seeds 7`, or the text that a disc has, or with `bare` text alone.

    `colour`: a class, such as WHITE or `seat0`. `words` say what it is, for readers of screens and of captions.
    """

    shape: str
    colour: str
    words: str
    bare: bool = False


_FOOT = "M-11,16v-3.5q0,-2.5 2.5,-2.5h17q2.5,0 2.5,2.5v3.5z"
_PATHS: Final = {
    "pawn": (
        _FOOT,
        "M-3.5,-2q0,8 -5,12h17q-5,-4 -5,-12z",
        "M-6,-6.5a6,6 0 1 0 12,0a6,6 0 1 0 -12,0z",
    ),
    "rook": (_FOOT, "M-10,-14h4.7v3.6h2.9v-3.6h4.8v3.6h2.9v-3.6h4.7v8l-3.2,2.6v13.4h-13.6v-13.4l-3.2,-2.6z"),
    "knight": (
        _FOOT,
        "M-8.5,10C-8.5,4 -2,2 -1,-3.2C-3.6,-1.4 -6,-.6 -8.2,1.4L-11.6,-1.8C-10,-6 -7.6,-8.4 -5.4,-10.6"
        "L-5.2,-15.6L-.8,-12.6C6.4,-12.2 10.6,-4.6 8.8,10z",
    ),
    "bishop": (
        _FOOT,
        "M-4.5,2.5q0,4.5 -4,7.5h17q-4,-3 -4,-7.5z",
        "M0,-14C6.4,-9 8,-2.4 4.6,2.5h-9.2C-8,-2.4 -6.4,-9 0,-14z",
        "M-2.2,-15.2a2.2,2.2 0 1 0 4.4,0a2.2,2.2 0 1 0 -4.4,0z",
    ),
    "queen": (
        _FOOT,
        "M-9,10Q-8,7 -9.6,3L-13.4,-9.6L-6.6,-2.6L-4.8,-13.2L0,-3.6L4.8,-13.2L6.6,-2.6L13.4,-9.6L9.6,3Q8,7 9,10z",
    ),
    "king": (
        _FOOT,
        "M-1.5,-17.5h3v3.2h3.2v3h-3.2v4.5h-3v-4.5h-3.2v-3h3.2z",
        "M0,-5.6C5.6,-11.6 14.4,-7.4 11.4,.4Q9.4,5 9,10h-18Q-9.4,5 -11.4,.4C-14.4,-7.4 -5.6,-11.6 0,-5.6z",
    ),
    "block": ("M-19,-19h38v38h-38z",),
}
CHESS_SHAPES: Final = {"p": "pawn", "r": "rook", "n": "knight", "b": "bishop", "q": "queen", "k": "king"}


@lru_cache(maxsize=4096)
def piece_shape(piece: Piece, field: float) -> Node:
    """A piece for a field of this width. Clicks go through it to the field."""
    scale = f"scale({field / FIELD:.4g})"
    return Node("g", {"class": "piece", **({} if field == FIELD else {"transform": scale})}, _nodes(piece))


def _nodes(piece: Piece) -> tuple[Node, ...]:
    shape, colour = piece.shape, piece.colour
    if shape in _PATHS:
        return *(Node("path", {"class": colour, "d": path}) for path in _PATHS[shape]), *_mark(colour, 8, 5)
    inner = {WHITE: "on-white", BLACK: "on-black"}.get(colour, "on")
    disc = Node("circle", {"class": colour, "r": 16})
    match shape:
        case "disc":
            return disc, *_mark(colour, 13)
        case "small disc":
            return Node("circle", {"class": colour, "r": 11}), *_mark(colour, 9)
        case "crowned disc":
            shade = "paper" if inner == "on" else WHITE if colour == BLACK else BLACK
            return disc, Node("path", {"class": shade, "d": "M-8,2V-9L-4,-4L0,-11L4,-4L8,-9V2z"}), *_mark(colour, 8, 8)
        case "cross":
            return (Node("path", {"class": f"stroke line-{colour}", "d": "M-11,-11L11,11M-11,11L11,-11"}),)
        case "ring":
            return (Node("circle", {"class": f"stroke line-{colour}", "r": 12}),)
        case "hit":
            cross = Node("path", {"class": "stroke line-accent", "d": "M-9,-9L9,9M-9,9L9,-9"})
            return *_nodes(Piece("block", colour, "")), cross
        case "pit":
            return (Node("circle", {"class": "field-line", "r": 13}),)
        case "dot":
            return (Node("circle", {"class": "piece-dot", "r": 4}),)
    if shape.startswith("seeds "):
        return _seeds(int(shape[6:]))
    size = "glyph" if len(shape) < 3 else "glyph-long"
    if piece.bare:
        return (Node("text", {"class": f"{size} {colour}", "y": 8}, (shape,)),)
    ground = box(-15, -15, 30, 30, colour) if colour in ("seat1", "suit-red") else disc
    return ground, Node("text", {"class": f"{size} {inner}", "y": 8 if size == "glyph" else 5}, (shape,))


def _mark(colour: str, size: float, y: float = 0) -> tuple[Node, ...]:
    """The mark of the seat whose colour a piece has: seats are not told apart by colours alone."""
    return (seat_mark(int(colour[4:]), 0, y, size, "paper"),) if colour.startswith("seat") else ()


def _seeds(count: int) -> tuple[Node, ...]:
    """A pit with its seeds on a spiral, and their number below it."""
    turn = pi * (3 - sqrt(5))
    reach = min(3.6, 15 / sqrt(max(1, count)))
    seeds = [
        Node(
            "circle",
            {
                "class": "ink",
                "cx": round(reach * sqrt(n + 0.5) * cos(n * turn), 1),
                "cy": round(reach * sqrt(n + 0.5) * sin(n * turn), 1),
                "r": 2.2,
            },
        )
        for n in range(count)
    ]
    pit = Node("circle", {"class": "field field-edge", "r": 20})
    return pit, *seeds, Node("text", {"class": "middle", "y": 34}, (str(count),))
