"""The rules of the games, pure and synchronous, usable as a library.

>>> import random
>>> from referee.games import new_game
>>> game = new_game("year_of_the_dragon", seed=7, players=3)
>>> while game.turn:
...     game.apply(random.Random(1).choice(game.legal_actions()))
>>> sorted(game.ranking().ranks)
[1, 2, 3]
"""

from typing import Any, Final

from referee.games.chance import Chance, ChanceError, Recorded, Seeded
from referee.games.codec import Codec
from referee.games.forbidden_city import ForbiddenCity
from referee.games.interface import Action, Event, Game, GameConfig, IllegalAction, OptionError, Ranking, Turn
from referee.games.narrator import Narrator
from referee.games.options import config_from
from referee.games.reconstruction import reconstruct
from referee.games.registry import (
    GamePackage,
    find_codec,
    find_game,
    find_narrator,
    find_presenter,
    find_renderer,
    find_source,
    game_names,
    installed_games,
    register,
    register_source,
    split_parameters,
)
from referee.games.year_of_the_dragon import YearOfTheDragon

DEFAULT_GAME: Final = "year_of_the_dragon"
"""The game that a match plays if none is named."""


register(
    YearOfTheDragon,
    narrator="referee.games.year_of_the_dragon.narrator:DragonNarrator",
    presenter="referee.games.year_of_the_dragon.presenter:DragonPresenter",
    renderer="referee.games.year_of_the_dragon.renderer:DragonRenderer",
    codec="referee.games.year_of_the_dragon.codec:DragonCodec",
    policy="referee.games.year_of_the_dragon.policy:DragonPolicy",
)
register(
    ForbiddenCity,
    narrator="referee.games.forbidden_city.narrator:CityNarrator",
    presenter="referee.games.forbidden_city.presenter:CityPresenter",
    renderer="referee.games.forbidden_city.renderer:CityRenderer",
    known="referee.games.forbidden_city.known:KnownCity",
    codec="referee.games.forbidden_city.codec:CityCodec",
    policy="referee.games.forbidden_city.policy:CityPolicy",
)
register_source("open_spiel", "referee.adapters.open_spiel.source:SOURCE")


def new_game(name: str, seed: int | str, **options: Any) -> Game:
    """A new game. Options may be given as text, also in parentheses after the name.

    Raises OptionError for an unknown game or a bad option.
    """
    name, parameters = split_parameters(name)
    game = find_game(name)
    return game.new(config_from(game.Config, {**parameters, **options}, from_text=True), Seeded(seed))


__all__ = [
    "DEFAULT_GAME",
    "Action",
    "Chance",
    "ChanceError",
    "Codec",
    "Event",
    "Game",
    "GameConfig",
    "GamePackage",
    "IllegalAction",
    "Narrator",
    "OptionError",
    "Ranking",
    "Recorded",
    "Seeded",
    "Turn",
    "config_from",
    "find_codec",
    "find_game",
    "find_narrator",
    "find_presenter",
    "find_renderer",
    "find_source",
    "game_names",
    "installed_games",
    "new_game",
    "reconstruct",
    "register",
    "register_source",
    "split_parameters",
]
