"""Text output of the commands: all text is made printable here."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer
from typer.core import TyperGroup

from referee.cli.failure import INTERRUPTED, Failure
from referee.printable import printable

STDOUT: Final = Path("-")
"""As the name of a file to write: standard output."""
CODES: Final = {
    "bold": "1",
    "dim": "2",
    "dim italic": "2;3",
    "green": "32",
    "red": "31",
    "yellow": "33",
    "bold red": "1;31",
    "bold cyan": "1;36",
}
"""Styles of text, as in ECMA-48, 8.3.117."""


def echo(line: object, *, err: bool = False) -> None:
    """Write a line to stdout or stderr, made printable. Never raises OSError: see `LossyFile`."""
    text = printable(str(line))
    if err:
        with ignore_broken_stderr():
            typer.echo(text, err=True)
    else:
        typer.echo(text)


class LossyFile(io.FileIO):
    """A file that drops what can't be written to it, so that a command goes on to its end."""

    error: OSError | None = None
    is_used = False
    """Whether anything was to be written."""

    def write(self, data: Any, /) -> int:
        self.is_used = True
        try:
            return super().write(data)
        except OSError as error:
            self.error = self.error or error
            return len(data)


def make_stdout_lossy() -> LossyFile | None:
    """Let stdout drop what can't be written; the file below it, or None if it is not one of Python's own. Characters
    that its encoding lacks are replaced."""
    if sys.stdout is None:  # it is closed: no other file may get its number, and to write to this one is an error, too
        os.dup2(os.open(os.devnull, os.O_RDONLY), 1)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    stream = sys.stdout
    if not isinstance(stream, io.TextIOWrapper):
        return None
    stream.flush()
    file = LossyFile(stream.fileno(), "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(file),
        encoding=stream.encoding,
        errors="replace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    return file


@contextlib.contextmanager
def ignore_broken_stderr() -> Iterator[None]:
    """If stderr can't be written to, discard all further output to it: a match must not end because of that."""
    try:
        yield
    except OSError:
        with contextlib.suppress(OSError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def encodable(text: str) -> bool:
    """Whether standard output has these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def styled(text: str, style: str) -> str:
    """The text in one of the styles, if standard output shows them; empty: none."""
    return f"\x1b[{CODES[style]}m{text}\x1b[0m" if style and has_colour() else text


def has_colour() -> bool:
    """Whether standard output is a terminal that shows colours, and the user wants them (no-color.org)."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in ("dumb", "unknown")
    return not is_plain and sys.stdout.isatty()


class SafeGroup(TyperGroup):
    """A group of commands that makes error messages printable: they may quote anything from the command line."""

    usage_error = ""
    """The message of the error of Typer that ended the command."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with self._sanitised_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with self._sanitised_errors():
            return super().invoke(ctx)

    @contextlib.contextmanager
    def _sanitised_errors(self) -> Iterator[None]:
        """Make the message of every error of Typer printable."""
        try:
            yield
        except KeyboardInterrupt:  # which Typer would let end the command without a message
            raise Failure("interrupted", INTERRUPTED) from None
        except Exception as error:
            if isinstance(vars(error).get("message"), str):
                vars(error).update(message=printable(vars(error)["message"]))
                self.usage_error = printable(getattr(error, "format_message", lambda: "")())
            raise
