"""The lines that the records of all games have (protocol/specification.md, "The game record")."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from protocol.messages import Clock, FaultCode

RECORD = 1
"""The version of the record format that this referee writes."""


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """One line of a record."""


class PlayerInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The player in a seat: the name that the organiser gave it, and what the bot sent in `ready`.

    `files_sha256` is the hash of the bot's files as they were when it was started for these games.
    """

    name: str
    bot: str | UnsetType = UNSET
    version: str | UnsetType = UNSET
    author: str | UnsetType = UNSET
    files_sha256: str | UnsetType = UNSET


class GameLine(Line, frozen=True, kw_only=True, tag="game"):
    """The first line: what is played, by whom, and what bots were told in `start`.

    `public_id` is the `game_id` that bots were told, `bot_seeds` and `shown_names` are by seat; without `shown_names`
    bots were told the names of `players`. `enforced` is false where no time limit was in force. `rules` is the name and
    version of the package that has the rules, absent for the games of the referee. `opening` says what the opening is
    taken from; absent in a game without one. `banks_ms`: by seat what was left of the bank, if that was not a full one.
    """

    record: int
    game: str
    config: Any
    seed: str
    players: list[PlayerInfo]
    referee: str
    game_id: str | UnsetType = UNSET
    clock: Clock | UnsetType = UNSET
    enforced: bool = True
    public_id: str | UnsetType = UNSET
    bot_seeds: list[int] | UnsetType = UNSET
    shown_names: list[str] | UnsetType = UNSET
    rules: str | UnsetType = UNSET
    opening: str | UnsetType = UNSET
    banks_ms: list[float] | UnsetType = UNSET


class ChanceLine(Line, frozen=True, kw_only=True, tag="chance"):
    """A draw."""

    what: str
    round: int | UnsetType = UNSET
    value: Any


class DecisionLine(Line, frozen=True, kw_only=True, tag="decision"):
    """A decision that was taken, and the milliseconds it took; `opening`: at the start, without asking a player.

    `stderr`: the bytes of the file with the bot's standard error in this game that it had written by then; absent if
    they are as many as at the seat's decision before, which are none at first.
    """

    seat: int
    decision: str
    action: Any
    forced: bool = False
    opening: bool = False
    substitute: bool = False
    ms: float | UnsetType = UNSET
    info: Raw | UnsetType = UNSET
    stderr: Annotated[int, Meta(ge=0)] | UnsetType = UNSET


class FaultLine(Line, frozen=True, kw_only=True, tag="fault"):
    """A fault. With `retry` the bot was asked again; without, it is out of this game.

    `started` is false for a bot that could not be started.
    """

    seat: int
    code: FaultCode
    message: str
    retry: bool = False
    started: bool = True


class ResultLine(Line, frozen=True, kw_only=True, tag="result"):
    """The last line. `stopped` says why a game ended before its last decision."""

    scores: list[int]
    ranks: list[int]
    faults: list[FaultCode | None]
    stopped: str | UnsetType = UNSET


RecordLine = GameLine | ChanceLine | DecisionLine | FaultLine | ResultLine
