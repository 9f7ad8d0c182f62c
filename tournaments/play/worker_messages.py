"""The messages between the director and its workers, over pipes: each is msgpack, preceded by its length in four bytes.

The director begins a round at every worker and lets it play games. A worker answers each with the finished game, or, if
the round was cancelled or has failed, only with the end of the round.
"""

import math
from collections.abc import AsyncIterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final, Generic, TypeVar

import msgspec
import trio
from msgspec import Struct

from referee.errors import RefereeError
from tournaments.play.measurements import Measured
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import ScheduledGame

LENGTH_BYTES: Final = 4
READ_BYTES: Final = 64 * 1024


class GameImportError(RefereeError):
    """A worker can't import the rules of a game. The text says why, and what to do."""


def encode(value: Any) -> bytes:
    """A message, or a part of one, as msgpack.

    Strings from command lines, paths and environment variables may have surrogates in place of bytes that are not UTF-8
    (see os.fsdecode), which msgpack can't have in a string: such a string is sent as an extension, wherever it is.
    """
    return ENCODER.encode(_without_surrogates(msgspec.to_builtins(value, builtin_types=[bytes], enc_hook=_encode)))


def decode(data: bytes, kind: Any) -> Any:
    """The value of this type that `encode` got. Raises GameImportError."""
    return msgspec.convert(DECODER.decode(data), kind, dec_hook=_decode)


def _without_surrogates(value: Any) -> Any:
    match value:
        case str() if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            return msgspec.msgpack.Ext(SURROGATES, value.encode(errors="surrogatepass"))
        case dict():
            return {_without_surrogates(key): _without_surrogates(each) for key, each in value.items()}
        case list() | tuple():
            return [_without_surrogates(each) for each in value]
    return value


def _with_surrogates(_code: int, data: memoryview) -> str:
    return data.tobytes().decode(errors="surrogatepass")


def _encode(value: Any) -> str:
    """Paths as text; the rules of a game by their module and name."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, type):
        return f"{value.__module__}:{value.__qualname__}"
    raise NotImplementedError(f"a worker can't be sent a {type(value).__name__}")


def _decode(kind: Any, value: Any) -> Any:
    if kind is Path:
        return Path(value)
    try:
        return resolve_name(value)
    except (ImportError, AttributeError, ValueError) as error:  # ValueError: it is defined inside a function
        raise GameImportError(
            f"the game {value} can't be imported: {error}; put it in a module that can be imported, as workers are"
            " processes of their own, or play with one worker"
        ) from None


SURROGATES: Final = 1
"""The code of the extension for strings that have surrogates."""
ENCODER: Final = msgspec.msgpack.Encoder()
DECODER: Final = msgspec.msgpack.Decoder(ext_hook=_with_surrogates)


# -- from the director ----------------------------------------------------------------------------------------


class BeginRound(Struct, frozen=True, tag=True):
    """Prepare for the games of a round, or of a match."""

    plan: bytes
    """An encoded GamePlan, to be decoded when the round begins: a failing import ends the round, but not the
    worker."""

    @classmethod
    def of(cls, plan: GamePlan) -> "BeginRound":
        """The message with this plan."""
        return cls(encode(plan))

    def game_plan(self) -> GamePlan:
        """The plan. Raises GameImportError."""
        plan: GamePlan = decode(self.plan, GamePlan)
        return plan


class PlayGame(Struct, frozen=True, tag=True):
    """Play a game. Its processes are kept for the next game at the table until EndTable or EndProcesses."""

    game: ScheduledGame


class EndTable(Struct, frozen=True, tag=True):
    """No game is to begin at this table in this phase: end its idle processes."""

    table: int


class EndProcesses(Struct, frozen=True, tag=True):
    """End all processes; all games are over. The answer is ProcessesEnded."""


class EndRound(Struct, frozen=True, tag=True):
    """The round is over. The answer is RoundEnded."""


class CancelRound(Struct, frozen=True, tag=True):
    """End the round and all its games at once. The answer is RoundEnded."""


class Ping(Struct, frozen=True, tag=True):
    """Answer with Pong, at once."""


ToWorker = BeginRound | PlayGame | EndTable | EndProcesses | EndRound | CancelRound | Ping


# -- from a worker --------------------------------------------------------------------------------------------


class GamePlayed(Struct, frozen=True, tag=True):
    """A game is over. `content`: its record, where the plan wants records in memory."""

    played: PlayedGame
    content: bytes | None


class ProcessesEnded(Struct, frozen=True, tag=True):
    """No process of a bot is left."""


class WorkerNotice(Struct, frozen=True, tag=True):
    """A line for the organiser."""

    text: str


class RoundEnded(Struct, frozen=True, tag=True):
    """No process of a bot is left, and no game runs. `measured`: None if the plan could not be read."""

    measured: Measured | None


class RoundFailed(Struct, frozen=True, tag=True):
    """The round can't go on in this worker. RoundEnded follows.

    `traceback`: for an unexpected error, a bug of the referee.
    """

    problem: str
    traceback: str | None = None


class Pong(Struct, frozen=True, tag=True):
    """The worker is at work."""


FromWorker = Pong | GamePlayed | ProcessesEnded | WorkerNotice | RoundEnded | RoundFailed


# -- the pipes ------------------------------------------------------------------------------------------------

T = TypeVar("T")


class MessageChannel(Generic[T]):
    """Receives messages of type T (a union) over one pipe and sends messages over another one.

    `write` has to run as long as messages are sent. It closes the pipe that it writes to; iteration closes the other
    one.
    """

    def __init__(self, reading: int, writing: int, received: Any) -> None:
        self._reading = trio.lowlevel.FdStream(reading)
        self._writing = trio.lowlevel.FdStream(writing)
        self._received = received
        self._queue, self._queued = trio.open_memory_channel[bytes](math.inf)

    def send(self, message: Struct) -> None:
        """Send a message soon. It is lost if the other process has ended, which the receiver notices."""
        data = encode(message)
        self._queue.send_nowait(len(data).to_bytes(LENGTH_BYTES) + data)

    def end(self) -> None:
        """Send nothing more, so that the other process reads the end of its input."""
        self._queue.close()

    async def write(self) -> None:
        """Write what is sent, until `end` or the end of the other process."""
        async with self._writing:
            try:
                async for data in self._queued:
                    await self._writing.send_all(data)
            except trio.BrokenResourceError:
                pass

    async def messages(self) -> AsyncIterator[T]:
        """All messages until the other process closes its end or ends, also in the middle of a message."""
        buffer = bytearray()
        async with self._reading:
            while True:
                try:
                    data = await self._reading.receive_some(READ_BYTES)
                except trio.BrokenResourceError:
                    return
                if not data:
                    return
                buffer += data
                while len(buffer) >= LENGTH_BYTES:
                    end = LENGTH_BYTES + int.from_bytes(buffer[:LENGTH_BYTES])
                    if len(buffer) < end:
                        break
                    message: T = decode(memoryview(buffer)[LENGTH_BYTES:end].tobytes(), self._received)
                    del buffer[:end]
                    yield message
