"""The forms that stand for events, goods, persons and cards in drawings, as data: paths in a square of 24 by 24.

Each form is a sequence of layers, a class and a path each; the classes are in `renderer.DRAGON_CSS`. Layers of the
class `cut` are lines in the colour of the paper.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, get_args

from referee.games.renderer import Node
from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.tiles import ActionCard, EventTile, WallTile

Form = Sequence[tuple[str, str]]

_BOWL: Final = "M1 10h22c0 5-3 8.6-6.5 10v2h-9v-2C4 18.6 1 15 1 10z"
_COIN: Final = "M12 1.5a10.5 10.5 0 1 1 0 21 10.5 10.5 0 1 1 0-21zM8.5 8.5v7h7v-7z"
_SPARK: Final = "M{} {}l1 2.3 2.3 1-2.3 1-1 2.3-1-2.3-2.3-1 2.3-1z"
_ROCKET: Final = f"M8.6 8 12 1l3.4 7v8.5H8.6zM11.2 16.5h1.6V23h-1.6z{_SPARK.format(4, 11)}{_SPARK.format(20, 4)}"

FORMS: Final[Mapping[str, Form]] = {
    # events
    "empty_bowl": (("form", _BOWL), ("cut", "M12 10l-2.5 3.5 3.5 2-2 4.5")),
    "helmet": (
        ("form", "M12 .5l1.4 3.8C18.4 5.2 21 9.5 21 14.5H3c0-5 2.6-9.3 7.6-10.2z"),
        ("form", "M1 15.5h22V18H1zM3.5 19H9l-1 4.5C5.5 23 4 21.5 3.5 19zM20.5 19H15l1 4.5c2.5-.5 4-2 4.5-4.5z"),
        ("cut", "M12 5.5v8.5"),
    ),
    "mortar": (
        ("form", "M16 .5l3.5 2-5 8h-4z"),
        ("form", "M2.5 10.5h19c0 4-2.2 6.6-5.5 7.7v1.3h2.5v3h-13v-3H8v-1.3c-3.3-1.1-5.5-3.7-5.5-7.7z"),
        ("cut", "M5 13.5h14"),
    ),
    "coin": (("form", _COIN), ("cut", "M12 4.2v1.6M12 18.2v1.6M4.2 12h1.6M18.2 12h1.6")),
    "rocket": (("form", _ROCKET), ("cut", "M9 10.5h6M9 13.5h6")),
    "leaf": (("form", "M3 21C2 10 8 3 22 2c.5 13-5 19-15.5 17.5L4 22.5z"), ("cut", "M6 18.5C9 13.5 13 9.5 17.5 6.5")),
    # persons
    "hammer": (("form", "M3 3h12.5L21 7v3.5H3zM9.5 10.5h4.5v12.5H9.5z"), ("cut", "M7 3.5v6.5")),
    "fan": (
        ("form", "M12 22.5.8 9.5C6.5.5 17.5.5 23.2 9.5z"),
        ("cut", "M12 20.5V4M12 20.5 6 5.5M12 20.5 18 5.5"),
    ),
    "buddha": (
        ("form", "M12 1.5a4 4 0 1 1 0 8 4 4 0 1 1 0-8z"),
        (
            "form",
            "M12 10c5 0 7 3.5 7.3 7.3C21.8 17.6 23 18.8 23 20c0 1.7-4 2.7-11 2.7"
            "S1 21.7 1 20c0-1.2 1.2-2.4 3.7-2.7C5 13.5 7 10 12 10z",
        ),
        ("cut", "M7 19c2-2.5 8-2.5 10 0"),
    ),
    "sack": (
        ("form", "M7.5 1.5h9l-2.2 4.7C19 8.2 21.5 12.5 21.5 16.5c0 4-3 6-9.5 6s-9.5-2-9.5-6c0-4 2.5-8.3 7.2-10.3z"),
        ("cut", "M9 6.5h6M12 11v7M9.5 13l2.5 2 2.5-2"),
    ),
    "book": (
        ("form", "M1 4.5c4.5-1.5 8-1 11 1.2 3-2.2 6.5-2.7 11-1.2v15.5c-4.5-1.5-8-1-11 1.2-3-2.2-6.5-2.7-11-1.2z"),
        (
            "cut",
            "M12 6.5v13M4 8.5c2-.4 3.7-.2 5.2.6M4 12.5c2-.4 3.7-.2 5.2.6"
            "M20 8.5c-2-.4-3.7-.2-5.2.6M20 12.5c-2-.4-3.7-.2-5.2.6",
        ),
    ),
    "any": (("form", "M12 1 23 12 12 23 1 12z"), ("cut", "M9 9.5c0-4 6-4 6-.3 0 2.3-3 2.3-3 4.8M12 16.5v1.5")),
    # goods and cards
    "full_bowl": (("form", f"M3.5 9C5 1.5 19 1.5 20.5 9z{_BOWL}"), ("cut", "M1 9.5h22")),
    "scroll": (
        ("form", "M3.5 1.5h17a2 2 0 0 1 0 4H19V18.5h1.5a2 2 0 0 1 0 4h-17a2 2 0 0 1 0-4H5V5.5H3.5a2 2 0 0 1 0-4z"),
        ("cut", "M8 9h8M8 12h8M8 15h5"),
    ),
    "seal": (
        ("form", "M3.5 1.5h17a2 2 0 0 1 0 4H19V18.5h1.5a2 2 0 0 1 0 4h-17a2 2 0 0 1 0-4H5V5.5H3.5a2 2 0 0 1 0-4z"),
        ("cut", "M8.5 8.5h7v7h-7zM12 8.5v7M8.5 12h7"),
    ),
    "wall": (
        ("form", "M1 7V3.5h4.5V7h4.2V3.5h4.6V7h4.2V3.5H23v18H1z"),
        ("cut", "M1 12h22M1 16.5h22M8 7v5M16 7v5M12 12v4.5M5 16.5v5M19 16.5v5"),
    ),
    "steps": (("form", "M2 3h5l8 9-8 9H2l8-9zM11 3h5l8 9-8 9h-5l8-9z"),),
    "pagoda": (
        ("form", "M12 1c2 4 6 6.5 11 7l-1 2.5H2L1 8c5-.5 9-3 11-7zM4 11.5h16v11h-5.5v-5a2.5 2.5 0 0 0-5 0v5H4z"),
    ),
    "burst": (
        (
            "form",
            "M12 .5l2.5 6.5 6-3.5-3 6.2 6.5 2.3-6.5 2.3"
            " 3 6.2-6-3.5L12 23.5 9.5 17l-6 3.5 3-6.2L0 12l6.5-2.3-3-6.2 6 3.5z",
        ),
    ),
}

PERSON_FORMS: Final[Mapping[str, str]] = {
    "craftsman": "hammer",
    "court_lady": "fan",
    "tax_collector": "coin",
    "pyrotechnist": "rocket",
    "warrior": "helmet",
    "monk": "buddha",
    "healer": "mortar",
    "farmer": "sack",
    "scholar": "book",
}
EVENT_FORMS: Final[Mapping[EventTile, str]] = {
    "peace": "leaf",
    "imperial_tribute": "coin",
    "drought": "empty_bowl",
    "dragon_festival": "rocket",
    "mongol_invasion": "helmet",
    "contagion": "mortar",
}
CARD_FORMS: Final[Mapping[str, str]] = {
    **PERSON_FORMS,
    "wild": "any",
    "taxes": "coin",
    "build": "hammer",
    "harvest": "sack",
    "fireworks": "rocket",
    "military_parade": "helmet",
    "research": "book",
    "privilege": "seal",
    "build_wall": "wall",
}
WALL_FORMS: Final[Mapping[WallTile, str]] = {
    "rice": "full_bowl",
    "fireworks": "rocket",
    "palace": "pagoda",
    "yuan": "coin",
    "person_track": "steps",
}
check_complete(tiles.FACTS, PERSON_FORMS)
check_complete(tiles.EVENT_TILES, EVENT_FORMS)
check_complete((*tiles.HAND, *get_args(ActionCard)), CARD_FORMS)
check_complete(tiles.WALL_TILES, WALL_FORMS, but=("points",))


@cache
def form(name: str, x: float, y: float, size: float, tone: str = "") -> Node:
    """A form in a square of `size`, whose upper left corner is at (`x`, `y`). `tone`: a class for its colour."""
    layers = [Node("path", {"class": layer, "d": path}) for layer, path in FORMS[name]]
    attributes: dict[str, str | float] = {"transform": f"translate({x:g} {y:g}) scale({size / 24:.4g})"}
    return Node("g", attributes | ({"class": tone} if tone else {}), layers)
