"""The options of a game."""

from typing import Annotated, Literal

from msgspec import Meta

from referee.games.interface import GameConfig
from referee.games.year_of_the_dragon.tiles import Edition, SuperEvent

SuperEventOption = Literal[SuperEvent, "random"]


class DragonConfig(GameConfig, frozen=True, kw_only=True):
    """Options of In the Year of the Dragon (rules page, section 1)."""

    players: Annotated[int, Meta(ge=2, le=5, description="number of players")] = 3
    edition: Annotated[Edition, Meta(description="a large privilege costs 7 yuan, or 6 in the first edition")] = (
        "anniversary"
    )
    great_wall: Annotated[bool, Meta(description="expansion I, the Great Wall")] = False
    super_event: Annotated[SuperEventOption, Meta(description="expansion II, what strikes in round 7")] = "none"
