"""The lines of a game record that every game has (docs/protocol.md, "The game record")."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Raw, Struct, UnsetType

from protocol.messages import Clock, FaultCode

RECORD = 1
"""The version of the record format that this referee writes."""


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """One line of a record."""


class Seat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who plays in a seat: the entrant's name, and what the bot says of itself."""

    name: str
    bot: str | UnsetType = UNSET
    version: str | UnsetType = UNSET
    author: str | UnsetType = UNSET


class GameLine(Line, frozen=True, kw_only=True, tag="game"):
    """The first line: what is played, by whom."""

    record: int
    game: str
    config: Any
    seed: str
    players: list[Seat]
    referee: str
    game_id: str | UnsetType = UNSET
    clock: Clock | UnsetType = UNSET


class ChanceLine(Line, frozen=True, kw_only=True, tag="chance"):
    """A draw."""

    what: str
    round: int | UnsetType = UNSET
    value: Any


class DecisionLine(Line, frozen=True, kw_only=True, tag="decision"):
    """A decision that was taken, and the milliseconds it took."""

    seat: int
    decision: str
    action: Any
    forced: bool = False
    substitute: bool = False
    ms: float | UnsetType = UNSET
    info: Raw | UnsetType = UNSET


class FaultLine(Line, frozen=True, kw_only=True, tag="fault"):
    """A fault. With `retry` the bot was asked again; without, it is out of this game."""

    seat: int
    code: FaultCode
    message: str
    retry: bool = False


class ResultLine(Line, frozen=True, kw_only=True, tag="result"):
    """The last line. `stopped` says why a game ended before its last decision."""

    scores: list[int]
    ranks: list[int]
    faults: list[FaultCode | None]
    stopped: str | UnsetType = UNSET


RecordLine = GameLine | ChanceLine | DecisionLine | FaultLine | ResultLine


def ranks_with_faults(table: Sequence[int], faulted: Sequence[Sequence[int]]) -> list[int]:
    """Ranks by seat from those of the table: faults below all who had none, a later fault above an earlier one.

    `faulted` lists the seats that are out, in the order of their faults; seats that failed at the same time (before
    the first decision) stand together and share a rank.
    """
    out = {seat for group in faulted for seat in group}
    clean = sorted((rank, seat) for seat, rank in enumerate(table) if seat not in out)
    ranks = [0] * len(table)
    for rank, seat in clean:
        ranks[seat] = 1 + sum(other < rank for other, _ in clean)
    place = len(clean) + 1
    for group in reversed(faulted):
        for seat in group:
            ranks[seat] = place
        place += len(group)
    return ranks
