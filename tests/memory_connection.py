"""The base of connections without a process, for tests."""

import json
from typing import Any

import trio

from protocol.framing import LineBuffer
from referee.connections import ConnectionEnded, Pending
from referee.processes.keeper.link import READ_SIZE
from referee.processes.stderr_log import StderrExcerpt


class MemoryConnection:
    """A `Connection` whose other end never ends by itself; whoever derives from it sends and receives."""

    def __init__(self) -> None:
        self.ended = trio.Event()
        self.closed = trio.Event()
        self.suspends = False
        self.outstayed = False
        self.unreceived = [b""]
        """What has arrived and has not been received."""
        self._unsent = b""

    async def send(self, line: bytes) -> None:
        """Whoever derives from it takes the line."""
        raise NotImplementedError

    def send_nowait(self, line: bytes) -> bool:
        """There is no room yet."""
        self._unsent += line
        return False

    async def flush(self) -> None:
        """There is room now."""
        line, self._unsent = self._unsent, b""
        if line:
            await self.send(line)

    async def post(self, line: bytes) -> None:
        """There is always room."""
        await self.send(line)

    def receive_nowait(self) -> bytes | None:
        """Nothing has arrived."""
        return None

    def take_unreceived(self) -> list[bytes]:
        """What has arrived, once."""
        taken, self.unreceived = self.unreceived, [b""]
        return taken

    def suspend(self) -> None:
        """Do nothing: there is no process to suspend."""

    async def resume(self) -> None:
        """Do nothing: nothing was suspended."""

    def begin_game(self, stderr: str | None) -> None:
        """There is no output to count."""

    def has_read_nothing(self) -> bool:
        """Everything sent is read at once."""
        return False

    def pending(self) -> Pending:
        """Nothing is under way."""
        return Pending()

    async def wait_until_read(self, timeout: float) -> None:
        """Everything sent is read at once."""

    def is_exhausted(self) -> bool:
        """There are no limits."""
        return False

    def logged_stderr(self) -> int:
        return 0

    def stderr_excerpt(self) -> StderrExcerpt:
        """There is no standard error."""
        return StderrExcerpt(path=None, tail="")

    def close(self) -> None:
        """End it."""
        self.ended.set()
        self.closed.set()


class Written(MemoryConnection):
    """The connection to a process that has written these bytes and exited; if `late`, they come after the deadline."""

    def __init__(self, stream: bytes, *, late: bool = False) -> None:
        super().__init__()
        self.sent: list[Any] = []
        self._unread = stream
        self._late = late
        self._lines = LineBuffer()

    async def send(self, line: bytes) -> None:
        """Check that the line is one line of JSON, and keep it."""
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        self.sent.append(json.loads(line.decode()))

    async def receive(self) -> bytes:
        """The next line, as a pipe gives it."""
        if self._late:
            await trio.sleep_forever()
        line = self.receive_nowait()
        if line is None:
            raise ConnectionEnded("exited with status 0")
        return line

    def receive_nowait(self) -> bytes | None:
        """The next line, if there is one."""
        while (line := self._lines.pop()) is None and self._unread:
            chunk, self._unread = self._unread[:READ_SIZE], self._unread[READ_SIZE:]
            self._lines.feed(chunk)
        return line
