"""The end of a game: the order of faults, the early end, the final ranks. Plain data, without players or processes.

The rules are those of `protocol/specification.md`, section 8. The game runner and the replay of a record both use them.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct, field

from protocol.messages import FaultCode, Result

ONE_LEFT: Final = "only one bot was left without a fault"
NONE_LEFT: Final = "no bot was left without a fault"
HASH_DIGITS: Final = 16
"""Hexadecimal digits of a `decisions_hash`."""


class Fault(Struct, frozen=True):
    """Something that a bot did wrong: a code of the protocol, and a message for its author."""

    code: FaultCode
    message: str
    referee_late: float = 0.0
    """The event loop lag in seconds when the bot ran out of time; 0 if it was within the margin."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class Eliminations(Struct, kw_only=True):
    """The seats of one game that are eliminated, in the order of their faults."""

    seats: int
    """The number of seats in the game."""
    groups: list[list[int]] = field(default_factory=list)
    """Seats whose faults count as simultaneous, the earliest group first. Ranks within a group are shared."""
    started: bool = False
    """True once the first decision has been taken. Faults before it are simultaneous."""

    def eliminate(self, seat: int) -> None:
        """Eliminate a seat, after all those already eliminated."""
        if self.groups and not self.started:
            self.groups[0].append(seat)
        else:
            self.groups.append([seat])

    def __contains__(self, seat: object) -> bool:
        return any(seat in group for group in self.groups)

    @property
    def stopped(self) -> str | None:
        """The reason to end the game early: fewer than two seats are without a fault. None: the game continues."""
        left = self.seats - sum(map(len, self.groups))
        if left >= 2 or not self.groups:
            return None
        return ONE_LEFT if left else NONE_LEFT

    def final_ranks(self, ranking: Sequence[int]) -> list[int]:
        """The final ranks by seat (1 is best), from the ranks by the rules of the game.

        Seats with a fault rank below all without one; a later fault ranks above an earlier one.
        """
        out = {seat for group in self.groups for seat in group}
        clean = sorted((rank, seat) for seat, rank in enumerate(ranking) if seat not in out)
        ranks = [0] * len(ranking)
        for rank, seat in clean:
            ranks[seat] = 1 + sum(other < rank for other, _ in clean)
        place = len(clean) + 1
        for group in reversed(self.groups):
            for seat in group:
                ranks[seat] = place
            place += len(group)
        return ranks


class Outcome(Struct, frozen=True, kw_only=True):
    """The result of one game: scores, ranks (1 is best) and faults by seat."""

    scores: list[int]
    ranks: list[int]
    faults: list[Fault | None]
    asked: int
    """The number of decisions for which a player was asked."""
    stopped: str | None = None
    """The reason why the game ended before its last decision; None if it did not."""
    unstarted: list[int] = field(default_factory=list)
    """The seats whose bots could not be started."""
    decisions_hash: str = ""
    """Equal for games with the same decisions and draws (see `hash_of_decisions`). Empty in a game with chance that has
    no opening: its draws make it another one."""

    def result(self) -> Result:
        """The outcome as sent to bots and recorded, with only the codes of faults."""
        codes: list[FaultCode | None] = [fault.code if fault else None for fault in self.faults]
        return Result(scores=self.scores, ranks=self.ranks, faults=codes)


def hash_of_decisions(events: Iterable[bytes], opening: Iterable[bytes] = ()) -> str:
    """A short hash of the decisions and draws of a game in their order, each as the JSON of its event.

    `opening`: the configuration of a game with an opening, and the decisions of the opening. Then a hash of them comes
    before a colon, so that games with the same opening can be told (`opening_of`).
    """
    begun = [*opening]
    return f"{_short_hash(begun)}:{_short_hash(events)}" if begun else _short_hash(events)


def opening_of(decisions_hash: str) -> str:
    """Equal for games with the same opening; empty without one."""
    return decisions_hash.rpartition(":")[0]


def without_decisions(decisions_hash: str) -> str:
    """Instead of this hash, that of a game which is equal to no other one."""
    opening = opening_of(decisions_hash)
    return f"{opening}:" if opening else ""


def _short_hash(parts: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\n".join(parts)).hexdigest()[:HASH_DIGITS]
