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

from tests.timeouts import TEST_TIMEOUT

REFEREE: Final = Path(sys.executable).with_name("referee")
ENVIRONMENT: Final = {
    "PATH": os.environ["PATH"],
    "HOME": os.environ.get("HOME", "/"),
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""Without variables that change how output looks. Under `ulimit -f` Python would leave broken bytecode files."""
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
    def message(self) -> str:
        """What it printed to stderr, without frames and line breaks."""
        return re.sub(r"[\s│╭╮╰╯─]+", " ", self.err).strip()

    @property
    def usage_error(self) -> str:
        """The same without the lines that show how the command is called: these name its arguments in any case."""
        return self._replace(err="\n".join(line for line in self.err.splitlines() if "referee" not in line)).message


def referee(*args: str | Path, cwd: Path | None = None, **environment: str) -> Run:
    """Run `referee`; whatever it does, it ends without a traceback, and with no escape codes in a pipe."""
    return run([str(REFEREE), *map(str, args)], cwd, environment)


def in_shell(line: str, *args: str | Path, cwd: Path | None = None) -> Run:
    """Run a shell line in which "$@" stands for the `referee` command."""
    return run(["sh", "-c", line, "sh", str(REFEREE), *map(str, args)], cwd, {})


SIGNALLED: Final = '(while read -r name; do kill -"$name" $$; done <signals) >/dev/null 2>&1 & exec "$@"'


def signalled(*args: str | Path, cwd: Path) -> Run:
    """Run `referee`; each line in the named pipe `signals`, which this makes in `cwd`, is a signal that it gets.

    A bot writes there: it may not see the referee's process itself.
    """
    if not (cwd / "signals").exists():
        os.mkfifo(cwd / "signals")
    return in_shell(SIGNALLED, *args, cwd=cwd)


def run(argv: list[str], cwd: Path | None, environment: dict[str, str]) -> Run:
    """Run a command to its end."""
    done = subprocess.run(
        argv,
        cwd=cwd,
        env=ENVIRONMENT | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TEST_TIMEOUT,
        check=False,
    )
    ended = Run(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    assert "Traceback" not in ended.err, ended.err
    assert ESCAPE not in ended.out + ended.err
    return ended


def assert_error(ended: Run, status: int, words: str) -> None:
    """The command failed with that status, with nothing on stdout, and on stderr one message with these words of ours.

    A message is one line, or comes from the parser of the command line.
    """
    assert ended.status == status, ended.err
    assert ended.out == ""
    assert words in ended.message, ended.err
    assert ended.err.count("\n") == 1 or not ended.err.startswith("referee: "), ended.err


def assert_usage_error(ended: Run, *names: str) -> None:
    """The parser of the command line refused it, with nothing on stdout and a message that names these.

    Its words are those of Typer, and may change.
    """
    assert ended.status == 2, ended.err
    assert ended.out == ""
    for name in names:
        assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", ended.usage_error), ended.err


def run_on_terminal(
    *args: str | Path, status: int = 0, cwd: Path | None = None, columns: int = 0, **environment: str
) -> str:
    """What `referee` prints on a terminal, stdout and stderr together; it has to end with this status.

    `columns` is the width of the terminal; 0: unknown, which counts as 80.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0))
    with subprocess.Popen(
        [REFEREE, *args], stdin=slave, stdout=slave, stderr=slave, env=ENVIRONMENT | environment, cwd=cwd
    ) as process:
        os.close(slave)
        output = b""
        try:
            while chunk := os.read(master, 65536):
                output += chunk
        except OSError:  # the other end is closed
            pass
        finally:
            os.close(master)
        assert process.wait(TEST_TIMEOUT) == status
    return output.decode()
