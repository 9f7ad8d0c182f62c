"""Every message and every line of a record is encoded exactly as before, and is read back unchanged."""

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Raw

from protocol.codec import decode, encode, encode_part, encode_parts
from protocol.messages import (
    Act,
    ActParts,
    Answer,
    Clock,
    End,
    FaultCode,
    FaultMessage,
    FromBot,
    Message,
    Ready,
    Result,
    Start,
    ToBot,
)
from protocol.record import ChanceLine, DecisionLine, FaultLine, GameLine, PlayerInfo, RecordLine, ResultLine
from tests.protocol.examples import FROM_BOT, RECORD, TO_BOT

fixed = settings(derandomize=True, deadline=None)
to_bot: msgspec.json.Decoder[Message] = msgspec.json.Decoder(ToBot)
record_line: msgspec.json.Decoder[Any] = msgspec.json.Decoder(RecordLine)

# -- as written -----------------------------------------------------------------------------------------------


def test_there_are_examples_of_every_type() -> None:
    assert {type(message) for message, _ in TO_BOT} == set(get_args(ToBot))
    assert {type(message) for message, _ in FROM_BOT} == set(get_args(FromBot))
    assert {type(line) for line, _ in RECORD} == set(get_args(RecordLine))


@pytest.mark.parametrize(("message", "line"), TO_BOT + FROM_BOT, ids=lambda value: type(value).__name__)
def test_a_message_is_one_line_of_json_with_its_fields_in_this_order(message: Message, line: str) -> None:
    assert encode(message) == line.encode() + b"\n"


@pytest.mark.parametrize(("message", "line"), TO_BOT, ids=lambda value: type(value).__name__)
def test_a_message_to_a_bot_is_read_back_as_itself(message: Message, line: str) -> None:
    assert to_bot.decode(line) == message


@pytest.mark.parametrize(("message", "line"), FROM_BOT, ids=lambda value: type(value).__name__)
def test_a_message_from_a_bot_is_read_back_as_itself(message: Message, line: str) -> None:
    assert decode(line.encode()) == message


@pytest.mark.parametrize(("part", "line"), RECORD, ids=lambda value: type(value).__name__)
def test_a_line_of_a_record_is_json_with_its_fields_in_this_order_and_is_read_back_as_itself(
    part: Any, line: str
) -> None:
    assert bytes(encode_part(part)) == line.encode()
    assert record_line.decode(line) == part


def test_a_part_that_is_encoded_once_can_go_into_many_messages() -> None:
    part = encode_part({"type": "deal", "to": [0, 1]})
    for number in range(2):
        act = Act(id=number, decision="draw", observation=part, events=[part, part], time_ms=1)
        assert encode(act) == encode(
            Act(id=number, decision="draw", observation={"type": "deal", "to": [0, 1]}, events=[part] * 2, time_ms=1)
        )


def test_parts_that_are_encoded_together_are_those_encoded_alone() -> None:
    for parts in ([], [1], ["a\nb", {"x": None}, [2]], [Raw(b'{\n"x":1}'), 2]):
        assert list(map(bytes, encode_parts(parts))) == [bytes(encode_part(part)) for part in parts]


# -- whatever is in them --------------------------------------------------------------------------------------

numbers = st.integers(-(2**63), 2**64 - 1)
codes = st.sampled_from(get_args(FaultCode))
values = st.recursive(
    st.none() | st.booleans() | numbers | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
raws = values.map(lambda value: Raw(msgspec.json.encode(value)))
clocks = st.builds(Clock, move_ms=numbers | st.just(UNSET), bank_ms=numbers | st.just(UNSET))
results = st.builds(
    Result,
    scores=st.lists(numbers, max_size=3),
    ranks=st.lists(numbers, max_size=3),
    faults=st.lists(st.none() | codes, max_size=3),
)
messages_to_bots = (
    st.builds(
        Start,
        game_id=st.text(),
        game=st.text(),
        config=values,
        seat=numbers,
        players=st.lists(st.text(), max_size=3),
        clock=clocks,
        bot_seed=numbers,
    )
    | st.builds(
        Act,
        id=numbers,
        decision=st.text(),
        observation=values | st.just(UNSET),
        legal=values | st.just(UNSET),
        events=st.lists(values, max_size=3) | st.just(UNSET),
        time_ms=numbers,
    )
    | st.builds(FaultMessage, code=codes, message=st.text())
    | st.builds(End, game_id=st.text(), result=results, events=st.lists(values, max_size=2) | st.just(UNSET))
)
messages_from_bots = st.builds(
    Ready,
    protocol=numbers,
    name=st.text(),
    version=st.none() | st.text(),
    author=st.none() | st.text(),
    options=st.builds(
        ActParts, observation=st.booleans(), legal=st.booleans(), events=st.booleans(), tensor=st.booleans()
    ),
) | st.builds(Answer, id=numbers, index=st.none() | numbers, action=raws | st.just(UNSET), info=raws | st.just(UNSET))
lines_of_records = (
    st.builds(
        GameLine,
        record=numbers,
        game=st.text(),
        config=values,
        seed=st.text(),
        players=st.lists(st.builds(PlayerInfo, name=st.text(), bot=st.text() | st.just(UNSET)), max_size=3),
        referee=st.text(),
        clock=clocks | st.just(UNSET),
    )
    | st.builds(ChanceLine, what=st.text(), round=numbers | st.just(UNSET), value=values)
    | st.builds(
        DecisionLine,
        seat=numbers,
        decision=st.text(),
        action=values,
        forced=st.booleans(),
        substitute=st.booleans(),
        ms=st.floats(0, 1e9) | st.just(UNSET),
        info=raws | st.just(UNSET),
    )
    | st.builds(FaultLine, seat=numbers, code=codes, message=st.text(), retry=st.booleans())
    | st.builds(
        ResultLine,
        scores=st.lists(numbers, max_size=3),
        ranks=st.lists(numbers, max_size=3),
        faults=st.lists(st.none() | codes, max_size=3),
        stopped=st.text() | st.just(UNSET),
    )
)


@pytest.mark.slow
@fixed
@given(messages_to_bots)
def test_any_message_to_a_bot_is_one_line_and_is_read_back_as_itself(message: Message) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert to_bot.decode(line) == message


@pytest.mark.slow
@fixed
@given(messages_from_bots)
def test_any_message_from_a_bot_is_one_line_and_is_read_back_as_itself(message: Message) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert decode(line[:-1]) == message


@pytest.mark.slow
@fixed
@given(lines_of_records)
def test_any_line_of_a_record_is_one_line_and_is_read_back_as_itself(line: Any) -> None:
    part = bytes(encode_part(line))
    assert b"\n" not in part
    assert record_line.decode(part) == line
