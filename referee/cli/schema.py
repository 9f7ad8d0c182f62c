"""`referee schema`: JSON Schema of everything on the wire."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import Failure
from referee.cli.output import say


def schema(
    folder: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write a file per topic here instead of printing.")
    ] = None,
) -> None:
    """Write JSON Schema for all messages and records, and each game's decisions, observations and events."""
    import msgspec

    from referee.schema import schema_files, schemas

    if folder is None:
        typer.echo(msgspec.json.format(msgspec.json.encode(schemas()), indent=2))
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in schema_files().items():
            path = folder / name
            path.write_bytes(content)
            say(path)
    except OSError as error:
        raise Failure(f"can't write to {folder}: {error.strerror}") from None
