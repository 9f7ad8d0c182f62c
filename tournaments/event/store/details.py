"""What a report says of a game beyond its result: thinking times, and what was wrong.

They are kept in the database when a game ends, so that a report reads no record. They decide nothing: where a database
has none, as after a repair, they are read from the record.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct, structs

from referee.players.thinking_time import BUCKETS, ThinkingTime, bucket
from referee.printable import printable
from referee.record.reader import InvalidRecord

MAX_FAULT_LINE: Final = 300
"""Characters of the first line of a fault that are kept."""

Count = Annotated[int, Meta(ge=0, le=2**53)]
Bucket = Annotated[int, Meta(ge=0, lt=BUCKETS)]


class GameThinking(Struct, frozen=True, kw_only=True):
    """The times of one seat's decisions in a game, forced ones and those of a substitute left out."""

    decisions: Count = 0
    total_ms: float = 0.0
    worst_ms: float = 0.0
    """As in the record."""
    counts: dict[Bucket, Count] = {}
    """By bucket, as in `referee.players.thinking_time`; only those that are not 0."""

    def add_to(self, sums: ThinkingTime) -> None:
        sums.decisions += self.decisions
        sums.total += self.total_ms / 1000
        sums.worst = max(sums.worst, self.worst_ms / 1000)
        for index, count in self.counts.items():
            sums.count(index, count)


class GameDetails(Struct, frozen=True, kw_only=True):
    """The details of a finished game, by seat."""

    thinking: tuple[GameThinking, ...]
    faults: tuple[str | None, ...]
    """The first line of what was wrong: the code and a message, of a crash also what the program said. Printable."""

    def without_words(self) -> "GameDetails":
        """Without what was wrong, in which a bot may have said anything."""
        return structs.replace(self, faults=(None,) * len(self.faults))


class _Header(Struct, frozen=True, tag="game"):
    players: list[msgspec.Raw]


class _Decision(Struct, frozen=True, tag="decision"):
    seat: int
    forced: bool = False
    substitute: bool = False
    ms: float | None = None


class _Fault(Struct, frozen=True, tag="fault"):
    seat: int
    code: str
    message: str
    retry: bool = False


_header: Final = msgspec.json.Decoder(_Header)
_decision: Final = msgspec.json.Decoder(_Decision)
_fault: Final = msgspec.json.Decoder(_Fault)


def details_of(record: bytes, faults: Sequence[str | None] | None = None) -> GameDetails:
    """The details of the game in an uncompressed record, as far as it goes.

    `faults`: by seat, what was wrong, if more is known of it than the record says. Raises InvalidRecord.
    """
    number = 0
    try:
        lines = record.split(b"\n")
        seats = len(_header.decode(lines[0]).players)
        seconds: list[list[float]] = [[] for _ in range(seats)]
        messages: list[str | None] = [None] * seats
        for line in lines:
            number += 1
            if line.startswith(b'{"type":"decision"'):
                decision = _decision.decode(line)
                if decision.ms is not None and not decision.forced and not decision.substitute:
                    seconds[decision.seat].append(decision.ms / 1000)
            elif line.startswith(b'{"type":"fault"'):
                fault = _fault.decode(line)
                if not fault.retry:
                    messages[fault.seat] = f"{fault.code}: {fault.message}"
    except (msgspec.MsgspecError, IndexError, RecursionError) as error:
        raise InvalidRecord(number, f"not a line of a record: {error}") from None
    return GameDetails(
        thinking=tuple(map(_thinking, seconds)),
        faults=tuple(None if text is None else first_line(text) for text in faults or messages),
    )


def first_line(text: str) -> str:
    """The first line of a text, printable and not too long."""
    return printable(text.strip().partition("\n")[0], MAX_FAULT_LINE)


def _thinking(seconds: Sequence[float]) -> GameThinking:
    return GameThinking(
        decisions=len(seconds),
        total_ms=round(sum(seconds) * 1000, 3),
        worst_ms=round(max(seconds, default=0.0) * 1000, 3),
        counts=dict(Counter(map(bucket, seconds))),
    )
