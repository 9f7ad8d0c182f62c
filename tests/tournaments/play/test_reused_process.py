"""A process may exit between two games without a fault, and at no other time."""

import sys
from pathlib import Path
from typing import Final

import pytest

from referee.connections.pipe import PipeConnection
from referee.players.clock import TimeControl
from tests.game_runner.harness import FIRST, Harness, lines_of

pytestmark = pytest.mark.slow

ONE_GAME = """
    ready()
    report(f"process {os.getpid()}")
    for message in messages():
        if message["type"] == "act":
            answer(message)
        elif message["type"] == "end":
            sys.exit(6)
"""


async def test_process_that_exits_after_each_game_is_replaced_by_a_fresh_one_without_a_fault(harness: Harness) -> None:
    """And the fresh one is sent the game from its beginning."""
    source = ONE_GAME.replace('"act":', '"act":\n            report(str(message["events"][0].get("what")))')
    games = await harness.play(harness.bot(source), FIRST, deals=5, heap=3)
    assert [played.outcome.faults for played in games] == [[None, None]] * 5
    reported = harness.all_reported()
    assert len({line for line in reported if line.startswith("process")}) == 5
    assert [line for line in reported if not line.startswith("process")] == ["luck"] * 5


EXITS_IN_SECOND_GAME = {
    "at its start": ("if games == 2 and kind == 'start': sys.exit(7)", "exited with status 7"),
    "at its first question": ("if games == 2 and kind == 'act': sys.exit(7)", "exited with status 7 at act "),
    "later": ("if games == 2 and kind == 'act' and message['observation']['heap'] < 6: sys.exit(7)", "exited with"),
}


@pytest.mark.parametrize(("exits", "words"), EXITS_IN_SECOND_GAME.values(), ids=EXITS_IN_SECOND_GAME)
async def test_process_that_has_read_of_a_game_must_play_it(harness: Harness, exits: str, words: str) -> None:
    source = f"""
        ready()
        games = 0
        for message in messages():
            kind = message["type"]
            games += kind == "start"
            {exits}
            if kind == "act": answer(message)
    """
    games = await harness.play(harness.bot(source), FIRST, deals=4)
    faults = [played.outcome.faults[0] for played in games]
    assert [fault and fault.code for fault in faults] == [None, "crash", None, "crash"]
    assert faults[1] is not None
    assert faults[1].message.startswith(words)


async def test_fault_of_the_fresh_process_counts_and_the_old_one_is_sent_nothing_more(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = PipeConnection.send

    async def send_while_open(connection: PipeConnection, line: bytes) -> None:
        assert not connection.closed.is_set(), "another connection may have its descriptor by now"
        await send(connection, line)

    monkeypatch.setattr(PipeConnection, "send", send_while_open)
    mark = str(tmp_path / "played")
    once = f"    if os.path.exists({mark!r}): sys.exit('no second time')\n    open({mark!r}, 'w').close()"
    source = f"{once}\n{ONE_GAME}"
    first, second = await harness.play(harness.bot(source), FIRST, deals=2)
    assert first.outcome.faults == [None, None]
    fault = second.outcome.faults[0]
    assert fault is not None
    assert str(fault) == "crash: exited with status 1 before it was ready"
    assert second.outcome.ranks == [2, 1]
    excerpt = second.stderr[0]
    assert excerpt is not None
    assert excerpt.tail == "no second time\n"


PEEKS_AND_EXITS: Final = """
    import ctypes, fcntl, select, time
    ready()
    for message in messages():
        if message["type"] == "act":
            report(f"{os.getpid()} {message['time_ms']}")
            answer(message)
        elif message["type"] == "end":
            break
    copy, end_of_copy = os.pipe()
    poller = select.poll()
    poller.register(0, select.POLLIN)
    seen = b""
    while b'"act"' not in seen:
        poller.poll()
        time.sleep(0.01)
        if ctypes.CDLL(None).tee(0, end_of_copy, 65536, 0) > 0:
            seen = os.read(copy, 65536)
    report(f"{os.getpid()} peeked")
    time.sleep(0.3)
    sys.exit()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has tee(2)")
async def test_process_that_peeks_at_a_question_and_exits_leaves_its_successor_the_rest_of_its_clock(
    harness: Harness,
) -> None:
    control = TimeControl(move=None, bank=30.0, startup=30.0)
    games = await harness.play(harness.bot(PEEKS_AND_EXITS), FIRST, deals=2, heap=2, control=control)
    assert [played.outcome.faults for played in games] == [[None, None]] * 2
    (first, full), (peeking, what), (successor, rest) = (line.split() for line in harness.all_reported())
    assert (full, what) == ("30000", "peeked")
    assert first == peeking != successor
    assert int(rest) <= 29_700, "its predecessor had 0.3 s with the question"
    [took] = [line["ms"] for line in lines_of(games[1], "decision") if line["seat"] == 0 and "ms" in line]
    assert took >= 300
