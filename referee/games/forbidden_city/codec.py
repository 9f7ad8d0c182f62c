"""Actions as indices and observations as bytes, for learners.

Both show the board as a window of 41 by 41 cells around the temple. Boards hardly ever reach its edge: in random games
of two to four no tile lies further than 13 cells from the temple.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from msgspec import UNSET, UnsetType

from referee.games.codec import HIGHEST, Codec, Feature
from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.rooms import DRAGON_POINTS, Room, TileInRooms
from referee.games.forbidden_city.tiles import ARCH, OPEN, PICTURES, SIDE_NAMES, WALL, Picture, Tile, sides
from referee.games.forbidden_city.view import Observation
from referee.games.interface import Action, GameConfig
from referee.games.tables import check_complete

REACH: Final = 20
"""The window reaches from -REACH to REACH, in both directions."""
WIDTH: Final = 2 * REACH + 1
ROTATIONS: Final = 4
EDGES: Final = {OPEN: 1, WALL: 2, ARCH: 3}
"""By edge, its value in a vector; 0 where there is no tile."""
PICTURE_VALUES: Final[dict[Picture, int]] = {"none": 0, "dragon": 1, "advisors": 2}
check_complete(PICTURES, PICTURE_VALUES)
TILE_FEATURES: Final = (
    *((f"edge {side}", len(EDGES)) for side in SIDE_NAMES),
    *((f"colour {side}", 6) for side in SIDE_NAMES),
    ("picture", len(PICTURE_VALUES) - 1),
    ("count", 2),
)
"""A tile as it lies, and the scales. Colours are numbered as in the tile set, from 1; 0 is none."""
ROOM_FEATURES: Final = (("open edges", 8), ("own value", 12), ("own advisors", 4), ("most other advisors", 4))
"""The room of a part of a tile. A room that is closed has no open edges."""
PARTS: Final = 2
CELL_LENGTH: Final = len(TILE_FEATURES) + 1 + PARTS * len(ROOM_FEATURES)
"""The number of elements for a cell: the tile, its owner, and the room of each of its parts."""
MAX_KEPT: Final = 1 << 15
"""Objects of each kind of which the elements or the index are kept: far more than those of some hundred games."""
NO_ROOM, OUTSIDE = -1, -2
"""Ids that stand for the room of a part that a tile doesn't have, and of a tile outside the window."""


class _Kept(NamedTuple):
    """The elements of a laid tile, as far as they never change, and where they are."""

    laid: TileInRooms
    """Holding it makes sure that no other tile gets its id."""
    tile: tuple[bytes, ...]
    """The tile with its owner, by observing seat."""
    cell: slice
    first: int
    """The id of the room of its first part."""
    second: int


