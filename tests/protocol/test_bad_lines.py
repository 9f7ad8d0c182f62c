"""Every line in protocol/bad-lines.json causes the fault in the table, and the valid ones none."""

import json
from collections.abc import Sequence
from typing import Any, Final, get_args

import msgspec
import pytest

from protocol.messages import FaultCode
from referee.games import Game, new_game
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl
from referee.players.player import Choice, PlayerFault
from tests.golden.scenarios import bot_session
from tests.memory_connection import Written
from tests.protocol.bad_lines import CASES, FOLDER, TABLE, written
from tests.protocol.jsonschema import validate

SCHEMA: Final = json.loads((FOLDER / "schema/messages-from-bot.schema.json").read_text(encoding="utf-8"))
READY: Final = b'{"type":"ready","protocol":1,"name":"x"}'
DRAFT: Final = b'{"type":"action","id":1,"action":{"persons":["scholar","craftsman"]}}'
VALID_ANSWER: Final = b'{"type":"action","id":2,"index":1}'
"""A valid answer to the question of the table, which stays open after a dropped line."""
UNLIMITED: Final = TimeControl(enforced=False)


def new_table_game() -> Game:
    """The game of the table, before its first decision."""
    return new_game("year_of_the_dragon", seed="bad lines", players=2)


async def answer(lines: Sequence[bytes]) -> tuple[Choice, Any]:
    """The answer to act 2 as read by the referee, and the message of act 2. Raises PlayerFault."""
    bot = Written(b"".join(line + b"\n" for line in [READY, DRAFT, *lines]))
    session, game = bot_session(bot, UNLIMITED), new_table_game()
    await session.greet()
    player = BotPlayer(session)
    game.apply((await player.decide(game, [])).action)
    return await player.decide(game, []), bot.sent[-1]


@pytest.mark.parametrize("case", [case for case in CASES if case["when"] == "ready"], ids=lambda case: case["name"])
async def test_a_line_in_answer_to_hello(case: dict[str, Any]) -> None:
    session = bot_session(Written(written(case) + b"\n"), UNLIMITED)
    if case["code"] is None:
        await session.greet()
    else:
        with pytest.raises(PlayerFault) as error:
            await session.greet()
        assert error.value.fault.code == case["code"]


@pytest.mark.parametrize("case", [case for case in CASES if case["when"] == "action"], ids=lambda case: case["name"])
async def test_a_line_in_answer_to_act(case: dict[str, Any]) -> None:
    if case["code"] is None:
        choice, _ = await answer([written(case), VALID_ANSWER])
        played = json.loads(msgspec.json.encode(choice.action))
        assert played == ({"palace": 1} if case.get("dropped") else case["action"])
    else:
        with pytest.raises(PlayerFault) as error:
            await answer([written(case), VALID_ANSWER])
        assert error.value.fault.code == case["code"]


async def test_the_question_of_the_table_is_a_real_one() -> None:
    _, act = await answer([VALID_ANSWER])
    assert {name: act[name] for name in TABLE["act"]} == TABLE["act"]


def test_the_schema_allows_what_the_table_allows() -> None:
    allowed = [case for case in CASES if case["code"] in (None, "illegal_action", "protocol_version")]
    assert len(allowed) > 20
    for case in allowed:
        validate(json.loads(written(case)), SCHEMA)


def test_the_table_is_well_formed_and_its_names_are_distinct() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)
    for case in CASES:
        assert case["when"] in ("ready", "action")
        assert case["code"] is None or case["code"] in get_args(FaultCode)
        assert len(case.keys() & {"line", "line_base64", "pieces"}) == 1
        assert case["why"]
        assert "action" not in case or case["code"] is None
        assert case.keys() <= {"name", "when", "line", "line_base64", "pieces", "code", "action", "dropped", "why"}


def test_the_table_has_cases_of_every_fault_that_a_line_can_earn_and_many_of_none() -> None:
    codes = [case["code"] for case in CASES]
    assert set(codes) == {None, "bad_message", "illegal_action", "oversize", "protocol_version"}
    assert codes.count(None) > 20
    assert codes.count("bad_message") > 50
    assert codes.count("illegal_action") > 10
