"""Writing a game record while the game is played."""

from pathlib import Path
from typing import BinaryIO, Final, Protocol

from msgspec import Raw

from protocol.codec import encode_part
from protocol.record import Line
from referee.printable import escape

BUFFER: Final = 16 * 1024
"""Bytes that are kept back until they are written; a game that breaks off writes what it has."""


class RecordWriteError(Exception):
    """A record can't be written; says where and why."""


class Recorder(Protocol):
    """Takes the lines of one game."""

    def write(self, line: Line | Raw) -> None:
        """Add a line."""
        ...

    def close(self) -> None:
        """No more lines will come."""
        ...


class NoRecord:
    """Keeps nothing."""

    def write(self, line: Line | Raw) -> None:
        """Forget the line."""

    def close(self) -> None:
        """Nothing to do."""


class RecordFile:
    """A record in a JSON Lines file. Raises RecordWriteError where the file can't be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._parts: list[bytes] = []
        self._size = 0
        try:
            self._file: BinaryIO = path.open("xb", buffering=0)
        except OSError as error:
            raise RecordWriteError(f"can't write the record {path}: {error.strerror}") from None

    def write(self, line: Line | Raw) -> None:
        """Add a line; it reaches the file with the next full buffer, or at the end.

        Whoever looks at the file in a terminal finds nothing in it that the terminal would obey.
        """
        part = escape(bytes(line if isinstance(line, Raw) else encode_part(line)).decode()).encode()
        self._parts += (part, b"\n")
        self._size += len(part) + 1
        if self._size >= BUFFER:
            self._flush()

    def _flush(self) -> None:
        data = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise RecordWriteError(f"can't write the record {self.path}: {error.strerror}") from None

    def close(self) -> None:
        """Write what is left and close the file."""
        try:
            self._flush()
        finally:
            self._file.close()
