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
    split_parameters,
)

DEFAULT_GAME: Final = "year_of_the_dragon"
"""The game that a match plays if none is named."""


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
    "split_parameters",
]
