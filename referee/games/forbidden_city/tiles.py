"""Tiles: their pictures and edges, and their sides after a rotation (rules page, section 2)."""

from functools import cache
from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct

Picture = Literal["dragon", "advisors", "none"]
PICTURES: Final[tuple[Picture, ...]] = get_args(Picture)
Edges = Annotated[str, Meta(pattern="^[owa]{4}$")]
"""North, east, south and west before rotation: open, wall, archway."""
Parts = Annotated[tuple[str, ...], Meta(max_length=2)]
"""The colours of the room parts: one, or two, the first of which touches north and east; none for garden and temple."""
Count = Annotated[int, Meta(ge=0, le=2)]
"""The number of advisors or dragons."""
Rotation = Annotated[int, Meta(ge=0, le=3)]
"""Quarter turns clockwise."""

NORTH, EAST, SOUTH, WEST = range(4)
SIDES: Final = (NORTH, EAST, SOUTH, WEST)
STEPS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The step (dx, dy) to the neighbour on each side; x grows to the east, y to the north."""
SIDE_NAMES: Final = ("north", "east", "south", "west")

OPEN, WALL, ARCH = "o", "w", "a"
OWNERS: Final = ("purple", "yellow", "red", "blue")
"""The players' colours, by seat."""
TWO_PLAYER_OWNERS: Final = OWNERS[:2]
NEVER_DRAWN: Final = 2
"""The number of tiles at the bottom of each stack that are shown at the end instead (ruling F4)."""


class Tile(Struct, frozen=True, cache_hash=True, gc=False):
    """A tile before rotation: edges N E S W; one room part, or two of which the first touches N and E."""

    edges: Edges
    parts: Parts
    picture: Picture
    count: Count

    @property
    def diagonal(self) -> bool:
        """Whether a diagonal wall divides it into two room parts."""
        return len(self.parts) == 2


class Side(Struct, frozen=True, gc=False):
    """One side of a rotated tile: its edge, and the index and colour of the part that touches it."""

    edge: str
    part: int
    colour: str


@cache
def sides(tile: Tile, rotation: int) -> tuple[Side, ...]:
    """The sides N E S W of a tile after `rotation` clockwise quarter turns. No parts (garden, temple): colour ''."""
    turned = []
    for side in SIDES:
        was = (side - rotation) % 4
        part = 0 if not tile.diagonal or was in (NORTH, EAST) else 1
        turned.append(Side(tile.edges[was], part, tile.parts[part] if tile.parts else ""))
    return tuple(turned)


@cache
def distinct_rotations(tile: Tile) -> tuple[int, ...]:
    """The rotations that look different; of equal ones, the smallest."""
    looks: dict[object, int] = {}
    for rotation in range(4):
        look = tuple(
            (side.edge, side.colour, tile.picture != "none" and side.part == 0) for side in sides(tile, rotation)
        )
        diagonal_wall = rotation % 2 if tile.diagonal else None
        looks.setdefault((look, diagonal_wall), rotation)
    return tuple(looks.values())
