"""With `--no-ponder` a bot stands still while it is not on turn, whatever it has started, and by whichever means."""

import itertools
from pathlib import Path

import pytest
import trio

from referee.connections import ConnectionEnded
from referee.connections.pipe import PipeConnection
from referee.processes import keeper_client
from referee.processes.limits import ProcessLimits
from referee.processes.supervisor import supervise
from tests.game_runner.harness import AMPLE_TIME, Harness
from tests.hostile.cleanup import processes_of
from tests.processes.running import python
from tests.processes.sandboxed import KINDS, WORKING, needs_sandbox, sandbox_of
from tests.processes.test_cgroups import FORK_CHAIN, needs_cgroups
from tests.timeouts import TEST_TIMEOUT

LIMITS = ProcessLimits()
MEANS = [
    pytest.param(True, id="cgroup", marks=needs_cgroups),
    pytest.param(False, id="process namespace"),
]


def ticks(folder: Path) -> dict[int, int]:
    """The processes of a bot, with the CPU time that each has used."""
    found = {}
    for pid in processes_of(folder):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[pid] = int(fields[11]) + int(fields[12])
    return found


@needs_sandbox
@pytest.mark.parametrize("cgroups", MEANS)
async def test_chains_of_forks_stand_still(tmp_path: Path, cgroups: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process of the bot starts another one or uses time; afterwards they do."""
    if not cgroups:
        monkeypatch.setattr(keeper_client, "create", lambda keeper: None)
    (tmp_path / "bot.py").write_text(f"{FORK_CHAIN}\n")
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise(WORKING) as owner:
            command = ["/usr/bin/python3", "-IS", str(tmp_path / "bot.py")]
            process = await owner.start(command, tmp_path, LIMITS, from_command_line=True)
            connection = PipeConnection(process, rests=True)
            assert await connection.receive() == b"forking"
            for _ in range(3):
                connection.rest()
                still = ticks(tmp_path)
                while (now := ticks(tmp_path)) != still or not now:  # it takes a moment
                    still = now
                    await trio.sleep(0.005)
                await trio.sleep(0.1)
                assert ticks(tmp_path) == still
                await connection.wake()
                while ticks(tmp_path).keys() == still.keys():  # noqa: ASYNC110 (there is no event for a new process)
                    await trio.sleep(0.005)
            connection.close()
            await connection.closed.wait()
    assert not processes_of(tmp_path)


async def rest_again_and_again(connection: PipeConnection) -> None:
    """Until the bot has ended."""
    while True:
        connection.rest()
        await trio.sleep(0.01)
        await connection.send(b"go on\n")


@pytest.mark.parametrize("kind", KINDS)
async def test_bot_that_kills_what_stops_it_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """If it can kill it, which it can't where it runs as a user of its own."""
    monkeypatch.setattr(keeper_client, "create", lambda keeper: None)
    source = """
        import os, signal, sys
        signal.alarm(60)
        print("here", flush=True)
        while True:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                if int(pid) not in (1, os.getpid(), os.getppid()):
                    try: os.kill(int(pid), signal.SIGKILL)
                    except ProcessLookupError: pass
                    except PermissionError: sys.exit("may not kill it")
    """
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise(sandbox_of(kind)) as owner:
            process = await owner.start(["/usr/bin/python3", "-c", python(source)[-1]], tmp_path, LIMITS)
            connection = PipeConnection(process, rests=True)
            assert await connection.receive() == b"here"
            with pytest.raises(ConnectionEnded) as caught:
                await rest_again_and_again(connection)
            connection.close()
            await connection.closed.wait()
    ended = "prevented that it stood still while another bot was on turn" if kind == "user" else "exited with status 1"
    assert str(caught.value) == ended
    assert process.stderr.tail == (b"" if kind == "user" else b"may not kill it\n")


async def test_bot_that_stands_still_is_ended_like_any_other(tmp_path: Path) -> None:
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise() as owner:
            source = "import sys; print('here', flush=True); print(sys.stdin.read(), file=sys.stderr)"
            process = await owner.start(python(source), tmp_path, LIMITS)
            connection = PipeConnection(process, b"quit\n", TEST_TIMEOUT, rests=True)
            assert await connection.receive() == b"here"
            connection.rest()
            connection.close()
            await connection.closed.wait()
            assert process.stderr.tail == b"quit\n\n"


COUNTING = """
import threading, time
ready()
counted = 0
def count():
    global counted
    while True:
        counted += 1
        time.sleep(0.001)
threading.Thread(target=count, daemon=True).start()
for act in iter(lambda: receive("act"), None):
    before = counted
    report(f"{counted}")
    answer(act)
    after = counted
"""


@pytest.mark.parametrize("ponder", [True, False])
async def test_bots_think_in_the_time_of_others_unless_they_must_not(harness: Harness, ponder: bool) -> None:
    """One counts all the time; the other takes 0.3 s for each decision."""
    slow = harness.bot("import time\nready()\nwhile True: act = receive('act'); time.sleep(0.3); answer(act)")
    await harness.play(harness.bot(COUNTING), slow, ponder=ponder, control=AMPLE_TIME, heap=6)
    counts = [int(line) for line in harness.all_reported()]
    most = max(after - before for before, after in itertools.pairwise(counts))
    assert len(counts) >= 2
    assert (most > 100) == ponder


async def test_no_bot_loses_anything_by_standing_still(harness: Harness) -> None:
    games = await harness.play(harness.bot(), harness.bot(), deals=3, rotate=True, ponder=False, concurrency=2)
    assert [played.outcome.faults for played in games] == [[None, None]] * 6
