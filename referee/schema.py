"""The JSON Schema documents of the protocol: the messages, the record, and the parts that each game defines."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import msgspec

from protocol.json_schema import schema_document
from protocol.messages import FromBot, ToBot
from protocol.record import RecordLine
from referee.games import find_game, game_names
from referee.games.interface import ChanceEvent, DecisionEvent

__all__ = ["schema_files", "schemas"]


def schemas(games: Sequence[str] | None = None) -> dict[str, Any]:
    """Every document by name: messages in both directions, the record, and the parts that depend on the game.

    Without `games`: of the games of the referee. Raises OptionError.
    """
    documents = {
        "messages-to-bot": schema_document("Messages from the referee to a bot", get_args(ToBot)),
        "messages-from-bot": schema_document("Messages from a bot to the referee", get_args(FromBot)),
        "record": schema_document("Lines that the record of every game has", get_args(RecordLine)),
    }
    for name in game_names() if games is None else games:
        game = find_game(name)
        lines = [*get_args(RecordLine), *game.recorded]
        events = [ChanceEvent, DecisionEvent, *game.events]
        documents[f"{name}-record"] = schema_document(f"{game.title}: lines of a game record", lines)
        documents[f"{name}-config"] = schema_document(f"{game.title}: config", [game.Config])
        documents[f"{name}-observation"] = schema_document(f"{game.title}: observation", [game.Observation])
        documents[f"{name}-events"] = schema_document(f"{game.title}: events", events)
        for decision, action in game.actions.items():
            documents[f"{name}-action-{decision}"] = schema_document(f"{game.title}: action of {decision}", [action])
    return documents


def schema_files(documents: Mapping[str, Any]) -> dict[str, bytes]:
    """The content of each schema file, by file name: `NAME.schema.json`, with dots for colons in names of games."""
    return {
        f"{name.replace(':', '.')}.schema.json": msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
        for name, document in documents.items()
    }
