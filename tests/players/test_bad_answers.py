"""What the author of a bot is told about a line that is a fault: what was wrong with it, and what to write instead."""

import json
import re
from typing import Any

import pytest
from trio.testing import MockClock

from referee.games import Game, new_game
from referee.outcome import Fault
from referee.players.bot import misspelt_field
from referee.players.clock import TimeControl
from referee.players.player import PlayerFault
from tests.game_runner.pebbles import Take
from tests.players.fake_connection import FakeBot, Json, after, at_once, bot_player, pebbles_game, ready_player

CONTROL = TimeControl(move=10.0)


async def fault_of(line: bytes | Json, game: Game | None = None) -> Fault:
    """The fault that this line is in answer to act 1; three pebbles may be taken if no other game is given."""
    player = await ready_player(FakeBot(at_once(line)), CONTROL)
    with pytest.raises(PlayerFault) as caught:
        await player.decide(game or pebbles_game(), [])
    return caught.value.fault


def action(**fields: Any) -> bytes:
    """An answer with these fields."""
    return json.dumps({"type": "action", **fields}).encode()


def wrong(field: str, length: str = "") -> str:
    """A pattern for a message that names the wrong field, quotes the line, and says what is right.

    Its other words are the decoder's.
    """
    return rf"[^']*\b{field}\b[^']*: '.*'{length} \((at act 1|before it was ready)\); .*\"type\":\".*"


def misspelt(field: str, right: str) -> str:
    """A pattern for a message that quotes the line and names a field and the one that was probably meant."""
    return rf"[^']*: '.*' \(at act 1\); (write .*; )?unknown field '{field}'; did you mean '{right}'\?"


ON_ONE_LINE = "write each message on one line, without indentation"
ONLY_MESSAGES = "standard output is for messages only: use standard error for everything else"
BAD_MESSAGES = {
    "no JSON": (b"take one", rf"not a JSON object: .*'take one' \(at act 1\); {ONLY_MESSAGES}"),
    "a number": (b"2", rf"not a JSON object: '2' \(at act 1\); an answer looks like .*; {ONLY_MESSAGES}"),
    "an empty line": (b"", r"an empty line: '' \(at act 1\); print messages only, with one line feed after each"),
    "several lines": (b"{", rf"only the beginning of a JSON object: '\{{' \(at act 1\); {ON_ONE_LINE}"),
    "a later one of several lines": (
        b'  "index": 0',
        rf"only a part of a JSON object: '  \"index\": 0' \(at act 1\); {ON_ONE_LINE}",
    ),
    "the end of several lines": (b"}", rf"only a part of a JSON object: '}}' \(at act 1\); {ON_ONE_LINE}"),
    "single quotes": (
        b"{'type': 'action', 'id': 1, 'index': 0}",
        r"not a JSON object: .*; JSON uses double quotes",
    ),
    "a list": (b"[{}]", r"a list, not an object: .*; write each message as an object on a line of its own"),
    "a byte order mark": (b"\xef\xbb\xbf{}", r"a byte order mark before the JSON: .*; write UTF-8 without it"),
    "UTF-16": ("{}".encode("utf-16"), r"not UTF-8 but UTF-16: .*; write UTF-8"),
    "a misspelt index": (action(id=1, idx=0), misspelt("idx", "index")),
    "nothing but a misspelt index": (b'{"idx":0}', misspelt("idx", "index")),
    "a misspelt action": (action(id=1, Action={"count": 1}), misspelt("Action", "action")),
    "a misspelt id": (action(msg_id=1, index=0), misspelt("msg_id", "id")),
    "a misspelt type": (b'{"tpye":"action","id":1}', misspelt("tpye", "type")),
    "a message of the referee": (
        b'{"type":"act","id":1,"index":0}',
        r"act is a message of the referee: .* \(at act 1\); answer with \"type\":\"action\"",
    ),
    "an unknown type": (
        b'{"type":"move"}',
        r"unknown type 'move': '.*move.*' \(at act 1\); write \"type\":\"action\"",
    ),
    "no type": (b"{}", wrong("type")),
    "ready again": (b'{"type":"ready","protocol":1,"name":"again"}', r"expected an action: .*again.*"),
    "an id of 1.0": (action(id=1.0, index=0), wrong("id")),
    "an index of 5000 digits": (
        b'{"type":"action","id":1,"index":' + b"1" * 5000 + b"}",
        wrong("index", r" … \(5033 bytes\)"),
    ),
    "neither index nor action": (
        action(id=1),
        r"neither index nor action is given: '.*' \(at act 1\); write \{\"type\":\"action\".*",
    ),
    "both index and action": (
        action(id=1, index=0, action={"count": 1}),
        r"both index and action are given: '.*' \(at act 1\); give either index or action",
    ),
}


