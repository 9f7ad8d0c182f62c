"""A table of The Forbidden City for rules tests: draw tiles as they lie, lay one more, see which rooms are settled.

    def test_a_leader_gets_the_value_and_the_second_half_of_it() -> None:
        city = City().draw('''
            g/woow:AA  g/wwao:d
            *          p/aoww
        ''')
        assert city.lay("g/owww:B").settled == [Settled(7, [7, 3])]

A tile is drawn as its colours by first letter (green, pink, white; two for a diagonal tile), its edges N E S W, and
after a colon its picture: `d` a dragon, `A` or `AA` advisors of seat 0, `B` of seat 1 and so on. `@1` at the end
turns it clockwise by a quarter. In a drawing north is up, `.` is an empty cell, `#` one where something lies
already, and `*` the empty cell where the next tile goes.
"""

import re
from collections.abc import Sequence
from copy import copy
from typing import NamedTuple, Self

from referee.games import Seeded
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.board import Board, Cell, LayTile
from referee.games.forbidden_city.config import CityConfig
from referee.games.forbidden_city.game import tiles_left
from referee.games.forbidden_city.log import RoomSettled
from referee.games.forbidden_city.rooms import Room, Rooms
from referee.games.forbidden_city.start_tile import StartTile
from referee.games.forbidden_city.tiles import Picture, Tile

COLOURS = {"g": "green", "p": "pink", "w": "white"}
DRAWN_TILE = re.compile(r"(?P<parts>[gpw]{1,2})/(?P<edges>[owa]{4})(:(?P<picture>d|A+|B+|C+|D+))?(@(?P<turns>[0-3]))?")


class Settled(NamedTuple):
    """A room that was settled: its value and what it paid each seat."""

    value: int
    paid: list[int]


class Drawn(NamedTuple):
    """A tile as drawn: who owns it, and how far it is turned."""

    tile: Tile
    rotation: int
    seat: int


def drawn(text: str) -> Drawn:
    """The tile that a test draws in this way."""
    found = DRAWN_TILE.fullmatch(text)
    assert found, f"{text!r} is not a tile"
    shown = found["picture"] or ""
    picture: Picture = "dragon" if shown == "d" else "advisors" if shown else "none"
    seat = "ABCD".index(shown[0]) if picture == "advisors" else 0
    parts = tuple(COLOURS[letter] for letter in found["parts"])
    return Drawn(Tile(found["edges"], parts, picture, len(shown)), int(found["turns"] or 0), seat)


def tile(text: str) -> Tile:
    """The tile that a test draws in this way, unrotated and without its owner."""
    return drawn(text).tile


class City:
    """A game with the tiles on the table that a test needs: with a start tile, or with only the drawn ones."""

    def __init__(self, players: int = 2, start_tile: StartTile | None = None) -> None:
        config = CityConfig(players=players, start_tile=start_tile or "garden")
        self.game = ForbiddenCity.new(config, Seeded("city"))
        if start_tile is None:
            self.game.board = Board()
            self.game.rooms = Rooms(players)
        self.gap: Cell = (0, 0)
        self._since = 0

    # -- the table ---------------------------------------------------------------------------------------

    def draw(self, picture: str, *, west: int = 0, south: int = 0) -> Self:
        """Lay the tiles of a drawing, whose first column is at x = `west` and whose last row at y = `south`."""
        rows = [line.split() for line in picture.split("\n") if line.strip()]
        for y, row in enumerate(reversed(rows), start=south):
            for x, cell in enumerate(row, start=west):
                if cell == "*":
                    self.gap = (x, y)
                elif cell == "#":
                    assert (x, y) in self.game.board.turned, f"nothing lies at {(x, y)}"
                elif cell != ".":
                    self.lay(cell, at=(x, y))
        return self

    def lay(self, text: str, *, at: Cell | None = None) -> Self:
        """Its owner lays a tile at `*` or at another place, and settles; a first tile may lie anywhere."""
        laid = drawn(text)
        x, y = self.gap if at is None else at
        action = LayTile(x=x, y=y, rotation=laid.rotation)
        board = self.game.board
        assert (x, y) not in board.turned, f"a tile lies at {(x, y)}"
        assert (x, y) not in board.free_cells or action in board.legal(laid.tile), f"{text} may not lie at {(x, y)}"
        self.game.hands[laid.seat] = laid.tile
        known = self.game.left.get(laid.tile)
        before = (0,) * self.game.config.players if known is None else known.left
        counts = tuple(count + (seat == laid.seat) for seat, count in enumerate(before))
        self.game.left[laid.tile] = tiles_left(laid.tile, counts)
        self._since = len(self.game.log)
        self.game.lay_tile(laid.seat, action)
        return self

    def copy(self) -> "City":
        """A table with a copy of the game."""
        twin = copy(self)
        twin.game = self.game.copy()
        return twin

    # -- the state for assertions -------------------------------------------------------------------------

    @property
    def settlements(self) -> list[RoomSettled]:
        """The rooms that the last tile closed, as events."""
        return [event for event, _ in self.game.log[self._since :] if isinstance(event, RoomSettled)]

    @property
    def settled(self) -> list[Settled]:
        """The rooms that the last tile closed: value and payments, in the order of settling."""
        return [Settled(event.value, event.paid) for event in self.settlements]

    def room(self, x: int, y: int, part: int = 0) -> Room:
        """The room of a cell; of a diagonal tile the one of its first or second part."""
        return self.game.rooms.room_of((x, y, part))

    def next_door(self, x: int, y: int, part: int = 0) -> list[list[Cell]]:
        """The cells of each room that a passage leads to from the room of this cell."""
        return sorted(sorted(self.game.rooms.by_id[room].cells) for room in self.room(x, y, part).passages)

    def ways(self, text: str, at: Cell) -> list[int]:
        """The rotations in which a tile may be laid there."""
        actions = self.game.board.legal(tile(text))
        return [way.rotation for way in actions if isinstance(way, LayTile) and (way.x, way.y) == at]


def cells(*rooms: Sequence[Cell]) -> list[list[Cell]]:
    """Rooms by their cells, in the order in which `City.next_door` gives them."""
    return sorted(sorted(room) for room in rooms)
