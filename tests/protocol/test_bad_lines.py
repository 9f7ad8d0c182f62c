"""Every line in protocol/bad-lines.json causes the fault in the table, and the valid ones none."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
import pytest
import trio

from protocol.framing import LineBuffer
from protocol.messages import FaultCode
from referee.connections import ConnectionEnded
from referee.games import Game, new_game
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl
from referee.players.player import Choice, PlayerFault
from tests.golden.scenarios import bot_session
from tests.memory_connection import MemoryConnection
from tests.protocol.jsonschema import validate

FOLDER: Final = Path(__file__).parents[2] / "protocol"
TABLE: Final = json.loads((FOLDER / "bad-lines.json").read_text(encoding="utf-8"))
SCHEMA: Final = json.loads((FOLDER / "schema/messages-from-bot.schema.json").read_text(encoding="utf-8"))
CASES: Final[list[dict[str, Any]]] = TABLE["cases"]
READY: Final = b'{"type":"ready","protocol":1,"name":"x"}'
DRAFT: Final = b'{"type":"action","id":1,"action":{"persons":["scholar","craftsman"]}}'
VALID_ANSWER: Final = b'{"type":"action","id":2,"index":1}'
"""A valid answer to the question of the table, which stays open after a dropped line."""
UNLIMITED: Final = TimeControl(enforced=False)


def written(case: dict[str, Any]) -> bytes:
    """The bytes that the bot writes, without the final LF."""
    if "line_base64" in case:
        return base64.b64decode(case["line_base64"], validate=True)
    if "pieces" in case:
        return b"".join(text.encode() * times for text, times in case["pieces"])
    line: str = case["line"]
    return line.encode()


class Written(MemoryConnection):
    """The connection to a bot that has written these lines and exited."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        super().__init__()
        self.sent: list[Any] = []
        self._unread = list(lines)
        self._buffer = LineBuffer()

    async def send(self, line: bytes) -> None:
        """Keep the message."""
        await trio.lowlevel.checkpoint()
        self.sent.append(json.loads(line))

    async def receive(self) -> bytes:
        """The next line."""
        await trio.lowlevel.checkpoint()
        line = self.receive_nowait()
        if line is None:
            raise ConnectionEnded("exited with status 0")
        return line

    def receive_nowait(self) -> bytes | None:
        """The next line, if there is one."""
        while (line := self._buffer.pop()) is None and self._unread:
            self._buffer.feed(self._unread.pop(0) + b"\n")
        return line


def new_table_game() -> Game:
    """The game of the table, before its first decision."""
    return new_game("year_of_the_dragon", seed="bad lines", players=2)


async def answer(lines: Sequence[bytes]) -> tuple[Choice, Any]:
    """The answer to act 2 as read by the referee, and the message of act 2. Raises PlayerFault."""
    bot = Written([READY, DRAFT, *lines])
    session, game = bot_session(bot, UNLIMITED), new_table_game()
    await session.greet()
    player = BotPlayer(session)
    game.apply((await player.decide(game, [])).action)
    return await player.decide(game, []), bot.sent[-1]


@pytest.mark.parametrize("case", [case for case in CASES if case["when"] == "ready"], ids=lambda case: case["name"])
async def test_a_line_in_answer_to_hello(case: dict[str, Any]) -> None:
    session = bot_session(Written([written(case)]), UNLIMITED)
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
