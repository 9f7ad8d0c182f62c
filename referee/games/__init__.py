"""The rules of the games, pure and synchronous, usable as a library.

>>> import random
>>> from referee.games import new_game
>>> game = new_game("year_of_the_dragon", seed=7, players=3)
>>> while game.turn:
...     game.apply(random.Random(1).choice(game.legal_actions()))
>>> sorted(game.ranking().ranks)
[1, 2, 3]
"""

from pkgutil import resolve_name
from typing import Any, Final

from referee.games.chance import Chance, ChanceError, Recorded, Seeded
from referee.games.forbidden_city import ForbiddenCity
from referee.games.interface import Action, Event, Game, GameConfig, IllegalAction, OptionError, Ranking, Turn
from referee.games.narrator import Narrator
from referee.games.options import config_from
from referee.games.presenter import Presenter
from referee.games.year_of_the_dragon import YearOfTheDragon

GAMES: Final[dict[str, type[Game]]] = {}
"""The rules of every registered game by its name."""
NARRATORS: Final[dict[str, str]] = {}
"""The narrator of every registered game by the game's name, as `module:class`."""
PRESENTERS: Final[dict[str, str]] = {}
"""The presenters of the games that people can play, likewise."""


def register(game: type[Game], *, narrator: str, presenter: str | None = None) -> None:
    """Add a game to the registry.

    `narrator` names its Narrator class as `module:class`, and `presenter` its Presenter class, without which no person
    can play it. They are imported when they are first used, because programs that only need the rules should not load
    them.
    """
    GAMES[game.name] = game
    NARRATORS[game.name] = narrator
    if presenter is not None:
        PRESENTERS[game.name] = presenter


register(
    YearOfTheDragon,
    narrator="referee.games.year_of_the_dragon.narrator:DragonNarrator",
    presenter="referee.games.year_of_the_dragon.presenter:DragonPresenter",
)
register(
    ForbiddenCity,
    narrator="referee.games.forbidden_city.narrator:CityNarrator",
    presenter="referee.games.forbidden_city.presenter:CityPresenter",
)


def new_game(name: str, seed: int | str, **options: Any) -> Game:
    """A new game. Options may be given as text. Raises OptionError for an unknown game or a bad option."""
    game = find_game(name)
    return game.new(config_from(game.Config, options, from_text=True), Seeded(seed))


def find_game(name: str) -> type[Game]:
    """The rules of the game with this name. Raises OptionError, which lists all names."""
    try:
        return GAMES[name]
    except KeyError:
        raise OptionError(f"there is no game {name!r}; available: {', '.join(GAMES)}") from None


def find_narrator(game: type[Game]) -> type[Narrator[Any]]:
    """The narrator of a game, imported."""
    narrator: type[Narrator[Any]] = resolve_name(NARRATORS[game.name])
    return narrator


def find_presenter(game: type[Game]) -> type[Presenter[Any]] | None:
    """The presenter of a game, imported; None if people can't play it."""
    if game.name not in PRESENTERS:
        return None
    presenter: type[Presenter[Any]] = resolve_name(PRESENTERS[game.name])
    return presenter


__all__ = [
    "GAMES",
    "NARRATORS",
    "PRESENTERS",
    "Action",
    "Chance",
    "ChanceError",
    "Event",
    "Game",
    "GameConfig",
    "IllegalAction",
    "Narrator",
    "OptionError",
    "Presenter",
    "Ranking",
    "Recorded",
    "Seeded",
    "Turn",
    "config_from",
    "find_game",
    "find_narrator",
    "find_presenter",
    "new_game",
    "register",
]
