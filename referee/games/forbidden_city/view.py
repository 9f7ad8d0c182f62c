"""The observation (rules page, section 2.6): the table, the seat's tile in hand, and what is left of each set."""

from msgspec import Struct

from referee.games.forbidden_city.rooms import Room, TileInRooms
from referee.games.forbidden_city.tiles import Count, Edges, Parts, Picture, Tile
from referee.games.interface import Turn


class TilesLeft(Struct, frozen=True, kw_only=True, cache_hash=True, gc=False):
    """A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in hand."""

    edges: Edges
    parts: Parts
    picture: Picture
    count: Count
    left: tuple[int, ...]


class Observation(Struct, kw_only=True):
    """The table as one seat sees it."""

    seat: int
    turn: Turn | None
    """The decision that is due; null after the end."""
    hand: Tile | None
    coins: list[int]
    """By seat."""
    stacks: list[int]
    """The number of tiles in each stack, including the two that are never drawn."""
    in_hand: list[int]
    """The number of tiles that each seat holds: 1 or 0."""
    left: list[TilesLeft]
    """The tiles still to come, as far as this seat can know: each set less the laid tiles and the seat's hand."""
    rooms: list[Room]
    board: list[TileInRooms]
    """Every laid tile in the order laid, the start tile first."""
