"""Every message and every line of a record is encoded exactly as before, and is read back unchanged."""

import builtins
import types
import typing
from types import NoneType
from typing import Any, get_args, get_origin

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Raw, UnsetType

from protocol.codec import decode, encode, encode_json
from protocol.messages import Act, ActParts, FromBot, Message, Ready, ToBot
from protocol.record import RecordLine
from tests.protocol.examples import FROM_BOT, RECORD, TO_BOT

fixed = settings(derandomize=True)
to_bot: msgspec.json.Decoder[Message] = msgspec.json.Decoder(ToBot)
record_line: msgspec.json.Decoder[Any] = msgspec.json.Decoder(RecordLine)

# -- as written -----------------------------------------------------------------------------------------------


def test_there_are_examples_of_every_type() -> None:
    assert {type(message) for message, _ in TO_BOT} == set(get_args(ToBot))
    assert {type(message) for message, _ in FROM_BOT} == set(get_args(FromBot))
    assert {type(line) for line, _ in RECORD} == set(get_args(RecordLine))


@pytest.mark.parametrize(("message", "line"), TO_BOT + FROM_BOT, ids=lambda value: type(value).__name__)
def test_a_message_is_one_line_of_json_with_its_fields_in_this_order_and_is_read_back_as_itself(
    message: Message, line: str
) -> None:
    assert encode(message) == line.encode() + b"\n"
    read = decode(line.encode()) if isinstance(message, FromBot) else to_bot.decode(line)
    assert read == message


@pytest.mark.parametrize(("part", "line"), RECORD, ids=lambda value: type(value).__name__)
def test_a_line_of_a_record_is_json_with_its_fields_in_this_order_and_is_read_back_as_itself(
    part: Any, line: str
) -> None:
    assert encode_json(part) == line.encode()
    assert record_line.decode(line) == part


@pytest.mark.parametrize("options", ["", ',"options":{}'])
def test_a_bot_that_names_no_parts_of_questions_is_sent_all_but_tensors(options: str) -> None:
    ready = decode(f'{{"type":"ready","protocol":1,"name":"x"{options}}}'.encode())
    assert isinstance(ready, Ready)
    assert ready.options == ActParts(observation=True, legal=True, events=True, tensor=False)


def test_a_part_that_is_encoded_once_can_go_into_many_messages() -> None:
    part = Raw(encode_json({"type": "deal", "to": [0, 1]}))
    for number in range(2):
        act = Act(id=number, decision="draw", observation=part, events=[part, part], time_ms=1)
        assert encode(act) == encode(
            Act(id=number, decision="draw", observation={"type": "deal", "to": [0, 1]}, events=[part] * 2, time_ms=1)
        )


def test_parts_that_are_joined_are_elements_of_the_list_that_they_go_into() -> None:
    for parts in ([], [1], ["a\nb", {"x": None}, [2]], [Raw(b'{"x":1}'), 2]):
        assert encode_json([Raw(b",".join(map(encode_json, parts)))]) == encode_json(parts)


# -- whatever is in them --------------------------------------------------------------------------------------

numbers = st.integers(-(2**63), 2**64 - 1)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    Any: values,
    int: numbers,
    float: st.floats(0, 1e9),
    str: st.text(),
    bool: st.booleans(),
    NoneType: st.none(),
    UnsetType: st.just(UNSET),
    Raw: values.map(lambda value: Raw(msgspec.json.encode(value))),
}


def of_type(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that messages have."""
    if kind in SIMPLE:
        return SIMPLE[kind]
    parts = get_args(kind)
    match get_origin(kind):
        case types.UnionType | typing.Union:
            return st.one_of([of_type(part) for part in parts])
        case typing.Literal:
            return st.sampled_from(parts)
        case builtins.list:
            return st.lists(of_type(parts[0]), max_size=3)
        case typing.Annotated:
            return st.integers(0, 2**32)
    return st.builds(kind, **{field.name: of_type(field.type) for field in msgspec.structs.fields(kind)})


@pytest.mark.slow
@fixed
@given(of_type(ToBot))
def test_any_message_to_a_bot_is_one_line_and_is_read_back_as_itself(message: Message) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert to_bot.decode(line) == message


@pytest.mark.slow
@fixed
@given(of_type(FromBot))
def test_any_message_from_a_bot_is_one_line_and_is_read_back_as_itself(message: Message) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert decode(line[:-1]) == message


@pytest.mark.slow
@fixed
@given(of_type(RecordLine))
def test_any_line_of_a_record_is_one_line_and_is_read_back_as_itself(line: Any) -> None:
    part = encode_json(line)
    assert b"\n" not in part
    assert record_line.decode(part) == line
