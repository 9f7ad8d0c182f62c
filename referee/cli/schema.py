"""`referee schema`: writes JSON Schema for messages, records, and what each game puts into them."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from referee.cli.failure import Failure, reported
from referee.cli.output import echo
from referee.games import OptionError, game_names, installed_games
from referee.schema import schema_files, schemas

app = typer.Typer(add_completion=False)


@app.command("schema")
def schema(
    folder: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write a file per topic here instead of printing.")
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Only this game.", show_default="the games of the referee and of packages")
    ] = None,
) -> None:
    """Write JSON Schema for all messages and records, and each game's decisions, observations and events."""
    games = [*game_names(), *installed_games()[0]] if game is None else [game]
    with reported(OptionError):
        if folder is None:
            typer.echo(msgspec.json.format(msgspec.json.encode(schemas(games)), indent=2))
            return
        files = schema_files(games)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = folder / name
            path.write_bytes(content)
            echo(path)
    except OSError as error:
        raise Failure(f"can't write to {folder}: {error.strerror}") from None
