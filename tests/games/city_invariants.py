"""A second, slow implementation of The Forbidden City, from the rules page: rooms by flood fill, legal moves by trying.

It reads only the tiles as they were laid. The engine, which grows rooms tile by tile, must agree with it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from referee.games.forbidden_city.board import Cell, LaidTile
from referee.games.forbidden_city.tiles import Tile

T = TypeVar("T", bound=Hashable)

N, E, S, W = range(4)
Part = tuple[int, int, int]


class Edge(NamedTuple):
    """One side of a tile as it lies: `o`, `w` or `a`, and which of its room parts is behind it, if any."""

    kind: str
    part: int | None
    colour: str | None


class Surveyed(NamedTuple):
    """A room, found by flood fill; `next_door` are the rooms that passages lead to, by their parts."""

    parts: frozenset[Part]
    colour: str
    cells: frozenset[Cell]
    open_edges: int
    advisors: list[int]
    dragons: int
    next_door: frozenset[frozenset[Part]]

    @property
    def own_value(self) -> int:
        """One per tile, three per dragon."""
        return len(self.cells) + 3 * self.dragons


def neighbour(cell: Cell, side: int) -> Cell:
    """The cell on that side."""
    x, y = cell
    return (x, y + 1) if side == N else (x + 1, y) if side == E else (x, y - 1) if side == S else (x - 1, y)


def edges(tile: Tile, rotation: int) -> list[Edge]:
    """The sides N E S W of a tile: each quarter turn moves every side on to the next."""
    touching: dict[int, list[int]] = {1: [0, 0, 0, 0], 2: [0, 0, 1, 1]}
    behind = touching.get(len(tile.parts))
    turned = [
        Edge(kind, behind[side], tile.parts[behind[side]]) if behind else Edge(kind, None, None)
        for side, kind in enumerate(tile.edges)
    ]
    for _ in range(rotation):
        turned = [turned[W], turned[N], turned[E], turned[S]]
    return turned


class Survey:
    """The tiles on the table at one moment."""

    def __init__(self, laid: Sequence[LaidTile], players: int) -> None:
        self.laid = {(each.x, each.y): each for each in laid}
        self.players = players
        self.edges = {cell: edges(each.tile, each.rotation) for cell, each in self.laid.items()}

    def facing(self, cell: Cell, side: int) -> Edge | None:
        """The edge that faces a cell from that side, if a tile lies there."""
        beyond = self.edges.get(neighbour(cell, side))
        return None if beyond is None else beyond[(side + 2) % 4]

    def borders(self) -> Iterator[tuple[Cell, Edge, Cell, Edge]]:
        """The two cells and edges of every border between tiles, from both sides."""
        for cell, sides in self.edges.items():
            for side, own in enumerate(sides):
                facing = self.facing(cell, side)
                if facing is not None:
                    yield cell, own, neighbour(cell, side), facing

    def is_connected(self) -> bool:
        """Whether all tiles are connected."""

        def around(cell: Cell) -> list[Cell]:
            return [neighbour(cell, side) for side in range(4) if neighbour(cell, side) in self.laid]

        return set(self.laid) == flood(next(iter(self.laid)), around)

    # -- rooms --------------------------------------------------------------------------------------------

    def rooms(self) -> dict[frozenset[Part], Surveyed]:
        """Every room, by its parts."""
        every = [(*cell, part) for cell, each in self.laid.items() for part in range(len(each.tile.parts))]
        joined: dict[Part, list[Part]] = {part: [] for part in every}
        passages: dict[Part, list[Part]] = {part: [] for part in every}
        for cell, own, beyond, facing in self.borders():
            if own.part is not None and facing.part is not None:
                if own.kind + facing.kind == "oo":
                    joined[*cell, own.part].append((*beyond, facing.part))
                elif "w" not in own.kind + facing.kind:
                    passages[*cell, own.part].append((*beyond, facing.part))
        room_of: dict[Part, frozenset[Part]] = {}
        for part in every:
            if part not in room_of:
                room = frozenset(flood(part, joined.__getitem__))
                room_of.update(dict.fromkeys(room, room))
        return {
            room: self._measure(room, frozenset(room_of[other] for part in room for other in passages[part]) - {room})
            for room in set(room_of.values())
        }

    def _measure(self, parts: frozenset[Part], next_door: frozenset[frozenset[Part]]) -> Surveyed:
        advisors, dragons, open_edges = [0] * self.players, 0, 0
        for x, y, number in parts:
            each = self.laid[x, y]
            for side, edge in enumerate(self.edges[x, y]):
                open_to_nothing = edge.kind == "o" and neighbour((x, y), side) not in self.laid
                open_edges += open_to_nothing and edge.part == number
            if number == 0 and each.tile.picture == "dragon":
                dragons += each.tile.count
            if number == 0 and each.tile.picture == "advisors":
                assert isinstance(each.seat, int)
                advisors[each.seat] += each.tile.count
        (colour,) = {self.laid[x, y].tile.parts[number] for x, y, number in parts}
        cells = frozenset((x, y) for x, y, _ in parts)
        return Surveyed(parts, colour, cells, open_edges, advisors, dragons, next_door)

    # -- where a tile may lie -----------------------------------------------------------------------------

    def legal(self, tile: Tile) -> set[tuple[int, int, int]]:
        """Every cell around the table in every rotation, tried out; one of those that look the same."""
        xs, ys = [x for x, _ in self.laid], [y for _, y in self.laid]
        looks = [look(tile, rotation) for rotation in range(4)]
        turned = {rotation: edges(tile, rotation) for rotation in range(4) if looks.index(looks[rotation]) == rotation}
        return {
            (x, y, rotation)
            for x in range(min(xs) - 2, max(xs) + 3)
            for y in range(min(ys) - 2, max(ys) + 3)
            if (x, y) not in self.laid and any(neighbour((x, y), side) in self.laid for side in range(4))
            for rotation, sides in turned.items()
            if self.fits((x, y), sides)
        }

    def fits(self, cell: Cell, sides: Sequence[Edge]) -> bool:
        """Whether no border of such a tile there would join two colours."""
        for side, own in enumerate(sides):
            facing = self.facing(cell, side)
            if facing is not None and own.kind + facing.kind == "oo" and own.colour != facing.colour:
                return False
        return True


def look(tile: Tile, rotation: int) -> object:
    """The look of a tile: for each of its parts the sides it touches, their edges, its colour and its picture."""
    shown = edges(tile, rotation)
    return {
        (
            frozenset((side, edge.kind) for side, edge in enumerate(shown) if edge.part == number),
            colour,
            tile.picture if number == 0 else "none",
        )
        for number, colour in enumerate(tile.parts)
    }


def flood(start: T, ways: Callable[[T], Iterable[T]]) -> set[T]:
    """Everything reachable from `start`; `ways` gives the neighbours."""
    reached, waiting = {start}, [start]
    while waiting:
        for found in ways(waiting.pop()):
            if found not in reached:
                reached.add(found)
                waiting.append(found)
    return reached


def fair_pay(value: int, advisors: Sequence[int]) -> list[int]:
    """The payment of a closed room to each seat."""
    most = max(advisors)
    second = max((count for count in advisors if count < most), default=0)
    shared = list(advisors).count(most) > 1
    pay = {most: value // 2 if shared else value}
    if second and not shared and list(advisors).count(second) == 1:
        pay[second] = value // 2
    return [pay.get(count, 0) if count else 0 for count in advisors]
