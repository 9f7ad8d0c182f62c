"""The interface of a codec: actions as indices, and what a seat sees as a vector of bytes. For learners.

Each game that learners can play has one, registered beside its rules. Both mappings are fixed for a version of the
codec, whatever the options of the game change: a policy that was trained with a version can be used with it for ever.
"""

import abc
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, Generic, NamedTuple, Self, TypeVar

import msgspec
from msgspec import Struct

from referee.games.interface import Action, Game, GameConfig
from referee.games.options import config_of_start

ObservationT = TypeVar("ObservationT", bound=Struct)
HIGHEST: Final = 255
"""The highest value of an element of a vector. Higher numbers of a game are cut to it."""


class Feature(NamedTuple):
    """An element of the vectors of a codec."""

    name: str
    scale: int
    """The highest value that is usual in play: vectors are divided by it to get numbers from 0 to about 1."""


class Codec(abc.ABC, Generic[ObservationT]):
    """The codec of a game with one configuration.

    A vector is made of an observation alone, so that it can't contain what the seat may not see.

    >>> from referee.games import find_codec, find_game, new_game
    >>> game = new_game("year_of_the_dragon", seed=1, players=2)
    >>> codec = find_codec(type(game))(game.public_config())
    >>> seen = game.observe(0)
    >>> codec.offers(seen, game.legal_actions())[0]
    Draft(persons=('court_lady', 'craftsman'))
    >>> len(codec.vector(seen)) == codec.length == len(codec.features)
    True
    """

    game: ClassVar[type[Game]]
    name: ClassVar[str]
    """The name of the way in which actions are numbered."""
    version: ClassVar[int]
    """Changes whenever an index or an element of a vector gets another meaning."""
    size: ClassVar[int]

    def __init__(self, config: GameConfig) -> None:
        self.config: Any = config
        self.length = self._count_features()
        """The number of elements of a vector."""

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        return tuple(self._list_features())

    @classmethod
    def id(cls) -> str:
        """The game with the name and the version of its codec."""
        return f"{cls.game.name}-{cls.name}-v{cls.version}"

    @classmethod
    @abc.abstractmethod
    def meanings(cls) -> Iterator[str]:
        """What each index means, in order."""

    @abc.abstractmethod
    def _list_features(self) -> Iterator[Feature]:
        """The elements of a vector in order. Their number depends on the options of the game."""

    def _count_features(self) -> int:
        """The number of `features`. Overridden where listing them takes long."""
        return len(self.features)

    @abc.abstractmethod
    def indices(self, seen: ObservationT, legal: Sequence[Action]) -> list[int]:
        """The index of each legal action of the decision that is due to the observing seat; -1 if it has none."""

    @abc.abstractmethod
    def vector(self, seen: ObservationT) -> bytearray:
        """An observation as bytes, one for each of `features`."""

    # -- shared by all codecs -----------------------------------------------------------------------------------

    def offers(self, seen: ObservationT, legal: Sequence[Action]) -> dict[int, Action]:
        """The legal actions by index, without those that have none. `seen` is of the seat whose decision is due."""
        offered = dict(zip(self.indices(seen, legal), legal, strict=True))
        offered.pop(-1, None)
        return offered

    @classmethod
    def of_start(cls, start: Mapping[str, Any]) -> Self:
        """The codec for a game that a bot was sent the `start` of."""
        return cls(config_of_start(cls.game.Config, start))

    def of_message(self, act: Mapping[str, Any]) -> tuple[bytearray, list[int]]:
        """The vector of an `act` as a bot receives it, and the index of each of its legal actions, -1 for none."""
        seen: Any = msgspec.convert(act["observation"], self.game.Observation)
        action = self.game.actions[act["decision"]]
        return self.vector(seen), self.indices(seen, [msgspec.convert(each, action) for each in act["legal"]])

    @classmethod
    def digest(cls, configs: Sequence[GameConfig]) -> str:
        """A hash over the meanings of all indices, and of all elements of vectors with these configurations."""
        lines = [cls.id(), *cls.meanings()]
        for config in configs:
            lines += [f"{name} {scale}" for name, scale in cls(config).features]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
