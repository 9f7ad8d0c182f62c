"""Files with the lines between the referee and one bot in one game, for a game and seat such as `0007-2.seat1`.

`….to-bot.jsonl` has every line to the bot, from `hello` to `quit`, to be piped into a bot. `….trace.jsonl` has the
lines of both directions with their times.
"""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import trio

from protocol import codec
from protocol.messages import Quit
from referee.connections.traced import WireLine
from referee.errors import RefereeError
from referee.printable import escape
from referee.processes.stderr_log import OPEN_FLAGS

TRACE_VERSION: Final = 1
"""The version of the format, in the first line of each trace."""
TRACE_SUFFIX: Final = ".trace.jsonl"
TO_BOT_SUFFIX: Final = ".to-bot.jsonl"
TRACE_BUFFER_BYTES: Final = 256 * 1024
"""Bytes that are buffered before they are written. The end of the game writes the rest."""
MAX_LINE_KEPT: Final = 64 * 1024
"""Maximum length in bytes of a bot's line that is kept whole; of a longer one only the beginning is."""
MAX_TEXT: Final = 4096
"""Bytes kept of a line that is too long, or not a JSON object."""
MAX_FROM_BOT: Final = 4 * 1024**2
"""Bytes of lines from one bot in one game that are kept. What the referee sends has no limit: bots can't inflate it."""
MAX_BRACKETS: Final = 100
"""Maximum nesting of a bot's line that is kept as JSON, because readers of traces have limits too."""
QUIT_LINE: Final = codec.encode(Quit())


class TraceWriteError(RefereeError):
    """A trace can't be written. The text says which file, and why."""


class TraceFile:
    """Takes the lines of one seat in one game. `add` never raises: `close` raises what went wrong since the beginning.

    Files are open only while they are written to.
    """

    def __init__(self, stem: Path, *, game_id: str, seat: int, bot: str) -> None:
        """`stem`: the path without its suffix. Times in the trace count from now."""
        self._trace = _AppendedFile(stem.with_name(stem.name + TRACE_SUFFIX))
        self._to_bot = _AppendedFile(stem.with_name(stem.name + TO_BOT_SUFFIX))
        self._began = trio.current_time()
        self._from_bot = 0
        """Bytes from the bot so far."""
        self._closed = False
        self._append(trace=TRACE_VERSION, game_id=game_id, seat=seat, bot=bot, began=datetime.now(UTC).isoformat())

    def add(self, line: WireLine) -> None:
        """Add a line. Lines after `close` are dropped: they belong to no game."""
        if self._closed:
            return
        ms = round((line.time - self._began) * 1000, 3)
        if line.direction == "to":
            self._to_bot.append(line.data + b"\n")
            self._append(ms=ms, to=msgspec.Raw(line.data))
            return
        before, self._from_bot = self._from_bot, self._from_bot + len(line.data) + 1
        if self._from_bot <= MAX_FROM_BOT:
            self._append(ms=ms, **as_fields(line.data), **({} if line.received else {"received": False}))
        elif before <= MAX_FROM_BOT:
            self._append(ms=ms, omitted="this bot has written too much: the trace keeps no more of its lines")

    def begin_again(self) -> None:
        """A new process takes the place of one that has read nothing of the game, and is sent everything once more."""
        self._to_bot.clear()

    def close(self) -> None:
        """Write what is left. Raises TraceWriteError."""
        if not self._closed and self._to_bot.is_begun:
            self._to_bot.append(QUIT_LINE)
            self._trace.write()
            self._to_bot.write()
        self._closed = True
        for file in (self._trace, self._to_bot):
            if file.error is not None:
                raise TraceWriteError(f"can't write the trace {file.path}: {file.error.strerror}")

    def _append(self, **fields: Any) -> None:
        self._trace.append(trace_line(fields).encode() + b"\n")


def remove_trace(stem: Path) -> None:
    """Remove the files of a trace, as far as they are there. Raises OSError."""
    for suffix in (TRACE_SUFFIX, TO_BOT_SUFFIX):
        stem.with_name(stem.name + suffix).unlink(missing_ok=True)


def trace_line(fields: Mapping[str, Any]) -> str:
    """A line of a trace: JSON with everything escaped that a terminal would interpret."""
    return escape(msgspec.json.encode(fields).decode())


class _AppendedFile:
    """A new file that is appended to. After an error everything is dropped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.error: OSError | None = None
        self.is_begun = False
        self._parts: list[bytes] = []
        self._size = 0
        self._flags = os.O_EXCL

    def append(self, data: bytes) -> None:
        self.is_begun = True
        self._parts.append(data)
        self._size += len(data)
        if self._size >= TRACE_BUFFER_BYTES:
            self.write()

    def clear(self) -> None:
        self._forget()
        if not self._flags:  # something has been written
            self._flags = os.O_TRUNC

    def write(self) -> None:
        """Write what is buffered. Never raises."""
        data = b"".join(self._parts)
        self._forget()
        if self.error is not None:
            return
        try:
            fd = os.open(self.path, OPEN_FLAGS | self._flags, 0o666)
            self._flags = 0
            try:
                while data:
                    data = data[os.write(fd, data) :]
            finally:
                os.close(fd)
        except OSError as error:
            self.error = error

    def _forget(self) -> None:
        self._parts.clear()
        self._size = 0


def as_fields(line: bytes) -> dict[str, Any]:
    """A line of a bot as fields of a trace: `from` with its JSON object, or else `text`.

    `bytes` is its length if only its beginning is kept.
    """
    if len(line) <= MAX_LINE_KEPT and line.count(b"{") + line.count(b"[") <= MAX_BRACKETS:
        try:
            if isinstance(msgspec.json.decode(line), dict):
                return {"from": msgspec.Raw(msgspec.json.format(line, indent=-1))}
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
    text = line[:MAX_TEXT].decode(errors="replace")
    return {"text": text} if len(line) <= MAX_TEXT else {"text": text, "bytes": len(line)}
