"""The board: the sides of laid tiles, and for every empty cell beside one the constraints imposed by its neighbours."""

from collections.abc import Collection
from functools import cache
from itertools import compress, product
from typing import Any, Final

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Encoder

from referee.games.forbidden_city.tiles import OPEN, STEPS, Rotation, Side, Tile, distinct_rotations, sides
from referee.games.interface import Action

Cell = tuple[int, int]
Beside = tuple[Side, Cell, Side]
"""A tile beside another one: the latter's side, the cell, and the side that faces it."""
Colours = tuple[str, ...]
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

    __slots__ = ("colours",)

    def __init__(self, colours: Colours) -> None:
        self.colours = colours

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies and pickle: the same demand."""
        return demand_of, (self.colours,)


@cache
def demand_of(colours: Colours) -> Demand:
    """The demand of an empty cell that open edges of these colours face."""
    return Demand(colours)


@cache
def with_open(demand: Demand, side: int, colour: str) -> Demand:
    """The demand with an open edge of this colour on one side."""
    return demand_of((*demand.colours[:side], colour, *demand.colours[side + 1 :]))


NO_DEMAND: Final = demand_of(("", "", "", ""))


@cache
def fits(tile: Tile) -> dict[Demand, int]:
    """What `fit` has found for a tile. Who looks up all free cells looks here first: a call for each takes long."""
    return {}


def fit(tile: Tile, demand: Demand) -> int:
    """The rotations in which a tile fits into a cell: those in which no open border joins two colours.

    A set of distinct rotations, as the sum of their powers of two.
    """
    found = fits(tile).get(demand)
    if found is None:
        found = fits(tile)[demand] = sum(
            1 << rotation
            for rotation in distinct_rotations(tile)
            if all(
                side.edge != OPEN or colour in ("", side.colour)
                for side, colour in zip(sides(tile, rotation), demand.colours, strict=True)
            )
        )
    return found


class Ways(Struct, frozen=True, gc=False):
    """The actions in a cell with a set of rotations."""

    actions: tuple[LayTile, ...]
    encoded: str
    """Their JSON, with a comma after each."""


class FreeCell(Struct, frozen=True, gc=False):
    """An empty cell beside a tile: what its neighbours demand, and its actions by set of rotations."""

    demand: Demand
    ways: tuple[Ways, ...]


class Board:
    """The sides of all laid tiles, and all cells free for the next one."""

    __slots__ = ("_ways", "free_cells", "turned")

    def __init__(self) -> None:
        self.turned: dict[Cell, tuple[Side, ...]] = {}
        """The sides of the tile in each cell, after rotation."""
        self.free_cells: dict[Cell, FreeCell] = {}
        self._ways: tuple[Tile, list[Ways]] | None = None
        """The latest tile of which the legal actions were asked for since one was laid, and these by free cell."""

    def lay(self, tile: Tile, action: LayTile) -> list[Beside]:
        """Lay a tile; returns the tiles beside it. The caller has checked that this is legal."""
        place = x, y = action.x, action.y
        turned, free_cells = self.turned, self.free_cells
        own_sides = turned[place] = sides(tile, action.rotation)
        if place in free_cells:
            del free_cells[place]
        self._ways = None
        beside: list[Beside] = []
        for side, cell, opposite, untouched in around(x, y):
            own = own_sides[side]
            neighbour = turned.get(cell)
            if neighbour is not None:
                beside.append((own, cell, neighbour[opposite]))
            elif own.edge == OPEN:
                free = free_cells.get(cell, untouched)
                free_cells[cell] = FreeCell(with_open(free.demand, opposite, own.colour), free.ways)
            elif cell not in free_cells:
                free_cells[cell] = untouched
        return beside

    def _ways_to_lay(self, tile: Tile) -> list[Ways]:
        """The legal actions with this tile by free cell. Everything below is about them."""
        ways = self._ways
        if ways is None or ways[0] is not tile:
            ways = self._ways = tile, list_ways(tile, self.free_cells.values())
        return ways[1]

    def legal(self, tile: Tile) -> list[Action]:
        found: list[Action] = []
        for ways in self._ways_to_lay(tile):
            found += ways.actions
        return found

    def legal_at(self, tile: Tile, index: int) -> LayTile | None:
        """The action at a place of `legal`; None if there is none."""
        if index >= 0:
            for ways in self._ways_to_lay(tile):
                index -= len(ways.actions)
                if index < 0:
                    return ways.actions[index]
        return None

    def encode_legal(self, tile: Tile) -> Raw:
        """The JSON of `legal`, joined from that of each cell."""
        encoded = [ways.encoded for ways in self._ways_to_lay(tile)]
        return Raw(f"[{''.join(encoded)[:-1]}]")

    def find_legal(self, tile: Tile, action: Action) -> LayTile | None:
        """The legal action with this tile that `action` equals, found by its cell; None if it is not legal."""
        free = self.free_cells.get((action.x, action.y)) if isinstance(action, LayTile) else None
        actions = () if free is None else free.ways[fit(tile, free.demand)].actions
        return next((legal for legal in actions if legal == action), None)

    def copy(self) -> "Board":
        """An independent copy; free cells are never changed, so they are shared."""
        twin = Board.__new__(Board)
        twin.turned = self.turned.copy()
        twin.free_cells = self.free_cells.copy()
        twin._ways = self._ways
        return twin


def list_ways(tile: Tile, cells: Collection[FreeCell]) -> list[Ways]:
    """In each cell the legal actions."""
    known = fits(tile)
    try:
        return [free.ways[known[free.demand]] for free in cells]
    except KeyError:
        return [free.ways[fit(tile, free.demand)] for free in cells]


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
    actions = [LayTile(x=x, y=y, rotation=rotation) for rotation in range(4)]
    encoded = [f"{to_json(action)}," for action in actions]
    sets = [chosen[::-1] for chosen in product((0, 1), repeat=4)]
    ways = [Ways(tuple(compress(actions, chosen)), "".join(compress(encoded, chosen))) for chosen in sets]
    return FreeCell(NO_DEMAND, tuple(ways))


def to_json(part: Struct) -> str:
    """The JSON of a part of an observation, or of an action. Text is joined in two thirds of the time of bytes."""
    return encode(part).decode()
