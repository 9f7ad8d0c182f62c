"""Tiles and tile sets: what a tile shows, which sides it has when it is turned, and reading a set from TOML.

Edges and cells: rules page, section 2. The reconstructed set is `tiles.toml`, section 3.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from referee.toml import TomlError, parse_toml

Picture = Literal["dragon", "advisors", "none"]

NORTH, EAST, SOUTH, WEST = range(4)
SIDES: Final = (NORTH, EAST, SOUTH, WEST)
STEPS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The way to the neighbour on each side; x to the east, y to the north."""
SIDE_NAMES: Final = ("north", "east", "south", "west")

OPEN, WALL, ARCH = "o", "w", "a"
OWNERS: Final = ("purple", "yellow", "red", "blue")
"""The players' colours, by seat."""
TWO_PLAYER_OWNERS: Final = OWNERS[:2]
RECONSTRUCTED: Final = "reconstructed"
NEVER_DRAWN: Final = 2
"""Tiles at the bottom of each stack that are shown at the end instead (ruling F4)."""


class Tile(Struct, frozen=True, gc=False):
    """A tile as it lies in the box: edges N E S W; one room part, or two of which the first touches N and E."""

    edges: str
    parts: tuple[str, ...]
    picture: Picture
    count: int

    @property
    def diagonal(self) -> bool:
        """Whether a wall from corner to corner parts it into two room parts."""
        return len(self.parts) == 2


class Side(Struct, frozen=True, gc=False):
    """What a turned tile shows on one side: its edge, and which of its parts touches it with which colour."""

    edge: str
    part: int
    colour: str


@cache
def sides(tile: Tile, rotation: int) -> tuple[Side, ...]:
    """The sides N E S W of a tile turned clockwise by so many quarter turns. No parts (garden, temple): colour ''."""
    turned = []
    for side in SIDES:
        was = (side - rotation) % 4
        part = 0 if not tile.diagonal or was in (NORTH, EAST) else 1
        turned.append(Side(tile.edges[was], part, tile.parts[part] if tile.parts else ""))
    return tuple(turned)


@cache
def distinct_rotations(tile: Tile) -> tuple[int, ...]:
    """One rotation of those that look the same, the smallest."""
    looks: dict[object, int] = {}
    for rotation in range(4):
        shown = tuple(
            (side.edge, side.colour, tile.picture != "none" and side.part == 0) for side in sides(tile, rotation)
        )
        diagonal_wall = rotation % 2 if tile.diagonal else None
        looks.setdefault((shown, diagonal_wall), rotation)
    return tuple(looks.values())


class TileSetError(ValueError):
    """A tile set that can't be played with; names the tile and what is wrong with it."""


class TileSet(Struct, frozen=True):
    """Room colours, and the tiles of each owner: those for every game, and the further ones for two players."""

    colours: tuple[str, ...]
    owned: dict[str, tuple[Tile, ...]]
    two: dict[str, tuple[Tile, ...]]

    def __post_init__(self) -> None:
        """Raises TileSetError for a set that can't be played with, be it from a file or from a record."""
        if "" in self.colours:
            raise TileSetError("a colour without a name")
        if not set(OWNERS) <= self.owned.keys() & self.two.keys():
            raise TileSetError(f"the tiles of each owner must be given: {', '.join(OWNERS)}")
        for tiles in (*self.owned.values(), *self.two.values()):
            for tile in tiles:
                problem = _problem(tile, self.colours)
                if problem is not None:
                    raise TileSetError(f"{tile}: {problem}")
        _check_sizes(self.owned, OWNERS, "every game")
        _check_sizes(self.two, TWO_PLAYER_OWNERS, "two players")
        if len(self.owned[OWNERS[0]]) <= NEVER_DRAWN:
            raise TileSetError(
                f"each owner needs more than {NEVER_DRAWN} tiles, for the last {NEVER_DRAWN} are not drawn"
            )

    def stack(self, seat: int, players: int) -> list[Tile]:
        """The tiles of a seat in a game of so many players, unshuffled."""
        owner = OWNERS[seat]
        return [*self.owned[owner], *(self.two[owner] if players == 2 else ())]


