"""However a bot tries to outlive its end, all of its processes are gone soon after."""

import contextlib
import signal
from pathlib import Path

import pytest
import trio

from referee.processes.limits import process_tree
from tests.game_runner.harness import FIRST, Harness
from tests.hostile.cleanup import processes_of
from tests.playing import play_games
from tests.processes.running import python, running
from tests.timeouts import EXIT_TIMEOUT
from tournaments.play.schedule import Phases, rotations

pytestmark = [
    pytest.mark.usefixtures("short_grace"),
    pytest.mark.skipif(not process_tree.HAS_PROC, reason="needs Linux"),
]


def pids_of(folder: Path, inside: int) -> list[int]:
    """The pids, as they are seen from here, of the process that has this pid in its namespace, and runs from there."""
    found = []
    for pid in processes_of(folder):
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text()
            if any(line.startswith("NSpid:") and line.split()[-1] == str(inside) for line in status.splitlines()):
                found.append(pid)
    return found


async def test_daemon_is_ended_while_its_bot_plays_on(harness: Harness) -> None:
    source = """
        if not os.fork():
            os.setsid()
            if not os.fork():
                report(f"daemon {os.getpid()}")
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                wait_forever()
            os._exit(0)
        ready()
        act = receive("act")
        report("asked")
        wait_for_gate()
        answer(act)
    """
    plan = harness.plan([harness.bot(source), FIRST])
    async with trio.open_nursery() as nursery:
        with harness.gate_closed():
            nursery.start_soon(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), lambda played: None)
            reported = {await harness.reported(), await harness.reported()}
            [inside] = [int(line.split()[1]) for line in reported if line != "asked"]
            with trio.fail_after(EXIT_TIMEOUT):
                while pids_of(harness.folder, inside):  # noqa: ASYNC110 (there is no event for the end of a process that is not a child)
                    await trio.sleep(0.01)


async def test_process_dies_with_the_thread_of_the_referee_that_started_it() -> None:
    source = "import ctypes; n = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(n)); print(n.value)"
    async with running(python(source)) as connection:
        assert await connection.receive() == str(int(signal.SIGKILL)).encode()
