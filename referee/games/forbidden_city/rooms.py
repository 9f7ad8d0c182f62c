"""Rooms, updated incrementally with every tile, and their value when they are closed."""

import operator
from collections.abc import Iterable
from functools import cache
from typing import Final

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from referee.games.forbidden_city.board import Beside, Cell, LaidTile, LayTile, to_json
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


class Json:
    """The JSON of each laid tile, of each room with a comma after it, and the rooms that have changed since."""

    __slots__ = ("changed_rooms", "joined", "rooms", "tiles")

    def __init__(self, rooms: "Rooms") -> None:
        self.rooms: dict[int, str] = {}
        self.changed_rooms = dict.fromkeys(rooms.by_id)
        """New ones too, in their order: so `rooms` has the order of the originals."""
        self.tiles = {cell: to_json(laid) for cell, laid in rooms.tiles.items()}
        self.joined = ""
        """All of `tiles`, separated by commas; empty if one that had been laid before has changed since."""

    def place(self, laid: TileInRooms) -> None:
        """A tile that was laid, or has changed."""
        cell, tile = (laid.x, laid.y), to_json(laid)
        self.joined = f"{self.joined},{tile}" if self.joined and cell not in self.tiles else ""
        self.tiles[cell] = tile


class Rooms:
    """All rooms of a board, kept up to date as tiles are laid."""

    __slots__ = ("_json", "_next_id", "_own", "by_id", "closed", "players", "tiles")

    def __init__(self, players: int) -> None:
        self.players = players
        self.by_id: dict[int, Room] = {}
        """Copies share the rooms, and change only those that they have copied (see `_to_change`)."""
        self.tiles: dict[Cell, TileInRooms] = {}
        """Every laid tile in the order laid, the start tile first. Values are replaced, never mutated."""
        self.closed: list[Room] = []
        """The rooms that the latest tile has closed, in the order in which they are settled (F5)."""
        self._next_id = 0
        self._own: dict[int, Room] = {}
        """The rooms that no copy shares, by id, with some that were merged into others."""
        self._json: Json | None = None
        """None until `encode` is called: most copies are never sent."""

    @property
    def laid(self) -> list[TileInRooms]:
        return list(self.tiles.values())

    def add(self, seat: int | UnsetType, tile: Tile, action: LayTile, beside: Iterable[Beside]) -> list[Room]:
        """Add a tile that a seat has laid on the board. The rooms that it has `closed`.

        These are its own rooms, and those beside it with an open edge towards it, that have no open edge left.
        """
        x, y = place = action.x, action.y
        rooms: list[int] = []
        for new in new_parts(tile):
            rooms.append(self._add_room(place, seat, new))
        self._place(TileInRooms(x=x, y=y, rotation=action.rotation, seat=seat, tile=tile, rooms=rooms))
        tiles, by_id = self.tiles, self.by_id
        faced: list[tuple[Cell, int]] = []
        for own, cell, facing in beside:
            if own.edge != WALL or facing.edge != WALL:
                self._connect(place, own, cell, facing)
                if facing.edge == OPEN:
                    faced.append((cell, facing.part))
        touched = {*tiles[place].rooms}
        for cell, part in faced:
            touched.add(tiles[cell].rooms[part])
        closed = [by_id[room_id] for room_id in touched if not by_id[room_id].open_edges]
        if len(closed) > 1:
            closed.sort(key=self._first_part)
        self.closed = closed
        return closed

    def _place(self, laid: TileInRooms) -> None:
        self.tiles[laid.x, laid.y] = laid
        if self._json is not None:
            self._json.place(laid)

    def room_of(self, key: PartKey) -> Room:
        x, y, part = key
        return self.by_id[self.tiles[x, y].rooms[part]]

    def _first_part(self, room: Room) -> PartKey:
        """The part of a room in the westernmost of its cells, and there in the southernmost."""
        x, y = min(room.cells)
        return x, y, self.tiles[x, y].rooms.index(room.id)

    def _to_change(self, room_id: int) -> Room:
        """The room, to be changed: copied before, if a copy of the board shares it."""
        if self._json is not None:
            self._json.changed_rooms[room_id] = None
        room = self._own.get(room_id)
        if room is None:
            shared = self.by_id[room_id]
            room = replace(shared, cells=shared.cells[:], advisors=shared.advisors[:], passages=shared.passages[:])
            self.by_id[room_id] = self._own[room_id] = room
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
        if self._json is not None:
            self._json.changed_rooms[room_id] = None
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
            self._place(replace(laid, rooms=[kept_id if room == gone_id else room for room in laid.rooms]))
        kept.open_edges += gone.open_edges
        kept.dragons += gone.dragons
        kept.advisors = list(map(operator.add, kept.advisors, gone.advisors))
        for neighbour_id in gone.passages:
            self._to_change(neighbour_id).passages.remove(gone_id)
            if neighbour_id != kept_id:
                self._link(kept_id, neighbour_id)
        if self._json is not None:
            self._json.rooms.pop(gone_id, None)

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

    def encode(self) -> tuple[Raw, Raw]:
        """The JSON of the values of `by_id` and of `tiles`. Only what has changed since the last call is encoded."""
        json = self._json = self._json or Json(self)
        by_id, rooms = self.by_id, json.rooms
        for room_id in json.changed_rooms:
            if room_id in by_id:
                rooms[room_id] = f"{to_json(by_id[room_id])},"
        json.changed_rooms.clear()
        json.joined = json.joined or ",".join(json.tiles.values())
        return Raw(f"[{''.join(rooms.values())[:-1]}]"), Raw(f"[{json.joined}]")

    def copy(self) -> "Rooms":
        twin = Rooms.__new__(Rooms)
        twin.players = self.players
        twin.by_id = self.by_id.copy()
        self._own.clear()  # now both share all rooms
        twin._own = {}
        twin.tiles = self.tiles.copy()
        twin.closed = self.closed
        twin._next_id = self._next_id
        twin._json = None
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
    """The coins that a closed room of this value pays to each seat (rules page, section 2.4).

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
