"""The components of the game as data. Source of every number: the rules page, section 2."""

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal, NamedTuple, get_args

from msgspec import Struct

from referee.games.tables import check_complete

Edition = Literal["anniversary", "first"]
PersonType = Literal[
    "craftsman",
    "court_lady",
    "tax_collector",
    "pyrotechnist",
    "warrior",
    "monk",
    "healer",
    "farmer",
    "scholar",
]
Age = Literal["young", "old"]
Card = Literal[PersonType, "wild"]
ActionCard = Literal["taxes", "build", "harvest", "fireworks", "military_parade", "research", "privilege", "build_wall"]
EventTile = Literal["peace", "imperial_tribute", "drought", "dragon_festival", "mongol_invasion", "contagion"]
SuperEvent = Literal[
    "none",
    "lanternfest",
    "buddha",
    "earthquake",
    "flood",
    "solar_eclipse",
    "volcanic_eruption",
    "tornado",
    "sunrise",
    "assassination",
    "charter",
]
WallTile = Literal["rice", "fireworks", "palace", "yuan", "person_track", "points"]
PrivilegeSize = Literal["small", "large"]


class Person(Struct, frozen=True, cache_hash=True, gc=False):
    """A person tile."""

    person: PersonType
    age: Age


class Facts(NamedTuple):
    """Facts about a kind of tile: spaces that the marker moves, symbols, number of tiles with five players."""

    value: int
    symbols: int
    tiles: int


FACTS: Final[dict[PersonType, dict[Age, Facts]]] = {
    "craftsman": {"young": Facts(2, 1, 10)},
    "court_lady": {"young": Facts(1, 1, 10)},
    "tax_collector": {"young": Facts(3, 3, 10)},
    "pyrotechnist": {"young": Facts(5, 1, 6), "old": Facts(3, 2, 4)},
    "warrior": {"young": Facts(5, 1, 6), "old": Facts(3, 2, 4)},
    "monk": {"young": Facts(6, 1, 6), "old": Facts(2, 2, 4)},
    "healer": {"young": Facts(4, 1, 6), "old": Facts(1, 2, 4)},
    "farmer": {"young": Facts(4, 1, 6), "old": Facts(1, 2, 4)},
    "scholar": {"young": Facts(4, 2, 6), "old": Facts(2, 3, 4)},
}
check_complete(get_args(PersonType), FACTS)
TILES: Final[dict[tuple[PersonType, Age], Person]] = {
    (person, age): Person(person, age) for person, ages in FACTS.items() for age in ages
}
"""Each kind of tile once; equal tiles are the same object."""
SYMBOLS: Final[dict[PersonType, dict[Age, int]]] = {
    person: {age: facts.symbols for age, facts in ages.items()} for person, ages in FACTS.items()
}

MAX_PLAYERS: Final = 5
ROUNDS: Final = 12
SUPER_EVENT_ROUND: Final = 7
MAX_FLOORS: Final = 3
PALACES_AT_START: Final = 2
FLOORS_AT_START: Final = 2
YUAN_AT_START: Final = 6
HAND: Final[tuple[Card, ...]] = (*FACTS, "wild", "wild")
REPLENISH_TO: Final = 3
OCCUPIED_GROUP_PRICE: Final = 3
PRIVILEGE_PRICE: Final[dict[Edition, dict[PrivilegeSize, int]]] = {
    "anniversary": {"small": 2, "large": 7},
    "first": {"small": 2, "large": 6},
}
"""By edition, in yuan."""
PRIVILEGE_DRAGONS: Final[dict[PrivilegeSize, int]] = {"small": 1, "large": 2}
check_complete(get_args(Edition), PRIVILEGE_PRICE)
for _sizes in (PRIVILEGE_DRAGONS, *PRIVILEGE_PRICE.values()):
    check_complete(get_args(PrivilegeSize), _sizes)

ACTION_CARDS: Final[tuple[ActionCard, ...]] = tuple(card for card in get_args(ActionCard) if card != "build_wall")
"""Those of the base game."""
CARD_SYMBOLS: Final[dict[ActionCard, int]] = {
    "taxes": 2, "build": 1, "harvest": 1, "fireworks": 1, "military_parade": 1, "research": 1
}  # fmt: skip
"""Symbols on the action card itself, added to those of the persons."""
check_complete(ACTION_CARDS, CARD_SYMBOLS, but=("privilege",))

EVENT_TILES: Final[tuple[EventTile, ...]] = get_args(EventTile)
TILES_PER_EVENT: Final = 2
TRIBUTE: Final = 4
CONTAGION: Final = 3
FESTIVAL_POINTS: Final = (6, 3)

POINTS_PER_PERSON: Final = 2
YUAN_PER_SALE: Final = 2
YUAN_PER_POINT: Final = 3

WALL_TILES: Final[dict[WallTile, int]] = {
    "rice": 1,
    "fireworks": 1,
    "palace": 1,
    "yuan": 2,
    "person_track": 3,
    "points": 3,
}
"""The gain of each of a player's six wall tiles: tiles, floors, yuan, spaces or points."""
check_complete(get_args(WallTile), WALL_TILES)
WALL_LENGTH: Final = 12

SUPER_EVENTS: Final[tuple[SuperEvent, ...]] = tuple(event for event in get_args(SuperEvent) if event != "none")


@cache
def supply(players: int, age: Age) -> Mapping[PersonType, int]:
    """The number of tiles of this age: two fewer of each type for every player short of five."""
    missing = MAX_PLAYERS - players
    return {
        person: ages[age].tiles - (missing if len(ages) == 2 else 2 * missing)
        for person, ages in FACTS.items()
        if age in ages
    }


def group_sizes(cards: int, groups: int) -> list[int]:
    """The number of action cards in each group, as even as possible, the larger groups first."""
    each, extra = divmod(cards, groups)
    return [each + 1] * extra + [each] * (groups - extra)
