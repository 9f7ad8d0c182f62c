"""JSON on standard output, for programs."""

from typing import Any

import msgspec
import typer

from referee.printable import escape


def echo_json(value: Any) -> None:
    """Write a value as one line of JSON to stdout, with unprintable characters escaped. Raises OSError."""
    typer.echo(escape(msgspec.json.encode(value).decode()))
