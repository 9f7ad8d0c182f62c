"""`referee schema`: writes JSON Schema for messages, records, and what each game puts into them."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from referee.cli.failure import Failure
from referee.cli.output import echo
from referee.schema import schema_files, schemas

app = typer.Typer(add_completion=False)


@app.command("schema")
def schema(
    folder: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write a file per topic here instead of printing.")
    ] = None,
) -> None:
    """Write JSON Schema for all messages and records, and each game's decisions, observations and events."""
    if folder is None:
        typer.echo(msgspec.json.format(msgspec.json.encode(schemas()), indent=2))
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in schema_files().items():
            path = folder / name
            path.write_bytes(content)
            echo(path)
    except OSError as error:
        raise Failure(f"can't write to {folder}: {error.strerror}") from None
