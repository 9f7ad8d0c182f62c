"""The board as a panel: tiles, hatched rooms with what they paid, and what open rooms would pay now."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import UNSET

from referee.games.forbidden_city.board import Cell, LaidTile
from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.known import FACE_DOWN
from referee.games.forbidden_city.narrator import format_cell, format_edges, format_tile
from referee.games.forbidden_city.outcomes import format_amounts
from referee.games.forbidden_city.palette import Colour
from referee.games.forbidden_city.rooms import Room, TileInRooms, payments
from referee.games.forbidden_city.tile_shapes import (
    CELL,
    HALF_SIDE,
    caption_place,
    court,
    face_down,
    ground,
    letters,
    part_area,
    pieces,
    points,
    settled_shape,
    walls,
    whole_tile,
)
from referee.games.forbidden_city.tiles import Tile
from referee.games.renderer import Node, Panel, Sprite, box, text
from referee.games.seat_marks import seat_mark

BOARD: Final = "board"
SMALLEST: Final = (5, 5)
"""Cells shown to each side of the temple, and above and below it, from the start. The frame then grows by two cells at
a time, so that it does not move at each decision."""
AXIS: Final = 34
"""Space for coordinates at the left and at the bottom."""
HAND_ROW: Final = 62
"""Height of the row of hands above the cells."""
SLOT: Final = 220
"""Maximum width of a seat's part of that row."""
CHAR: Final = 8
"""Width of a character of a name there."""
GROUNDS, HATCHES, FREE, TILES, CAPTIONS, LAST = range(1, 7)
"""Layers above the table."""


class Frame(NamedTuple):
    """The cells that are shown, all ends included."""

    west: int
    east: int
    south: int
    north: int


def place(cell: Cell) -> tuple[int, int]:
    """The middle of a cell in the panel, where y grows downwards."""
    return cell[0] * CELL, -cell[1] * CELL


def frame_of(cells: Sequence[Cell]) -> Frame:
    """The frame around all of these cells, in steps of two cells."""
    xs, ys = [x for x, _ in cells], [y for _, y in cells]
    wide, high = SMALLEST
    west, east = min(-wide, _outwards(min(xs))), max(wide, _outwards(max(xs)))
    return Frame(west, east, min(-high, _outwards(min(ys))), max(high, _outwards(max(ys))))


def _outwards(end: int) -> int:
    """The end of a step beyond this number: the next odd number away from 0."""
    return abs(end) | 1 if end > 0 else -(abs(end) | 1)


def board_panel(game: ForbiddenCity, names: Sequence[str], colours: Mapping[str, Colour]) -> Panel:
    """The cells, and above them what everybody holds."""
    frame = frame_of([*game.board.turned, *game.board.free_cells])
    columns, rows = frame.east - frame.west + 1, frame.north - frame.south + 1
    laid: Counter[int] = Counter()
    tiles: list[Sprite] = []
    for tile in game.rooms.tiles.values():
        name = f"{tile.x},{tile.y}"
        if tile.seat is not UNSET:
            name = f"{tile.seat}.{laid[tile.seat]}"
            laid[tile.seat] += 1
        tiles += _tile(tile, name, names, colours)
    return Panel(
        key=BOARD,
        title="Board",
        heading=False,
        left=frame.west * CELL - HALF_SIDE - AXIS,
        top=-frame.north * CELL - HALF_SIDE - HAND_ROW,
        width=columns * CELL + AXIS + 3,
        height=rows * CELL + AXIS + HAND_ROW,
        sprites=[
            _grid(frame),
            *_hands(game, frame, names, colours),
            *(_free_cell(cell) for cell in game.board.free_cells if game.turn is not None),
            *tiles,
            *(sprite for room in game.rooms.by_id.values() for sprite in _room(game, room, names)),
            *_last_tile(game.rooms.laid[-1]),
        ],
    )


# -- hands ----------------------------------------------------------------------------------------------------


def hand_key(game: ForbiddenCity, seat: int) -> str:
    """The key of the tile that a seat holds, which it keeps when it is laid."""
    return f"tile{seat}.{sum(laid.seat == seat for laid in game.rooms.tiles.values())}"


