"""Shapes of tiles, pieces, and the hatching of settled rooms, in units of which a cell has CELL."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import ceil, floor
from typing import Final

from referee.games.forbidden_city.drawing import TEMPLE
from referee.games.forbidden_city.palette import Colour
from referee.games.forbidden_city.tiles import ARCH, EAST, NORTH, OPEN, SIDES, Tile, sides
from referee.games.renderer import Node, box
from referee.games.seat_marks import seat_mark

CELL: Final = 48
HALF_SIDE: Final = CELL // 2
INSET: Final = HALF_SIDE - 1.5
"""Distance of walls from the middle of their tile: the tile's own walls lie inside it, so that an archway which faces
a wall is seen to be blocked."""
ARCH_GAP: Final = 8
"""Half the width of an archway."""
POST: Final = 6
HATCH: Final = 12
"""Distance of the lines of a hatching along an axis; CELL is a multiple of it, so that they meet at borders."""
HATCH_DIRECTIONS: Final = ((1, 1), (1, -1), (0, 1), (1, 0))
"""By seat: the normal of the lines, which tells owners apart without their colours."""

Point = tuple[float, float]
Area = tuple[int, int, tuple[Point, ...]]
"""A convex area: the place (x, y) that its corners are counted from."""


def _format(number: float) -> str:
    return f"{round(number, 1):g}"


# -- tiles ----------------------------------------------------------------------------------------------------


def part_corner(tile: Tile, rotation: int, part: int) -> tuple[int, int]:
    """The corner of a cell at which a part of a diagonal tile lies: 1 or -1 to the right, and downwards."""
    own = [side for side in SIDES if sides(tile, rotation)[side].part == part]
    return (1 if EAST in own else -1, -1 if NORTH in own else 1)


def part_area(tile: Tile, rotation: int, part: int) -> tuple[Point, ...]:
    """The corners of the area of a part around the middle of its cell: a square or a triangle."""
    square: tuple[Point, ...] = (
        (-HALF_SIDE, -HALF_SIDE),
        (HALF_SIDE, -HALF_SIDE),
        (HALF_SIDE, HALF_SIDE),
        (-HALF_SIDE, HALF_SIDE),
    )
    if not tile.diagonal:
        return square
    x, y = part_corner(tile, rotation, part)
    return tuple(corner for corner in square if corner != (-x * HALF_SIDE, -y * HALF_SIDE))


def ground(tile: Tile, rotation: int, colours: Mapping[str, Colour]) -> list[Node]:
    """The tints of a tile's parts."""
    if not tile.parts:
        return [Node("rect", {"class": "city-court", "x": -HALF_SIDE, "y": -HALF_SIDE, "width": CELL, "height": CELL})]
    if not tile.diagonal:
        tint = colours[tile.parts[0]].css_class
        return [Node("rect", {"class": tint, "x": -HALF_SIDE, "y": -HALF_SIDE, "width": CELL, "height": CELL})]
    shapes = []
    for part, colour in enumerate(tile.parts):
        corners = " ".join(f"{_format(x)},{_format(y)}" for x, y in part_area(tile, rotation, part))
        shapes.append(Node("polygon", {"class": colours[colour].css_class, "points": corners}))
    return shapes


@lru_cache(maxsize=512)
def walls(tile: Tile, rotation: int) -> Node:
    """The walls of a tile, archways as gaps between two posts, and a diagonal wall."""
    drawn = []
    for side in SIDES:
        edge = sides(tile, rotation)[side].edge
        if edge != OPEN:
            drawn.append(_turned(_ARCHWAY if edge == ARCH else _WALL, side))
    if tile.diagonal:
        x, y = part_corner(tile, rotation, 0)
        fall = _format(-x * y * INSET)
        drawn.append(f"M{-INSET:g},{_format(x * y * INSET)}L{INSET:g},{fall}")
    return Node("path", {"class": "wall none", "d": "".join(drawn)})


