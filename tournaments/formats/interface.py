"""What the formats, standings and ratings of a tournament share: plain values, without I/O.

Pairings are pure functions of the entries, the settings, the rounds played so far and a seed. `k` is the number of
seats at a full table.
"""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct


class Entry(Struct, frozen=True, kw_only=True):
    """A bot in a tournament. Its index in the list of entries identifies it; late entries come last."""

    name: str
    owner: str | None = None
    joined: int = 1
    """The first round that it may play."""
    withdrawn: int | None = None
    """The first round that it plays no more; None while it takes part."""

    def plays(self, round_number: int) -> bool:
        """Whether it takes part in a round."""
        return self.joined <= round_number and (self.withdrawn is None or round_number < self.withdrawn)


class Table(Struct, frozen=True):
    """Bots that meet in a round, as indices of entries, in the order of the seats in the first rotation."""

    bots: tuple[int, ...]


class Round(Struct, frozen=True, kw_only=True):
    """Tables that are played with the same knowledge of results, all full ones with the same deals."""

    number: int
    tables: tuple[Table, ...]
    byes: tuple[int, ...] = ()
    """Bots that would have played but got no table."""
    deals: int
    """Deals that each table plays, each in every rotation."""


class GameResult(Struct, frozen=True, kw_only=True):
    """One game: by position in `Table.bots` (not by seat) the ranks, scores and forfeits."""

    deal: int
    """Counts through the tournament."""
    rotation: int
    """From 0."""
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    forfeits: tuple[bool, ...]
    """Bots that could not be started or were withdrawn at this table."""
    faults: tuple[bool, ...]


class TableResult(Struct, frozen=True, kw_only=True):
    """A table with its games, in the order of deals and rotations."""

    table: Table
    games: tuple[GameResult, ...]


class PlayedRound(Struct, frozen=True, kw_only=True):
    """A round with the results of its tables, in the order of `Round.tables`."""

    round: Round
    results: tuple[TableResult, ...]


Points = Fraction
"""Points are exact: halves and thirds add up without error."""

History = Sequence[PlayedRound]
"""The rounds played so far, the first one first."""
