"""The start tile, a block of 3 by 3 cells around the temple (rules page, section 2.2, a reconstruction)."""

from typing import Final, Literal, get_args

from referee.games.forbidden_city.tiles import Tile
from referee.games.tables import check_complete

StartTile = Literal["garden", "advanced"]

_TEMPLE: Final = Tile("wwww", (), "none", 0)
_GARDEN: Final = _TEMPLE


def _room(edges: str, colour: str) -> Tile:
    return Tile(edges, (colour,), "none", 0)


START_TILES: Final[dict[StartTile, dict[tuple[int, int], Tile]]] = {
    "garden": {
        (-1, 1): _GARDEN, (0, 1): _room("owww", "green"), (1, 1): _GARDEN,
        (-1, 0): _room("wwwo", "green"), (0, 0): _TEMPLE, (1, 0): _room("woww", "pink"),
        (-1, -1): _GARDEN, (0, -1): _room("wwow", "white"), (1, -1): _GARDEN,
    },
    "advanced": {
        (-1, 1): _room("ooao", "green"), (0, 1): _room("oawo", "green"), (1, 1): _room("oooa", "pink"),
        (-1, 0): _room("awoo", "green"), (0, 0): _TEMPLE, (1, 0): _room("ooaw", "pink"),
        (-1, -1): _room("oaoo", "green"), (0, -1): _room("wooa", "white"), (1, -1): _room("aooo", "white"),
    },
}  # fmt: skip
"""The tile in each cell, by the side that is up. The rows are written with north at the top."""
check_complete(get_args(StartTile), START_TILES)
