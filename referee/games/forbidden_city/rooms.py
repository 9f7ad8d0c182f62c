"""Rooms, updated incrementally with every tile, and their value when they are closed."""

import operator
from functools import cache
from typing import Final

from msgspec import UNSET, Raw, Struct, UnsetType

from referee.games.forbidden_city.board import Board, Cell, LaidTile, encode
from referee.games.forbidden_city.tiles import OPEN, WALL, Side, Tile, sides

PartKey = tuple[int, int, int]
"""A room part: the cell's x and y, and the index of the part in its tile."""
DRAGON_POINTS: Final = 3


class Room(Struct, gc=False):
    """A room; all of it is open to all seats."""

    id: int
    colour: str
    cells: list[Cell]
    """The cells that have a part in it, each once."""
    open_edges: int
    """The number of open edges that face an empty cell. At 0 the room is closed."""
    advisors: list[int]
    """By seat."""
    dragons: int
    passages: list[int]
    """The ids of the other rooms that a passage leads to directly."""
    value: int | UnsetType = UNSET
    """Its value when it was settled; absent while the room is open."""

    @property
    def own_value(self) -> int:
        """One per tile and three per dragon, without the adjacent rooms."""
        return len(self.cells) + DRAGON_POINTS * self.dragons


class TileInRooms(LaidTile, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A laid tile, with the id of the room of each of its parts."""

    rooms: list[int]


class NewPart(Struct, frozen=True, gc=False):
    """A room of one part, as if it had no neighbours: what is the same wherever its tile is laid."""

    colour: str
    open_edges: int
    advisors: int
    """Of the seat that lays the tile."""
    dragons: int


class Encoded:
    """The JSON of each room and each laid tile when it was last asked for, and those that have changed since."""

    __slots__ = ("changed_rooms", "changed_tiles", "rooms", "tiles")

    def __init__(self, rooms: "Rooms") -> None:
        self.rooms: dict[int, Raw] = {}
        self.tiles: dict[Cell, Raw] = {}
        self.changed_rooms = dict.fromkeys(rooms.by_id)
        """New ones too, in their order: so `rooms` and `tiles` have the order of the originals."""
        self.changed_tiles = dict.fromkeys(rooms.tiles)


class Rooms:
    """All rooms of a board, kept up to date as tiles are laid."""

    __slots__ = ("_encoded", "_next_id", "_own", "by_id", "players", "tiles")

    def __init__(self, players: int) -> None:
        self.players = players
        self.by_id: dict[int, Room] = {}
        """Copies share the rooms, and change only those that they have copied (see `_to_change`)."""
        self.tiles: dict[Cell, TileInRooms] = {}
        """Every laid tile in the order laid, the start tile first. Values are replaced, never mutated."""
        self._next_id = 0
        self._own: dict[int, Room] = {}
        """The rooms that no copy shares, by id, with some that were merged into others."""
        self._encoded: Encoded | None = None
        """None until `encode` is called: most copies are never sent."""

    def add(self, board: Board, laid: LaidTile) -> None:
        own_cell = (laid.x, laid.y)
        rooms: list[int] = []
        for part in new_parts(laid.tile):
            rooms.append(self._add_room(own_cell, laid.seat, part))
        self._place(laid, rooms)
        for own, cell, facing in board.beside:
            if own.edge != WALL or facing.edge != WALL:
                self._connect(own_cell, own, cell, facing)

    def _place(self, laid: LaidTile, rooms: list[int]) -> None:
        x, y = laid.x, laid.y
        self.tiles[x, y] = TileInRooms(x=x, y=y, rotation=laid.rotation, seat=laid.seat, tile=laid.tile, rooms=rooms)
        if self._encoded is not None:
            self._encoded.changed_tiles[x, y] = None

    def closed_by(self, board: Board, laid: LaidTile) -> list[Room]:
        """The rooms that the latest tile has closed, in the order in which they are settled (F5).

        These are its own rooms, and those beside it with an open edge towards it, that have no open edge left.
        """
        by_id, tiles = self.by_id, self.tiles
        touched = {*tiles[laid.x, laid.y].rooms}
        for _, cell, facing in board.beside:
            if facing.edge == OPEN:
                touched.add(tiles[cell].rooms[facing.part])
        closed: list[Room] = []
        for room_id in touched:
            room = by_id[room_id]
            if not room.open_edges:
                closed.append(room)
        if len(closed) > 1:
            closed.sort(key=self._first_part)
        return closed

    def room_of(self, key: PartKey) -> Room:
        x, y, part = key
        return self.by_id[self.tiles[x, y].rooms[part]]

    def _first_part(self, room: Room) -> PartKey:
        """The part of a room in the westernmost of its cells, and there in the southernmost."""
        x, y = min(room.cells)
        return x, y, self.tiles[x, y].rooms.index(room.id)

    def settle(self, room: Room, value: int) -> None:
        self._to_change(room.id).value = value

    def _to_change(self, room_id: int) -> Room:
        """The room, to be changed: copied before, if a copy of the board shares it."""
        if self._encoded is not None:
            self._encoded.changed_rooms[room_id] = None
        room = self._own.get(room_id)
        if room is None:
            shared = self.by_id[room_id]
            room = self.by_id[room_id] = self._own[room_id] = Room(
                room_id,
                shared.colour,
                shared.cells[:],
                shared.open_edges,
                shared.advisors[:],
                shared.dragons,
                shared.passages[:],
                shared.value,
            )
        return room

    def _add_room(self, cell: Cell, seat: int | UnsetType, part: NewPart) -> int:
        """Create a room of one part that a seat has laid, as if it had no neighbours yet. Its id."""
        advisors = [0] * self.players
        if part.advisors and seat is not UNSET:
            advisors[seat] = part.advisors
        room_id = self._next_id
        self._next_id = room_id + 1
        room = Room(room_id, part.colour, [cell], part.open_edges, advisors, part.dragons, [])
        self.by_id[room_id] = self._own[room_id] = room
        if self._encoded is not None:
            self._encoded.changed_rooms[room_id] = None
        return room_id

    def _connect(self, own_cell: Cell, own: Side, cell: Cell, facing: Side) -> None:
        """Join or link the rooms of two adjacent parts, whose open edges now face a tile.

        Gardens and the temple, which are not rooms, have walls all around.
        """
        tiles = self.tiles
        if own.edge == OPEN:
            self._to_change(tiles[own_cell].rooms[own.part]).open_edges -= 1
        if facing.edge == OPEN:
            self._to_change(tiles[cell].rooms[facing.part]).open_edges -= 1
        if own.edge != WALL != facing.edge:
            one, other = tiles[own_cell].rooms[own.part], tiles[cell].rooms[facing.part]
            if one == other:
                return
            if own.edge == facing.edge == OPEN:
                self._join(one, other)
            else:
                self._link(one, other)

    def _join(self, one: int, other: int) -> None:
        """Merge two rooms into the one with the lower id."""
        kept_id, gone_id = (one, other) if one < other else (other, one)
        kept, gone = self._to_change(kept_id), self.by_id.pop(gone_id)
        known = set(kept.cells)
        for cell in gone.cells:
            if cell not in known:
                kept.cells.append(cell)
            laid = self.tiles[cell]
            self._place(laid, [kept_id if room == gone_id else room for room in laid.rooms])
        kept.open_edges += gone.open_edges
        kept.dragons += gone.dragons
        kept.advisors = list(map(operator.add, kept.advisors, gone.advisors))
        for neighbour_id in gone.passages:
            self._to_change(neighbour_id).passages.remove(gone_id)
            if neighbour_id != kept_id:
                self._link(kept_id, neighbour_id)
        if self._encoded is not None:
            self._encoded.rooms.pop(gone_id, None)

    def _link(self, one: int, other: int) -> None:
        """Add a passage between two rooms, unless there is one."""
        if other not in self.by_id[one].passages:
            self._to_change(one).passages.append(other)
            self._to_change(other).passages.append(one)

    def value(self, room: Room) -> int:
        """The value of a room: its own value, plus once that of each room that a passage leads to directly."""
        value = room.own_value
        for neighbour in room.passages:
            value += self.by_id[neighbour].own_value
        return value

    def encode(self) -> tuple[list[Raw], list[Raw]]:
        """The JSON of each value of `by_id` and of `tiles`. Only what has changed since the last call is encoded."""
        encoded = self._encoded
        if encoded is None:
            encoded = self._encoded = Encoded(self)
        by_id, rooms, tiles = self.by_id, encoded.rooms, encoded.tiles
        for room_id in encoded.changed_rooms:
            if room_id in by_id:
                rooms[room_id] = Raw(encode(by_id[room_id]))
        for cell in encoded.changed_tiles:
            tiles[cell] = Raw(encode(self.tiles[cell]))
        encoded.changed_rooms.clear()
        encoded.changed_tiles.clear()
        return list(rooms.values()), list(tiles.values())

    def copy(self) -> "Rooms":
        twin = Rooms.__new__(Rooms)
        twin.players = self.players
        twin.by_id = self.by_id.copy()
        self._own.clear()  # now both share all rooms
        twin._own = {}
        twin.tiles = self.tiles.copy()
        twin._next_id = self._next_id
        twin._encoded = None
        return twin


@cache
def new_parts(tile: Tile) -> tuple[NewPart, ...]:
    """The rooms of the parts of a tile. The picture belongs to the first part."""
    turned = sides(tile, 0)
    return tuple(
        NewPart(
            colour=colour,
            open_edges=sum(side.edge == OPEN and side.part == part for side in turned),
            advisors=tile.count if tile.picture == "advisors" and part == 0 else 0,
            dragons=tile.count if tile.picture == "dragon" and part == 0 else 0,
        )
        for part, colour in enumerate(tile.parts)
    )


def payments(value: int, advisors: list[int]) -> list[int]:
    """The coins that a closed room of this value pays to each seat (rules page, section 4).

    A sole leader in advisors gets the value, and a sole second half of it. Several leaders get half each, and the
    others nothing. Halves are rounded down.
    """
    paid = [0] * len(advisors)
    most = max(advisors)
    if not most:
        return paid
    if advisors.count(most) > 1:
        return [value // 2 if count == most else 0 for count in advisors]
    paid[advisors.index(most)] = value
    second = max([count for count in advisors if count < most])
    if second and advisors.count(second) == 1:
        paid[advisors.index(second)] = value // 2
    return paid