class CityCodec(Codec[Observation]):
    """Seats are counted from the observing one, in order of play: 0 is itself."""

    game = ForbiddenCity
    name = "window41"
    version = 1
    size: ClassVar[int] = WIDTH * WIDTH * ROTATIONS

    def __init__(self, config: GameConfig) -> None:
        self._game = ForbiddenCity.Config(**{name: getattr(config, name) for name in config.__struct_fields__})
        tile_set = self._game.loaded_tiles()
        self._colours = {colour: number for number, colour in enumerate(tile_set.colours, start=1)}
        own = [tile for seat in range(config.players) for tile in tile_set.stack(seat, config.players)]
        self._kinds = len(dict.fromkeys(own))
        self._first_cell = 3 * config.players + 1 + len(TILE_FEATURES) + self._kinds * config.players
        self._kept: dict[int, _Kept] = {}
        """By id of the object, for the rules share them among observations."""
        self._tiles: dict[tuple[int, int, int | UnsetType], tuple[Tile, tuple[bytes, ...]]] = {}
        """The elements of tiles as they lie by observing seat, by id of the object, rotation and owner."""
        self._numbered: dict[int, int] = {}
        """The indices of actions, by id of the object: the rules use each of them again."""
        self._numbered_actions: list[Action] = []
        """Holding them makes sure that no others get their ids."""
        super().__init__(config)
        self._cells = [slice(start, start + CELL_LENGTH) for start in range(self._first_cell, self.length, CELL_LENGTH)]
        """Where the elements of each cell of the window are."""

    @classmethod
    def meanings(cls) -> Iterator[str]:
        window = range(-REACH, REACH + 1)
        return (f"lay_tile {x} {y} {rotation}" for y in window for x in window for rotation in range(ROTATIONS))

    def indices(self, seen: Observation, legal: Sequence[Action]) -> list[int]:
        """See Codec. A cell outside the window has no index."""
        numbered = self._numbered
        try:
            return [numbered[id(action)] for action in legal]
        except KeyError:
            if len(numbered) > MAX_KEPT:
                numbered.clear()
                self._numbered_actions.clear()
            for action in legal:
                if id(action) not in numbered:
                    numbered[id(action)] = _index(action)
                    self._numbered_actions.append(action)
            return [numbered[id(action)] for action in legal]

    def _count_features(self) -> int:
        return self._first_cell + WIDTH * WIDTH * CELL_LENGTH

    def _list_features(self) -> Iterator[Feature]:
        players = range(self.config.players)
        yield from (Feature(f"on turn seat {seat}", 1) for seat in players)
        yield from (Feature(f"seat {seat} coins", 40) for seat in players)
        yield from (Feature(f"seat {seat} stack", 24) for seat in players)
        yield Feature("tile in hand", 1)
        yield from (Feature(f"hand {name}", scale) for name, scale in TILE_FEATURES)
        yield from (Feature(f"seat {seat} kind {kind} left", 3) for seat in players for kind in range(self._kinds))
        window = range(-REACH, REACH + 1)
        for y in window:
            for x in window:
                cell = f"cell {x} {y}"
                yield from (Feature(f"{cell} {name}", scale) for name, scale in TILE_FEATURES)
                yield Feature(f"{cell} owner", self.config.players)
                for part in range(PARTS):
                    yield from (Feature(f"{cell} room {part} {name}", scale) for name, scale in ROOM_FEATURES)

    def vector(self, seen: Observation) -> bytearray:
        """See Codec. From the last WIDTH * WIDTH * CELL_LENGTH elements on they are cells: rows from south to north."""
        vector = bytearray(self.length)
        players, me = self.config.players, seen.seat
        if seen.turn is not None:
            vector[(seen.turn.seat - me) % players] = 1
        for number in range(players):
            seat = (me + number) % players
            vector[players + number] = min(seen.coins[seat], HIGHEST)
            vector[2 * players + number] = min(seen.stacks[seat], HIGHEST)
        at = 3 * players
        if seen.hand is not None:
            vector[at] = 1
            vector[at + 1 : at + 1 + len(TILE_FEATURES)] = self._tile(seen.hand, 0, UNSET)[me][:-1]
        at += 1 + len(TILE_FEATURES)
        left = [kind.left for kind in seen.left]
        for number in range(players):
            seat = (me + number) % players
            vector[at : at + self._kinds] = [by_seat[seat] for by_seat in left]
            at += self._kinds
        rooms = self._rooms(seen.rooms, me)
        kept = self._kept
        board = seen.board
        for laid, entry in zip(board, map(kept.get, map(id, board)), strict=True):
            _, tile, cell, first, second = entry or self._keep(laid)
            vector[cell] = tile[me] + rooms[first] + rooms[second]
        return vector

    def _keep(self, laid: TileInRooms) -> _Kept:
        """What never changes of a laid tile, kept with the tile. A tile outside the window has no elements."""
        if len(self._kept) >= MAX_KEPT:
            self._kept.clear()
        if abs(laid.x) > REACH or abs(laid.y) > REACH:
            entry = _Kept(laid, (b"",) * self.config.players, slice(0, 0), OUTSIDE, OUTSIDE)
        else:
            cell = self._cells[(laid.y + REACH) * WIDTH + laid.x + REACH]
            tile = self._tile(laid.tile, laid.rotation, laid.seat)
            first, second, *_ = *laid.rooms, NO_ROOM, NO_ROOM
            entry = _Kept(laid, tile, cell, first, second)
        self._kept[id(laid)] = entry
        return entry

    def _rooms(self, rooms: Sequence[Room], me: int) -> dict[int, bytes]:
        """The elements of each room, by id."""
        found = {NO_ROOM: bytes(len(ROOM_FEATURES)), OUTSIDE: b""}
        others = [seat for seat in range(self.config.players) if seat != me]
        other = others[0] if len(others) == 1 else None
        for room in rooms:
            advisors = room.advisors
            numbers = (
                room.open_edges,
                len(room.cells) + DRAGON_POINTS * room.dragons,
                advisors[me],
                max(advisors[seat] for seat in others) if other is None else advisors[other],
            )
            try:
                found[room.id] = bytes(numbers)
            except ValueError:  # more than HIGHEST
                found[room.id] = bytes(min(number, HIGHEST) for number in numbers)
        return found

    def _tile(self, tile: Tile, rotation: int, owner: int | UnsetType) -> tuple[bytes, ...]:
        """The elements of a tile as it lies with those of its owner, by observing seat."""
        known = self._tiles.get((id(tile), rotation, owner))
        if known is not None:
            return known[1]
        turned = sides(tile, rotation)
        lying = [
            *(EDGES[side.edge] for side in turned),
            *(self._colours.get(side.colour, 0) for side in turned),
            PICTURE_VALUES[tile.picture],
            tile.count,
        ]
        players = self.config.players
        owners = [0 if owner is UNSET else (owner - seat) % players + 1 for seat in range(players)]
        found = tuple(bytes([*lying, number]) for number in owners)
        if len(self._tiles) >= MAX_KEPT:
            self._tiles.clear()
        self._tiles[id(tile), rotation, owner] = (tile, found)
        return found


def _index(action: Any) -> int:
    if abs(action.x) > REACH or abs(action.y) > REACH:
        return -1
    return int(((action.y + REACH) * WIDTH + action.x + REACH) * ROTATIONS + action.rotation)
