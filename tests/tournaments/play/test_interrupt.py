"""`referee match` as a real process: interrupted, and with its exit status."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from referee.record.reader import TruncatedRecord
from referee.record.replay import Replay
from tests.game_runner.harness import Harness, children
from tests.timeouts import TEST_TIMEOUT

pytestmark = pytest.mark.slow

REFEREE = [sys.executable, "-c", "from referee.cli import main; main()", "match"]
PLAIN = ["--sandbox", "none", "--no-rotate", "--concurrency", "1"]
WAITS_IN_SECOND_GAME = """
    ready()
    receive("start")
    for message in messages():
        if message["type"] == "start":
            child()
            report("second")
            wait_forever()
        elif message["type"] == "act":
            answer(message)
"""


@pytest.mark.ci_only
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_interrupted_match_keeps_and_counts_the_finished_games(harness: Harness, how: signal.Signals) -> None:
    """The whole process group gets the signal, as from a terminal, once a bot is in its second game."""
    records, before = harness.folder / "kept", dict(children())
    bots = [" ".join(harness.bot(source).argv) for source in (WAITS_IN_SECOND_GAME, "ready()")]
    options = ("--record", str(records), "--games", "5", "--no-timeout", "--seed", "s")
    with subprocess.Popen(  # noqa: ASYNC220 (it is read when it has ended)
        [*REFEREE, *bots, *PLAIN, *options],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as match:
        with trio.fail_after(TEST_TIMEOUT):
            assert await harness.reported() == "second"
        os.killpg(match.pid, how)
        out, err = match.communicate(timeout=TEST_TIMEOUT)
    assert match.returncode == 130
    await harness.all_bots_ended()
    assert dict(children()) == before
    for words in ("1 of 5 games", "mean score", "bot1", "bot2"):
        assert words in out
    assert f"referee: interrupted; the games finished so far are counted and kept in {records}" in err
    assert "Traceback" not in err
    Replay(records / "0001-1.jsonl").check()
    with pytest.raises(TruncatedRecord):
        Replay(records / "0002-1.jsonl").check()
    assert sorted(path.name for path in records.iterdir()) == ["0001-1.jsonl", "0002-1.jsonl"]
