"""`referee` on a real terminal, with other standard streams where a test wants them."""

import fcntl
import os
import pty
import select
import struct
import termios
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.cli.command import start
from tests.timeouts import TEST_TIMEOUT


class OnPty:
    """A command on a terminal of this size, and all that it has written there. `options` are those of Popen."""

    def __init__(
        self, *args: str | Path, columns: int, lines: int, environment: dict[str, str], **options: Any
    ) -> None:
        self._master, slave = pty.openpty()
        self.resize(columns, lines)
        streams = {"stdin": slave, "stdout": slave, "stderr": slave} | options
        self.process = start(*args, environment={"TERM": "xterm-256color"} | environment, **streams)
        os.close(slave)
        self.written = b""

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size, of which the command is told by SIGWINCH."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def hang_up(self) -> None:
        """Close the terminal."""
        os.close(self._master)
        self._master = -1

    def end(self) -> int:
        """Read everything, and wait for the exit status."""
        while self._master >= 0 and self.read():
            pass
        status = self.process.wait(TEST_TIMEOUT)
        assert b"Traceback" not in self.written
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self._master >= 0:
            self.hang_up()

    def send(self, data: bytes) -> None:
        os.write(self._master, data)

    def read(self) -> bytes:
        """What is written next; empty once the command has ended."""
        readable, _, _ = select.select([self._master], [], [], TEST_TIMEOUT)
        assert readable, f"nothing more is written after: {self.written.decode(errors='replace')}"
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end is closed
            return b""
        self.written += data
        return data


def run_on_terminal(
    *args: str | Path, status: int = 0, cwd: Path | None = None, columns: int = 0, **environment: str
) -> str:
    """What `referee` prints on a terminal, stdout and stderr together; it has to end with this status.

    `columns` is the width of the terminal; 0: unknown, which counts as 80.
    """
    environment = {"TERM": ""} | environment
    with closing(OnPty(*args, columns=columns, lines=24 if columns else 0, environment=environment, cwd=cwd)) as shown:
        assert shown.end() == status
    return shown.written.decode()