class _TileEntry(Struct, frozen=True, forbid_unknown_fields=True):
    edges: str
    parts: list[str]
    picture: Picture = "none"
    count: int = 0
    copies: Annotated[int, Meta(ge=1, le=100)] = 1
    owners: list[Literal["purple", "yellow", "red", "blue"]] | None = None
    two: bool = False


class _TileFile(Struct, frozen=True, forbid_unknown_fields=True):
    colours: list[str]
    tile: list[_TileEntry]


def parse_tile_set(text: str) -> TileSet:
    """The tile set that a TOML text describes. Raises TileSetError."""
    try:
        file = msgspec.convert(parse_toml(text), _TileFile)
    except TomlError as error:
        raise TileSetError(str(error)) from None
    except msgspec.ValidationError as error:
        raise TileSetError(_where(str(error))) from None
    owned: dict[str, list[Tile]] = {owner: [] for owner in OWNERS}
    two: dict[str, list[Tile]] = {owner: [] for owner in OWNERS}
    for number, entry in enumerate(file.tile, start=1):
        name = f"tile {number} (edges {entry.edges!r}, parts {entry.parts})"
        tile = Tile(entry.edges, tuple(entry.parts), entry.picture, entry.count)
        problem = _problem(tile, file.colours)
        if entry.two and set(entry.owners or ()) - set(TWO_PLAYER_OWNERS):
            problem = f"with two players only {' and '.join(TWO_PLAYER_OWNERS)} own tiles"
        if problem is not None:
            raise TileSetError(f"{name}: {problem}")
        for owner in entry.owners or (TWO_PLAYER_OWNERS if entry.two else OWNERS):
            (two if entry.two else owned)[owner] += [tile] * entry.copies
    return TileSet(
        tuple(file.colours),
        {owner: tuple(tiles) for owner, tiles in owned.items()},
        {owner: tuple(tiles) for owner, tiles in two.items()},
    )


def _where(message: str) -> str:
    """A validation error with the tile counted from 1, as in every other message."""
    head, found, rest = message.partition("$.tile[")
    number, bracket, tail = rest.partition("]")
    return f"{head}tile {int(number) + 1}{tail}" if found and bracket and number.isdigit() else message


def _problem(tile: Tile, colours: Collection[str]) -> str | None:
    """What is wrong with a tile, if anything."""
    if len(tile.edges) != 4 or set(tile.edges) - {OPEN, WALL, ARCH}:
        return "edges must be four letters, north east south west: o open, w wall, a archway"
    if set(tile.edges) == {OPEN}:
        return "it has no wall and no archway, so there might be no place to lay it"
    if len(tile.parts) not in (1, 2):
        return "parts must be one room colour, or two for a diagonal tile"
    unknown = [part for part in tile.parts if part not in colours]
    if unknown:
        return f"colour {unknown[0]!r} is not among the colours {', '.join(colours)}"
    most = {"dragon": 1, "advisors": 2, "none": 0}[tile.picture]
    least = min(1, most)
    if not least <= tile.count <= most:
        allowed = str(least) if least == most else f"{least} or {most}"
        return f"count must be {allowed} with the picture {tile.picture!r}, not {tile.count}"
    return None


def _check_sizes(tiles: Mapping[str, Sequence[Tile]], owners: tuple[str, ...], what: str) -> None:
    """Everyone must own equally many tiles."""
    sizes = {owner: len(tiles[owner]) for owner in owners}
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{owner} {size}" for owner, size in sizes.items())
        raise TileSetError(f"the sets for {what} are of unequal size: {counts}")


@cache
def reconstructed() -> TileSet:
    """The set that comes with the referee."""
    return parse_tile_set(resources.files(__package__).joinpath("tiles.toml").read_text(encoding="utf-8"))
