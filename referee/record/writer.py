"""Writing a game record while the game is played."""

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from protocol.codec import encode_json
from protocol.record import Line
from referee.errors import RefereeError
from referee.printable import escape_lines

BUFFER_BYTES: Final = 16 * 1024
"""Bytes buffered before a write. Closing the record writes the rest."""


class RecordWriteError(RefereeError):
    """A record can't be written. The message names the file and the reason."""


class Recorder(Protocol):
    """Receives the lines of one game's record in order. Both methods may raise RecordWriteError.

    In a record, characters that a terminal would interpret are escaped: people view records in one. Many lines are
    escaped together, which costs a fraction of what it costs for each of them.
    """

    def write(self, line: Line | bytes) -> None:
        """Add a line. Bytes are its JSON."""

    def close(self) -> None:
        """Write everything that is still buffered. May be called more than once."""


class NoRecord:
    """A Recorder that discards the record."""

    def write(self, line: Line | bytes) -> None: ...

    def close(self) -> None: ...


class RecordInMemory:
    """A Recorder that keeps the record in memory, to be stored as a whole when the game is over."""

    def __init__(self, content: bytes = b"") -> None:
        self._content = content
        self._lines: list[bytes] = []

    def write(self, line: Line | bytes) -> None:
        self._lines.append(line if isinstance(line, bytes) else encode_json(line))

    def close(self) -> None: ...

    def content(self) -> bytes:
        if self._lines:
            self._content += escape_lines(self._lines)
            self._lines.clear()
        return self._content


class CopiedRecord:
    """A Recorder that also gives each line, as it is recorded and without its LF, to a function."""

    def __init__(self, recorder: Recorder, copy: Callable[[bytes], None]) -> None:
        self._recorder = recorder
        self._copy = copy

    def write(self, line: Line | bytes) -> None:
        encoded = escape_lines([line if isinstance(line, bytes) else encode_json(line)]).removesuffix(b"\n")
        self._recorder.write(encoded)
        self._copy(encoded)

    def close(self) -> None:
        self._recorder.close()


class RecordFile:
    """A Recorder that writes a new JSON Lines file. Raises RecordWriteError if the file exists or can't be created."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: list[bytes] = []
        self._size = 0
        try:
            self._file: BinaryIO = path.open("xb", buffering=0)
        except OSError as error:
            raise RecordWriteError(f"can't write the record {path}: {error.strerror}") from None

    def write(self, line: Line | bytes) -> None:
        encoded = line if isinstance(line, bytes) else encode_json(line)
        self._lines.append(encoded)
        self._size += len(encoded) + 1
        if self._size >= BUFFER_BYTES:
            self._flush()

    def _flush(self) -> None:
        data = escape_lines(self._lines)
        self._lines.clear()
        self._size = 0
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise RecordWriteError(f"can't write the record {self.path}: {error.strerror}") from None

    def close(self) -> None:
        try:
            self._flush()
        finally:
            self._file.close()
