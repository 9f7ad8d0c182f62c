"""Tile sets: the tiles of each player, parsing a set from TOML, and validating it.

Rules page, section 3. The reconstructed set is `tiles.toml`.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from reprlib import Repr
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from referee.errors import RefereeError
from referee.games.forbidden_city.tiles import (
    ARCH,
    NEVER_DRAWN,
    OPEN,
    OWNERS,
    PICTURES,
    TWO_PLAYER_OWNERS,
    WALL,
    Picture,
    Tile,
)
from referee.games.tables import check_complete
from referee.near_misses import did_you_mean
from referee.toml import TomlError, parse_toml

T = TypeVar("T")

RECONSTRUCTED: Final = "reconstructed"
MAX_COPIES: Final = 100
MAX_TILES: Final = 1000
"""Maximum number of tiles of one owner, so that a typo in a file can't exhaust memory or take hours."""
MAX_COLOURS: Final = 24
"""The number of colours that the drawing has characters for, besides those of the start tile."""
MAX_COLOUR_CHARS: Final = 40
TILE_KEYS: Final = ("edges", "parts", "picture", "count", "copies", "owners", "two")
REQUIRED_KEYS: Final = ("edges", "parts")
FILE_KEYS: Final = ("colours", "tile")
MAX_COUNT: Final[dict[Picture, int]] = {"dragon": 1, "advisors": 2, "none": 0}
"""By picture, the maximum of what a tile shows of it."""
check_complete(PICTURES, MAX_COUNT)

_brief: Final = Repr()
_brief.maxstring = _brief.maxother = _brief.maxlong = 60
quote: Final = _brief.repr
"""Quotes a value from a file for a message: short, and without anything that a terminal would interpret."""


class TileSetError(RefereeError, ValueError):
    """A tile set can't be played with. The message names the tile and what is wrong with it."""


class TileSet(Struct, frozen=True, forbid_unknown_fields=True):
    """Room colours, and the tiles of each owner: those for every game, and the additional ones for two players."""

    colours: tuple[str, ...]
    owned: dict[str, tuple[Tile, ...]]
    two: dict[str, tuple[Tile, ...]]

    def __post_init__(self) -> None:
        """Raises TileSetError for an unplayable set, from a file or from a record."""
        _validate_colours(self.colours)
        if not self.owned.keys() == self.two.keys() == set(OWNERS):
            raise TileSetError(f"the tiles of each owner must be given: {', '.join(OWNERS)}")
        for tiles in (*self.owned.values(), *self.two.values()):
            for tile in dict.fromkeys(tiles):
                problem = _tile_problem(tile, self.colours)
                if problem is not None:
                    raise TileSetError(f"a tile ({_format_tile(tile.edges, tile.parts)}): {problem}")
        for owner in OWNERS:
            _validate_number(owner, len(self.owned[owner]) + len(self.two[owner]))
        _validate_sizes(self.owned, OWNERS, "every game")
        _validate_sizes(self.two, TWO_PLAYER_OWNERS, "two players")
        if len(self.owned[OWNERS[0]]) <= NEVER_DRAWN:
            raise TileSetError(
                f"each owner needs more than {NEVER_DRAWN} tiles, as the last {NEVER_DRAWN} are not drawn"
            )

    def stack(self, seat: int, players: int) -> list[Tile]:
        """The tiles of a seat in a game with this number of players, unshuffled."""
        owner = OWNERS[seat]
        return [*self.owned[owner], *(self.two[owner] if players == 2 else ())]


# -- reading a file -------------------------------------------------------------------------------------------


class _TileEntry(Struct, frozen=True):
    edges: str
    parts: list[str]
    picture: str = "none"
    count: int = 0
    copies: Annotated[int, Meta(ge=1, le=MAX_COPIES)] = 1
    owners: list[str] | None = None
    two: bool = False


class _TileFile(Struct, frozen=True):
    colours: list[str]
    tile: list[dict[str, Any]]


def parse_tile_set(text: str) -> TileSet:
    """The tile set that a TOML text describes. Raises TileSetError."""
    try:
        table = parse_toml(text)
    except TomlError as error:
        raise TileSetError(str(error)) from None
    _validate_keys(table, FILE_KEYS, FILE_KEYS, "")
    if isinstance(table.get("tile"), dict):
        raise TileSetError("tile is a single table: write [[tile]] with two brackets before each tile")
    file = _convert(table, _TileFile, "")
    _validate_colours(file.colours)
    owned: dict[str, list[Tile]] = {owner: [] for owner in OWNERS}
    two: dict[str, list[Tile]] = {owner: [] for owner in OWNERS}
    for number, keys in enumerate(file.tile, start=1):
        name = f"tile {number}"
        _validate_keys(keys, TILE_KEYS, REQUIRED_KEYS, f"{name}: ")
        entry = _convert(keys, _TileEntry, f"{name}: ")
        tile = Tile(entry.edges, tuple(entry.parts), _picture(entry.picture, name), entry.count)
        problem = _tile_problem(tile, file.colours) or _owners_problem(entry)
        if problem is not None:
            raise TileSetError(f"{name} ({_format_tile(entry.edges, entry.parts)}): {problem}")
        for owner in entry.owners or (TWO_PLAYER_OWNERS if entry.two else OWNERS):
            (two if entry.two else owned)[owner] += [tile] * entry.copies
            _validate_number(owner, len(owned[owner]) + len(two[owner]))  # before the list grows further
    return TileSet(
        tuple(file.colours),
        {owner: tuple(tiles) for owner, tiles in owned.items()},
        {owner: tuple(tiles) for owner, tiles in two.items()},
    )


