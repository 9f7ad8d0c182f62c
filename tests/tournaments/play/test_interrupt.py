"""`referee match` as a real process: interrupted, and with its exit status."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
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


class Command:
    """A command in a process group of its own, as a terminal starts it."""

    def __init__(self, harness: Harness, bots: Sequence[str], *options: str) -> None:
        self.harness = harness
        self.records = harness.folder / "kept"
        commands = [" ".join(harness.bot(source).argv) for source in bots]
        self.argv = [*REFEREE, *commands, "--record", str(self.records), *PLAIN, *options]
        self.process: trio.Process | None = None
        self.stdout = b""
        self.stderr = b""

    async def run(self, stop_with: signal.Signals | None = None, expected_report: str = "") -> int:
        """Run to the end and return the exit status; no process is left.

        `stop_with` is sent to the whole group once a bot has reported `expected_report`.
        """
        before = dict(children())
        async with trio.open_nursery() as nursery:
            with trio.fail_after(TEST_TIMEOUT):
                process: trio.Process = await nursery.start(self._process)
                if stop_with is not None:
                    assert await self.harness.reported() == expected_report
                    os.killpg(process.pid, stop_with)
                status = await process.wait()
        assert dict(children()) == before
        await self.harness.all_bots_ended()
        return status

    async def _process(self, task_status: trio.TaskStatus[trio.Process]) -> None:
        done = await trio.run_process(
            self.argv,
            cwd=Path(__file__).parents[3],
            stdin=subprocess.DEVNULL,
            capture_stdout=True,
            capture_stderr=True,
            check=False,
            start_new_session=True,
            task_status=task_status,
        )
        self.stdout, self.stderr = done.stdout, done.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_interrupted_match_keeps_and_counts_the_finished_games(harness: Harness, how: signal.Signals) -> None:
    command = Command(harness, [WAITS_IN_SECOND_GAME, "ready()"], "--games", "5", "--no-timeout", "--seed", "s")
    assert await command.run(how, "second") == 130
    shown = command.stdout.decode()
    assert "1 of 5 games" in shown
    assert "mean score" in shown
    assert "bot1" in shown
    assert "bot2" in shown
    kept = f"referee: interrupted; the games finished so far are counted and kept in {command.records}"
    assert kept in command.stderr.decode()
    assert b"Traceback" not in command.stderr
    Replay(command.records / "0001-1.jsonl").check()
    with pytest.raises(TruncatedRecord):
        Replay(command.records / "0002-1.jsonl").check()
    assert sorted(path.name for path in command.records.iterdir()) == ["0001-1.jsonl", "0002-1.jsonl"]
