"""The Forbidden City: tile laying on an unbounded board with hidden tiles, for 2 to 4 players."""

from typing import Final

from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.registry import GamePackage

CITY_PACKAGE: Final = GamePackage(
    ForbiddenCity,
    narrator="referee.games.forbidden_city.narrator:CityNarrator",
    presenter="referee.games.forbidden_city.presenter:CityPresenter",
    renderer="referee.games.forbidden_city.renderer:CityRenderer",
    known="referee.games.forbidden_city.known:KnownCity",
    codec="referee.games.forbidden_city.codec:CityCodec",
    policy="referee.games.forbidden_city.policy:CityPolicy",
)

__all__ = ["CITY_PACKAGE", "ForbiddenCity"]
