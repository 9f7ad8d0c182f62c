"""Where a game's randomness comes from: a seed, or the chance lines of a record.

A rules engine never holds a random generator. Each draw is named (`what`, and `round` where there is one per
round) and answered by a source that is immutable, so that copies of a game share it for free.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

T = TypeVar("T")


class ChanceError(Exception):
    """A draw that a record doesn't hold (`missing`), or that the rules make impossible."""

    def __init__(self, what: str, round_no: int | None, problem: str, *, missing: bool = False) -> None:
        where = what if round_no is None else f"{what} of round {round_no}"
        super().__init__(f"{where}: {problem}")
        self.what = what
        self.round_no = round_no
        self.missing = missing


class Chance(Protocol):
    """Answers the named draws of one game."""

    def draw(self, what: str, deal: Callable[[random.Random], T], shape: Any, round_no: int | None = None) -> T:
        """The value of the draw `what`. `deal` makes one from a generator; `shape` is the value's type.

        Raises ChanceError when there is no such value.
        """
        ...


class Seeded:
    """Draws from a seed: every draw has a generator of its own, keyed by seed, name and round.

    So a draw doesn't depend on how many came before it, and the same seed gives the same shuffles whatever the
    players decide.
    """

    __slots__ = ("seed",)

    def __init__(self, seed: int | str) -> None:
        self.seed = str(seed)

    def draw(self, what: str, deal: Callable[[random.Random], T], shape: Any, round_no: int | None = None) -> T:
        """What `deal` makes with the generator of this draw."""
        return deal(random.Random(f"{self.seed}/{what}/{round_no}"))


class Recorded:
    """Draws from the chance lines of a record, given as a mapping from (what, round) to the JSON value.

    The mapping may still grow while the game is replayed.
    """

    __slots__ = ("values",)

    def __init__(self, values: Mapping[tuple[str, int | None], Any]) -> None:
        self.values = values

    def draw(self, what: str, deal: Callable[[random.Random], T], shape: Any, round_no: int | None = None) -> T:
        """The recorded value, in the type `shape`."""
        try:
            value: T = msgspec.convert(self.values[what, round_no], shape)
        except KeyError:
            raise ChanceError(what, round_no, "no chance line gives them", missing=True) from None
        except msgspec.ValidationError as error:
            raise ChanceError(what, round_no, f"ill-formed: {error}") from None
        return value
