"""With `--no-ponder` a bot is suspended while it is not on turn, whatever it has started, and by whichever means."""

import itertools
import re
import resource
from pathlib import Path

import pytest
import trio

from referee.connections import ConnectionEnded
from referee.connections.pipe import PipeConnection
from referee.processes import linux
from referee.processes.keeper import client
from referee.processes.launch import Command
from referee.processes.limits.machine import MachineError
from referee.processes.limits.process_limits import ProcessLimits
from referee.processes.sandbox.bubblewrap import SandboxError
from referee.processes.selftest.keeper_report import RESUMES_ITSELF
from referee.processes.supervisor import supervise
from tests.game_runner.harness import AMPLE_TIME, Harness
from tests.hostile.cleanup import processes_of
from tests.processes.running import python
from tests.processes.sandboxed import KINDS, WORKING, needs_sandbox, sandbox_of
from tests.processes.test_cgroups import FORK_CHAIN, needs_cgroups
from tests.timeouts import TEST_TIMEOUT
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.readiness import check_readiness, tournament_preflight
from tournaments.play.conditions import Conditions
from tournaments.play.match import play_match
from tournaments.play.match_spec import MatchSpec

pytestmark = pytest.mark.slow

LIMITS = ProcessLimits()
UNCHANGED_SAMPLES = 20
"""Looks at a bot, 5 ms apart, after which it counts as suspended."""
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


