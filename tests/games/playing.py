"""Playing any game of the registry by random decisions, for tests that hold for every game."""

import contextlib
import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple, Protocol

import pytest

from referee.games import Game, OptionError, Turn, find_codec, find_game, find_presenter, game_names, new_game
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.tiles import NEVER_DRAWN
from referee.games.options import Option, options
from referee.games.year_of_the_dragon import YearOfTheDragon, tiles
from referee.testing import encode
from tests.cases import some_in_ci

NOT_WHOLE: tuple[Any, ...] = (1.5, 1.0, "3", b"3", True, None, [1])
"""Values that are no whole numbers, of which some could be taken for one."""
ALL_VALUES = 10
"""Ranges of up to this number of values are tried in full."""


class Setup(NamedTuple):
    """A game of the registry and options for it, as text from a command line or as their own types."""

    game: str
    options: Mapping[str, Any]

    def begin(self, seed: int | str) -> Game:
        """A new game, at its first decision."""
        return new_game(self.game, seed, **self.options)

    def __str__(self) -> str:
        return "-".join([self.game, *map(str, self.options.values())])


def games_for_people() -> list[str]:
    """The names of the games that have a presenter."""
    return [name for name in game_names() if find_presenter(find_game(name)) is not None]


def games_for_learners() -> list[str]:
    """The names of the games that have a codec."""
    found = []
    for name in game_names():
        with contextlib.suppress(OptionError):
            find_codec(find_game(name))
            found.append(name)
    return found


def values_of(option: Option) -> list[str]:
    """Values of an option according to its description, except files: all of them, or some of a large range."""
    if bounds := re.fullmatch(r"(-?\d+) to (-?\d+)", option.values):
        low, high = int(bounds[1]), int(bounds[2])
        values = range(low, high + 1)
        if len(values) > ALL_VALUES:
            between = [Random(option.name).randint(low, high) for _ in range(3)]
            return [str(value) for value in sorted({low, low + 1, option.default, *between, high - 1, high})]
        return [str(value) for value in values]
    return [value for value in re.split(", | or ", option.values) if re.fullmatch(r"[a-z0-9_]+", value)]


def takes_a_file(option: Option) -> bool:
    """Whether the value of the option can be the name of a file."""
    return "FILE" in option.values


def option_setups(name: str) -> list[Setup]:
    """Setups in which every value of every option occurs, each with various values of the others."""
    values = {option.name: values_of(option) for option in options(find_game(name).Config)}
    count = max(map(len, values.values()))
    mixed = {option: [*each, *Random(option).choices(each, k=count)] for option, each in values.items()}
    return [Setup(name, {option: mixed[option][row] for option in mixed}) for row in range(count)]


def some_setups(name: str) -> list[Any]:
    """The same, as cases of a test: in CI with all numbers of players, and every value of most options."""
    setups = option_setups(name)
    return some_in_ci(setups, [*setups[:3], setups[-1]])


def random_turns(game: Game, decider: str, every: int = 1) -> Iterator[Turn]:
    """Play to the end by random decisions; yields one turn in `every`, before its decision."""
    random = Random(decider)
    count = 0
    while game.turn is not None:
        if count % every == 0:
            yield game.turn
        count += 1
        game.apply(random.choice(game.legal_actions()))


def seats(game: Game) -> range:
    """The seats of a game."""
    players: int = game.config.players
    return range(players)


def log_bytes(game: Game) -> bytes:
    """The whole log, hidden events included, as JSON."""
    return encode(game.log)


# -- hidden information --------------------------------------------------------------------------------------


class Scrambler(Protocol):
    """Replaces everything that a seat may not see by something else.

    `deciding`: the seat is about to decide, so what the rules show it right after its decision is not changed.
    """

    def __call__(self, game: Any, seat: int, random: Random, *, deciding: bool) -> None:
        """Change the game in place."""


def scramble_dragon(game: Any, seat: int, random: Random, *, deciding: bool) -> None:
    """Give the other seats the same number of other cards."""
    assert isinstance(game, YearOfTheDragon)
    for other, hand in enumerate(game.hands):
        if other != seat:
            game.hands[other] = random.sample(tiles.HAND, len(hand))


def scramble_city(game: Any, seat: int, random: Random, *, deciding: bool) -> None:
    """Shuffle each stack, the last two tiles included; the other seats' tiles in hand are shuffled into theirs.

    By deciding, a seat draws its next tile; or the game ends, and all stacks are shown.
    """
    assert isinstance(game, ForbiddenCity)
    others = [other for other in seats(game) if other != seat]
    if deciding and len(game.stacks[seat]) == NEVER_DRAWN and not any(game.hands[other] for other in others):
        return
    next_tile = [game.stacks[seat].pop()] if deciding and len(game.stacks[seat]) > NEVER_DRAWN else []
    random.shuffle(game.stacks[seat])
    game.stacks[seat] += next_tile
    for other in others:
        hand, stack = game.hands[other], game.stacks[other]
        hidden = stack if hand is None else [*stack, hand]
        random.shuffle(hidden)
        game.hands[other] = None if hand is None else hidden.pop()
        game.stacks[other] = hidden


class Scramblers(dict[str, Scrambler | None]):
    """By game. Every game of the registry needs an entry; None says that nothing is hidden from a seat."""

    def __missing__(self, name: str) -> Scrambler | None:
        """Fail the test that asks, and say what to do."""
        pytest.fail(f"add to SCRAMBLERS in tests/games/playing.py what {name} hides from a seat", pytrace=False)


SCRAMBLERS = Scramblers({YearOfTheDragon.name: scramble_dragon, ForbiddenCity.name: scramble_city})
