"""The source of a game's random values: a seed, or the draws of a record.

A game has no random generator. Each draw has a name, and a round if it is made once per round. The source has no state,
so copies of a game can share it.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from referee.errors import RefereeError

T = TypeVar("T")

DrawKey = tuple[str, int | None]
"""A draw of a game: its name, and its round if it is made once per round."""


class ChanceError(RefereeError):
    """A draw is not in the record (`missing`), or its value is impossible by the rules."""

    def __init__(self, name: str, round_no: int | None, problem: str, *, missing: bool = False) -> None:
        super().__init__(f"{format_draw(name, round_no)}: {problem}")
        self.name = name
        self.round_no = round_no
        self.missing = missing


def format_draw(name: str, round_no: int | None) -> str:
    return name if round_no is None else f"{name} of round {round_no}"


class Chance(Protocol):
    """Answers the draws of one game."""

    def draw(self, name: str, sample: Callable[[random.Random], T], value_type: Any, round_no: int | None = None) -> T:
        """The value of a draw, of the type `value_type`; `sample` produces one from a generator.

        Raises ChanceError if there is no such value.
        """


class Seeded:
    """Draws from a seed. Each draw has its own generator, seeded with the seed, the name and the round.

    A draw therefore doesn't depend on earlier draws, and a seed gives the same shuffles whatever the players decide.
    """

    __slots__ = ("seed",)

    def __init__(self, seed: int | str) -> None:
        self.seed = str(seed)

    def draw(self, name: str, sample: Callable[[random.Random], T], value_type: Any, round_no: int | None = None) -> T:
        return sample(random.Random(f"{self.seed}/{name}/{round_no}"))


class Recorded:
    """Draws from a record, given as a mapping from (name, round) to the JSON value.

    Values may be added to the mapping while the game is replayed.
    """

    __slots__ = ("values",)

    def __init__(self, values: Mapping[DrawKey, Any]) -> None:
        self.values = values

    def draw(self, name: str, sample: Callable[[random.Random], T], value_type: Any, round_no: int | None = None) -> T:
        try:
            value: T = msgspec.convert(self.values[name, round_no], value_type)
        except KeyError:
            raise ChanceError(name, round_no, "no chance line for this draw", missing=True) from None
        except msgspec.ValidationError as error:
            raise ChanceError(name, round_no, f"ill-formed: {error}") from None
        return value
