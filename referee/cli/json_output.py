"""JSON on standard output, for programs."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import msgspec
import typer
from msgspec import Struct
from msgspec.structs import asdict

from referee.printable import escape

WRITTEN_TOGETHER: Final = 1000
"""Items of an iterator that are in memory at the same time."""


def echo_json(value: Any) -> None:
    """Write a value as one line of JSON to stdout, with unprintable characters escaped."""
    typer.echo(encoded(value))


def echo_json_object(struct: Struct) -> None:
    """Write a struct like `echo_json`; an iterator among its values is written as an array."""
    before = "{"
    for name, value in asdict(struct).items():
        typer.echo(f"{before}{encoded(name)}:", nl=False)
        if isinstance(value, Iterator):
            between = ""
            typer.echo("[", nl=False)
            while items := list(islice(value, WRITTEN_TOGETHER)):
                typer.echo(between + encoded(items)[1:-1], nl=False)
                between = ","
            typer.echo("]", nl=False)
        else:
            typer.echo(encoded(value), nl=False)
        before = ","
    typer.echo("}")


def encoded(value: Any) -> str:
    """A value as JSON, with unprintable characters escaped."""
    return escape(msgspec.json.encode(value).decode())
