"""The published JSON Schema describes what is actually sent and written."""

import json
import re
from typing import Any, get_args

import msgspec
import pytest

from protocol.json_schema import DIALECT
from protocol.messages import FaultCode, FromBot, ToBot
from protocol.record import RecordLine
from referee.games import find_game, game_names
from referee.schema import schemas
from tests.generate.files import stored
from tests.golden.scenarios import SCENARIOS
from tests.protocol.examples import FROM_BOT, RECORD, TO_BOT
from tests.protocol.jsonschema import Invalid, validate

DOCUMENTS: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(schemas()))
every_scenario = pytest.mark.parametrize("name", SCENARIOS)


def sent(name: str, arrow: str) -> list[dict[str, Any]]:
    """The messages of a golden transcript in one direction. (Some lines from bots are wrong on purpose.)"""
    lines = [line.split(" ", 2) for line in stored(f"tests/golden/wire/{name}.txt") if re.match(r"\d (->|<-) \{", line)]
    return [json.loads(text) for _, direction, text in lines if direction == arrow]


@every_scenario
def test_what_the_referee_sends_in_golden_transcripts_is_valid(name: str) -> None:
    messages = sent(name, "->")
    assert messages
    for message in messages:
        validate(message, DOCUMENTS["messages-to-bot"])


@every_scenario
def test_what_bots_send_in_golden_transcripts_is_valid(name: str) -> None:
    messages = sent(name, "<-")
    assert messages
    for message in messages:
        validate(message, DOCUMENTS["messages-from-bot"])


@every_scenario
def test_the_parts_that_a_game_adds_are_valid_too(name: str) -> None:
    game = SCENARIOS[name].game
    for message in sent(name, "->"):
        if "config" in message:
            validate(message["config"], DOCUMENTS[f"{game}-config"])
        if "observation" in message:
            validate(message["observation"], DOCUMENTS[f"{game}-observation"])
        for action in message.get("legal", ()):
            validate(action, DOCUMENTS[f"{game}-action-{message['decision']}"])
        for event in message.get("events", ()):
            validate(event, DOCUMENTS[f"{game}-events"])


@every_scenario
def test_the_lines_of_golden_records_are_valid(name: str) -> None:
    game = SCENARIOS[name].game
    lines = [json.loads(line) for line in stored(f"tests/golden/records/{name}.jsonl")]
    assert lines
    for line in lines:
        validate(line, DOCUMENTS[f"{game}-record"])
        if line["type"] == "decision":
            validate(line["action"], DOCUMENTS[f"{game}-action-{line['decision']}"])


@pytest.mark.parametrize(
    ("document", "examples"),
    [("messages-to-bot", TO_BOT), ("messages-from-bot", FROM_BOT), ("record", RECORD)],
)
def test_a_message_without_one_of_its_required_fields_is_not_valid(
    document: str, examples: list[tuple[Any, str]]
) -> None:
    for message, line in examples:
        fields = json.loads(line)
        validate(fields, DOCUMENTS[document])
        required = DOCUMENTS[document]["$defs"][type(message).__name__]["required"]
        assert set(required) <= fields.keys()
        for name in required:
            with pytest.raises(Invalid):
                validate({key: value for key, value in fields.items() if key != name}, DOCUMENTS[document])


def test_there_is_a_document_for_every_part_of_the_wire_and_of_records() -> None:
    names = ["messages-to-bot", "messages-from-bot", "record"]
    for name in game_names():
        game = find_game(name)
        names += [f"{name}-{part}" for part in ("config", "observation", "events", "record")]
        names += [f"{name}-action-{decision}" for decision in game.actions]
    assert sorted(DOCUMENTS) == sorted(names)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_says_what_it_is_and_defines_all_that_it_refers_to(name: str) -> None:
    document = DOCUMENTS[name]
    assert document["$schema"] == DIALECT
    assert document["title"]
    references = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(document)))
    assert references == document["$defs"].keys()
    assert all(definition["description"] for definition in document["$defs"].values() if "enum" not in definition)


@pytest.mark.parametrize(
    ("document", "types"),
    [("messages-to-bot", ToBot), ("messages-from-bot", FromBot), ("record", RecordLine)],
)
def test_messages_are_distinguished_by_their_type(document: str, types: Any) -> None:
    definitions = DOCUMENTS[document]["$defs"]
    tags = [definitions[each.__name__]["properties"]["type"]["enum"] for each in get_args(types)]
    assert tags == [[each.__struct_config__.tag] for each in get_args(types)]
    assert DOCUMENTS[document]["anyOf"] == [{"$ref": f"#/$defs/{each.__name__}"} for each in get_args(types)]


def test_a_fault_is_one_of_the_codes_there_are() -> None:
    definition = DOCUMENTS["messages-to-bot"]["$defs"]["FaultMessage"]
    assert definition["properties"]["code"]["enum"] == sorted(get_args(FaultCode))
    assert sorted(get_args(FaultCode)) == [
        "bad_message",
        "crash",
        "illegal_action",
        "memory",
        "oversize",
        "protocol_version",
        "startup_timeout",
        "timeout",
    ]


TILE = {"edges": "wooa", "parts": ["green", "pink"], "picture": "advisors", "count": 2}
SHOWN = {"type": "shown", "seat": 0, "tiles": [TILE], "paid": 4, "coins": 12}


def test_an_event_as_the_examples_of_wrong_ones_begin_with_is_valid() -> None:
    validate(SHOWN, DOCUMENTS["forbidden_city-events"])


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("messages-from-bot", {"type": "action", "id": "1"}),
        ("messages-from-bot", {"type": "action", "id": True}),
        ("messages-from-bot", {"type": "act", "id": 1}),
        ("messages-to-bot", {"type": "fault", "code": "boredom", "message": ""}),
        ("year_of_the_dragon-config", {"players": 6}),
        ("year_of_the_dragon-config", {"colour": "red"}),
        ("year_of_the_dragon-action-draft", {"persons": ["monk"]}),
        ("year_of_the_dragon-action-draft", {"persons": ["monk", "monk", "monk"]}),
        ("year_of_the_dragon-action-draft", {"persons": ["monk", "abbot"]}),
        ("year_of_the_dragon-action-place_person", {"refuse": False}),
        ("forbidden_city-config", {"players": 5}),
        ("forbidden_city-config", {"tile_set": ""}),
        ("forbidden_city-config", {"tiles": {"colours": [], "owned": {}, "two": {}, "comment": ""}}),
        ("forbidden_city-action-lay_tile", {"x": 1, "y": 1, "rotation": 4}),
        ("forbidden_city-action-lay_tile", {"x": 1, "y": 1, "rotation": -1}),
        ("forbidden_city-events", {**SHOWN, "tiles": [{**TILE, "edges": "wood"}]}),
        ("forbidden_city-events", {**SHOWN, "tiles": [{**TILE, "edges": "wooow"}]}),
        ("forbidden_city-events", {**SHOWN, "tiles": [{**TILE, "count": 3}]}),
        ("forbidden_city-events", {**SHOWN, "tiles": [{**TILE, "parts": ["green"] * 3}]}),
        ("forbidden_city-events", {name: value for name, value in SHOWN.items() if name != "coins"}),
    ],
)
def test_what_would_be_wrong_on_the_wire_is_not_valid(document: str, value: Any) -> None:
    with pytest.raises(Invalid):
        validate(value, DOCUMENTS[document])
