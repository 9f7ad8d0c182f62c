"""A bot's standard error: its beginning kept in a capped file, its end in memory."""

import contextlib
import os
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

MAX_STDERR: Final = 256 * 1024
"""Bytes kept of one bot's standard error in one game; what comes after is read and dropped."""
OPEN_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""How the file is opened: nothing is written through a link or a pipe that somebody put in its place."""
EXCERPT_BYTES: Final = 4000
"""Bytes of the end that are kept in memory, to be shown where no file is written."""


class StderrExcerpt(Struct, frozen=True, kw_only=True):
    """Where to look after a fault: the file of the bot's standard error, if there is one, and the end of it."""

    path: Path | None
    tail: str


class StderrLog:
    """Keeps the beginning in a file (made when there is something to keep) and the end in memory.

    A file that can't be written is given up silently: a full disk must not end a game.
    """

    def __init__(self, path: Path | None, limit: int = MAX_STDERR) -> None:
        self.path = path
        self.tail = b""
        self._left = limit
        self._file: BinaryIO | None = None

    def write(self, data: bytes) -> None:
        """Keep `data` as far as the limit allows."""
        self.tail = (self.tail + data)[-EXCERPT_BYTES:]
        if self.path is None or self._left <= 0:
            return
        kept, self._left = data[: self._left], self._left - len(data)
        try:
            if self._file is None:
                self._file = os.fdopen(os.open(self.path, OPEN_FLAGS, 0o666), "ab")
            self._file.write(kept)
            if self._left <= 0:
                self._file.write(b"\n[the referee keeps no more of this]\n")
            self._file.flush()
        except OSError:
            self.path = None

    def excerpt(self) -> StderrExcerpt:
        """The file, if one was written, and the end of what was logged so far."""
        path = self.path if self.path is not None and self.path.exists() else None
        return StderrExcerpt(path=path, tail=self.tail.decode(errors="replace"))

    def close(self) -> None:
        """Close the file; a full disk is ignored here too."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # closing writes again what a full disk didn't take
                self._file.close()
            self._file = None
