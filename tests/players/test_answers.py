"""What a bot may answer, what is a fault, and retries where the organiser allows them: in memory.

Every kind of line alone: tests/protocol/test_bad_lines.py.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from trio.testing import MockClock

from protocol.codec import MAX_INFO
from protocol.messages import Result
from referee.connections import Connection
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl
from referee.players.player import Choice, PlayerFault
from referee.players.session import BotSession
from referee.record.writer import RecordFile
from tests.memory_connection import Written
from tests.players.fake_connection import (
    LIMITS,
    READY,
    FakeBot,
    Json,
    after,
    at_once,
    first,
    pebbles_game,
    ready_player,
    start_of_game,
)

CONTROL = TimeControl(move=10.0)


async def choice_of(line: bytes | Json) -> Choice:
    """The result of this line as the answer to act 1: three pebbles may be taken."""
    player = await ready_player(FakeBot(at_once(line)), CONTROL)
    return await player.decide(pebbles_game(), [])


def taken(choice: Choice) -> int:
    """The number of pebbles chosen."""
    count = choice.action.count  # type: ignore[attr-defined]
    assert isinstance(count, int)
    return count


# -- what is written between two games --------------------------------------------------------------------------------

GARBAGE: Final = b"good game!"


async def next_game(*unreceived: bytes, then: Sequence[Json | bytes] = ()) -> BotPlayer:
    """The second game of a process that has answered act 1, has written this since, and answers act 2 with `then`."""
    bot = FakeBot(lambda act: [(0, line) for line in then or [first(act)]] if act["id"] == 2 else [(0, first(act))])
    player = await ready_player(bot, CONTROL)
    await player.decide(pebbles_game(), [])
    bot.unreceived = list(unreceived)
    player = BotPlayer(player.session)
    await player.begin(start_of_game(CONTROL))
    return player


@pytest.mark.parametrize(
    ("unreceived", "stray"),
    [
        ([GARBAGE, b""], "'good game!'"),
        ([b"one", b"two", b"", b""], "'one'"),
        ([b"", b""], "''"),
        ([b'{"type":"goodbye"}', b""], """'{"type":"goodbye"}'"""),
        ([b'{"type":"action","id":2,"index":0}', b""], """'{"type":"action","id":2,"index":0}'"""),
        ([b"x" * 2**21], f"'{'x' * 80}' … ({2**21} bytes)"),
        ([b'{"type":"action","id":1,"index":9}', GARBAGE], "'good game!'"),
        ([b'{"type":"action","id":1,"index":9}', b""], ""),
        ([b""], ""),
    ],
)
async def test_what_comes_before_the_start_of_a_game_costs_nothing_and_is_noted_unless_it_is_a_late_answer(
    unreceived: list[bytes], stray: str
) -> None:
    player = await next_game(*unreceived)
    assert taken(await player.decide(pebbles_game(), [])) == 1
    assert player.session.stray == stray


@pytest.mark.parametrize("rest", [b" Thank you", b"", first({"id": 2}, index=2)])
async def test_the_rest_of_a_line_that_was_begun_before_the_start_is_an_answer_or_nothing(rest: Json | bytes) -> None:
    player = await next_game(GARBAGE, then=[rest, first({"id": 2}, index=2)])
    assert taken(await player.decide(pebbles_game(), [])) == 3


async def test_what_comes_after_the_start_is_a_fault_of_the_new_game_that_says_what_may_have_happened() -> None:
    player = await next_game(b"", then=[GARBAGE])
    with pytest.raises(PlayerFault, match=r"at act 2, the first of its game: did it write this at the end of the game"):
        await player.decide(pebbles_game(), [])
    assert player.session.stray == ""


async def test_a_bad_answer_later_in_a_game_is_not_explained_by_the_game_before() -> None:
    player = await next_game(b"", then=[first({"id": 2}), GARBAGE])
    await player.decide(pebbles_game(), [])
    with pytest.raises(PlayerFault, match=r"\(at act 3\)"):
        await player.decide(pebbles_game(), [])


# -- ready and its options --------------------------------------------------------------------------------------------


async def asked_with(options: Mapping[str, Any]) -> Json:
    """The question to a bot with these options."""
    bot = FakeBot(after(0), ready={**READY, "options": options})
    player = await ready_player(bot, CONTROL)
    await player.decide(pebbles_game(), [msgspec.Raw(b'{"type":"taken"}')])
    [act] = bot.acts()
    return act


@pytest.mark.parametrize("part", ["observation", "legal", "events"])
async def test_option_leaves_a_part_out_of_the_question(part: str) -> None:
    everything = await asked_with({})
    act = await asked_with({part: False})
    assert act == {name: value for name, value in everything.items() if name != part}


async def test_a_bot_that_asks_for_a_tensor_is_sent_nothing_more_in_a_game_without_one() -> None:
    assert await asked_with({"tensor": True}) == await asked_with({})


async def test_option_events_leaves_them_out_of_the_end_as_well() -> None:
    result = Result(scores=[1, 0], ranks=[1, 2], faults=[None, None])
    for wanted in (True, False):
        bot = FakeBot(after(0), ready={**READY, "options": {"events": wanted}})
        player = await ready_player(bot, CONTROL)
        await player.end("1", result, [msgspec.Raw(b'{"type":"taken"}')])
        assert bot.received[-1] == {
            "type": "end",
            "game_id": "1",
            "result": msgspec.to_builtins(result),
            **({"events": [{"type": "taken"}]} if wanted else {}),
        }


async def test_unknown_fields_and_options_in_ready_are_ignored() -> None:
    bot = FakeBot(after(0), ready={**READY, "language": "C", "options": {"colour": False, "legal": False}})
    player = await ready_player(bot, CONTROL)
    await player.decide(pebbles_game(), [])
    assert "legal" not in bot.acts()[0]
    assert "observation" in bot.acts()[0]


async def test_ids_never_repeat_in_the_life_of_a_process() -> None:
    bot = FakeBot(after(0))
    player = await ready_player(bot, CONTROL)
    for _ in range(3):
        await player.decide(pebbles_game(), [])
        await player.end("1", Result(scores=[0, 0], ranks=[1, 1], faults=[None, None]), [])
    assert [act["id"] for act in bot.acts()] == [1, 2, 3]


# -- info -------------------------------------------------------------------------------------------------------------


async def info_of(info: bytes) -> Any:
    """The part of an info that is kept."""
    choice = await choice_of(b'{"type":"action","id":1,"index":0,"info":' + info + b"}")
    return json.loads(bytes(choice.info)) if isinstance(choice.info, msgspec.Raw) else None


async def test_info_is_kept() -> None:
    assert await info_of(b'{"depth": 9, "line": ["a", null, 1.5]}') == {"depth": 9, "line": ["a", None, 1.5]}


async def test_long_info_is_kept_as_a_text_cut_off() -> None:
    info = json.dumps(["é" * 10_000], ensure_ascii=False)
    kept = await info_of(info.encode())
    assert isinstance(kept, str)
    assert len(kept.encode()) <= MAX_INFO + len("…".encode())
    assert kept.endswith("…")
    assert info.startswith(kept[:-1])


@pytest.mark.parametrize("levels", [10, 100, 101, 800])
async def test_deep_info_is_kept_so_that_any_reader_can_read_it(levels: int) -> None:
    info = "[" * levels + "]" * levels
    kept = await info_of(info.encode())
    assert kept == (json.loads(info) if levels <= 100 else info)


@pytest.mark.parametrize("info", [b"1e400", b'{"a":[-1e400]}', b"9" * 400, b'{"a":[-1' + b"0" * 309 + b"]}"])
async def test_info_with_a_number_beyond_all_doubles_is_kept_as_a_text(info: bytes) -> None:
    assert await info_of(info) == info.decode()


async def test_length_of_info_counts_without_its_spaces() -> None:
    assert await info_of(b"[ " + b" " * 100_000 + b"1 ]") == [1]


async def test_info_with_a_number_of_thousands_of_digits_is_kept_as_a_text_cut_off() -> None:
    assert await info_of(b"1" * 5000) == "1" * MAX_INFO + "…"


EXPANDING: Final = {
    "soft hyphens": "\u00ad",
    "delete": "\x7f",
    "tags, each two escape sequences": "\U000e0041",
    "quotes": '"',
    "backslashes": "\\",
    "line ends": "\n",
    "of many lengths": '\\"\u00ad\U000e0041\x7fé\u202ex',
}


@pytest.mark.parametrize("length", [600, 1333, 1365, 2043, 4094, 5000])
@pytest.mark.parametrize("characters", EXPANDING.values(), ids=EXPANDING)
async def test_info_is_no_longer_in_the_record_than_its_limit(characters: str, length: int, tmp_path: Path) -> None:
    info = json.dumps((characters * length)[:length], ensure_ascii=False)
    choice = await choice_of(b'{"type":"action","id":1,"index":0,"info":' + info.encode() + b"}")
    assert isinstance(choice.info, msgspec.Raw)
    recorder = RecordFile(tmp_path / "record.jsonl")
    recorder.write(choice.info)
    recorder.close()
    line = recorder.path.read_bytes()
    assert len(line) <= MAX_INFO + len('"…"\n'.encode())
    kept = json.loads(line)
    assert isinstance(kept, str)
    if kept.endswith("…"):
        assert info.startswith(kept[:-1])
        assert len(line) > MAX_INFO - 12, "there was room for more"
    else:
        assert kept == json.loads(info)


# -- wrong answers, and retries ---------------------------------------------------------------------------------------


WRONG = {"illegal_action": b'{"type":"action","id":%d,"index":9}', "bad_message": b"oops"}


@pytest.mark.parametrize(("code", "line"), WRONG.items(), ids=WRONG)
async def test_retry_is_a_fault_message_and_a_new_question(code: str, line: bytes) -> None:
    bot = FakeBot(at_once(line.replace(b"%d", b"1")))
    player = await ready_player(bot, CONTROL, retries=1)
    choice = await player.decide(pebbles_game(), [msgspec.Raw(b'{"type":"taken"}')])
    _, _, act, fault, again = bot.received
    assert (fault["type"], fault["code"]) == ("fault", code)
    assert [fault.code for fault in choice.retried] == [code]
    assert fault["message"] == choice.retried[0].message
    assert (act["id"], again["id"]) == (1, 2)
    assert (act["legal"], act["observation"]) == (again["legal"], again["observation"])
    assert (act["events"], again["events"]) == ([{"type": "taken"}], [])


@pytest.mark.parametrize(("code", "line"), WRONG.items(), ids=WRONG)
async def test_exhausted_retries_eliminate_with_the_last_fault(code: str, line: bytes) -> None:
    bot = FakeBot(lambda act: [(0, line.replace(b"%d", b"%d" % act["id"]))])
    player = await ready_player(bot, CONTROL, retries=2)
    with pytest.raises(PlayerFault) as caught:
        await player.decide(pebbles_game(), [])
    assert caught.value.fault.code == code
    assert [warning.code for warning in caught.value.retried] == [code, code]
    assert [act["id"] for act in bot.acts()] == [1, 2, 3]


async def test_retries_are_counted_per_decision() -> None:
    bot = FakeBot(lambda act: [(0, first(act, index=9 if act["id"] % 2 else 0))])
    player = await ready_player(bot, CONTROL, retries=1)
    for _ in range(3):
        assert len((await player.decide(pebbles_game(), [])).retried) == 1


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
async def test_retry_runs_on_the_same_clock(autojump_clock: MockClock, line: bytes) -> None:
    def answers(act: Json) -> list[tuple[float, Json | bytes]]:
        wrong = line.replace(b"%d", b"%d" % act["id"])
        return [(0.3, wrong if act["id"] < 3 else first(act))]

    bot = FakeBot(answers)
    player = await ready_player(bot, TimeControl(move=1.0), retries=5)
    choice = await player.decide(pebbles_game(), [])
    assert [act["time_ms"] for act in bot.acts()] == [1000, 700, 400]
    assert choice.seconds == pytest.approx(0.9)


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
async def test_retries_give_no_more_time(autojump_clock: MockClock, line: bytes) -> None:
    bot = FakeBot(lambda act: [(0.3, line.replace(b"%d", b"%d" % act["id"]))])
    player = await ready_player(bot, TimeControl(move=1.0, margin=0.05), retries=99)
    with pytest.raises(PlayerFault) as caught:
        await player.decide(pebbles_game(), [])
    assert caught.value.fault.code == "timeout"
    assert len(caught.value.retried) == 3
    assert autojump_clock.current_time() == pytest.approx(1.05)


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
async def test_retry_is_charged_to_the_bank(autojump_clock: MockClock, line: bytes) -> None:
    bot = FakeBot(lambda act: [(0.3, line.replace(b"%d", b"1") if act["id"] == 1 else first(act))])
    player = await ready_player(bot, TimeControl(move=None, bank=2.0), retries=1)
    await player.decide(pebbles_game(), [])
    await player.decide(pebbles_game(), [])
    assert [act["time_ms"] for act in bot.acts()] == [2000, 1700, 1400]


async def test_faults_before_the_last_are_kept_when_the_bot_stops_reading(autojump_clock: MockClock) -> None:
    bot = FakeBot(at_once(b"oops"))
    player = await ready_player(bot, CONTROL, retries=1)

    async def receive() -> bytes:
        bot.write_time = float("inf")
        return await FakeBot.receive(bot)

    bot.receive = receive  # type: ignore[method-assign]
    with pytest.raises(PlayerFault) as caught:
        await player.decide(pebbles_game(), [])
    assert caught.value.fault.code == "timeout"
    assert [warning.code for warning in caught.value.retried] == ["bad_message"]


# -- processes that exit between two games ----------------------------------------------------------------------------


class Exiting(Written):
    """The connection to a process that exits after these lines, and may have read nothing."""

    def __init__(self, *lines: Json, read_nothing: bool = True) -> None:
        super().__init__(b"".join(json.dumps(line).encode() + b"\n" for line in (READY, *lines)))
        self._read_nothing = read_nothing

    def has_read_nothing(self) -> bool:
        return self._read_nothing


async def begun(*connections: Connection, retries: int = 0) -> BotPlayer:
    """A player over the first connection, which is replaced by the others."""
    sessions = [BotSession(connection, CONTROL, LIMITS) for connection in connections]
    for session in sessions:
        await session.greet()

    async def replace() -> BotSession:
        return sessions.pop(0)

    player = BotPlayer(sessions.pop(0), retries, replace if sessions else None)
    await player.begin(start_of_game(CONTROL))
    return player


async def test_who_exits_before_it_has_read_anything_is_replaced_once() -> None:
    new = FakeBot(at_once())
    player = await begun(Exiting(), new)
    assert taken(await player.decide(pebbles_game(), [])) == 1
    assert [message["type"] for message in new.received] == ["hello", "start", "act"]
    player = await begun(Exiting(), Exiting(), FakeBot(at_once()))
    with pytest.raises(PlayerFault, match="exited"):
        await player.decide(pebbles_game(), [])


ACTION: Final = {"type": "action", "id": 1, "index": 0}


@pytest.mark.parametrize(
    ("exiting", "replaced", "decisions"),
    [
        (Exiting(), False, 0),
        (Exiting(read_nothing=False), True, 0),
        (Exiting(ACTION), True, 1),
        (Exiting({**ACTION, "index": 99}), True, 0),
    ],
    ids=["of the first game", "has read something", "has decided", "has been asked again"],
)
async def test_who_exits_later_or_in_the_first_game_of_a_process_is_not_replaced(
    exiting: Exiting, replaced: bool, decisions: int
) -> None:
    player = await begun(exiting, *([FakeBot(at_once())] if replaced else []), retries=1)
    for _ in range(decisions):
        await player.decide(pebbles_game(), [])
    with pytest.raises(PlayerFault, match="exited") as raised:
        await player.decide(pebbles_game(), [])
    assert raised.value.fault.code == "crash"


async def test_who_only_does_not_answer_is_not_replaced(autojump_clock: MockClock) -> None:
    silent = FakeBot(lambda act: [])
    silent.has_read_nothing = lambda: True  # type: ignore[method-assign]
    player = await begun(silent, FakeBot(at_once()))
    with pytest.raises(PlayerFault) as raised:
        await player.decide(pebbles_game(), [])
    assert raised.value.fault.code == "timeout"