def _hands(game: ForbiddenCity, frame: Frame, names: Sequence[str], colours: Mapping[str, Colour]) -> Iterator[Sprite]:
    """What everybody holds, as far as it is known; at the end the tiles that were never drawn."""
    left, y = frame.west * CELL - HALF_SIDE, -frame.north * CELL - HALF_SIDE - HAND_ROW / 2 - 3
    slot = min(SLOT, (frame.east - frame.west + 1) * CELL / len(names))
    for seat, name in enumerate(names):
        x = left + seat * slot
        yield Sprite(key=f"holder{seat}", x=x, y=y, shape=(seat_mark(seat, 16, 0, 14),), z=TILES)
        hand = game.hands[seat]
        if game.turn is None:
            held = [(f"shown{seat}.{number}", tile) for number, tile in enumerate(reversed(game.stacks[seat]))]
        else:
            held = [] if hand is None else [(hand_key(game, seat), hand)]
        for number, (key, tile) in enumerate(held):
            yield _held(key, x + 52 + number * (CELL + 4), y, tile, seat, name, colours, shown=game.turn is None)
        room = slot - 84 - max(0, len(held) - 1) * (CELL + 4)
        if room > 3 * CHAR:
            words = text(shortened(name, int(room / CHAR)), slot - room, 4.5, "muted fine")
            yield Sprite(key=f"name{seat}", x=x, y=y, shape=(words,), z=TILES)


def _held(
    key: str, x: float, y: float, tile: Tile, seat: int, name: str, colours: Mapping[str, Colour], *, shown: bool
) -> Sprite:
    """A tile beside the board, face down if it is hidden."""
    hidden = tile == FACE_DOWN
    edge = Node("rect", {"class": "none line-muted", "x": -HALF_SIDE, "y": -HALF_SIDE, "width": CELL, "height": CELL})
    shape = face_down(seat) if hidden else (*whole_tile(tile, 0, seat, colours), edge)
    words = "a tile that is not known" if hidden else format_tile(tile)
    verb = "shows, not drawn," if shown else "holds"
    return Sprite(key=key, x=x, y=y, shape=shape, label=f"{name} {verb} {words}", seat=seat, quiet=not shown, z=TILES)


def shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


# -- cells ----------------------------------------------------------------------------------------------------


def _grid(frame: Frame) -> Sprite:
    """The table with a faint grid, and the coordinates that sentences use."""
    left, right = frame.west * CELL - HALF_SIDE, frame.east * CELL + HALF_SIDE
    top, bottom = -frame.north * CELL - HALF_SIDE, -frame.south * CELL + HALF_SIDE
    lines = [f"M{x * CELL - HALF_SIDE},{top}V{bottom}" for x in range(frame.west + 1, frame.east + 1)]
    lines += [f"M{left},{HALF_SIDE - y * CELL}H{right}" for y in range(frame.south + 1, frame.north + 1)]
    table = box(left, top, right - left, bottom - top, "city-table", 6)
    across = [text(str(x), x * CELL, bottom + 16, "muted middle") for x in range(frame.west, frame.east + 1)]
    along = [text(str(y), left - 4, 4.5 - y * CELL, "muted end") for y in range(frame.south, frame.north + 1)]
    grid = Node("path", {"class": "city-grid", "d": "".join(lines)})
    return Sprite(key="grid", x=0, y=0, shape=(table, grid, *across, *along))


def free_key(cell: Cell) -> str:
    return f"free{cell[0]},{cell[1]}"


@lru_cache(maxsize=1024)
def _free_cell(cell: Cell) -> Sprite:
    x, y = place(cell)
    side = CELL - 14
    shape = (box(-side / 2, -side / 2, side, side, "city-free"),)
    return Sprite(key=free_key(cell), x=x, y=y, shape=shape, label=f"free cell {format_cell(cell)}", quiet=True, z=FREE)


def _tile(laid: TileInRooms, key: str, names: Sequence[str], colours: Mapping[str, Colour]) -> Sequence[Sprite]:
    """The ground of a tile and, above the hatching of its rooms, its walls and pieces."""
    seat, owner = (None, "") if laid.seat is UNSET else (laid.seat, names[laid.seat])
    tints = tuple(colours[part] for part in laid.tile.parts)
    return _tile_sprites(laid.tile, laid.rotation, (laid.x, laid.y), seat, key, owner, tints)


