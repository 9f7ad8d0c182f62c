"""Running the real `referee` command, as a user does."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

REFEREE: Final = Path(sys.executable).with_name("referee")
ENVIRONMENT: Final = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8"}
"""Nothing that would change how output looks."""
PATIENCE: Final = 60.0
"""Seconds after which a command counts as stuck."""
ESCAPE: Final = "\x1b"


class Run(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as the one JSON value it has to be."""
        return msgspec.json.decode(self.out)

    @property
    def words(self) -> str:
        """What it said on stderr, without the frame around it and with its line breaks undone."""
        return re.sub(r"[\s│╭╮╰╯─]+", " ", self.err).strip()


def referee(*args: str | Path, cwd: Path | None = None, **environment: str) -> Run:
    """Run `referee`; whatever it does, it ends without a traceback, and with no escape codes in a pipe."""
    return run([str(REFEREE), *map(str, args)], cwd, environment)


def in_shell(line: str, *args: str | Path, cwd: Path | None = None) -> Run:
    """Run a shell line in which "$@" stands for the `referee` command."""
    return run(["sh", "-c", line, "sh", str(REFEREE), *map(str, args)], cwd, {})


def run(argv: list[str], cwd: Path | None, environment: dict[str, str]) -> Run:
    """Run a command to its end."""
    done = subprocess.run(
        argv,
        cwd=cwd,
        env=ENVIRONMENT | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    ended = Run(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    assert "Traceback" not in ended.err, ended.err
    assert ESCAPE not in ended.out + ended.err
    return ended


def assert_clear(ended: Run, status: int, words: str) -> None:
    """The command failed with that status, with nothing on stdout, and on stderr one message with these words."""
    assert ended.status == status, ended.err
    assert ended.out == ""
    assert words in ended.words, ended.err
    one_line = ended.err.startswith("referee: ") and ended.err.count("\n") == 1
    usage = ended.err.startswith(("Usage: referee", "╭")) and "Error" in ended.err
    assert one_line or usage, ended.err


def on_a_terminal(
    *args: str | Path, status: int = 0, cwd: Path | None = None, columns: int = 0, **environment: str
) -> str:
    """What a command that ends with this status shows on a terminal, stdout and stderr together.

    `columns` is how wide the terminal is; 0: it doesn't say, which counts as 80.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0))
    with subprocess.Popen(
        [REFEREE, *args], stdin=slave, stdout=slave, stderr=slave, env=ENVIRONMENT | environment, cwd=cwd
    ) as process:
        os.close(slave)
        shown = b""
        try:
            while chunk := os.read(master, 65536):
                shown += chunk
        except OSError:  # the other end is closed
            pass
        finally:
            os.close(master)
        assert process.wait(PATIENCE) == status
    return shown.decode()
