"""A person at a terminal: `referee` with its input and its output on a pty, and what is typed at its prompts."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from tests.cli.command import ENVIRONMENT, REFEREE
from tests.timeouts import TEST_TIMEOUT

PROMPT: Final = re.compile(r"(?:(?:^|\n)(?:confirm\? |stop\? )?> |looking\. |begin game \d+\. )$")
ESCAPES: Final = re.compile(r"\x1b\[[?\d;]*[A-Za-z]")
CTRL_C: Final = b"\x03"
CTRL_D: Final = b"\x04"


def take_terminal() -> None:
    """Make standard input the controlling terminal, so that Ctrl-C typed there becomes a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Person:
    """A command on a terminal of this size, and all that it has written there; its output may be a file instead."""

    def __init__(
        self, *args: str | Path, columns: int = 80, lines: int = 40, out: IO[bytes] | None = None, **environment: str
    ) -> None:
        self._master, slave = pty.openpty()
        self.resize(columns, lines)
        self.process = subprocess.Popen(
            [REFEREE, *args],
            stdin=slave,
            stdout=out or slave,
            stderr=slave,
            env=ENVIRONMENT | {"TERM": "xterm-256color"} | environment,
            start_new_session=True,
            preexec_fn=take_terminal,  # noqa: PLW1509 (no threads run here)
        )
        os.close(slave)
        self.raw = ""
        self._asked = 0
        """How much of `raw` came before what was last typed."""

    @property
    def text(self) -> str:
        """All that was written, without control sequences."""
        return ESCAPES.sub("", self.raw).replace("\r\n", "\n")

    @property
    def latest(self) -> str:
        """What was written since the last input."""
        return ESCAPES.sub("", self.raw[self._asked :]).replace("\r\n", "\n")

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size, of which the command is told by SIGWINCH."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def prompted(self) -> bool:
        """Wait for the next prompt. False if the command ends instead."""
        while not PROMPT.search(self.latest):
            if not self._read():
                return False
        return True

    def type(self, line: str | bytes) -> str:
        """Type a line at the next prompt, and return what is written up to the prompt after it."""
        assert self.prompted(), self.text
        self._asked = len(self.raw)
        os.write(self._master, line if isinstance(line, bytes) else f"{line}\n".encode())
        self.prompted()
        return self.latest

    def play(self, choose: Callable[[str], str]) -> None:
        """Type what `choose` says to each prompt, until the command ends."""
        while self.prompted():
            self.type(choose(self.latest))

    def hang_up(self) -> None:
        """Close the terminal."""
        os.close(self._master)
        self._master = -1

    def end(self) -> int:
        """Read everything, and wait for the exit status."""
        while self._master >= 0 and self._read():
            pass
        status = self.process.wait(TEST_TIMEOUT)
        assert "Traceback" not in self.text
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self._master >= 0:
            os.close(self._master)

    def _read(self) -> bool:
        readable, _, _ = select.select([self._master], [], [], TEST_TIMEOUT)
        assert readable, f"nothing more is written after: {self.text}"
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end is closed
            return False
        self.raw += data.decode(errors="replace")
        return bool(data)
