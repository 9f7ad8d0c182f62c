"""`referee schema`: writes JSON Schema for messages, records, what each game puts into them, and output as JSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer
from msgspec import Struct

from protocol.json_schema import schema_document
from referee.cli.error_object import ErrorObject
from referee.cli.failure import reported, writing
from referee.cli.games import usable_games
from referee.cli.output import echo
from referee.cli.record import VerifiedRecords
from referee.games import OptionError
from referee.reports.match_object import MatchObject
from referee.reports.next_steps import CheckedBot
from referee.reports.positions import ShownRecord
from referee.reports.review import ReviewedRecords
from referee.schema import schema_files, schemas

OUTPUTS: Final[Mapping[str, type[Struct]]] = {
    "bot check": CheckedBot,
    "match": MatchObject,
    "record show": ShownRecord,
    "record review": ReviewedRecords,
    "record verify": VerifiedRecords,
    "error": ErrorObject,
}
"""By command, the object that it prints with `--json`; that of an error may be printed by all commands."""
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
    games = usable_games()[0] if game is None else [game]
    with reported(OptionError):
        documents = {**schemas(games), **output_schemas()}
    if folder is None:
        typer.echo(msgspec.json.format(msgspec.json.encode(documents), indent=2))
        return
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in schema_files(documents).items():
            path = folder / name
            path.write_bytes(content)
            echo(path)


def output_schemas() -> dict[str, Any]:
    """The document for the output of each command, by its name."""
    return {
        f"output-{command.replace(' ', '-')}": schema_document(f"What referee {command} --json prints", [kind])
        if kind is not ErrorObject
        else schema_document("What a command with --json prints if it fails", [kind])
        for command, kind in OUTPUTS.items()
    }
