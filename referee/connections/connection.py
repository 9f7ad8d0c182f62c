"""What the referee needs of a channel to a bot, and how one ends."""

from pathlib import Path
from typing import Protocol

import trio

from protocol.messages import FaultCode
from referee.errors import RefereeError
from referee.processes.stderr_log import StderrExcerpt


class ConnectError(RefereeError):
    """A connection that could not be made; says why."""


class ConnectionEnded(RefereeError):
    """The other end is gone. The text says how, for example "exited with status 1".

    `code` is given where the referee ended the connection because the bot exceeded a limit.
    """

    def __init__(self, message: str, code: FaultCode | None = None) -> None:
        super().__init__(message)
        self.code: FaultCode | None = code


class Connection(Protocol):
    """Lines to and from one bot, over however many games.

    The cut: a connection knows nothing of messages, clocks or games, except where one game ends and the next begins,
    for its limits on output count per game. Everything else that plays games sees connections only.
    """

    ended: trio.Event
    """Set once the other end is gone: nothing more can be sent. What it wrote before can still be received."""
    closed: trio.Event
    """Set once nothing of the connection is left on this machine."""

    async def send(self, line: bytes) -> None:
        """Write a line, its LF included. Raises ConnectionEnded, or Oversize if the bot floods its output meanwhile."""
        ...

    async def receive(self) -> bytes:
        """The next line without its end. Raises ConnectionEnded or Oversize."""
        ...

    def receive_nowait(self) -> bytes | None:
        """The next line if it has arrived already. Never raises."""
        ...

    def begin_game(self, stderr: Path | None) -> None:
        """Count output anew, and log standard error to this file (None: keep only its last lines, in memory)."""
        ...

    def has_read_nothing(self) -> bool:
        """Whether the bot has taken none of the lines sent since `begin_game`. False where that can't be known."""
        ...

    async def wait_until_read(self, timeout: float) -> None:
        """Wait until the bot has taken all lines that were sent, or for `timeout` seconds."""
        ...

    def is_exhausted(self) -> bool:
        """Whether the bot has used so much of a limit for its whole life that another game might exceed it."""
        ...

    def stderr_excerpt(self) -> StderrExcerpt:
        """What the bot wrote to its standard error in this game."""
        ...

    def close(self) -> None:
        """Ask the bot to quit, and end the connection soon after in any case. Returns at once."""
        ...
