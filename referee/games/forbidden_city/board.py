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


class Fit(dict[Demand, int]):
    """For each demand, the set of distinct rotations in which a tile fits, as the sum of their powers of two.

    It fits if no open border joins two colours.
    """

    def __init__(self, tile: Tile) -> None:
        self._unopened = [0] * len(SIDES)
        """By side of the cell, the rotations in which the tile isn't open there: any colour may be beside it."""
        self._opened: list[dict[str, int]] = [{"": 0} for _ in SIDES]
        """By side of the cell, the rotations in which the tile is open there, by the colour that may be beside it."""
        for rotation in distinct_rotations(tile):
            for index, side in enumerate(sides(tile, rotation)):
                if side.edge != OPEN:
                    self._unopened[index] |= 1 << rotation
                    continue
                opened = self._opened[index]
                for colour in ("", side.colour):
                    opened[colour] = opened.get(colour, 0) | 1 << rotation

    def __missing__(self, demand: Demand) -> int:
        found = -1
        for colour, unopened, opened in zip(demand, self._unopened, self._opened, strict=True):
            found &= unopened | opened.get(colour, 0)
        self[demand] = found
        return found


fit: Final = cache(Fit)
"""The `Fit` of a tile, which is kept: board and search look up every free cell for every tile."""


class FreeCell(Struct, gc=False):
    """An empty cell beside a tile: the constraints imposed by its neighbours, and its actions by set of rotations."""

    demand: Demand
    actions: tuple[tuple[LayTile, ...], ...]


class Board:
    """All laid tiles, and all cells free for the next one."""

    __slots__ = ("beside", "free_cells", "laid", "turned")

    def __init__(self) -> None:
        self.laid: list[LaidTile] = []
        """In the order laid, the start tile first."""
        self.turned: dict[Cell, tuple[Side, ...]] = {}
        """The sides of the tile in each cell, after rotation."""
        self.free_cells: dict[Cell, FreeCell] = {}
        self.beside: list[tuple[Side, Cell, Side]] = []
        """For each tile beside the latest one: the latter's side, the cell, and the side that faces it. Replaced,
        never mutated."""

    def lay(self, laid: LaidTile) -> None:
        """Lay a tile. The caller has checked that this is legal."""
        x, y = laid.x, laid.y
        turned, free_cells = self.turned, self.free_cells
        own_sides = sides(laid.tile, laid.rotation)
        self.laid.append(laid)
        turned[x, y] = own_sides
        free_cells.pop((x, y), None)
        self.beside = []
        for side, cell, opposite in around(x, y):
            neighbour = turned.get(cell)
            if neighbour is not None:
                self.beside.append((own_sides[side], cell, neighbour[opposite]))
                continue
            place = free_cells.get(cell)
            demand, actions = (NO_DEMAND, rotated_actions(cell)) if place is None else (place.demand, place.actions)
            facing = own_sides[side]
            if facing.edge == OPEN:
                demand = with_colour(demand, opposite, facing.colour)
            free_cells[cell] = FreeCell(demand, actions)

    def legal(self, tile: Tile) -> list[Action]:
        """All legal actions with this tile."""
        fits = fit(tile)
        found: list[Action] = []
        for place in self.free_cells.values():
            found += place.actions[fits[place.demand]]
        return found

    def find_legal(self, tile: Tile, action: Action) -> LayTile | None:
        """The legal action with this tile that `action` equals, found by its cell; None if it is not legal."""
        place = self.free_cells.get((action.x, action.y)) if isinstance(action, LayTile) else None
        if place is None:
            return None
        for legal in place.actions[fit(tile)[place.demand]]:
            if legal == action:
                return legal
        return None

    def copy(self) -> "Board":
        """An independent copy; tiles and free cells are never changed, so they are shared."""
        twin = Board()
        twin.laid = self.laid[:]
        twin.turned = self.turned.copy()
        twin.free_cells = self.free_cells.copy()
        twin.beside = self.beside
        return twin


@cache
def around(x: int, y: int) -> tuple[tuple[int, Cell, int], ...]:
    """The four neighbours of a cell: the side on which each lies, the neighbour, and its side that faces the cell."""
    return tuple((side, (x + dx, y + dy), (side + 2) % 4) for side, (dx, dy) in enumerate(STEPS))


@cache
def with_colour(demand: Demand, side: int, colour: str) -> Demand:
    """The demand with another colour on one side."""
    north, east, south, west = (colour if each == side else demand[each] for each in SIDES)
    return (north, east, south, west)


@cache
def rotated_actions(cell: Cell) -> tuple[tuple[LayTile, ...], ...]:
    """The actions in a cell, by set of rotations: the sum of their powers of two."""
    x, y = cell
    actions = [LayTile(x=x, y=y, rotation=rotation) for rotation in range(4)]
    return tuple(tuple(action for action in actions if chosen >> action.rotation & 1) for chosen in range(1 << 4))
