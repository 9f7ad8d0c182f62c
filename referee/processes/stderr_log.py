"""A bot's standard error: the beginning is kept in a file of limited size, the end in memory."""

import contextlib
import os
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

MAX_STDERR: Final = 256 * 1024
"""Bytes of one bot's standard error in one game that are written to the file; the rest is read and dropped."""
OPEN_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Never follows a symbolic link and never blocks on a pipe that a bot put in place of the file."""
STDERR_EXCERPT_BYTES: Final = 4000
"""Bytes of the end that are kept in memory, for display with a fault."""
LEFT_OUT: Final = "\n…\n"
HEAD_BYTES: Final = 1000
"""Bytes of the beginning that are kept in memory."""


class StderrExcerpt(Struct, frozen=True, kw_only=True):
    """The file with a bot's standard error in one game, if one was written, and its first and last bytes as text."""

    path: Path | None
    tail: str
    head: str = ""
    """The beginning, without what is in `tail`."""
    omitted: int = 0
    """Number of bytes between the two."""

    @property
    def text(self) -> str:
        """All text that is kept, with a line … for omitted bytes."""
        return self.head + (LEFT_OUT if self.omitted else "") + self.tail


class StderrLog:
    """Keeps the beginning in a file, which is created with the first byte, and a few bytes of it and the end in memory.

    If the file can't be written, logging to it stops silently: a full disk must not end a game.
    """

    def __init__(self, path: Path | str | None, limit: int = MAX_STDERR) -> None:
        self.path = path
        self.tail = b""
        self._head = b""
        self._written = 0
        self._before = 0
        """Bytes in the file when it was opened: those of a process that was replaced before it had read anything."""
        self._limit = limit
        self._left = limit
        self._file: BinaryIO | None = None

    def write(self, data: bytes) -> None:
        """Log `data`, as far as the limit allows. Never raises."""
        if len(self._head) < HEAD_BYTES:
            self._head = (self._head + data)[:HEAD_BYTES]
        self._written += len(data)
        self.tail = (self.tail + data)[-STDERR_EXCERPT_BYTES:]
        if self.path is None or self._left <= 0:
            return
        kept, self._left = data[: self._left], self._left - len(data)
        try:
            if self._file is None:
                self._file = os.fdopen(os.open(self.path, OPEN_FLAGS, 0o666), "ab")
                self._before = os.fstat(self._file.fileno()).st_size
            self._file.write(kept)
            if self._left <= 0:
                self._file.write(b"\n[the referee keeps no more of this]\n")
            self._file.flush()
        except OSError:
            self.path = None

    @property
    def size(self) -> int:
        """The number of bytes in the file, without the line that says that no more are kept."""
        return 0 if self._file is None else self._before + min(self._written, self._limit)

    def excerpt(self) -> StderrExcerpt:
        before = self._written - len(self.tail)
        head = self._head[:before]
        return StderrExcerpt(
            path=Path(self.path) if self._written and self.path is not None else None,
            tail=self.tail.decode(errors="replace"),
            head=head.decode(errors="replace"),
            omitted=before - len(head),
        )

    def close(self) -> None:
        """Close the file. Never raises."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # closing tries again to write what did not fit on a full disk
                self._file.close()
            self._file = None
