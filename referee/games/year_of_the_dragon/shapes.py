"""The forms that stand for events, goods, persons and cards in drawings, from `forms.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, get_args

from referee.games.renderer import Node
from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.tiles import ActionCard, EventTile, WallTile

_file: Final[Any] = tomllib.loads(Path(__file__).with_name("forms.toml").read_text(encoding="utf-8"))
FORMS: Final[Mapping[str, Sequence[tuple[str, str]]]] = _file["forms"]
PERSON_FORMS: Final[Mapping[str, str]] = _file["persons"]
EVENT_FORMS: Final[Mapping[EventTile, str]] = _file["events"]
CARD_FORMS: Final[Mapping[str, str]] = {**PERSON_FORMS, **_file["cards"]}
WALL_FORMS: Final[Mapping[WallTile, str]] = _file["wall_tiles"]
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
