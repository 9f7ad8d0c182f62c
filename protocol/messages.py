"""The messages on the wire (protocol/specification.md): one Struct each, distinguished by `type`."""

from typing import Any, Literal

from msgspec import UNSET, Raw, Struct, UnsetType

PROTOCOL = 1
"""The version of the protocol that this referee speaks."""

FaultCode = Literal[
    "startup_timeout",
    "timeout",
    "crash",
    "bad_message",
    "oversize",
    "illegal_action",
    "protocol_version",
    "memory",
]


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """One line of the wire."""


# -- from the referee to a bot ------------------------------------------------------------------------------


class HelloLimits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory. Absent: no such limit."""

    line_bytes: int
    info_bytes: int
    startup_ms: int
    margin_ms: int
    quit_ms: int
    memory_mb: int | UnsetType = UNSET


class Clock(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The clock of a game, in milliseconds: a limit per decision, or a bank with an increment, or both."""

    move_ms: int | UnsetType = UNSET
    bank_ms: int | UnsetType = UNSET
    increment_ms: int | UnsetType = UNSET


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The first line to a bot."""

    protocol: int
    referee: str
    limits: HelloLimits


class Start(Message, frozen=True, kw_only=True, tag="start"):
    """A game begins."""

    game_id: str
    game: str
    config: Any
    seat: int
    players: list[str]
    clock: Clock
    bot_seed: int


class Act(Message, frozen=True, kw_only=True, tag="act"):
    """A decision is due."""

    id: int
    decision: str
    observation: Any = UNSET
    legal: Any = UNSET
    events: list[Any] | UnsetType = UNSET
    tensor: Any = UNSET
    time_ms: int


class FaultMessage(Message, frozen=True, kw_only=True, tag="fault"):
    """What the bot did wrong."""

    code: FaultCode
    message: str


class Result(Struct, frozen=True, kw_only=True):
    """How a game ended, by seat; a fault is its code."""

    scores: list[int]
    ranks: list[int]
    faults: list[FaultCode | None]


class End(Message, frozen=True, kw_only=True, tag="end"):
    """The game is over."""

    game_id: str
    result: Result
    events: list[Any] | UnsetType = UNSET


class Quit(Message, frozen=True, kw_only=True, tag="quit"):
    """No more games; standard input closes after this line."""


# -- from a bot to the referee ------------------------------------------------------------------------------


class ActParts(Struct, frozen=True):
    """The optional parts of `act`: each is sent if it is true here, and `tensor` only in games that have one."""

    observation: bool = True
    legal: bool = True
    events: bool = True
    tensor: bool = False


class Ready(Message, frozen=True, kw_only=True, tag="ready"):
    """The answer to `hello`."""

    protocol: int
    name: str
    version: str | None = None
    author: str | None = None
    options: ActParts = ActParts()


class Answer(Message, frozen=True, kw_only=True, tag="action"):
    """The answer to `act`: an action, or its index in `legal`. `info` may be any JSON."""

    id: int
    index: int | None = None
    action: Raw | UnsetType = UNSET
    info: Raw | UnsetType = UNSET


ToBot = Hello | Start | Act | FaultMessage | End | Quit
FromBot = Ready | Answer