@cache
def reconstructed() -> TileSet:
    return parse_tile_set(Path(__file__).with_name("tiles.toml").read_text(encoding="utf-8"))


def enlarged(tile_set: TileSet) -> TileSet:
    """The tile set with every tile three times, in colours of other names, to check bots with."""
    names = {colour: f"colour {number}" for number, colour in enumerate(tile_set.colours)}

    def renamed(tiles: dict[str, tuple[Tile, ...]]) -> dict[str, tuple[Tile, ...]]:
        return {
            owner: tuple(replace(tile, parts=tuple(names[part] for part in tile.parts)) for tile in stack) * 3
            for owner, stack in tiles.items()
        }

    return TileSet((*tile_set.colours, *names.values()), renamed(tile_set.owned), renamed(tile_set.two))


def _convert(keys: dict[str, Any], kind: type[T], where: str) -> T:
    """A table, converted to the declared type. Raises TileSetError, which names the key."""
    try:
        return msgspec.convert(keys, kind)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        key, _, place = path.rstrip("`").partition("[")
        number = place.rstrip("]")
        at = f"{key} {int(number) + 1}: " if number.isdigit() else f"{key}: " if key else ""
        raise TileSetError(f"{where}{at}{message[:1].lower()}{message[1:]}") from None


# -- what can be wrong ----------------------------------------------------------------------------------------


def _validate_keys(keys: Mapping[str, Any], known: Sequence[str], required: Sequence[str], where: str) -> None:
    for key in keys:
        if key not in known:
            raise TileSetError(f"{where}unknown key {quote(key)}{did_you_mean(key, known)}")
    for key in required:
        if key not in keys:
            raise TileSetError(f"{where}{key} is missing")


def _validate_colours(colours: Sequence[str]) -> None:
    if not 0 < len(colours) <= MAX_COLOURS:
        raise TileSetError(f"colours must be 1 to {MAX_COLOURS} names, not {len(colours)}")
    for number, colour in enumerate(colours, start=1):
        if not colour.strip():
            raise TileSetError(f"colour {number} has no name: {quote(colour)}")
        if len(colour) > MAX_COLOUR_CHARS:
            raise TileSetError(f"colour {number} has a name of over {MAX_COLOUR_CHARS} characters: {quote(colour)}")
        if colours.index(colour) + 1 < number:
            raise TileSetError(f"colour {number} is a duplicate: {quote(colour)}")


def _picture(word: str, name: str) -> Picture:
    for picture in PICTURES:
        if picture == word:
            return picture
    raise TileSetError(f"{name}: picture must be {', '.join(PICTURES[:-1])} or {PICTURES[-1]}, not {quote(word)}")


def _format_tile(edges: str, parts: Sequence[str]) -> str:
    """A tile, described for a message so that it can be found in the file."""
    return f"edges {quote(edges)}, parts {quote(list(parts))}"


def _tile_problem(tile: Tile, colours: Collection[str]) -> str | None:
    if len(tile.edges) != 4 or set(tile.edges) - {OPEN, WALL, ARCH}:
        return "edges must be four small letters, north east south west: o open, w wall, a archway"
    if set(tile.edges) == {OPEN}:
        return "it has no wall and no archway, so there might be no place to lay it"
    if len(tile.parts) not in (1, 2):
        return "parts must be one room colour, or two for a diagonal tile"
    unknown = [part for part in tile.parts if part not in colours]
    if unknown:
        return f"colour {quote(unknown[0])} is not among the colours {', '.join(map(quote, colours))}"
    highest = MAX_COUNT[tile.picture]
    lowest = min(1, highest)
    if not lowest <= tile.count <= highest:
        allowed = str(lowest) if lowest == highest else f"{lowest} or {highest}"
        return f"count must be {allowed} with the picture {tile.picture!r}, not {quote(tile.count)}"
    return None


def _owners_problem(entry: _TileEntry) -> str | None:
    owners = entry.owners
    if owners is None:
        return None
    if not owners:
        return f"owners is empty: leave it out where all own the tile, or name some of {', '.join(OWNERS)}"
    for number, owner in enumerate(owners):
        if owner not in OWNERS:
            return f"owner {quote(owner)} is not among {', '.join(OWNERS)}"
        if owner in owners[:number]:
            return f"owner {owner} is named twice; copies says how many of the tile each owner has"
    if entry.two and set(owners) - set(TWO_PLAYER_OWNERS):
        return f"with two players only {' and '.join(TWO_PLAYER_OWNERS)} own tiles"
    return None


def _validate_number(owner: str, tiles: int) -> None:
    if tiles > MAX_TILES:
        raise TileSetError(f"{owner} owns over {MAX_TILES} tiles")


def _validate_sizes(tiles: Mapping[str, Sequence[Tile]], owners: tuple[str, ...], what: str) -> None:
    """All owners must own the same number of tiles."""
    sizes = {owner: len(tiles[owner]) for owner in owners}
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{owner} {size}" for owner, size in sizes.items())
        raise TileSetError(f"the sets for {what} are of unequal size: {counts}")