_WALL: Final = [[(-INSET, -INSET), (INSET, -INSET)]]
_ARCHWAY: Final = [
    [(-INSET, -INSET), (-ARCH_GAP, -INSET), (-ARCH_GAP, -INSET + POST)],
    [(ARCH_GAP, -INSET + POST), (ARCH_GAP, -INSET), (INSET, -INSET)],
]


def _turned(lines: Sequence[Sequence[Point]], quarters: int) -> str:
    """Lines after clockwise quarter turns, as a path."""
    path = []
    for line in lines:
        corners = list(line)
        for _ in range(quarters):
            corners = [(-y, x) for x, y in corners]
        path.append("M" + "L".join(f"{_format(x)},{_format(y)}" for x, y in corners))
    return "".join(path)


def letters(tile: Tile, rotation: int, colours: Mapping[str, Colour]) -> list[Node]:
    corners = [part_corner(tile, rotation, part) for part in range(2)] if tile.diagonal else []
    places = [(-8 * x, 18 * y) for x, y in corners] or [(-17, 16)]
    return [
        Node("text", {"class": "city-letter fine middle", "x": x, "y": y + 3.5}, (colours[colour].letters,))
        for colour, (x, y) in zip(tile.parts, places, strict=False)
    ]


def picture_place(tile: Tile, rotation: int) -> Point:
    if not tile.diagonal:
        return (0, -6)
    x, y = part_corner(tile, rotation, 0)
    return (9 * x if tile.count < 2 else 5 * x, 13.5 * y)


def caption_place(tile: Tile, rotation: int, part: int) -> Point:
    """Where a caption of a part has room beside the picture."""
    if not tile.diagonal:
        return (2, 13.5)
    x, y = part_corner(tile, rotation, part)
    return (11.5 * x, -3 * y)


@lru_cache(maxsize=512)
def pieces(tile: Tile, rotation: int, seat: int | None) -> Sequence[Node]:
    """The advisors in the colour and shape of their owner, or the dragon."""
    x, y = picture_place(tile, rotation)
    if tile.picture == "dragon":
        return (dragon(x, y, 0.7 if tile.diagonal else 1),)
    if tile.picture == "none" or seat is None:
        return ()
    size = 11 if tile.diagonal else 15
    return advisors(seat, tile.count, x, y, size)


def advisors(seat: int, count: int, x: float, y: float, size: float = 15) -> Sequence[Node]:
    """Advisors side by side on a plate, which keeps them legible on every tint."""
    width = count * (size + 2) + 5
    first = x - (count - 1) * (size + 2) / 2
    return (
        box(x - width / 2, y - size / 2 - 3, width, size + 6, "raised", size / 2 + 3),
        *(seat_mark(seat, first + number * (size + 2), y, size) for number in range(count)),
    )


def dragon(x: float, y: float, scale: float = 1) -> Node:
    """A dragon: a winding body with spikes, a forked tail, and a horned head with an eye."""
    back = "M-13,4C-12,-7 -6,-7 -4,-1S2,6 5,-1"
    spikes = "M-12,-4L-12,-9L-8,-6ZM-4,0L-1,-4L0,2ZM-13,2L-18,5L-14,5L-16,9L-11,5Z"
    head = "M3,0L4,-5L2,-10L7,-7L10,-10L10,-6L16,-3L15,0L10,0L8,3Z"
    return Node(
        "g",
        {"transform": f"translate({_format(x)} {_format(y)}) scale({scale:g})"},
        (
            Node("ellipse", {"class": "raised", "rx": 20, "ry": 12.5}),
            Node("path", {"class": "city-dragon", "d": back}),
            Node("path", {"class": "accent", "d": spikes + head}),
            Node("circle", {"class": "raised", "cx": 9, "cy": -4, "r": 1.3}),
        ),
    )


