"""The board: the sides of laid tiles, and for every empty cell beside one the constraints imposed by its neighbours."""

from functools import cache
from typing import Any, Final

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Encoder

from referee.games.forbidden_city.tiles import OPEN, SIDES, STEPS, Rotation, Side, Tile, distinct_rotations, sides
from referee.games.interface import Action

Cell = tuple[int, int]
Beside = tuple[Side, Cell, Side]
"""A tile beside another one: the latter's side, the cell, and the side that faces it."""
Colours = tuple[str, str, str, str]
"""For each side of an empty cell, the colour of the open edge that faces it; '' if there is none."""
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


class Demand:
    """What the neighbours of an empty cell demand of a tile, by the open edges that face the cell.

    `demand_of` makes one for the same colours, so that it can be looked up by its identity.
    """

    __slots__ = ("colours", "with_open")

    def __init__(self, colours: Colours) -> None:
        self.colours = colours
        self.with_open = [WithOpen(self, side) for side in SIDES]
        """By side and colour, the demand with an open edge of this colour there."""

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies and pickle: the same demand."""
        return demand_of, (self.colours,)


class WithOpen(dict[str, Demand]):
    """By colour, a demand with an open edge of this colour on one side."""

    def __init__(self, demand: Demand, side: int) -> None:
        self._colours = demand.colours
        self._side = side

    def __missing__(self, colour: str) -> Demand:
        north, east, south, west = (colour if side == self._side else self._colours[side] for side in SIDES)
        found = self[colour] = demand_of((north, east, south, west))
        return found


@cache
def demand_of(colours: Colours) -> Demand:
    """The demand of an empty cell that open edges of these colours face."""
    return Demand(colours)


NO_DEMAND: Final = demand_of(("", "", "", ""))


class Fit(dict[Demand, int]):
    """By demand of a cell the rotations in which a tile fits into it: those in which no open border joins two colours.

    Each value is a set of distinct rotations, as the sum of their powers of two. Board and search look up every free
    cell for every tile.
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
        for colour, unopened, opened in zip(demand.colours, self._unopened, self._opened, strict=True):
            found &= unopened | opened.get(colour, 0)
        self[demand] = found
        return found


fit: Final = cache(Fit)
"""The `Fit` of a tile, which is kept."""


class FreeCell(Struct, frozen=True, gc=False):
    """An empty cell beside a tile: what its neighbours demand, and its actions by set of rotations."""

    demand: Demand
    actions: tuple[tuple[LayTile, ...], ...]
    encoded: tuple[str, ...]
    """The JSON of `actions`, without brackets, with a comma after each action."""


class Board:
    """The sides of all laid tiles, and all cells free for the next one."""

    __slots__ = ("free_cells", "turned")

    def __init__(self) -> None:
        self.turned: dict[Cell, tuple[Side, ...]] = {}
        """The sides of the tile in each cell, after rotation."""
        self.free_cells: dict[Cell, FreeCell] = {}

    def lay(self, tile: Tile, action: LayTile) -> list[Beside]:
        """Lay a tile; returns the tiles beside it. The caller has checked that this is legal."""
        place = x, y = action.x, action.y
        turned, free_cells = self.turned, self.free_cells
        own_sides = turned[place] = sides(tile, action.rotation)
        if place in free_cells:
            del free_cells[place]
        beside: list[Beside] = []
        for side, cell, opposite, untouched in around(x, y):
            own = own_sides[side]
            neighbour = turned.get(cell)
            if neighbour is not None:
                beside.append((own, cell, neighbour[opposite]))
            elif own.edge == OPEN:
                free = free_cells.get(cell, untouched)
                demand = free.demand.with_open[opposite][own.colour]
                free_cells[cell] = FreeCell(demand, free.actions, free.encoded)
            elif cell not in free_cells:
                free_cells[cell] = untouched
        return beside

    def legal(self, tile: Tile) -> list[Action]:
        rotations = fit(tile)
        found: list[Action] = []
        for free in self.free_cells.values():
            found += free.actions[rotations[free.demand]]
        return found

    def legal_at(self, tile: Tile, index: int) -> LayTile | None:
        """The action at a place of `legal`; None if there is none."""
        rotations = fit(tile)
        for free in self.free_cells.values():
            actions = free.actions[rotations[free.demand]]
            if index < len(actions):
                return actions[index] if index >= 0 else None
            index -= len(actions)
        return None

    def encode_legal(self, tile: Tile) -> Raw:
        """The JSON of `legal`, joined from that of each cell."""
        rotations = fit(tile)
        encoded = [free.encoded[rotations[free.demand]] for free in self.free_cells.values()]
        return Raw(f"[{''.join(encoded)[:-1]}]")

    def find_legal(self, tile: Tile, action: Action) -> LayTile | None:
        """The legal action with this tile that `action` equals, found by its cell; None if it is not legal."""
        free = self.free_cells.get((action.x, action.y)) if isinstance(action, LayTile) else None
        if free is None:
            return None
        for legal in free.actions[fit(tile)[free.demand]]:
            if legal == action:
                return legal
        return None

    def copy(self) -> "Board":
        """An independent copy; free cells are never changed, so they are shared."""
        twin = Board.__new__(Board)
        twin.turned = self.turned.copy()
        twin.free_cells = self.free_cells.copy()
        return twin


@cache
def around(x: int, y: int) -> tuple[tuple[int, Cell, int, FreeCell], ...]:
    """The four neighbours of a cell: the side on which each lies, the neighbour, its side that faces the cell, and what
    it is as long as it is free and no open edge faces it."""
    neighbours = [(x + dx, y + dy) for dx, dy in STEPS]
    return tuple((side, each, (side + 2) % 4, untouched(each)) for side, each in enumerate(neighbours))


@cache
def untouched(cell: Cell) -> FreeCell:
    """A free cell that no open edge faces."""
    x, y = cell
    single = [LayTile(x=x, y=y, rotation=rotation) for rotation in range(4)]
    actions = tuple(tuple(action for action in single if chosen >> action.rotation & 1) for chosen in range(1 << 4))
    return FreeCell(NO_DEMAND, actions, tuple("".join(f"{to_json(each)}," for each in chosen) for chosen in actions))


def to_json(part: Struct) -> str:
    """The JSON of a part of an observation, or of an action. Text is joined in two thirds of the time of bytes."""
    return encode(part).decode()
