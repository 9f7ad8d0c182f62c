"""The configurations in which a bot is tried: together they cover every value of every option of a game."""

from functools import cache
from typing import Any, Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from referee.games import Game
from referee.games.options import Option, options

PLAYERS: Final = "players"


class Variant(Struct, frozen=True, kw_only=True):
    """A configuration of a game, named after what is special in it."""

    game: type[Game]
    name: str
    """`OPTION=VALUE`"""
    config: Any
    plain: bool = False
    """Whether all options have their defaults."""

    @property
    def id(self) -> str:
        """`GAME.OPTION=VALUE`"""
        return f"{self.game.name}.{self.name}"

    def format_options(self) -> str:
        """The options that don't have their defaults."""
        given = [f"{self.config.players} players"]
        for option in options(self.game.Config):
            value = getattr(self.config, option.name)
            if option.name != PLAYERS and value != option.default:
                given.append(f"{option.name}={format_value(value)}")
        return ", ".join(given)


@cache
def variants(game: type[Game], *, quick: bool = False) -> list[Variant]:
    """The configurations of a game, the plain one first.

    Every number of players, every value of every other option, and the game's `further_configs`. `quick`:
    every number of players, the last of them with all options changed.
    """
    players, *others = sorted(options(game.Config), key=lambda option: option.name != PLAYERS)
    assert isinstance(players.minimum, int)
    assert isinstance(players.maximum, int)
    numbers = list(dict.fromkeys((players.default, *range(players.minimum, players.maximum + 1))))
    found = [
        Variant(game=game, name=f"{PLAYERS}={number}", config=game.Config(players=number), plain=number == numbers[0])
        for number in numbers
    ]
    if quick:
        changed = {option.name: values(option)[-1] for option in others if values(option)}
        found[-1] = replace(found[-1], config=game.Config(players=numbers[-1], **changed))
        return found
    for option in others:
        for place, value in enumerate(values(option)):
            number = numbers[-1 - place % len(numbers)]
            mixed = {}
            if len(values(option)) > 1:
                mixed = {other.name: alternated(other, place >> each) for each, other in enumerate(others)}
            config = game.Config(**{**mixed, PLAYERS: number, option.name: value})
            found.append(Variant(game=game, name=f"{option.name}={format_value(value)}", config=config))
    further = game.further_configs()
    return found + [Variant(game=game, name=name, config=config) for name, config in further.items()]


def values(option: Option) -> list[Any]:
    """The values of an option besides its default; none if they can't be listed."""
    if option.choices is UNSET:
        return []
    assert isinstance(option.choices, list)
    return [value for value in option.choices if value != option.default]


def alternated(option: Option, place: int) -> Any:
    """The default of an option or one of its other values, alternately."""
    every = [option.default, *values(option)]
    return every[place % len(every)]


def format_value(value: Any) -> str:
    """A value as it is written on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)
