"""The interface of a channel to a bot."""

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from protocol.messages import FaultCode
from referee.errors import RefereeError
from referee.processes.stderr_log import StderrExcerpt

if TYPE_CHECKING:
    import trio


class ConnectError(RefereeError):
    """A connection could not be opened. The text says why."""


class ConnectionEnded(RefereeError):
    """The bot's end is closed. The text says how, for example "exited with status 1".

    `code` is set if the referee ended the connection because the bot exceeded a limit.
    """

    def __init__(self, message: str, code: FaultCode | None = None) -> None:
        super().__init__(message)
        self.code: FaultCode | None = code


class Pending(Struct, frozen=True, kw_only=True):
    """What a bot has left undone, as far as known."""

    unfinished: int = 0
    """Bytes received after the last end of a line."""
    is_unread: bool = False
    """Whether it has not read all that was sent to it."""
    cpu_seconds: float = 0.0
    """CPU time that it has used since its start."""
    memory: int = 0
    is_stopped: bool = False
    """Whether a signal has stopped one of its processes."""


class Connection(Protocol):
    """Lines to and from one bot, for any number of games.

    A connection knows nothing of messages, clocks or games, except when a game begins, because limits on output apply
    to each game. Everything that plays games uses this interface and never a process directly.

    If the system denies the referee something that it needs, such as memory, methods raise MachineError: the bot has
    not ended, and it is not its fault.
    """

    ended: "trio.Event"
    """Set when the bot's end is closed: nothing more can be sent. Lines that it wrote before can still be received."""
    closed: "trio.Event"
    """Set when everything that belongs to the connection has ended: processes, files, descriptors."""

    suspends: bool
    """Whether the bot is suspended while it is not on turn."""

    @property
    def outstayed(self) -> bool:
        """Whether the bot was still running when its time to exit after `quit` was over. Known when `closed` is set."""

    async def send(self, line: bytes) -> None:
        """Write what `post` has left and then a line, including its LF; wait until the bot has made room for it.

        Raises ConnectionEnded, or Oversize if the bot writes too much meanwhile. If it is cancelled, what has not been
        written is written before the next line.
        """

    def send_nowait(self, line: bytes) -> bool:
        """Write what there is room for of what is unsent and of a line. Whether all of it was written.

        If the bot has ended, `flush` finds it out again and says so.
        """

    async def flush(self) -> None:
        """Write what `post` or `send_nowait` has left; wait and raise as `send`."""

    async def post(self, line: bytes) -> None:
        """Write a line without waiting for the bot: what doesn't fit is written before the next line.

        Raises ConnectionEnded.
        """

    async def receive(self) -> bytes:
        """The next line without its end. Raises ConnectionEnded or Oversize."""

    def receive_nowait(self) -> bytes | None:
        """The next line if a complete one has arrived, else None. Never raises."""

    def take_unreceived(self) -> list[bytes]:
        """Output of the bot that has arrived and has not been received as a line: it can't be received any more.

        Complete lines, and last the bytes without an end of line, if only b"". Never raises.
        """

    def suspend(self) -> None:
        """If `suspends`, suspend the bot until `resume`, or until something is sent. Returns immediately."""

    async def resume(self) -> None:
        """Resume the bot, and wait until it runs."""

    def begin_game(self, stderr: str | None) -> None:
        """Reset the counts of output, and log standard error to this file (None: keep only its end, in memory)."""

    def has_read_nothing(self) -> bool:
        """Whether the bot has read none of the bytes sent since `begin_game`. False if that can't be determined."""

    def pending(self) -> Pending:
        """What the bot has left undone, to explain why there is no answer. Never raises."""

    async def wait_until_read(self, timeout: float) -> None:
        """Wait until the bot has read all lines that were sent, or for `timeout` seconds. Its output has room."""

    def is_exhausted(self) -> bool:
        """Whether the bot should get no further game: it is so close to a limit that applies to its whole life that a
        game might exceed it, or it has left so much unread that there is no room for what follows."""

    def stderr_excerpt(self) -> StderrExcerpt:
        """The bot's standard error since `begin_game`."""

    def logged_stderr(self) -> int:
        """The bytes of the bot's standard error in the file given to `begin_game`, with all that it has written by now.

        0 without a file. Never raises.
        """

    def close(self) -> None:
        """Ask the bot to quit, and end the connection soon afterwards in any case. Returns immediately."""