def court(cell: tuple[int, int]) -> list[Node]:
    """The temple, or a garden."""
    if cell == TEMPLE:
        roofs = "M-15,-1Q-8,-3 0,-11Q8,-3 15,-1ZM-19,11Q-10,8 -7,2H7Q10,8 19,11Z"
        return [
            Node("path", {"class": "accent", "d": roofs}),
            Node("rect", {"class": "accent", "x": -10, "y": 12, "width": 20, "height": 5}),
        ]
    return [
        Node("circle", {"class": "city-tree", "cx": x, "cy": y, "r": radius})
        for x, y, radius in ((-8, 5, 7), (8, 7, 6), (1, -8, 8))
    ]


def whole_tile(tile: Tile, rotation: int, seat: int | None, colours: Mapping[str, Colour]) -> Sequence[Node]:
    """A tile that is not on the board."""
    return (
        *ground(tile, rotation, colours),
        *letters(tile, rotation, colours),
        walls(tile, rotation),
        *pieces(tile, rotation, seat),
    )


def face_down(seat: int) -> Sequence[Node]:
    """The back of a tile, with the mark of the seat whose set it belongs to."""
    side = CELL - 2
    lattice = "M-19,-19H19V19H-19ZM-19,-8L-8,-19M8,-19L19,-8M19,8L8,19M-8,19L-19,8"
    return (
        box(-side / 2, -side / 2, side, side, "raised line-muted"),
        Node("path", {"class": "line none", "d": lattice}),
        seat_mark(seat, size=16),
    )


# -- settled rooms ----------------------------------------------------------------------------------------------


def points_width(coins: int) -> float:
    return 11 + 8 * len(str(coins))


@lru_cache(maxsize=2048)
def points(seat: int, coins: int, *, settled: bool) -> Sequence[Node]:
    """What a room pays a seat: filled in its colour when it was paid, outlined while it may change."""
    width = points_width(coins)
    return (
        box(-width / 2, -8, width, 16, f"seat{seat}" if settled else f"raised line-seat{seat}", 8),
        Node("text", {"class": "on bold middle" if settled else "middle", "y": 4.5}, (str(coins),)),
    )


@lru_cache(maxsize=512)
def settled_shape(areas: tuple[Area, ...], seats: tuple[int, ...]) -> Sequence[Node]:
    """What marks areas as settled: the hatching of the seats with the most advisors, or a veil if there are none."""
    if seats:
        return [Node("path", {"class": f"city-hatch line-seat{seat}", "d": _hatching(areas, seat)}) for seat in seats]
    outlines = ("L".join(f"{x + cx:g},{y + cy:g}" for cx, cy in corners) for x, y, corners in areas)
    return [Node("path", {"class": "city-veil", "d": "".join(f"M{outline}Z" for outline in outlines)})]


def _hatching(areas: Sequence[Area], seat: int) -> str:
    """The path of a seat's hatching."""
    across, down = HATCH_DIRECTIONS[seat % len(HATCH_DIRECTIONS)]
    lines = []
    for x, y, area in areas:
        corners = [(x + cx, y + cy) for cx, cy in area]
        reach = [across * cx + down * cy for cx, cy in corners]
        # Lines of one direction lie between those that cells may have as their borders, where walls would hide them.
        shift = HATCH / 2
        for step in range(floor((min(reach) - shift) / HATCH) + 1, ceil((max(reach) - shift) / HATCH)):
            ends = _crossings(corners, reach, step * HATCH + shift)
            if len(ends) == 2:
                (x1, y1), (x2, y2) = ends
                lines.append(f"M{_format(x1)},{_format(y1)}L{_format(x2)},{_format(y2)}")
    return "".join(lines)


def _crossings(corners: Sequence[Point], reach: Sequence[float], level: float) -> list[Point]:
    """The two points in which the outline of a convex area crosses the line of this level."""
    found: list[Point] = []
    for number, (x1, y1) in enumerate(corners):
        x2, y2 = corners[(number + 1) % len(corners)]
        before, after = reach[number] - level, reach[(number + 1) % len(corners)] - level
        if (before < 0) != (after < 0):
            share = before / (before - after)
            found.append((x1 + share * (x2 - x1), y1 + share * (y2 - y1)))
    return found