@pytest.mark.parametrize(("line", "message"), BAD_MESSAGES.values(), ids=BAD_MESSAGES)
async def test_bad_message(line: bytes, message: str) -> None:
    fault = await fault_of(line)
    assert fault.code == "bad_message"
    assert re.fullmatch(message, fault.message)
    assert len(fault.message) < 300


HELLO_ANSWERS = {
    "garbage": (b"Hello!", "bad_message", rf"not a JSON object: .*'Hello!' \(before it was ready\); {ONLY_MESSAGES}"),
    "an action": (action(id=1, index=0), "bad_message", r"expected ready as the first line: .*"),
    "no name": (b'{"type":"ready","protocol":1}', "bad_message", wrong("name")),
    "protocol 2": (
        b'{"type":"ready","protocol":2,"name":"x"}',
        "protocol_version",
        r"speaks protocol 2; this referee speaks 1",
    ),
    "a protocol of 4000 digits": (
        b'{"type":"ready","name":"x","protocol":' + b"1" * 4000 + b"}",
        "protocol_version",
        r"speaks protocol <out of range>; this referee speaks 1",
    ),
}


@pytest.mark.parametrize(("line", "code", "message"), HELLO_ANSWERS.values(), ids=HELLO_ANSWERS)
async def test_a_wrong_answer_to_hello(line: bytes, code: str, message: str) -> None:
    with pytest.raises(PlayerFault) as caught:
        await bot_player(FakeBot(after(0), ready=line), CONTROL).session.greet()
    assert caught.value.fault.code == code
    assert re.fullmatch(message, caught.value.fault.message)


DRAFT_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "an index of -1": ({"index": -1}, r"index -1 is not in 0 to 35 \(draft at act 1\)"),
    "an index out of range": ({"index": 36}, r"index 36 is not in 0 to 35 \(draft at act 1\)"),
    "an index of 10^30": ({"index": 10**30}, r"index <out of range> is not in 0 to 35 \(draft at act 1\)"),
    "an action that is not legal": (
        {"action": {"persons": ["monk", "monk"]}},
        r".*is not among the 36 legal actions of draft, the first of which is \{\"persons\":.*",
    ),
    "an action of another decision": (
        {"action": {"palace": 0}},
        r".*is not a valid draft action: .*\bpersons\b.*",
    ),
    "a person that there is not": (
        {"action": {"persons": ["monk", "nun"]}},
        r".* is not a valid draft action: .*\bpersons\b.*",
    ),
    "an action that is a number": ({"action": 0}, r"'0' is not a valid draft action: .+"),
}


@pytest.mark.parametrize(("fields", "message"), DRAFT_FAULTS.values(), ids=DRAFT_FAULTS)
async def test_illegal_action(fields: dict[str, Any], message: str) -> None:
    fault = await fault_of(action(id=1, **fields), new_game("year_of_the_dragon", seed=1, players=2))
    assert fault.code == "illegal_action"
    assert re.fullmatch(message, fault.message)


async def test_message_about_a_long_answer_is_short() -> None:
    dragon = new_game("year_of_the_dragon", seed=1, players=2)
    for wanted, game in (({"count": "x" * 500_000}, None), ({"persons": ["monk", "y" * 500_000]}, dragon)):
        fault = await fault_of(action(id=1, action=wanted), game)
        assert fault.code == "illegal_action"
        assert len(fault.message) < 500


TIMEOUTS = {
    "another id": (
        [action(id=2, index=0)],
        r"an answer with id 2 came, to act 1: answer with the id of the act",
    ),
    "other ids": (
        [action(id=10**30 - number, index=0) for number in range(3)],
        r"3 answers came, the last with id <out of range>, to act 1: answer with the id of the act",
    ),
}
"""Answers to no open question."""


@pytest.mark.parametrize(("lines", "came"), TIMEOUTS.values(), ids=TIMEOUTS)
async def test_timeout(autojump_clock: MockClock, lines: list[bytes], came: str) -> None:
    player = await ready_player(FakeBot(lambda act: [(0, line) for line in lines]), TimeControl(move=0.2))
    with pytest.raises(PlayerFault) as caught:
        await player.decide(pebbles_game(), [])
    assert caught.value.fault.code == "timeout"
    assert re.fullmatch(rf"no answer to act 1 \(take\) within 0.2 s; {came}", caught.value.fault.message)


def test_a_misspelt_field_of_an_action_is_named_and_nothing_else() -> None:
    assert misspelt_field(b'{"cuont":1}', Take) == "; unknown field 'cuont'; did you mean 'count'?"
    assert misspelt_field(b'{"count":1,"zzz":2}', Take) == "; unknown field 'zzz'"
    for spelling in (b'{"count":1}', b"[1]", b"{"):
        assert misspelt_field(spelling, Take) == ""