@pytest.mark.ci_only
@needs_sandbox
@pytest.mark.parametrize("cgroups", MEANS)
async def test_chains_of_forks_are_suspended(tmp_path: Path, cgroups: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process of the bot starts another one or uses time; afterwards they do."""
    if not cgroups:
        monkeypatch.setattr(client, "create_cgroups", lambda keeper: None)
    (tmp_path / "bot.py").write_text(f"{FORK_CHAIN}\n")
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise(WORKING) as owner:
            command = ["/usr/bin/python3", "-IS", str(tmp_path / "bot.py")]
            process = await owner.start(Command(tuple(command), tmp_path, from_command_line=True), LIMITS)
            connection = PipeConnection(process, suspends=True)
            assert await connection.receive() == b"forking"
            for _ in range(3):
                connection.suspend()
                still, unchanged = ticks(tmp_path), 0
                while unchanged < UNCHANGED_SAMPLES:  # on a busy machine a process may wait for its turn
                    await trio.sleep(0.005)
                    now = ticks(tmp_path)
                    unchanged = unchanged + 1 if now == still and now else 0
                    still = now
                await trio.sleep(0.1)
                assert ticks(tmp_path) == still
                await connection.resume()
                while ticks(tmp_path).keys() == still.keys():  # noqa: ASYNC110 (there is no event for a new process)
                    await trio.sleep(0.005)
            connection.close()
            await connection.closed.wait()
    assert not processes_of(tmp_path)


async def rest_again_and_again(connection: PipeConnection) -> None:
    """Until the bot has ended."""
    while True:
        connection.suspend()
        await trio.sleep(0.01)
        await connection.send(b"go on\n")


DISTURBANCES = {
    "kills it": "os.kill(pid, signal.SIGKILL)",
    "stops it for a moment": "os.kill(pid, signal.SIGSTOP); os.kill(pid, signal.SIGCONT)",
    "takes the CPU from it": "os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))",
}
PREVENTED = "kept running while suspended (--no-ponder)"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("disturbance", DISTURBANCES.values(), ids=DISTURBANCES)
async def test_bot_that_disturbs_what_stops_it_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, disturbance: str
) -> None:
    """If it can do that: running as its own user it can't send signals to it, and it can never take its CPU."""
    monkeypatch.setattr(client, "create_cgroups", lambda keeper: None)
    source = f"""
        import os, signal, sys
        signal.alarm(60)
        print("here", flush=True)
        while True:
            for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
                if pid not in (1, os.getpid(), os.getppid()):
                    try: {disturbance}
                    except ProcessLookupError: pass
                    except PermissionError: sys.exit("may not")
    """
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise(sandbox_of(kind)) as owner:
            process = await owner.start(Command(("/usr/bin/python3", "-c", python(source)[-1]), tmp_path), LIMITS)
            connection = PipeConnection(process, suspends=True)
            assert await connection.receive() == b"here"
            with pytest.raises(ConnectionEnded) as caught:
                await rest_again_and_again(connection)
            connection.close()
            await connection.closed.wait()
    can = kind == "user" and "kill" in disturbance
    assert str(caught.value) == (PREVENTED if can else "exited with status 1")
    assert process.stderr.tail == (b"" if can else b"may not\n")


@pytest.mark.parametrize("kind", KINDS)
async def test_bot_that_resumes_itself_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """The kernel sends SIGCONT for it, when a timer fires."""
    monkeypatch.setattr(client, "create_cgroups", lambda keeper: None)
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise(sandbox_of(kind)) as owner:
            process = await owner.start(Command(("/usr/bin/python3", "-c", RESUMES_ITSELF), tmp_path), LIMITS)
            connection = PipeConnection(process, suspends=True)
            assert await connection.receive() == b"here"
            connection.suspend()
            with pytest.raises(ConnectionEnded, match=re.escape(PREVENTED)):
                await connection.receive()
            connection.close()
            await connection.closed.wait()


@pytest.mark.parametrize("kind", KINDS)
async def test_bot_that_ends_while_it_is_being_suspended_is_not_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(client, "create_cgroups", lambda keeper: None)
    source = "import time; print('here', flush=True); time.sleep(0.05); raise SystemExit(3)"
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise(sandbox_of(kind)) as owner:
            for _ in range(3):
                process = await owner.start(Command(("/usr/bin/python3", "-c", source), tmp_path), LIMITS)
                connection = PipeConnection(process, suspends=True)
                assert await connection.receive() == b"here"
                with pytest.raises(ConnectionEnded, match="exited with status 3"):
                    await rest_again_and_again(connection)
                connection.close()
                await connection.closed.wait()


@needs_sandbox
async def test_no_bot_is_charged_if_the_machine_refuses_what_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried again for a second; then the match ends. Here the keeper may open too few files."""
    monkeypatch.setattr(client, "create_cgroups", lambda keeper: None)
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise(WORKING) as owner:
            source = "print('here', flush=True); __import__('signal').pause()"
            process = await owner.start(Command(("/usr/bin/python3", "-c", source), tmp_path), LIMITS)
            connection = PipeConnection(process, suspends=True)
            assert await connection.receive() == b"here"
            keeper = (await owner.keeper()).pidfd
            assert keeper is not None
            pid = linux.pid_of(keeper)
            most = max(int(fd.name) for fd in Path(f"/proc/{pid}/fd").iterdir()) + 3
            before = resource.prlimit(
                pid, resource.RLIMIT_NOFILE, (most, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
            )
            connection.suspend()
            await connection.resume()
            with pytest.raises(MachineError, match=r"can't suspend a bot .*: Too many open files; .*ulimit -n"):
                await rest_again_and_again(connection)
            assert not connection.ended.is_set()
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
            connection.close()
            await connection.closed.wait()


CANT = "bots can't be suspended here .--no-ponder.: there is no sandbox, and no cgroup of v2 can be created. Use"


async def test_match_is_refused_where_nothing_can_hold_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "create_cgroups", lambda keeper: None)
    monkeypatch.chdir(tmp_path)
    conditions = Conditions(ponder=False, sandbox="none")
    with pytest.raises(SandboxError, match=CANT):
        await play_match(MatchSpec(bots=["python3 -", "builtin:first"], conditions=conditions))
    assert not [*tmp_path.iterdir()]


async def test_tournament_is_refused_there_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "create_cgroups", lambda keeper: None)
    file = tmp_path / "cup.toml"
    file.write_text(
        'format = "round_robin"\ngame = "year_of_the_dragon"\n[run]\nsandbox = "none"\nponder = false\n'
        '[[bot]]\nbuiltin = "random"\n[[bot]]\ncommand = "python3 -"'
    )
    spec = read_tournament(file)
    with pytest.raises(SandboxError, match=CANT):
        await check_readiness(spec, tournament_preflight(spec, print), print, print)


async def test_no_bot_is_charged_if_it_turns_out_later_that_nothing_can_hold_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "create_cgroups", lambda keeper: None)
    async with supervise() as owner:
        process = await owner.start(
            Command(tuple(python("import signal; print(flush=True); signal.pause()")), tmp_path), LIMITS
        )
        connection = PipeConnection(process, suspends=True)
        await connection.receive()
        with trio.fail_after(TEST_TIMEOUT), pytest.raises(MachineError, match="can't suspend a bot"):
            await rest_again_and_again(connection)
        assert not connection.ended.is_set()
        connection.close()


@needs_cgroups
async def test_suspended_bot_is_ended_like_any_other(tmp_path: Path) -> None:
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise() as owner:
            source = "import sys; print('here', flush=True); print(sys.stdin.read(), file=sys.stderr)"
            process = await owner.start(Command(tuple(python(source)), tmp_path), LIMITS)
            connection = PipeConnection(process, b"quit\n", TEST_TIMEOUT, suspends=True)
            assert await connection.receive() == b"here"
            connection.suspend()
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


@needs_cgroups
@pytest.mark.parametrize("ponder", [True, False])
async def test_bots_think_in_the_time_of_others_unless_they_must_not(harness: Harness, ponder: bool) -> None:
    """One counts all the time; the other takes 0.3 s for each decision."""
    slow = harness.bot("import time\nready()\nwhile True: act = receive('act'); time.sleep(0.3); answer(act)")
    await harness.play(harness.bot(COUNTING), slow, ponder=ponder, control=AMPLE_TIME, heap=6)
    counts = [int(line) for line in harness.all_reported()]
    most = max(after - before for before, after in itertools.pairwise(counts))
    assert len(counts) >= 2
    assert (most > 100) == ponder


@needs_cgroups
async def test_no_bot_loses_anything_by_being_suspended(harness: Harness) -> None:
    games = await harness.play(harness.bot(), harness.bot(), deals=3, rotate=True, ponder=False, concurrency=2)
    assert [played.outcome.faults for played in games] == [[None, None]] * 6
