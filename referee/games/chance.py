"""Where a game's randomness comes from: a seed, or the draws of a record.

A game holds no random generator. Each draw has a name, and a round where there is one per round, and is answered by a
source that never changes, so that copies of a game share it.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from referee.errors import RefereeError

T = TypeVar("T")


class ChanceError(RefereeError):
    """A draw that a record does not hold (`missing`), or whose value the rules make impossible."""

    def __init__(self, name: str, round_no: int | None, problem: str, *, missing: bool = False) -> None:
        super().__init__(f"{describe_draw(name, round_no)}: {problem}")
        self.name = name
        self.round_no = round_no
        self.missing = missing


def describe_draw(name: str, round_no: int | None) -> str:
    """A draw as messages name it."""
    return name if round_no is None else f"{name} of round {round_no}"


class Chance(Protocol):
    """Answers the draws of one game."""

    def draw(self, name: str, sample: Callable[[random.Random], T], value_type: Any, round_no: int | None = None) -> T:
        """The value of a draw, of the type `value_type`; `sample` makes one from a generator.

        Raises ChanceError where there is no such value.
        """
        ...


class Seeded:
    """Draws from a seed. Every draw has a generator of its own, made from the seed, the name and the round.

    So a draw does not depend on how many were made before it, and the same seed gives the same shuffles whatever the
    players decide.
    """

    __slots__ = ("seed",)

    def __init__(self, seed: int | str) -> None:
        self.seed = str(seed)

    def draw(self, name: str, sample: Callable[[random.Random], T], value_type: Any, round_no: int | None = None) -> T:
        """What `sample` makes with the generator of this draw."""
        return sample(random.Random(f"{self.seed}/{name}/{round_no}"))


class Recorded:
    """Draws from a record, given as a mapping from (name, round) to the JSON value.

    The mapping may grow while the game is replayed.
    """

    __slots__ = ("values",)

    def __init__(self, values: Mapping[tuple[str, int | None], Any]) -> None:
        self.values = values

    def draw(self, name: str, sample: Callable[[random.Random], T], value_type: Any, round_no: int | None = None) -> T:
        """The recorded value, converted to `value_type`."""
        try:
            value: T = msgspec.convert(self.values[name, round_no], value_type)
        except KeyError:
            raise ChanceError(name, round_no, "no chance line gives them", missing=True) from None
        except msgspec.ValidationError as error:
            raise ChanceError(name, round_no, f"ill-formed: {error}") from None
        return value
