"""The rules of the games, pure and synchronous, usable as a library.

>>> import random
>>> from referee.games import new_game
>>> game = new_game("year_of_the_dragon", seed=7, players=3)
>>> while game.turn:
...     game.apply(random.Random(1).choice(game.legal_actions()))
>>> sorted(game.ranking().ranks)
[1, 2, 3]
"""

from typing import Any

from referee.games.chance import Chance, ChanceError, Recorded, Seeded
from referee.games.forbidden_city import ForbiddenCity
from referee.games.interface import Action, Event, Game, GameConfig, IllegalAction, OptionError, Ranking, Turn
from referee.games.options import config_from
from referee.games.year_of_the_dragon import YearOfTheDragon

GAMES: dict[str, type[Game]] = {
    YearOfTheDragon.name: YearOfTheDragon,
    ForbiddenCity.name: ForbiddenCity,
}
"""Every game by its name: a new game is one package and one line here."""


def new_game(name: str, seed: int | str, **options: Any) -> Game:
    """A new game of the registry. Raises OptionError for an unknown game or a bad option."""
    game = find_game(name)
    return game.new(config_from(game.Config, options, from_text=True), Seeded(seed))


def find_game(name: str) -> type[Game]:
    """The game of that name. Raises OptionError, which lists the names there are."""
    try:
        return GAMES[name]
    except KeyError:
        raise OptionError(f"there is no game {name!r}; there is: {', '.join(GAMES)}") from None


__all__ = [
    "GAMES",
    "Action",
    "Chance",
    "ChanceError",
    "Event",
    "Game",
    "GameConfig",
    "IllegalAction",
    "OptionError",
    "Ranking",
    "Recorded",
    "Seeded",
    "Turn",
    "config_from",
    "find_game",
    "new_game",
]
