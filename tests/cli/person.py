"""A person at a terminal: `referee` with its input and its output on a pty, and what is typed at its prompts."""

import fcntl
import re
import termios
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from tests.cli.on_pty import OnPty

PROMPT: Final = re.compile(r"(?:(?:^|\n)(?:confirm\? |stop\? )?> |looking\. |begin game \d+\. )$")
ESCAPES: Final = re.compile(r"\x1b\[[?\d;]*[A-Za-z]")
CTRL_C: Final = b"\x03"
CTRL_D: Final = b"\x04"


def take_terminal() -> None:
    """Make standard input the controlling terminal, so that Ctrl-C typed there becomes a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Person(OnPty):
    """A command on a terminal of this size; its output may be a file instead."""

    def __init__(
        self, *args: str | Path, columns: int = 80, lines: int = 40, out: IO[bytes] | None = None, **environment: str
    ) -> None:
        streams = {} if out is None else {"stdout": out}
        super().__init__(
            *args,
            columns=columns,
            lines=lines,
            environment=environment,
            start_new_session=True,
            preexec_fn=take_terminal,
            **streams,
        )
        self._asked = 0
        """How much of what was written came before what was last typed."""

    @property
    def text(self) -> str:
        """All that was written, without control sequences."""
        return without_controls(self.written)

    @property
    def latest(self) -> str:
        """What was written since the last input."""
        return without_controls(self.written[self._asked :])

    def prompted(self) -> bool:
        """Wait for the next prompt. False if the command ends instead."""
        while not PROMPT.search(self.latest):
            if not self.read():
                return False
        return True

    def type(self, line: str | bytes) -> str:
        """Type a line at the next prompt, and return what is written up to the prompt after it."""
        assert self.prompted(), self.text
        self._asked = len(self.written)
        self.send(line if isinstance(line, bytes) else f"{line}\n".encode())
        self.prompted()
        return self.latest

    def play(self, choose: Callable[[str], str]) -> None:
        """Type what `choose` says to each prompt, until the command ends."""
        while self.prompted():
            self.type(choose(self.latest))


def without_controls(written: bytes) -> str:
    return ESCAPES.sub("", written.decode(errors="replace")).replace("\r\n", "\n")
