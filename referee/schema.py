"""The JSON Schema documents of the protocol: the messages, the record, and what each game puts into them."""

from typing import Any, get_args

import msgspec

from protocol.json_schema import json_schema
from protocol.messages import FromBot, ToBot
from protocol.record import RecordLine
from referee.games import GAMES
from referee.games.interface import ChanceEvent, DecisionEvent

__all__ = ["schema_files", "schemas"]


def schemas() -> dict[str, Any]:
    """Every document by name: the messages both ways, the record, and of each game its parts."""
    documents = {
        "messages-to-bot": json_schema("Messages from the referee to a bot", get_args(ToBot)),
        "messages-from-bot": json_schema("Messages from a bot to the referee", get_args(FromBot)),
        "record": json_schema("Lines that the record of every game has", get_args(RecordLine)),
    }
    for name, game in GAMES.items():
        lines = [*get_args(RecordLine), *game.recorded]
        documents[f"{name}-record"] = json_schema(f"{game.title}: lines of a game record", lines)
        documents[f"{name}-config"] = json_schema(f"{game.title}: config", [game.Config])
        documents[f"{name}-observation"] = json_schema(f"{game.title}: observation", [game.Observation])
        documents[f"{name}-events"] = json_schema(f"{game.title}: events", [ChanceEvent, DecisionEvent, *game.events])
        for decision, action in game.actions.items():
            documents[f"{name}-action-{decision}"] = json_schema(f"{game.title}: action of {decision}", [action])
    return documents


def schema_files() -> dict[str, bytes]:
    """Every document as a file, by file name."""
    return {
        f"{name}.schema.json": msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
        for name, document in schemas().items()
    }
