"""Openings: the decisions at the start of a game that nobody is asked for.

`Openings` is plain data: what is sent to the processes that play games. Its `opener` gives the games of one
configuration, each at the first decision that somebody is asked for.
"""

from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

from referee.games.chance import Seeded
from referee.games.interface import Game


class OpenedGame(NamedTuple):
    """A game whose opening has been played."""

    game: Game
    source: str
    """What the opening is taken from, for the record."""


class Opener(Protocol):
    """Gives games of one configuration after their openings."""

    def begin(self, number: int, seed: str) -> OpenedGame:
        """A new game with this opening, numbered from 0, and with draws from `seed`, the seed of its deal."""


class DrawnOpenings(Struct, frozen=True, kw_only=True, tag="drawn"):
    """Openings of random legal actions, which leave at least one decision with a choice.

    In a game without chance no two openings are equal before all that exist have been used; then they begin again. In
    a game with chance each follows from the seed of its deal.
    """

    plies: int
    """The number of decisions, forced ones included; there are fewer where the game would end otherwise."""
    seed: str

    def opener(self, game: type[Game], config: Any) -> Opener:
        return _RandomOpener(self, game, config) if game.traits.chance else _DistinctOpener(self, game, config)

    @property
    def source(self) -> str:
        return f"{self.plies} drawn decisions"


Openings = DrawnOpenings


class _RandomOpener:
    """Draws the opening of each deal from its seed."""

    def __init__(self, openings: DrawnOpenings, game: type[Game], config: Any) -> None:
        self._openings, self._rules, self._config = openings, game, config

    def begin(self, number: int, seed: str) -> OpenedGame:
        game = self._rules.new(self._config, Seeded(seed))
        plies = self._openings.plies
        return OpenedGame(next(_all_openings(game, plies, Random(f"{seed}/opening"))), self._openings.source)


class _DistinctOpener:
    """Enumerates the openings of a game without chance, as far as they are needed."""

    def __init__(self, openings: DrawnOpenings, game: type[Game], config: Any) -> None:
        start = game.new(config, Seeded(openings.seed))
        self._source = openings.source
        self._rest = _all_openings(start, openings.plies, Random(openings.seed))
        self._found: list[Game] = []

    def begin(self, number: int, seed: str) -> OpenedGame:
        while number >= len(self._found) and (game := next(self._rest, None)) is not None:
            self._found.append(game)
        return OpenedGame(self._found[number % len(self._found)].copy(chance=Seeded(seed)), self._source)


def _all_openings(game: Game, plies: int, random: Random) -> Iterator[Game]:
    """The game after each opening of this many decisions, in a random order, in which openings that follow each other
    differ early. An opening is shorter where each further action leaves no choice until the end of the game."""
    untried = game.legal_actions()[:] if plies else []
    random.shuffle(untried)
    begun: deque[Iterator[Game]] = deque()
    found = False
    while untried or begun:
        if untried:
            following = game.copy()
            following.apply(untried.pop(), opening=True)
            if not has_choices(following):
                continue
            rest = _all_openings(following, plies - 1, random)
        else:
            rest = begun.popleft()
        opened = next(rest, None)
        if opened is not None:
            found = True
            yield opened
            begun.append(rest)
    if not found:
        yield game


def has_choices(game: Game) -> bool:
    """Whether a decision with several legal actions is still to come, if nothing but forced ones are taken before."""
    while game.turn is not None and game.is_forced():
        game = game.copy()
        game.apply(game.legal_actions()[0])
    return game.turn is not None
