"""The model from which the types of messages in the kits are generated has all that is on the wire, and no more."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from msgspec import structs
from msgspec.inspect import type_info

from referee import schema
from referee.games import find_game, game_names
from referee.kits.messages import model as messages
from referee.kits.messages.model import (
    NEVER_READ,
    EnumRef,
    Kind,
    ListOf,
    MapOf,
    Model,
    Nullable,
    Primitive,
    StructRef,
    TupleOf,
    Type,
    UnionRef,
    snake_case,
)
from tests.generate.kits import MESSAGES
from tests.kits.harness import ROOT

MODEL: Final = messages.model()
PYTHON: Final[dict[Kind, Any]] = {Kind.INTEGER: int, Kind.BOOLEAN: bool, Kind.STRING: str, Kind.ANY: object}
PREFIX: Final = {game: messages.prefix_of(game) for game in game_names()}
COMMON: Final = {"hello": "Hello", "fault": "FaultMessage", "quit": "Quit"}
OF_GAME: Final = {"start": "Start", "act": "Act", "end": "End"}


def problems(value: Any, wanted: Type, within: Any = None, path: str = "$") -> Iterator[str]:
    """What a value has that the model hasn't, or the other way round. `within` is the object that it is in."""
    match wanted:
        case Primitive(kind):
            if not isinstance(value, PYTHON[kind]) or (isinstance(value, bool) and kind is Kind.INTEGER):
                yield f"{path} is no {kind.value}: {value!r}"
            elif kind is Kind.INTEGER and abs(value) >= 2 ** (53 if path.endswith(messages.WIDE_FIELDS) else 31):
                yield f"{path} is too large: {value}"
        case ListOf(item):
            for index, each in enumerate(value):
                yield from problems(each, item, within, f"{path}[{index}]")
        case TupleOf(items):
            if len(items) != len(value):
                yield f"{path} has {len(value)} items"
            for each, item in zip(value, items, strict=False):
                yield from problems(each, item, within, path)
        case MapOf(inner):
            for key, each in value.items():
                yield from problems(each, inner, within, f"{path}.{key}")
        case Nullable(inner):
            if value is not None:
                yield from problems(value, inner, within, path)
        case EnumRef(name):
            (words,) = (each.values for each in MODEL.enums if each.name == name)
            if value not in words:
                yield f"{path} is no {name}: {value!r}"
        case UnionRef(name, by):
            word = value["type"] if by is None else within[by]
            yield from problems(value, StructRef(MODEL.union(name).members[word]), within, path)
        case StructRef(name):
            yield from fields_wrong(value, name, path)


def fields_wrong(value: Any, name: str, path: str) -> Iterator[str]:
    """The same for the fields of an object."""
    struct = MODEL.struct(name)
    known = {field.name for field in struct.fields} | ({"type"} if struct.tag else set())
    yield from (f"{path}.{key} is not in {name}" for key in value.keys() - known)
    for field in struct.fields:
        if field.name in value:
            yield from problems(value[field.name], field.type, value, f"{path}.{field.name}")
        elif field.always:
            yield f"{path}.{field.name} is missing"


TRANSCRIPTS: Final = sorted(ROOT.glob("protocol/transcripts/*.to-bot.jsonl"))
SAMPLE: Final = ROOT / "referee/kits/templates/common/sample.jsonl"
FROM_THE_FUTURE: Final = [f"$.later is not in {prefix}End" for prefix in PREFIX.values()]
"""What the sample has besides, to try that bots ignore it."""


@pytest.mark.slow
@pytest.mark.parametrize("path", [*TRANSCRIPTS, SAMPLE], ids=lambda path: path.name)
def test_every_message_is_as_the_model_says(path: Path) -> None:
    game = ""
    for line in path.read_text("utf-8").split("\n")[:-1]:
        message = json.loads(line)
        game = message.get("game", game)
        if message["type"] in COMMON or message["type"] in OF_GAME:
            name = COMMON.get(message["type"]) or PREFIX[game] + OF_GAME[message["type"]]
            found = [each for each in problems(message, StructRef(name)) if each not in FROM_THE_FUTURE]
            assert found == []


@pytest.mark.parametrize(
    "change",
    [
        {"seat": "0"},
        {"seat": True},
        {"seat": 2**31},
        {"bot_seed": 2**53},
        {"colour": "red"},
        {"config": {"players": 2}},
        {"players": ["a", 1]},
    ],
    ids=str,
)
def test_what_is_otherwise_would_be_seen(change: dict[str, Any]) -> None:
    start = json.loads(TRANSCRIPTS[-1].read_text("utf-8").splitlines()[1])
    assert list(problems(start, StructRef("DragonStart"))) == []
    assert list(problems(start | change, StructRef("DragonStart"))) != []


def test_every_definition_of_the_schema_is_in_the_model() -> None:
    names = {each.name for each in MODEL.structs}
    for document, content in schema.schemas().items():
        if document.endswith("record"):
            continue  # no bot reads records
        prefix = next((prefix for game, prefix in PREFIX.items() if document.startswith(game)), "")
        for name in content["$defs"]:
            variants = {name, prefix + name} if prefix or name not in OF_GAME.values() else {f"Dragon{name}"}
            assert variants & names, f"{document}: {name}"


@pytest.mark.parametrize("path", MESSAGES)
def test_every_type_of_what_the_referee_sends_is_in_the_generated_file(path: str) -> None:
    words = set(re.findall(r"\w+", MESSAGES[path](MODEL)))
    for struct in MODEL.structs:
        if struct.name not in NEVER_READ:
            of_each_game = {prefix + struct.name for prefix in PREFIX.values()}
            assert {struct.name, snake_case(struct.name), *of_each_game} & words


@pytest.mark.parametrize("path", MESSAGES)
def test_a_new_field_changes_the_generated_file(path: str) -> None:
    room = MODEL.struct("CityRoom")
    field = structs.replace(room.fields[0], name="windows")
    changed = structs.replace(room, fields=(*room.fields, field))
    types = tuple(changed if each == room else each for each in MODEL.types)
    assert "windows" not in MESSAGES[path](MODEL)
    assert "windows" in MESSAGES[path](Model(MODEL.enums, types))


@pytest.mark.parametrize("wrong", [float, int | str, list[bytes]])
def test_a_type_that_the_model_can_not_express_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="can't express"):
        messages.Reader().type_of(type_info(wrong), None, "field", "protocol.messages")


def test_words_are_named_as_in_the_rules_or_else_as_their_field() -> None:
    reader = messages.Reader()

    def name(words: Any, game: str, field: str) -> Any:
        module = next(iter(find_game(game).actions.values())).__module__
        return reader.type_of(type_info(words), game, field, module)

    age = Literal["young", "old"]
    assert name(age, "year_of_the_dragon", "of") == EnumRef("Age")
    assert name(age, "forbidden_city", "age_of_tree") == EnumRef("AgeOfTree")
    assert name(Literal["left", "right"], "forbidden_city", "age") == EnumRef("CityAge")
    with pytest.raises(ValueError, match="CityAge is two sets of words"):
        name(Literal["up", "down"], "forbidden_city", "age")
