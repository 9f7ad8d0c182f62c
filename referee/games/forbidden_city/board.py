"""The board: the laid tiles, and for every empty cell beside one the constraints imposed by its neighbours."""

from functools import cache, lru_cache
from typing import Final, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.json import Encoder

from referee.games.forbidden_city.tiles import OPEN, SIDES, STEPS, Rotation, Side, Tile, distinct_rotations, sides
from referee.games.interface import Action

Cell = tuple[int, int]
Demand = tuple[str, str, str, str]
"""For each side of an empty cell, the colour of the open edge that faces it; '' if there is none."""
NO_DEMAND: Final[Demand] = ("", "", "", "")
MAX_KEPT: Final = 4096
"""Cells whose actions, and demands whose fitting tiles, are kept for all games."""
encode: Final = Encoder().encode


class LayTile(Action, frozen=True, kw_only=True):
    """Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter turns."""

    x: int
    y: int
    rotation: Rotation


class LaidTile(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A tile on the table; without `seat` it is a part of the start tile."""

    x: int
    y: int
    rotation: Rotation
    seat: int | UnsetType = UNSET
    tile: Tile


@cache
def fitting_rotations(tile: Tile, demand: Demand) -> tuple[Rotation, ...]:
    """The distinct rotations in which no open border joins two colours."""
    return tuple(
        rotation
        for rotation in distinct_rotations(tile)
        if all(
            side.edge != OPEN or not colour or side.colour == colour
            for side, colour in zip(sides(tile, rotation), demand, strict=True)
        )
    )


class Placements(dict[tuple[Rotation, ...], tuple[LayTile, ...]]):
    """The actions in one cell, by the rotations that fit: created once, whatever game they are used in."""

    __slots__ = ("_actions", "encoded")

    def __init__(self, cell: Cell) -> None:
        x, y = cell
        self._actions = [LayTile(x=x, y=y, rotation=rotation) for rotation in SIDES]
        self.encoded: dict[tuple[Rotation, ...], bytes] = {}
        """The same as JSON, each action followed by a comma."""

    def __missing__(self, rotations: tuple[Rotation, ...]) -> tuple[LayTile, ...]:
        actions = self[rotations] = tuple(self._actions[rotation] for rotation in rotations)
        self.encoded[rotations] = b"".join(encode(action) + b"," for action in actions)
        return actions


class Fitting(dict[Tile, tuple[Rotation, ...]]):
    """The rotations of each tile that fit where the neighbours make this demand."""

    __slots__ = ("demand",)

    def __init__(self, demand: Demand) -> None:
        self.demand = demand

    def __missing__(self, tile: Tile) -> tuple[Rotation, ...]:
        rotations = self[tile] = fitting_rotations(tile, self.demand)
        return rotations


placements_in: Final = lru_cache(maxsize=MAX_KEPT)(Placements)
fitting: Final = lru_cache(maxsize=MAX_KEPT)(Fitting)


class FreeCell(NamedTuple):
    """An empty cell beside a tile: what fits by the constraints of its neighbours, and the actions there."""

    fitting: Fitting
    placements: Placements


class Board:
    """All laid tiles, and all cells free for the next one."""

    __slots__ = ("free_cells", "laid", "turned")

    def __init__(self) -> None:
        self.laid: list[LaidTile] = []
        """In the order laid, the start tile first."""
        self.turned: dict[Cell, tuple[Side, ...]] = {}
        """The sides of the tile in each cell, after rotation."""
        self.free_cells: dict[Cell, FreeCell] = {}

    def lay(self, laid: LaidTile) -> None:
        """Lay a tile. The caller has checked that this is legal."""
        x, y = laid.x, laid.y
        own_sides = sides(laid.tile, laid.rotation)
        self.laid.append(laid)
        self.turned[x, y] = own_sides
        self.free_cells.pop((x, y), None)
        for facing, (dx, dy) in zip(own_sides, STEPS, strict=True):
            cell = (x + dx, y + dy)
            if cell in self.turned:
                continue
            place = self.free_cells.get(cell)
            demand = NO_DEMAND if place is None else place.fitting.demand
            if facing.edge == OPEN:
                side = facing.opposite
                demand = (*demand[:side], facing.colour, *demand[side + 1 :])  # type: ignore[assignment]
            placements = placements_in(cell) if place is None else place.placements
            self.free_cells[cell] = FreeCell(fitting(demand), placements)

    def legal(self, tile: Tile) -> list[Action]:
        """All legal actions with this tile."""
        actions: list[Action] = []
        for rotations, placements in self.free_cells.values():
            actions += placements[rotations[tile]]
        return actions

    def is_legal(self, tile: Tile, action: LayTile) -> bool:
        """Whether the tile may be laid there and so."""
        place = self.free_cells.get((action.x, action.y))
        return place is not None and action.rotation in place.fitting[tile]

    def encode_legal(self, tile: Tile) -> bytes:
        """The JSON of `legal`, which has been called with this tile."""
        parts = [placements.encoded[rotations[tile]] for rotations, placements in self.free_cells.values()]
        return b"[" + b"".join(parts)[:-1] + b"]"

    def copy(self) -> "Board":
        """An independent copy; tiles and free cells are never changed, so they are shared."""
        twin = Board()
        twin.laid = self.laid[:]
        twin.turned = self.turned.copy()
        twin.free_cells = self.free_cells.copy()
        return twin
