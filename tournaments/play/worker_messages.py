"""What the director and its workers tell each other: messages over pipes, each msgpack after its length in four bytes.

The director begins a round at every worker and lets it play games. A worker answers each with the finished game, or, if
the round was cancelled or has failed, with nothing but the end of the round.
"""

import math
import os
from collections.abc import AsyncIterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final, Generic, TypeVar

import msgspec
import trio
from msgspec import Struct, structs

from referee.bots.bot_spec import BotSpec
from referee.games import Game
from referee.outcome import Outcome
from referee.players.clock import TimeControl
from referee.processes.sandbox import Sandbox
from referee.processes.stderr_log import StderrExcerpt
from tournaments.play.runner import Plan
from tournaments.play.schedule import ScheduledGame

LENGTH_BYTES: Final = 4
READ_BYTES: Final = 64 * 1024


class WorkerPlan(Struct, frozen=True, kw_only=True):
    """A Plan as plain data. Records are no part of it: they go to the director."""

    game: str
    """`module:class`, so that it need not be registered in the worker."""
    config: dict[str, Any]
    smaller: dict[int, dict[str, Any]]
    anonymous: bool
    bots: list[BotSpec]
    control: TimeControl
    concurrency: int
    retries: int
    ponder: bool
    stderr: Path | None
    sandbox: Sandbox | None
    environment: dict[str, str]

    @classmethod
    def of(cls, plan: Plan) -> "WorkerPlan":
        """What a worker has to know of a plan."""
        return cls(
            game=f"{plan.game.__module__}:{plan.game.__qualname__}",
            config=msgspec.to_builtins(plan.config),
            smaller={seats: msgspec.to_builtins(config) for seats, config in plan.smaller.items()},
            anonymous=plan.anonymous,
            bots=plan.bots,
            control=plan.control,
            concurrency=plan.concurrency,
            retries=plan.retries,
            ponder=plan.ponder,
            stderr=plan.stderr,
            sandbox=plan.sandbox,
            environment=plan.environment,
        )

    def share(self, part: int, parts: int) -> "WorkerPlan":
        """The plan of one of several workers: no process of another one has the user id of a bot of its own."""
        return self if self.sandbox is None else structs.replace(self, sandbox=self.sandbox.share(part, parts))

    def plan(self) -> Plan:
        """The plan again, without a folder for records."""
        game: type[Game] = resolve_name(self.game)
        return Plan(
            game=game,
            config=msgspec.convert(self.config, game.Config),
            smaller={seats: msgspec.convert(config, game.Config) for seats, config in self.smaller.items()},
            anonymous=self.anonymous,
            bots=self.bots,
            control=self.control,
            concurrency=self.concurrency,
            retries=self.retries,
            ponder=self.ponder,
            stderr=self.stderr,
            sandbox=self.sandbox,
            environment=self.environment,
        )


# -- from the director ----------------------------------------------------------------------------------------


class BeginRound(Struct, frozen=True, tag=True):
    """Get ready for the games of a round."""

    plan: WorkerPlan


class PlayGame(Struct, frozen=True, tag=True):
    """Play a game. Its processes are kept for the next game at the table until EndTable or EndProcesses."""

    game: ScheduledGame


class EndTable(Struct, frozen=True, tag=True):
    """No game is to begin at this table in this phase: end its idle processes."""

    table: int


class EndProcesses(Struct, frozen=True, tag=True):
    """End all processes; all games are over. The answer is ProcessesEnded."""


class EndRound(Struct, frozen=True, tag=True):
    """The round is over. The answer is RoundEnded or RoundFailed."""


class CancelRound(Struct, frozen=True, tag=True):
    """End the round and all its games at once. The answer is RoundEnded or RoundFailed."""


ToWorker = BeginRound | PlayGame | EndTable | EndProcesses | EndRound | CancelRound


# -- from a worker --------------------------------------------------------------------------------------------


class GameFinished(Struct, frozen=True, kw_only=True, tag=True):
    """A game is over. The fields are those of PlayedGame, and its record."""

    game_id: str
    outcome: Outcome
    stderr: list[StderrExcerpt | None]
    startup: list[float | None]
    record: bytes


class ProcessesEnded(Struct, frozen=True, tag=True):
    """No process of a bot is left."""


class Notice(Struct, frozen=True, tag=True):
    """A line for the organiser."""

    text: str


class RoundEnded(Struct, frozen=True, tag=True):
    """No process of a bot is left, and no game runs."""


class RoundFailed(Struct, frozen=True, tag=True):
    """The round can't go on in this worker; as RoundEnded in all else.

    `traceback`: for an error that nobody expected, a bug of the referee.
    """

    problem: str
    traceback: str | None = None


FromWorker = GameFinished | ProcessesEnded | Notice | RoundEnded | RoundFailed


# -- the pipes ------------------------------------------------------------------------------------------------

T = TypeVar("T")


class MessageChannel(Generic[T]):
    """Receives messages of type T (a union) over one pipe and sends messages over another one.

    `write` has to run as long as messages are sent. It closes the pipe that it writes to, and iteration the other one.
    """

    def __init__(self, reading: int, writing: int, received: Any) -> None:
        self._reading = trio.lowlevel.FdStream(reading)
        self._writing = trio.lowlevel.FdStream(writing)
        self._decoder = msgspec.msgpack.Decoder(received, dec_hook=_decode_path)
        self._encoder = msgspec.msgpack.Encoder(enc_hook=_encode_path)
        self._queue, self._queued = trio.open_memory_channel[bytes](math.inf)

    def send(self, message: Struct) -> None:
        """Send a message soon. It is lost if the other process has ended, which the receiver notices."""
        data = self._encoder.encode(message)
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
                    message: T = self._decoder.decode(memoryview(buffer)[LENGTH_BYTES:end].tobytes())
                    del buffer[:end]
                    yield message


def _encode_path(value: Any) -> bytes:
    """Paths as bytes: their names need not be text."""
    if isinstance(value, Path):
        return os.fsencode(value)
    raise NotImplementedError(f"a worker can't be sent a {type(value).__name__}")


def _decode_path(kind: type[Any], value: Any) -> Any:
    assert kind is Path
    return Path(os.fsdecode(value))
