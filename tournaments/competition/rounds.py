"""Rounds, tables and results as formats, standings and ratings see them: plain values."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import wraps
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, TypeVar

from msgspec import Struct


class Entry(Struct, frozen=True, kw_only=True):
    """A bot in a tournament. Its index in the list of entries identifies it; late entries come last."""

    name: str
    owner: str | None = None
    joined: int = 1
    """The first round that it may play."""
    withdrawn: int | None = None
    """The first round that it no longer plays, withdrawn or disqualified; None while it takes part."""
    disqualified: bool = False
    missed: tuple[range, ...] = ()
    """Rounds between a withdrawal and its reinstatement."""
    byes: tuple[tuple[int, "Points"], ...] = ()
    """Rounds in which it is absent at its request, with their points."""
    adjustments: tuple[tuple[int, "Points"], ...] = ()
    """Penalties (below 0) and bonuses, each with the first round that was paired after it."""

    def plays(self, round_number: int) -> bool:
        return self.belongs(round_number) and all(round_number != number for number, _ in self.byes)

    def belongs(self, round_number: int) -> bool:
        """Whether it takes part in a round, or is absent only at its request."""
        return (
            self.joined <= round_number
            and (self.withdrawn is None or round_number < self.withdrawn)
            and not any(round_number in rounds for rounds in self.missed)
        )

    @property
    def adjustment(self) -> "Points":
        return sum((points for _, points in self.adjustments), Fraction(0))


class Table(Struct, frozen=True):
    """Bots that meet in a round, as indices of entries, in the order of the seats in the first rotation."""

    bots: tuple[int, ...]


DealsOf = Literal["table", "round"]
"""What deals belong to: each table has deals of its own, or all tables of one size in a round play the same deals."""


class Deal(NamedTuple):
    """A deal of a tournament. Games with equal ones have been dealt the same."""

    number: int
    """Numbered through the whole tournament."""
    table: int = 0
    """The table whose own deal it is, from 1; 0 if all tables of one size in its round play it."""

    @classmethod
    def of(cls, deals_of: str, table: int, number: int) -> "Deal":
        """The deal with this number at a table, where deals belong to a `DealsOf`."""
        return cls(number, table if deals_of == "table" else 0)


class Round(Struct, frozen=True, kw_only=True):
    """Tables that are paired by the same results. What their deals belong to is in the regulations."""

    number: int
    tables: tuple[Table, ...]
    byes: tuple[int, ...] = ()
    """Bots that would have played but got no table."""
    deals: int
    """Deals that each table plays, each in every rotation."""


class GameResult(Struct, frozen=True, kw_only=True):
    """One game: by position in `Table.bots` (not by seat) the ranks, scores and forfeits."""

    deal: Deal
    rotation: int
    """From 0."""
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    forfeits: tuple[bool, ...]
    """Bots that could not be started or were withdrawn at this table."""
    faults: tuple[bool, ...]
    decisions_hash: str = ""
    """As in Outcome."""
    by_ruling: bool = False
    """Whether a ruling has set the ranks: then the scores count for nothing, and the game is not rated."""


class TableResult(Struct, frozen=True, kw_only=True, dict=True):
    """A table with its games, in the order of deals and rotations. Derived values are cached in it (see `derived`)."""

    table: Table
    games: tuple[GameResult, ...]
    void: tuple[GameResult, ...] = ()
    """Games that count for nobody by a ruling. A table without any other game counts as unplayed."""


class PlayedRound(Struct, frozen=True, kw_only=True, dict=True):
    """A round with the results of its tables, in the order of `Round.tables`. Derived values are cached in it."""

    round: Round
    results: tuple[TableResult, ...]
    requested: tuple[tuple[int, "Points"], ...] = ()
    """The bots that are absent at their request, with their points."""


Of = TypeVar("Of", TableResult, PlayedRound)
Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def derived(function: Callable[Concatenate[Of, Arguments], Value]) -> Callable[Concatenate[Of, Arguments], Value]:
    """Cache the values of a pure function of a table or round in that object, which never changes.

    A tournament computes the same for all its rounds after each of them. Further arguments are hashable and
    given by position; the returned value must not be modified.
    """

    @wraps(function)
    def kept(of: Of, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
        assert not kwargs
        values: dict[Any, Value] = of.__dict__
        key = (function, *args)
        if key not in values:
            values[key] = function(of, *args, **kwargs)
        return values[key]

    return kept


Points = Fraction
"""Points are exact: halves and thirds add up without error."""

History = Sequence[PlayedRound]
"""The rounds played so far, the first one first."""

PointSystem = Literal["game", "table"]
"""The points for a round: the mean of a table's game points, or its table points."""
