"""The events of a game. Every seat may see all of them."""

from referee.games.forbidden_city.board import Cell
from referee.games.forbidden_city.tiles import Rotation, Tile
from referee.games.interface import Event


class TileLaid(Event, frozen=True, kw_only=True, tag="laid"):
    """A tile was laid."""

    seat: int
    x: int
    y: int
    rotation: Rotation
    tile: Tile


class RoomSettled(Event, frozen=True, kw_only=True, tag="settled"):
    """A room was closed by a tile of `seat`: its cells, its value, and what it paid each seat."""

    seat: int
    cells: list[Cell]
    value: int
    paid: list[int]


class StackShown(Event, frozen=True, kw_only=True, tag="shown"):
    """At the end a player shows the tiles that were not drawn, and gets coins for them."""

    seat: int
    tiles: list[Tile]
    paid: int
    coins: int
