"""`referee schema`: JSON Schema of everything on the wire."""

from pathlib import Path
from typing import Annotated, Any, get_args

import msgspec
import typer

from protocol.messages import FromBot, ToBot
from protocol.record import RecordLine
from protocol.schema import schema as document
from referee.cli.failure import Failure
from referee.cli.output import echo
from referee.games import GAMES
from referee.games.interface import ChanceEvent, DecisionEvent

app = typer.Typer(add_completion=False)


@app.command("schema")
def schema(
    folder: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write a file per topic here instead of printing.")
    ] = None,
) -> None:
    """Write JSON Schema for all messages and records, and each game's decisions, observations and events."""
    documents = schemas()
    if folder is None:
        typer.echo(msgspec.json.format(msgspec.json.encode(documents), indent=2))
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, document in documents.items():
            path = folder / f"{name}.schema.json"
            path.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
            echo(path)
    except OSError as error:
        raise Failure(f"can't write to {folder}: {error.strerror}") from None


def schemas() -> dict[str, Any]:
    """Every document by name: the messages both ways, the record, and per game its parts."""
    documents = {
        "messages-to-bot": document("Messages from the referee to a bot", get_args(ToBot)),
        "messages-from-bot": document("Messages from a bot to the referee", get_args(FromBot)),
        "record": document("Lines that the record of every game has", get_args(RecordLine)),
    }
    for name, game in GAMES.items():
        lines = [*get_args(RecordLine), *game.recorded]
        documents[f"{name}-record"] = document(f"{game.title}: lines of a game record", lines)
        documents[f"{name}-config"] = document(f"{game.title}: config", [game.Config])
        documents[f"{name}-observation"] = document(f"{game.title}: observation", [game.Observation])
        documents[f"{name}-events"] = document(f"{game.title}: events", [ChanceEvent, DecisionEvent, *game.events])
        for decision, action in game.actions.items():
            documents[f"{name}-action-{decision}"] = document(f"{game.title}: action of {decision}", [action])
    return documents
