"""Rooms, updated incrementally with every tile, and their value when they are closed."""

from functools import cache
from typing import Final

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Encoder

from referee.games.forbidden_city.board import Board, Cell, LaidTile
from referee.games.forbidden_city.tiles import OPEN, WALL, Side, Tile, sides

PartKey = tuple[int, int, int]
"""A room part: the cell's x and y, and the index of the part in its tile."""
DRAGON_POINTS: Final = 3
_encode: Final = Encoder().encode


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


class Encoded:
    """The JSON of each room and each laid tile when it was last asked for, and those that have changed since."""

    __slots__ = ("changed_rooms", "changed_tiles", "rooms", "tiles")

    def __init__(self, rooms: "Rooms") -> None:
        self.rooms: dict[int, bytes] = {}
        self.tiles: dict[Cell, bytes] = {}
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
        self._own: set[int] = set()
        """The ids of rooms that no copy shares."""
        self._encoded: Encoded | None = None
        """None until `encode` is called: most copies are never sent."""

    def add(self, board: Board, laid: LaidTile) -> None:
        """Add a tile that was just laid on `board`."""
        x, y = laid.x, laid.y
        rooms = [self._add_room(laid, part, edges) for part, edges in enumerate(count_open_edges(laid.tile))]
        self._place(laid, rooms)
        for own, cell, facing in board.beside:
            self._connect((x, y), own, cell, facing)

    def _place(self, laid: LaidTile, rooms: list[int]) -> None:
        """Put a tile with its rooms into `tiles`."""
        x, y = laid.x, laid.y
        self.tiles[x, y] = TileInRooms(x=x, y=y, rotation=laid.rotation, seat=laid.seat, tile=laid.tile, rooms=rooms)
        if self._encoded is not None:
            self._encoded.changed_tiles[x, y] = None

    def closed_by(self, board: Board, laid: LaidTile) -> list[Room]:
        """The rooms that the latest tile has closed, in the order in which they are settled (F5).

        These are its own rooms, and those beside it with an open edge towards it, that have no open edge left.
        """
        touched = {*self.tiles[laid.x, laid.y].rooms}
        for _, cell, facing in board.beside:
            if facing.edge == OPEN:
                touched.add(self.tiles[cell].rooms[facing.part])
        closed = [room for room in map(self.by_id.__getitem__, touched) if not room.open_edges]
        return sorted(closed, key=self._first_part)

    def room_of(self, key: PartKey) -> Room:
        """The room that a part belongs to."""
        x, y, part = key
        return self.by_id[self.tiles[x, y].rooms[part]]

    def _first_part(self, room: Room) -> PartKey:
        """The part of a room in the westernmost of its cells, and there in the southernmost."""
        x, y = min(room.cells)
        return x, y, self.tiles[x, y].rooms.index(room.id)

    def settle(self, room: Room, value: int) -> None:
        """Set the value of a closed room."""
        self._to_change(room.id).value = value

    def _to_change(self, room_id: int) -> Room:
        """The room, to be changed: copied before, if a copy of the board shares it."""
        if self._encoded is not None:
            self._encoded.changed_rooms[room_id] = None
        room = self.by_id[room_id]
        if room_id not in self._own:
            self._own.add(room_id)
            room = self.by_id[room_id] = Room(
                id=room_id,
                colour=room.colour,
                cells=room.cells[:],
                open_edges=room.open_edges,
                advisors=room.advisors[:],
                dragons=room.dragons,
                passages=room.passages[:],
                value=room.value,
            )
        return room

    def _add_room(self, laid: LaidTile, part: int, open_edges: int) -> int:
        """Create a room of one part with this number of open edges, as if it had no neighbours yet. Its id."""
        tile = laid.tile
        pictured = tile.count if part == 0 else 0
        advisors = [0] * self.players
        if tile.picture == "advisors" and laid.seat is not UNSET:
            advisors[laid.seat] = pictured
        self.by_id[self._next_id] = Room(
            id=self._next_id,
            colour=tile.parts[part],
            cells=[(laid.x, laid.y)],
            open_edges=open_edges,
            advisors=advisors,
            dragons=pictured if tile.picture == "dragon" else 0,
            passages=[],
        )
        self._own.add(self._next_id)
        if self._encoded is not None:
            self._encoded.changed_rooms[self._next_id] = None
        self._next_id += 1
        return self._next_id - 1

    def _connect(self, own_cell: Cell, own: Side, cell: Cell, facing: Side) -> None:
        """Join or link the rooms of two adjacent parts, whose open edges now face a tile.

        Gardens and the temple, which are not rooms, have walls all around.
        """
        if own.edge == OPEN:
            self._to_change(self.tiles[own_cell].rooms[own.part]).open_edges -= 1
        if facing.edge == OPEN:
            self._to_change(self.tiles[cell].rooms[facing.part]).open_edges -= 1
        if own.edge != WALL != facing.edge:
            one, other = self.tiles[own_cell].rooms[own.part], self.tiles[cell].rooms[facing.part]
            if own.edge == facing.edge == OPEN:
                self._join(self.by_id[one], self.by_id[other])
            else:
                self._link(self.by_id[one], self.by_id[other])

    def _join(self, one: Room, other: Room) -> None:
        """Merge two rooms into the one with the lower id."""
        if one is other:
            return
        kept_id, gone_id = sorted((one.id, other.id))
        kept, gone = self._to_change(kept_id), self.by_id[gone_id]
        known = set(kept.cells)
        kept.cells += [cell for cell in gone.cells if cell not in known]
        kept.open_edges += gone.open_edges
        kept.dragons += gone.dragons
        kept.advisors = [count + more for count, more in zip(kept.advisors, gone.advisors, strict=True)]
        for neighbour_id in gone.passages:
            neighbour = self._to_change(neighbour_id)
            neighbour.passages.remove(gone.id)
            self._link(kept, neighbour)
        del self.by_id[gone.id]
        if self._encoded is not None:
            self._encoded.rooms.pop(gone.id, None)
        for cell in gone.cells:
            self._rename(cell, gone.id, kept.id)

    def _rename(self, cell: Cell, gone_id: int, kept_id: int) -> None:
        """Replace a tile of a room that was merged into another one."""
        laid = self.tiles[cell]
        self._place(laid, [kept_id if room == gone_id else room for room in laid.rooms])

    def _link(self, one: Room, other: Room) -> None:
        """Add a passage between two rooms. One that leads back into the same room is ignored."""
        if one is not other and other.id not in one.passages:
            self._to_change(one.id).passages.append(other.id)
            self._to_change(other.id).passages.append(one.id)

    def value(self, room: Room) -> int:
        """The value of a room: its own value, plus once that of each room that a passage leads to directly."""
        return room.own_value + sum(self.by_id[neighbour].own_value for neighbour in room.passages)

    def encode(self) -> tuple[Raw, Raw]:
        """The JSON of the values of `by_id` and of `tiles`. Only what has changed since the last call is encoded."""
        encoded = self._encoded
        if encoded is None:
            encoded = self._encoded = Encoded(self)
        for room_id in encoded.changed_rooms:
            room = self.by_id.get(room_id)
            if room is not None:
                encoded.rooms[room_id] = _encode(room)
        for cell in encoded.changed_tiles:
            encoded.tiles[cell] = _encode(self.tiles[cell])
        encoded.changed_rooms.clear()
        encoded.changed_tiles.clear()
        return Raw(b"[%b]" % b",".join(encoded.rooms.values())), Raw(b"[%b]" % b",".join(encoded.tiles.values()))

    def copy(self) -> "Rooms":
        """An independent copy."""
        twin = Rooms(self.players)
        twin.by_id = self.by_id.copy()
        self._own.clear()  # now both share all rooms
        twin.tiles = self.tiles.copy()
        twin._next_id = self._next_id
        return twin


@cache
def count_open_edges(tile: Tile) -> tuple[int, ...]:
    """The number of open edges of each part of a tile."""
    turned = sides(tile, 0)
    return tuple(sum(side.edge == OPEN and side.part == part for side in turned) for part in range(len(tile.parts)))


def payments(value: int, advisors: list[int]) -> list[int]:
    """The coins that a closed room of this value pays to each seat (rules page, section 4).

    A sole leader in advisors gets the value, and a sole second half of it. Several leaders get half each, and the
    others nothing. Halves are rounded down.
    """
    paid = [0] * len(advisors)
    counts = sorted({count for count in advisors if count}, reverse=True)
    if not counts:
        return paid
    leaders = [seat for seat, count in enumerate(advisors) if count == counts[0]]
    if len(leaders) > 1:
        for seat in leaders:
            paid[seat] = value // 2
        return paid
    paid[leaders[0]] = value
    if len(counts) > 1:
        seconds = [seat for seat, count in enumerate(advisors) if count == counts[1]]
        if len(seconds) == 1:
            paid[seconds[0]] = value // 2
    return paid
