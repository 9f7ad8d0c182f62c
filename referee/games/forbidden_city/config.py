"""The options of a game."""

from collections.abc import Callable
from pathlib import PurePath
from typing import Annotated, Self

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from referee.games.forbidden_city.start_tile import StartTile
from referee.games.forbidden_city.tile_set import (
    RECONSTRUCTED,
    TileSet,
    TileSetError,
    parse_tile_set,
    quote,
    reconstructed,
)
from referee.games.interface import GameConfig, OptionError
from referee.printable import printable


class CityConfig(GameConfig, frozen=True, kw_only=True):
    """Options of The Forbidden City (rules page, section 1)."""

    players: Annotated[int, Meta(ge=2, le=4, description="number of players")] = 2
    start_tile: Annotated[StartTile, Meta(description="which side of the start tile is up")] = "garden"
    tile_set: Annotated[
        str,
        Meta(
            min_length=1,
            description=f"{RECONSTRUCTED}, or a TOML file with another set",
            examples=[RECONSTRUCTED, "FILE"],
        ),
    ] = RECONSTRUCTED
    tiles: TileSet | UnsetType = UNSET
    """The contents of the file once read, so that a record of a game with another set is complete."""

    def with_files(self, read: Callable[[str], str]) -> Self:
        if self.tile_set == RECONSTRUCTED or self.tiles is not UNSET:
            return self
        name = PurePath(self.tile_set).name
        if name == RECONSTRUCTED:
            raise self._bad_set(f"call the file something else: records would take it for the {RECONSTRUCTED} set")
        try:
            tiles = parse_tile_set(read(self.tile_set))
        except (TileSetError, OptionError) as error:
            raise self._bad_set(str(error)) from None
        return replace(self, tile_set=printable(name), tiles=tiles)

    def loaded_tiles(self) -> TileSet:
        """The tile set to play with. Raises OptionError if its file was not read."""
        if self.tile_set == RECONSTRUCTED:
            if self.tiles is not UNSET:
                raise self._bad_set("other tiles are given with it, so it needs another name")
            return reconstructed()
        if self.tiles is UNSET:
            raise self._bad_set("the tiles in that file are missing here")
        return self.tiles

    def _bad_set(self, problem: str) -> OptionError:
        name = self.tile_set if self.tile_set.isprintable() else quote(self.tile_set)
        return OptionError(f"tile_set={name}: {problem}")
