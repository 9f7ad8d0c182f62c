"""Running the `referee` command as a user does: in this process where its text and its status matter, as a fork of it
where signals, terminals, pipes or its children do, and started by a shell.
"""

import contextlib
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, TextIO
from unittest import mock

import msgspec

from referee.cli import build_group, main
from referee.cli.error_object import command_path
from referee.processes.sandbox import bubblewrap
from tests.forked import fork
from tests.timeouts import TEST_TIMEOUT

REFEREE: Final = Path(sys.executable).with_name("referee")
ENVIRONMENT: Final = {
    "PATH": os.environ["PATH"],
    "HOME": os.environ.get("HOME", "/"),
    "LANG": "C.UTF-8",
}
"""Without variables that change how output looks."""
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
    """Run `referee` in this process; whatever it does, it ends without a traceback, and with no escape codes.

    It gets a command line, a working directory, an environment, standard streams, signal handlers and limits of its
    own, as a process does. Whatever it raises beyond what its `main` reports fails the test.
    """
    assert threading.current_thread() is threading.main_thread(), "signals are caught in the main thread only"
    bubblewrap._view.cache_clear()  # of folders that the tests have changed since
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with (
            contextlib.chdir(cwd or Path.cwd()),
            mock.patch.object(sys, "argv", [str(REFEREE), *map(str, args)]),
            mock.patch.dict(os.environ, ENVIRONMENT | environment, clear=True),
            mock.patch("gc.freeze"),  # all objects of the tests would be frozen
            mock.patch("gc.set_threshold"),  # that of the tests is higher
            kept_limits(),
            kept_signal_handlers(),
            standard_streams(out, err),
        ):
            status = exit_status(main)
        for file in (out, err):
            file.seek(0)
        return ended(status, out.read(), err.read())


def exit_status(command: Callable[[], object]) -> int:
    """The exit status of a process that does only this."""
    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def text_streams() -> tuple[TextIO, TextIO, TextIO]:
    """What Python makes of the standard streams when it starts."""
    return (
        open(0, encoding="utf-8", closefd=False),
        open(1, "w", encoding="utf-8", closefd=False),
        open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False),
    )


@contextlib.contextmanager
def standard_streams(out: IO[bytes], err: IO[bytes]) -> Iterator[None]:
    """Redirect the standard streams, those of the system and those of Python: nothing to read, and two files."""
    kept = [os.dup(fd) for fd in range(3)]
    try:
        with Path(os.devnull).open("rb") as nothing:
            for fd, file in enumerate((nothing, out, err)):
                os.dup2(file.fileno(), fd)
        stdin, stdout, stderr = text_streams()
        with stdin, stdout, stderr, mock.patch.multiple(sys, stdin=stdin, stdout=stdout, stderr=stderr):
            yield
    finally:
        for fd, copy in enumerate(kept):
            os.dup2(copy, fd)
            os.close(copy)


@contextlib.contextmanager
def kept_limits() -> Iterator[None]:
    """Restore the limits of this process: a command raises its soft limits."""
    limits = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    before = {name: resource.getrlimit(getattr(resource, name)) for name in limits}
    try:
        yield
    finally:
        for name, limit in before.items():
            resource.setrlimit(getattr(resource, name), limit)


@contextlib.contextmanager
def kept_signal_handlers() -> Iterator[None]:
    """Restore the handlers of the signals that commands catch, and begin as a process does."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def start(*args: str | Path, environment: dict[str, str] | None = None, **options: Any) -> "subprocess.Popen[Any]":
    """Start `referee` as a process that is a fork of this one, with these variables and options of Popen. In
    `tests/hostile/test_poisoned_folders.py` commands have to import their modules.
    """
    argv = [str(REFEREE), *map(str, args)]

    def command() -> int:
        bubblewrap._view.cache_clear()
        sys.argv = argv
        sys.modules["__main__"].__package__ = None
        sys.stdin, sys.stdout, sys.stderr = text_streams()
        status = exit_status(main)
        sys.stdout.flush()
        return status

    return fork(argv, command, env=ENVIRONMENT | (environment or {}), **options)


def referee_process(*args: str | Path, cwd: Path | None = None, **environment: str) -> Run:
    """Run `referee` as a process, with no escape codes in its pipes."""
    process = start(
        *args,
        environment=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        out, err = process.communicate(timeout=TEST_TIMEOUT)
    return ended(process.returncode, out, err)


def in_shell(line: str, *args: str | Path, cwd: Path | None = None) -> Run:
    """Run a shell line in which "$@" stands for the `referee` command.

    It writes no bytecode, which under `ulimit -f` would be broken files.
    """
    return run(["sh", "-c", line, "sh", str(REFEREE), *map(str, args)], cwd, {"PYTHONDONTWRITEBYTECODE": "1"})


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
    return ended(done.returncode, done.stdout, done.stderr)


def ended(status: int, out: bytes, err: bytes) -> Run:
    """How a command has ended, whose output was no terminal: without a traceback, and with no escape codes."""
    run = Run(status, out.decode(errors="replace"), err.decode(errors="replace"))
    assert "Traceback" not in run.err, run.err
    assert ESCAPE not in run.out + run.err
    return run


def assert_error(ended: Run, status: int, words: str) -> None:
    """The command failed with that status, and on stderr one message with these words of ours. With --json the same
    message is on stdout, as an object; otherwise nothing.

    A message is one line, or comes from the parser of the command line.
    """
    assert ended.status == status, ended.err
    if ended.out:
        assert set(ended.json) == {"error", "next"}
        assert ended.json["error"]["status"] == status
        assert ended.json["error"]["message"] in ended.message
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


def assert_parses(command: str) -> None:
    """A command of `referee` exists, and takes these arguments; one of the shell is `cp`."""
    program, *words = shlex.split(command)
    if program != "referee":
        assert program == "cp"
        return
    *_, (name, found) = path = command_path(build_group(), words)
    arguments = words[len(path) :]
    assert not hasattr(found, "commands"), "a group needs a command"
    if arguments != ["--help"]:
        found.make_context(name, arguments)  # raises an error about arguments
