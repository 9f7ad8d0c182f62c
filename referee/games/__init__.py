"""The rules of the games, pure and synchronous, usable as a library.

>>> import random
>>> from referee.games import new_game
>>> game = new_game("year_of_the_dragon", seed=7, players=3)
>>> while game.turn:
...     game.apply(random.Random(1).choice(game.legal_actions()))
>>> sorted(game.ranking().ranks)
[1, 2, 3]
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any, Final, NamedTuple, Required, TypedDict, Unpack

from referee.games.chance import Chance, ChanceError, Recorded, Seeded
from referee.games.codec import Codec
from referee.games.forbidden_city import ForbiddenCity
from referee.games.interface import Action, Event, Game, GameConfig, IllegalAction, OptionError, Ranking, Turn
from referee.games.narrator import Narrator
from referee.games.options import config_from
from referee.games.presenter import Presenter
from referee.games.reconstruction import reconstruct
from referee.games.renderer import Renderer
from referee.games.year_of_the_dragon import YearOfTheDragon

DEFAULT_GAME: Final = "year_of_the_dragon"
"""The game that a match plays if none is named."""


class _Registered(NamedTuple):
    """A game of the registry, and the locations of what is registered with it: `module:class`."""

    game: type[Game]
    narrator: str
    presenter: str | None = None
    renderer: str | None = None
    known: str | None = None
    codec: str | None = None


class Locations(TypedDict, total=False):
    """Where what is registered with a game is found, as `module:class`."""

    narrator: Required[str]
    presenter: str | None
    renderer: str | None
    known: str | None
    codec: str | None


_registry: Final[dict[str, _Registered]] = {}


def register(game: type[Game], **locations: Unpack[Locations]) -> None:
    """Add a game to the registry. Raises ValueError if there is another one with that name.

    `narrator` names its Narrator class as `module:class`, `presenter` its Presenter class, without which people can't
    play it, `renderer` its Renderer class, without which pages show it as text, `known` the class of the game as far as
    an audience knows it, if the game has hidden information (see `Game.reveal`), and `codec` its Codec class, without
    which `referee.gyms` can't have it. They are imported when they are first used, because programs that only need the
    rules should not load them.
    """
    if game.name in _registry and _registry[game.name].game is not game:
        raise ValueError(f"there are two games named {game.name!r}: {_registry[game.name].game!r} and {game!r}")
    _registry[game.name] = _Registered(game, **locations)


@contextmanager
def registered(game: type[Game], **locations: Unpack[Locations]) -> Iterator[None]:
    """`register` a game until the end of a `with` statement, in place of any other one with its name. For tests."""
    before = _registry.get(game.name)
    _registry[game.name] = _Registered(game, **locations)
    try:
        yield
    finally:
        if before is None:
            del _registry[game.name]
        else:
            _registry[game.name] = before


register(
    YearOfTheDragon,
    narrator="referee.games.year_of_the_dragon.narrator:DragonNarrator",
    presenter="referee.games.year_of_the_dragon.presenter:DragonPresenter",
    renderer="referee.games.year_of_the_dragon.renderer:DragonRenderer",
    codec="referee.games.year_of_the_dragon.codec:DragonCodec",
)
register(
    ForbiddenCity,
    narrator="referee.games.forbidden_city.narrator:CityNarrator",
    presenter="referee.games.forbidden_city.presenter:CityPresenter",
    renderer="referee.games.forbidden_city.renderer:CityRenderer",
    known="referee.games.forbidden_city.known:KnownCity",
    codec="referee.games.forbidden_city.codec:CityCodec",
)


def new_game(name: str, seed: int | str, **options: Any) -> Game:
    """A new game. Options may be given as text. Raises OptionError for an unknown game or a bad option."""
    game = find_game(name)
    return game.new(config_from(game.Config, options, from_text=True), Seeded(seed))


def game_names() -> tuple[str, ...]:
    """The names of all registered games, in the order in which they were registered."""
    return tuple(_registry)


def find_game(name: str) -> type[Game]:
    """The rules of the game with this name. Raises OptionError, which lists all names."""
    if name not in _registry:
        raise OptionError(f"unknown game {name!r}; available: {', '.join(_registry)}")
    return _registry[name].game


def find_narrator(game: type[Game]) -> type[Narrator[Any]]:
    """The narrator of a registered game, imported."""
    narrator: type[Narrator[Any]] = resolve_name(_registry[game.name].narrator)
    return narrator


def find_presenter(game: type[Game]) -> type[Presenter[Any]] | None:
    """The presenter of a registered game, imported; None if people can't play it."""
    where = _registry[game.name].presenter
    return None if where is None else resolve_name(where)


def find_known(game: type[Game]) -> type[Game]:
    """The class of a registered game as far as an audience knows it, imported; by default the game itself."""
    where = _registry[game.name].known
    return game if where is None else resolve_name(where)


def find_renderer(game: type[Game]) -> type[Renderer[Any]] | None:
    """The renderer of a registered game, imported; None if pages show the game as text."""
    where = _registry[game.name].renderer
    return None if where is None else resolve_name(where)


def find_codec(game: type[Game]) -> type[Codec[Any]]:
    """The codec of a registered game, imported. Raises OptionError if it has none."""
    where = _registry[game.name].codec
    if where is None:
        raise OptionError(f"{game.name} has no codec, so its actions have no indices; see CONTRIBUTING")
    codec: type[Codec[Any]] = resolve_name(where)
    return codec


__all__ = [
    "DEFAULT_GAME",
    "Action",
    "Chance",
    "ChanceError",
    "Codec",
    "Event",
    "Game",
    "GameConfig",
    "IllegalAction",
    "Narrator",
    "OptionError",
    "Presenter",
    "Ranking",
    "Recorded",
    "Renderer",
    "Seeded",
    "Turn",
    "config_from",
    "find_codec",
    "find_game",
    "find_known",
    "find_narrator",
    "find_presenter",
    "find_renderer",
    "game_names",
    "new_game",
    "reconstruct",
    "register",
    "registered",
]
