"""In the Year of the Dragon: the full rules for 2 to 5 players, two editions, two expansions."""

from typing import Final

from referee.games.registry import GamePackage
from referee.games.year_of_the_dragon.game import YearOfTheDragon

DRAGON_PACKAGE: Final = GamePackage(
    YearOfTheDragon,
    narrator="referee.games.year_of_the_dragon.narrator:DragonNarrator",
    presenter="referee.games.year_of_the_dragon.presenter:DragonPresenter",
    renderer="referee.games.year_of_the_dragon.renderer:DragonRenderer",
    codec="referee.games.year_of_the_dragon.codec:DragonCodec",
    policy="referee.games.year_of_the_dragon.policy:DragonPolicy",
)

__all__ = ["DRAGON_PACKAGE", "YearOfTheDragon"]
