"""The board: the laid tiles, and for every empty cell beside one the constraints imposed by its neighbours."""

from functools import cache
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from referee.games.forbidden_city.tiles import OPEN, SIDES, STEPS, Rotation, Side, Tile, distinct_rotations, sides
from referee.games.interface import Action

Cell = tuple[int, int]
Demand = tuple[str, str, str, str]
"""For each side of an empty cell, the colour of the open edge that faces it; '' if there is none."""
NO_DEMAND: Final[Demand] = ("", "", "", "")


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
def fitting_rotations(tile: Tile, demand: Demand) -> tuple[int, ...]:
    """The distinct rotations in which no open border joins two colours."""
    return tuple(
        rotation
        for rotation in distinct_rotations(tile)
        if all(
            side.edge != OPEN or not colour or side.colour == colour
            for side, colour in zip(sides(tile, rotation), demand, strict=True)
        )
    )


class FreeCell(Struct, gc=False):
    """An empty cell beside a tile: the constraints imposed by its neighbours, and an action for each rotation."""

    demand: Demand
    actions: tuple[LayTile, LayTile, LayTile, LayTile]


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
        for side in SIDES:
            dx, dy = STEPS[side]
            cell = (x + dx, y + dy)
            if cell in self.turned:
                continue
            place = self.free_cells.get(cell)
            demand = NO_DEMAND if place is None else place.demand
            facing = own_sides[side]
            if facing.edge == OPEN:
                facing_side = (side + 2) % 4
                demand = tuple(facing.colour if s == facing_side else demand[s] for s in SIDES)  # type: ignore[assignment]
            actions = _rotated_actions(cell) if place is None else place.actions
            self.free_cells[cell] = FreeCell(demand, actions)

    def legal(self, tile: Tile) -> list[Action]:
        """All legal actions with this tile."""
        return [
            place.actions[rotation]
            for place in self.free_cells.values()
            for rotation in fitting_rotations(tile, place.demand)
        ]

    def copy(self) -> "Board":
        """An independent copy; tiles and free cells are never changed, so they are shared."""
        twin = Board()
        twin.laid = self.laid[:]
        twin.turned = self.turned.copy()
        twin.free_cells = self.free_cells.copy()
        return twin


@cache
def _rotated_actions(cell: Cell) -> tuple[LayTile, LayTile, LayTile, LayTile]:
    x, y = cell
    return (
        LayTile(x=x, y=y, rotation=0),
        LayTile(x=x, y=y, rotation=1),
        LayTile(x=x, y=y, rotation=2),
        LayTile(x=x, y=y, rotation=3),
    )