# Every position that is drawn has the tiles of the one before.
@lru_cache(maxsize=2048)
def _tile_sprites(
    tile: Tile, rotation: int, cell: Cell, seat: int | None, key: str, owner: str, tints: tuple[Colour, ...]
) -> Sequence[Sprite]:
    colours = dict(zip(tile.parts, tints, strict=True))
    x, y = place(cell)
    if tile.parts:
        where = f"{format_tile(tile, rotation)} at {format_cell(cell)}; {format_edges(tile, rotation)}"
        label = where.removeprefix("a ") if seat is None else f"{owner}: {where}"
        shape = [*letters(tile, rotation, colours), walls(tile, rotation), *pieces(tile, rotation, seat)]
    else:
        label = f"{'temple' if cell == (0, 0) else 'garden'} at {format_cell(cell)}"
        shape = [walls(tile, rotation), *court(cell)]
    return (
        Sprite(key=f"ground{key}", x=x, y=y, shape=ground(tile, rotation, colours), z=GROUNDS),
        Sprite(key=f"tile{key}", x=x, y=y, shape=shape, label=label, seat=seat, z=TILES),
    )


def _last_tile(laid: LaidTile) -> Iterator[Sprite]:
    if laid.seat is not UNSET:
        x, y = place((laid.x, laid.y))
        shape = box(-HALF_SIDE - 2, -HALF_SIDE - 2, CELL + 4, CELL + 4, f"city-outline line-seat{laid.seat}", 5)
        yield Sprite(key="last", x=x, y=y, shape=(shape,), z=LAST)


# -- rooms ----------------------------------------------------------------------------------------------------


def _room(game: ForbiddenCity, room: Room, names: Sequence[str]) -> Iterator[Sprite]:
    """The hatching of a settled room, and a caption for each seat that it paid, or would pay if it were closed now."""
    open_still = room.value is UNSET
    if open_still and (game.turn is None or not any(room.advisors)):
        return
    value = game.rooms.value(room) if room.value is UNSET else room.value
    paid = payments(value, room.advisors)
    tiles = (game.rooms.tiles[cell] for cell in room.cells)
    parts = [(laid, part) for laid in tiles for part, of in enumerate(laid.rooms) if of == room.id]
    if not open_still:
        yield _settled(room, value, paid, parts, names)
        if not any(paid):
            yield _caption(
                f"pay{room.id}", *parts[0], box(-8, -8, 16, 16, "raised", 8), text("0", 0, 4.5, "muted middle")
            )
    for seat, coins in enumerate(paid):
        if coins:
            own = [laid for laid, part in parts if laid.seat == seat and laid.tile.picture == "advisors" and part == 0]
            laid, part = min(own, key=lambda laid: laid.tile.diagonal), 0
            yield _caption(f"pay{room.id}-{seat}", laid, part, *points(seat, coins, settled=not open_still), seat=seat)


def leaders(room: Room, paid: Sequence[int]) -> tuple[int, ...]:
    """The seats with the most advisors in a room, if they are paid anything."""
    most = max(room.advisors)
    return tuple(seat for seat, coins in enumerate(paid) if coins and room.advisors[seat] == most)


def _caption(key: str, laid: TileInRooms, part: int, *shape: Node, seat: int | None = None) -> Sprite:
    x, y = place((laid.x, laid.y))
    dx, dy = caption_place(laid.tile, laid.rotation, part)
    grows = Node("g", {"class": "grows"}, shape)
    return Sprite(key=key, x=x + dx, y=y + dy, shape=(grows,), seat=seat, z=CAPTIONS)


def _settled(
    room: Room, value: int, paid: Sequence[int], parts: Sequence[tuple[TileInRooms, int]], names: Sequence[str]
) -> Sprite:
    """The hatching of a room in the colours of those with the most advisors in it; a veil if nobody was paid."""
    anchor = place((parts[0][0].x, parts[0][0].y))
    areas = tuple(
        (laid.x * CELL - anchor[0], -laid.y * CELL - anchor[1], part_area(laid.tile, laid.rotation, part))
        for laid, part in parts
    )
    shape = settled_shape(areas, leaders(room, paid))
    label = f"closed {room.colour} room, worth {value}: {format_amounts(names, paid, 'coins') or 'nobody was paid'}"
    return Sprite(key=f"settled{room.id}", x=anchor[0], y=anchor[1], shape=shape, label=label, z=HATCHES)
