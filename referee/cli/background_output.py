"""Output to stderr that never blocks the writer, even if the terminal or the reader of a pipe has stopped."""

import os
import sys
import threading
from collections import deque
from typing import Final

MAX_WAITING: Final = 1 << 20
"""Characters that may wait to be written; what comes beyond them is dropped."""
CLOSE_TIMEOUT: Final = 1.0
"""Seconds to wait at the end for everything to be written."""


class BackgroundOutput:
    """A file to which text is written in the background, by its own thread.

    A stopped terminal (Ctrl-S, a stalled connection) blocks writers; here that is never the referee, whose bots' clocks
    are running. Once stderr can't be written to, all further output is dropped.
    """

    encoding: Final = getattr(sys.stderr, "encoding", None) or "utf-8"

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._write_all, name="stderr", daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        return not self._size

    def write(self, text: str) -> int:
        data = text.encode(self.encoding, "replace")
        with self._changed:
            if data and not self._closed and self._size + len(data) <= MAX_WAITING:
                self._waiting.append(data)
                self._size += len(data)
                self._changed.notify_all()
        return len(text)

    def flush(self) -> None:
        """Does nothing: text is written as soon as possible."""

    def isatty(self) -> bool:
        return os.isatty(self._fd)

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        """Write what is waiting, if that is possible within CLOSE_TIMEOUT; drop the rest."""
        with self._changed:
            self._changed.wait_for(lambda: not self._size, CLOSE_TIMEOUT)
            self._closed = True
            self._changed.notify_all()

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                data = self._waiting.popleft()
            written = self._write(data)
            with self._changed:
                self._size -= len(data)
                if not written:
                    self._closed, self._size = True, 0
                    self._waiting.clear()
                self._changed.notify_all()

    def _write(self, data: bytes) -> bool:
        """False if nothing can be written any more."""
        while data:
            try:
                data = data[os.write(self._fd, data) :]
            except OSError:
                return False
        return True
