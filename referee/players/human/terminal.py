"""The terminal of a person: lines in, lines out, without blocking the games."""

import contextlib
import os
import sys
import termios
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

import trio
from rich.console import Console

from referee.errors import RefereeError
from referee.games.narrator import Narrator, PlainNarrator
from referee.record.styled import styled

TTY_READ_BYTES: Final = 4096
MAX_TYPED_LINE: Final = 64 * 1024
"""Bytes without a line end after which input is dropped."""
CLEAR: Final = "\x1b[H\x1b[2J\x1b[3J"
"""Clears the screen and its scrollback."""
EMPTY_LINES: Final = 200
"""Empty lines that hide what was shown on a terminal without control sequences."""


class NoTerminalError(RefereeError):
    """Standard input or standard output is not a terminal."""


class Terminal(Protocol):
    """Where a person reads and types."""

    @property
    def size(self) -> tuple[int, int]:
        """The current number of columns and lines."""

    def use_names(self, names: Sequence[str], narrator: type[Narrator[Any]]) -> None:
        """From now on show these names, in the colours of this narrator, where they are placed in lines."""

    async def show(self, lines: Iterable[str]) -> None:
        """Write printable lines, in which names may be placed. One that is not indented is a heading."""

    async def ask(self, prompt: str) -> str | None:
        """The next line that the person types, without its end, of any characters; None at the end of input."""

    async def clear(self) -> None:
        """Clear everything shown before, and discard input that was not read yet."""


class ConsoleTerminal:
    """The terminal of this process. Raises NoTerminalError."""

    def __init__(self) -> None:
        for stream, name in ((sys.stdin, "standard input"), (sys.stdout, "standard output")):
            if stream is None or not stream.isatty():
                raise NoTerminalError(f"human needs a terminal: {name} is not a TTY")
        self._in, self._out = sys.stdin.fileno(), sys.stdout.fileno()
        self._console = Console(highlight=False)
        self._encoding = sys.stdout.encoding or "utf-8"
        self.use_names((), PlainNarrator)
        self._typed = b""
        """Input that is not a whole line yet."""

    @property
    def size(self) -> tuple[int, int]:
        columns, lines = self._console.size  # asks the system each time
        return columns, lines

    def use_names(self, names: Sequence[str], narrator: type[Narrator[Any]]) -> None:
        self._names, self._narrator = names, narrator

    async def show(self, lines: Iterable[str]) -> None:
        await self._write("".join(f"{self._styled(line)}\n" for line in lines))

    def _styled(self, line: str) -> str:
        with self._console.capture() as captured:
            self._console.print(styled(line, self._names, self._narrator), soft_wrap=True, end="")
        return captured.get()

    async def ask(self, prompt: str) -> str | None:
        await self._write(prompt)
        try:
            line = await self._read_line()
        except trio.Cancelled:
            self._end_line()
            raise
        if line is None:
            self._end_line()
            return None
        return line.decode(errors="replace")

    async def _read_line(self) -> bytes | None:
        """The next line, or what was typed before the end of input; None if nothing was.

        A terminal hands out whole lines, so a read after it is readable does not block.
        """
        while b"\n" not in self._typed:
            await trio.lowlevel.wait_readable(self._in)
            try:
                data = os.read(self._in, TTY_READ_BYTES)
            except OSError:  # the terminal was closed
                data = b""
            if not data:
                rest, self._typed = self._typed, b""
                return rest or None
            self._typed = (self._typed + data)[-MAX_TYPED_LINE:]
        line, _, self._typed = self._typed.partition(b"\n")
        return line

    async def clear(self) -> None:
        self._typed = b""
        with contextlib.suppress(termios.error):
            termios.tcflush(self._in, termios.TCIFLUSH)
        plain = self._console.is_dumb_terminal or not self._console.is_terminal
        await self._write("\n" * EMPTY_LINES if plain else CLEAR)

    def _end_line(self) -> None:
        """Go to the next line after a prompt that got no answer."""
        with contextlib.suppress(OSError):
            os.write(self._out, b"\n")

    async def _write(self, text: str) -> None:
        """Write in a thread: a terminal that was stopped (Ctrl-S) must not block the referee."""
        await trio.to_thread.run_sync(self._write_all, text.encode(self._encoding, "replace"), abandon_on_cancel=True)

    def _write_all(self, data: bytes) -> None:
        while data:
            try:
                data = data[os.write(self._out, data) :]
            except OSError:  # the terminal was closed: the signal that says so ends the match
                return
