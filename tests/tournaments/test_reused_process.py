"""A process may exit between two games without a fault, and at no other time."""

from pathlib import Path

import pytest

from referee.connections.pipe import PipeConnection
from tests.game_runner.harness import FIRST, Harness, lines_of

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
    games = await harness.play(harness.bot(ONE_GAME), FIRST, deals=20)
    assert [played.outcome.faults for played in games] == [[None, None]] * 20
    assert len(set(harness.all_reported())) == 20
    for played in games:
        assert sum(line["seat"] == 0 for line in lines_of(played, "decision")) > 1


async def test_fresh_process_is_sent_the_game_from_its_beginning(harness: Harness) -> None:
    source = ONE_GAME.replace('"act":', '"act":\n            report(str(message["events"][0].get("what")))')
    await harness.play(harness.bot(source), FIRST, deals=3, heap=3)
    draws = [line for line in harness.all_reported() if not line.startswith("process")]
    assert draws == ["luck", "luck", "luck"]


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
