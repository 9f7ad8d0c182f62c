"""Cutting a stream of bytes into lines, with limits. Sans-IO."""

from collections import deque
from typing import Final, NoReturn

MAX_LINE: Final = 1024 * 1024
"""Maximum length of a line from a bot, in bytes without its LF."""
MAX_KEPT_BYTES: Final = 1000
"""Bytes kept of the beginning of a line that is too long, for messages."""


class Oversize(ValueError):
    """A line longer than the limit, or more unread lines than the limit."""


class LineBuffer:
    """Cuts a stream of bytes into lines. Sans-IO; cost linear in the bytes fed.

    A line ends with LF; a CR before it is dropped. `limit` is the maximum length of a line in bytes without its LF, and
    `total` that of all lines not yet popped. After a stream has exceeded one of them, `feed` raises Oversize, and so
    does `pop` once the lines before that point are taken.
    """

    __slots__ = ("_error", "_lines", "_part", "_waiting", "limit", "total")

    def __init__(self, limit: int = MAX_LINE, total: int | None = None) -> None:
        self.limit = limit
        self.total = 4 * limit if total is None else total
        self._part = bytearray()
        self._lines: deque[bytes] = deque()
        self._waiting = 0
        self._error: str | None = None

    def feed(self, data: bytes) -> None:
        """Take bytes from the stream. Raises Oversize."""
        if self._error is not None:
            raise Oversize(self._error)
        *lines, rest = data.split(b"\n")
        if lines and self._part:
            lines[0] = bytes(self._part) + lines[0]
            self._part.clear()
        for line in lines:
            self._add(line)
        self._part += rest
        if len(self._part) > self.limit:
            self._fail(f"a line of over {self.limit} bytes without an end", self._part)

    def _add(self, line: bytes) -> None:
        if len(line) > self.limit:
            self._fail(f"a line of {len(line)} bytes; at most {self.limit} are allowed", line)
        self._waiting += len(line) + 1
        if self._waiting > self.total:
            self._fail(f"over {self.total} bytes of lines that nobody asked for", line)
        self._lines.append(line)

    def _fail(self, error: str, line: bytes | bytearray) -> NoReturn:
        self._error = error
        self._part = bytearray(line[:MAX_KEPT_BYTES])
        raise Oversize(error)

    @property
    def unfinished(self) -> int:
        """The number of bytes after the last LF."""
        return len(self._part)

    def pop(self) -> bytes | None:
        """The next complete line without its end, or None. Raises Oversize once the stream has exceeded a limit."""
        if not self._lines:
            if self._error is not None:
                raise Oversize(self._error)
            return None
        line = self._lines.popleft()
        self._waiting -= len(line) + 1
        return without_cr(line)

    def drain(self) -> list[bytes]:
        """Everything not yet popped: complete lines, then the incomplete one, which may be empty. Never raises.

        After the stream has exceeded a limit, the incomplete line is the beginning of the one that exceeded it, and
        what is fed from now on is the beginning of a new stream.
        """
        taken = [*map(without_cr, self._lines), bytes(self._part)]
        self._lines.clear()
        self._part.clear()
        self._waiting = 0
        self._error = None
        return taken


def without_cr(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\r") else line
