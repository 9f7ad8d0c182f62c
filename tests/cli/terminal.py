"""A terminal as a test: what is on its screen after everything that was written to it, and `referee` on a real pty."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rich.cells import cell_len

from tests.cli.on_pty import OnPty

TOKEN: Final = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")


class Terminal:
    """Knows the control sequences that the view of a tournament uses, and refuses all others."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.next_size = columns, lines
        """From the next time on that the screen is cleared: what comes before was written for the old size."""
        self.screen: dict[int, str] = {}
        """By row, what is on the alternate screen."""
        self.alternate = False
        self.cursor_shown = True
        self.colours = False
        """Whether any colour was asked for."""
        self.frames = 0
        """Lines that were drawn at the top."""
        self._row = 0
        self._rest = ""

    def feed(self, data: bytes) -> None:
        text = self._rest + data.decode(errors="ignore")
        whole = text.rfind("\x1b") if re.search(r"\x1b\[?[?\d;]*$", text) else len(text)
        text, self._rest = text[:whole], text[whole:]
        for token in TOKEN.finditer(text):
            parameters, command = token[1], token[2]
            if command is not None:
                self._control(parameters, command)
            elif token[0] == "\n":
                self._row += 1
            elif token[0] != "\r" and self.alternate:
                assert token[0].isprintable()
                self.screen[self._row] = self.screen.get(self._row, "") + token[0]
                assert cell_len(self.screen[self._row]) < self.columns, self.screen[self._row]

    def _control(self, parameters: str, command: str) -> None:
        match parameters, command:
            case "?1049", "h" | "l":
                self.alternate = command == "h"
                self.screen.clear()
            case "?25", "h" | "l":
                self.cursor_shown = command == "h"
            case _, "H":
                self._row = int(parameters.partition(";")[0] or 1) - 1
                assert self._row < self.lines, "it writes below the end of the terminal"
                self.screen.pop(self._row, None)
                self.frames += self._row == 0
            case "2", "J":
                self.screen.clear()
                self.columns, self.lines = self.next_size
            case _, "m":
                self.colours |= re.search(r"(^|;)(3|4|9|10)[0-7](;|$)", parameters) is not None
            case _:
                raise AssertionError(f"unknown control sequence {parameters}{command}")

    @property
    def text(self) -> str:
        """What is on the alternate screen."""
        return "\n".join(self.screen.get(row, "").rstrip() for row in range(self.lines))


class OnTerminal(OnPty):
    """`referee` with its stderr on a terminal of this size, and its stdout in a file."""

    def __init__(self, *args: str | Path, out: Path, columns: int = 100, lines: int = 30, **environment: str) -> None:
        self.terminal = Terminal(columns, lines)
        with out.open("wb") as file:
            streams = {"stdin": subprocess.DEVNULL, "stdout": file}
            super().__init__(*args, columns=columns, lines=lines, environment=environment, **streams)

    def resize(self, columns: int, lines: int) -> None:
        self.terminal.next_size = columns, lines
        super().resize(columns, lines)

    def read_until(self, condition: Callable[[Terminal], bool]) -> None:
        """Read what is written until a condition holds. Fails if the command ends before."""
        while not condition(self.terminal):
            assert self.read(), f"it ended: {self.written.decode()}"

    def read(self) -> bytes:
        data = super().read()
        self.terminal.feed(data)
        return data
