"""The way from the commands to the terminal: all text is made printable here."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO, Any

import typer
from typer.core import TyperGroup

from referee.printable import printable


def echo(line: object, *, err: bool = False) -> None:
    """Write a line for people to stdout or stderr. Raises OSError where stdout takes no more."""
    text = printable(str(line))
    if err:
        with ignore_broken_stderr():
            typer.echo(text, err=True)
    else:
        typer.echo(text)


@contextlib.contextmanager
def ignore_broken_stderr() -> Iterator[None]:
    """Where stderr takes no more, discard what is written to it, now and later: a match must not end for it."""
    try:
        yield
    except OSError:
        discard(sys.stderr)


def discard(stream: IO[str] | None) -> None:
    """Let all further output of a stream that can't be written to any more go nowhere."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[union-attr]


class SafeGroup(TyperGroup):
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
    """Make the message of every error of Typer printable."""
    try:
        yield
    except Exception as error:
        if isinstance(vars(error).get("message"), str):
            vars(error).update(message=printable(vars(error)["message"]))
        raise
