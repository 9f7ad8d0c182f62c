"""The way from the commands to the terminal: nothing gets there that a terminal would obey."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO, Any

import typer
from typer.core import TyperGroup

from referee.printable import escape, printable


def say(line: object, *, err: bool = False) -> None:
    """A line for people, on stdout or stderr. Raises OSError where stdout takes no more."""
    text = printable(str(line))
    if err:
        with ignore_broken_stderr():
            typer.echo(text, err=True)
    else:
        typer.echo(text)


def echo_json(value: Any) -> None:
    """A value for programs, in one line on stdout."""
    import msgspec

    typer.echo(escape(msgspec.json.encode(value).decode()))


@contextlib.contextmanager
def ignore_broken_stderr() -> Iterator[None]:
    """What goes to stderr is not worth a match: where nobody takes it, it is dropped, and all that comes after."""
    try:
        yield
    except OSError:
        drop(sys.stderr)


def drop(stream: IO[str] | None) -> None:
    """Let go of output that can't be written any more."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[union-attr]


class Commands(TyperGroup):
    """A group of commands whose errors may quote the command line, which may hold anything."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Read the options of the group."""
        with sanitised_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Read the options of a command and run it."""
        with sanitised_errors():
            return super().invoke(ctx)


@contextlib.contextmanager
def sanitised_errors() -> Iterator[None]:
    """Errors of Typer go on with a message that is printable."""
    try:
        yield
    except Exception as error:
        if isinstance(vars(error).get("message"), str):
            vars(error).update(message=printable(vars(error)["message"]))
        raise
