"""The process that starts and ends all bots: what it does when it, the referee or the machine fails."""

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

import pytest
import trio

from referee.exception_groups import single_errors
from referee.processes import linux, supervisor
from referee.processes.keeper.client import KeeperClient, KeeperError, KeptProcess
from referee.processes.keeper.lifetime import KEEPER_PROGRAM, keepers_of, open_keeper
from referee.processes.launch import Command, Launch, SpawnError
from referee.processes.limits.machine import MachineError
from referee.processes.limits.process_limits import ProcessLimits
from referee.processes.supervisor import format_watch, supervise
from tests.game_runner.harness import FIRST, Harness
from tests.hostile.cleanup import processes_of
from tests.playing import match_of, play_games
from tests.processes import kills
from tests.processes.running import python, running
from tests.processes.sandboxed import needs_sandbox
from tournaments.play.match import MatchFailed, play_match
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Phases, rotations

needs_linux = pytest.mark.skipif(not linux.IS_LINUX, reason="needs Linux")
LIMITS = ProcessLimits()
SLEEP = "import signal; signal.alarm(120); print('here', flush=True); signal.pause()"


# -- killed -----------------------------------------------------------------------------------------------------------


@pytest.mark.ci_only
@needs_linux
@pytest.mark.parametrize(
    "both",
    [pytest.param(False, id="referee"), pytest.param(True, id="referee and keeper", marks=pytest.mark.ci_only)],
)
@pytest.mark.parametrize("mode", ["none", pytest.param("bwrap", marks=needs_sandbox)])
def test_nothing_survives_a_referee_that_is_killed_while_bots_start(tmp_path: Path, mode: str, both: bool) -> None:
    if both and os.geteuid() != 0 and mode == "none":
        pytest.skip("an ordinary user has a process namespace with the sandbox only")
    results = [kills.survivors(mode, kills.prepare(tmp_path), both=both) for _ in range(2)]
    assert [left for left, *_ in results] == [0, 0]


@pytest.mark.ci_only
@needs_linux
@pytest.mark.parametrize("mode", ["none-subreaper", pytest.param("bwrap-subreaper", marks=needs_sandbox)])
def test_nothing_survives_where_the_keeper_may_not_have_a_namespace(tmp_path: Path, mode: str) -> None:
    results = [kills.survivors(mode, kills.prepare(tmp_path), both=False) for _ in range(2)]
    assert [left for left, *_ in results] == [0, 0]


def test_the_search_for_survivors_finds_them(tmp_path: Path) -> None:
    """The proof that the tests above could fail."""
    script = kills.prepare(tmp_path) / "bot.py"
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == b"here\n"  # of any of the three
        assert len(processes_of(tmp_path)) >= 1
        # Until there are none: one that is found may be starting another.
        while pids := processes_of(tmp_path):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


@needs_linux
async def test_match_ends_with_the_reason_if_the_keeper_is_killed(harness: Harness) -> None:
    bot = harness.bot("ready(); receive('act'); report('asked'); wait_forever()")
    plan = harness.plan([bot, FIRST])

    async def kill_when_asked() -> None:
        assert await harness.reported() == "asked"
        for pid in keepers_of(os.getpid()):
            os.kill(pid, signal.SIGKILL)

    async def play() -> None:
        async with harness.no_leaks(), trio.open_nursery() as nursery:
            nursery.start_soon(kill_when_asked)
            await play_games(plan, Phases(rotations(1, 2, "seed", rotate=False)), lambda played: None)

    with pytest.raises(KeeperError, match="the process that starts bots has ended"), single_errors():
        await play()


def test_the_keeper_imports_nothing_that_takes_long() -> None:
    """A bot starts after it, and it takes the time of the modules that it imports."""
    program = KEEPER_PROGRAM.partition("main(int")[0] + "print(*sys.modules)"
    folders = [str(Path(linux.__file__).parents[up]) for up in (1, 0)]
    done = subprocess.run([sys.executable, "-IS", "-c", program, *folders], capture_output=True, text=True, check=True)
    slow = {"collections", "contextlib", "ctypes", "enum", "functools", "pathlib", "signal", "socket", "typing"}
    assert slow & set(done.stdout.split()) == set()


# -- other processes --------------------------------------------------------------------------------------------------


async def test_bots_do_not_share_a_keyring() -> None:
    number = linux.KEYCTL_NUMBERS.get(os.uname().machine)
    source = f"import ctypes; print(ctypes.CDLL(None).syscall({number}, 0, -3, 1))"
    seen = set()
    async with open_keeper(user_namespace=False) as keeper:
        for _ in range(2):
            launch = Launch(argv=python(source), folder=Path("/"), environment={})
            process = await keeper.start(launch)
            await trio.lowlevel.wait_readable(process.stdout)
            seen.add(os.read(process.stdout, 100))
            for fd in (process.stdin, process.stdout, process.stderr):
                os.close(fd)
    assert len(seen) == 2


async def test_how_processes_end_is_said() -> None:
    async with open_keeper(user_namespace=True) as keeper:
        text = format_watch(keeper)
        assert ("in a process namespace" in text) == keeper.in_namespace
        assert ("no process namespace (" in text) == (not keeper.in_namespace)
        assert text.startswith("watch: ")


# -- starts that fail -------------------------------------------------------------------------------------------------

REFUSALS = {
    "namespaces used up": ("bwrap: Creating new namespace failed: No space left on device", True),
    "processes used up": ("bwrap: Can't fork: Resource temporarily unavailable", True),
    "forbidden": ("bwrap: setting up uid map: Operation not permitted", True),
    "forbidden by AppArmor": ("bwrap: setting up uid map: Permission denied", True),
    "limit of namespaces lowered": ("bwrap: Creating new namespace failed: user/max_*_namespaces exceeded", True),
    "private folder": ("bwrap: Can't find source path /srv/bot: Permission denied", False),
    "no such folder": ("bwrap: Can't find source path /srv/bot: No such file or directory", False),
    "nothing": ("", False),
}


@pytest.mark.parametrize(("said", "by_referee"), REFUSALS.values(), ids=REFUSALS)
async def test_wrapper_that_fails_for_want_of_something_is_not_the_fault_of_a_bot(said: str, by_referee: bool) -> None:
    launch = Launch(
        argv=["/bin/sh", "-c", f'printf %s "{said}" >&2; exit 1'], folder=Path("/"), environment=os.environ, ready_fd=5
    )
    async with open_keeper(user_namespace=False) as keeper:
        with pytest.raises((SpawnError, MachineError)) as caught:
            await keeper.start(launch)
    assert isinstance(caught.value, MachineError) == by_referee
    assert "can't start '/bin/sh'" in str(caught.value)
    assert (said or "its wrapper ended with status 1") in str(caught.value)


async def test_words_of_the_program_itself_are_not_those_of_its_wrapper() -> None:
    source = "echo >&5; echo bwrap: Resource temporarily unavailable >&2; exit 1"
    launch = Launch(argv=["/bin/sh", "-c", source], folder=Path("/"), environment=os.environ, ready_fd=5)
    async with open_keeper(user_namespace=False) as keeper:
        process = await keeper.start(launch)
        await process.exited.wait()
        assert process.status == 1
        for fd in (process.stdin, process.stdout, process.stderr):
            os.close(fd)


@needs_linux
@pytest.mark.parametrize("wrapped", [False, True])
async def test_a_program_that_is_being_written_is_not_its_own_fault_and_started_soon_afterwards(
    wrapped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    argv = ["/bin/true"] if wrapped else [str(program)]
    launch = Launch(argv=argv, folder=tmp_path, environment=os.environ, inner=program if wrapped else None)
    monkeypatch.setattr(supervisor, "without_sandbox", lambda *_: launch)
    message = f"can't start '{program}': Text file busy; a process still has the program open for writing, such as a"
    writing = program.open("a")

    def pauses() -> Iterator[float]:
        yield 0.0
        writing.close()
        yield 0.0

    with single_errors():
        async with supervise() as processes:
            monkeypatch.setattr(supervisor, "RETRY_PAUSES", (0.0,))
            with pytest.raises(MachineError, match=re.escape(message)) as caught:
                await processes.start(Command(tuple(argv), tmp_path), LIMITS)
            assert "concurrency" not in str(caught.value)
            monkeypatch.setattr(supervisor, "RETRY_PAUSES", pauses())
            process = await processes.start(Command(tuple(argv), tmp_path), LIMITS)
            await process.exited.wait()
            assert (await process.ending()).message == "exited with status 0"
            process.stop()


@contextmanager
def open_files_left(number: int) -> Iterator[None]:
    """Let this process open this number of further files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = {int(fd.name) for fd in list(Path("/proc/self/fd").iterdir()) if fd.exists()}
    free = (fd for fd in count() if fd not in in_use)
    resource.setrlimit(resource.RLIMIT_NOFILE, (next(islice(free, number - 1, None)) + 1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@needs_linux
async def test_without_descriptors_a_start_fails_with_what_to_do(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With any number of descriptors left: the ends of four pipes are needed."""
    monkeypatch.setattr(supervisor, "RETRY_PAUSES", ())
    async with harness.no_leaks(), supervise() as owner:
        await owner.keeper()
        for left in range(1, 8):
            with open_files_left(left), pytest.raises(MachineError, match=r"Too many open files; .*\(ulimit -n\), or"):
                await owner.start(Command(tuple(python(SLEEP)), harness.folder), LIMITS)
        with open_files_left(8):
            process = await owner.start(Command(tuple(python(SLEEP)), harness.folder), LIMITS)
        process.stop()


async def test_start_is_tried_again_while_the_machine_is_short_of_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "RETRY_PAUSES", (0.0, 0.0))
    failing_starts(monkeypatch, [True, True])
    async with supervise() as owner:
        process = await owner.start(Command(tuple(python(SLEEP)), tmp_path), LIMITS)
        process.stop()


async def test_missing_program_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = failing_starts(monkeypatch, [])
    (tmp_path / "bot").write_text("#!/no/such/interpreter\n")
    (tmp_path / "bot").chmod(0o755)
    async with supervise() as owner:
        with pytest.raises(SpawnError, match="No such file"):
            await owner.start(Command(("./bot",), tmp_path), LIMITS)
    assert len(tries) == 1


def failing_starts(monkeypatch: pytest.MonkeyPatch, fails: list[bool]) -> list[Launch]:
    """The next starts fail for want of processes where it says so. Returns the list of all tries."""
    tries: list[Launch] = []
    start = KeeperClient.start

    async def start_or_fail(keeper: KeeperClient, launch: Launch) -> KeptProcess:
        tries.append(launch)
        if fails and fails.pop(0):
            raise MachineError("can't start it: Resource temporarily unavailable")
        return await start(keeper, launch)

    monkeypatch.setattr(KeeperClient, "start", start_or_fail)
    return tries


async def test_no_bot_is_charged_for_a_start_that_the_machine_prevents(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match ends, with the games that had finished."""
    monkeypatch.setattr(supervisor, "RETRY_PAUSES", ())
    failing_starts(monkeypatch, [False, True])
    command = " ".join(harness.bot("ready()").argv)  # a new process in each rotation
    spec = match_of(command, "builtin:first", deals=1, sandbox="none", concurrency=1)
    played: list[PlayedGame] = []
    with pytest.raises(MatchFailed, match="can't start it: Resource temporarily") as caught:
        await play_match(spec, played.append)
    assert caught.value.result.games == played
    assert [game.outcome.faults for game in played] == [[None, None]]


# -- the processes that it starts -------------------------------------------------------------------------------------


async def test_process_gets_default_signals() -> None:
    async with running(["cat", "/proc/self/status"]) as connection:
        lines = []
        while not (line := await connection.receive()).startswith(b"SigCgt"):
            lines.append(line)
    ignored = next(line.split()[1] for line in lines if line.startswith(b"SigIgn"))
    usable = signal.valid_signals()  # a process started by posix_spawn(3) ignores those that the C library keeps
    assert [number for number in usable if int(ignored, 16) >> (number - 1) & 1] == []


async def test_files_in_memory_have_the_numbers_that_were_asked_for() -> None:
    launch = Launch(
        argv=["/bin/sh", "-c", "cat <&9; ls /proc/self/fd | wc -l"],
        folder=Path("/"),
        environment=os.environ,
        files={9: b"filter"},
    )
    async with open_keeper(user_namespace=False) as keeper:
        process = await keeper.start(launch)
        await process.exited.wait()
        assert os.read(process.stdout, 100).split() == [b"filter5"]
        for fd in (process.stdin, process.stdout, process.stderr):
            os.close(fd)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a pipe away")
async def test_pipes_belong_to_the_user_of_the_program() -> None:
    launch = Launch(argv=["/bin/sleep", "60"], folder=Path("/"), environment={}, user=61184)
    async with open_keeper(user_namespace=False) as keeper:
        process = await keeper.start(launch)
        for fd in (process.stdin, process.stdout, process.stderr):
            assert os.fstat(fd).st_uid == 61184
            os.close(fd)


@needs_linux
async def test_processes_are_gone_with_the_keeper(tmp_path: Path) -> None:
    source = f"import os; os.fork() or os.setsid(); {SLEEP}"
    async with open_keeper(user_namespace=False) as keeper:
        process = await keeper.start(Launch(argv=python(source), folder=tmp_path, environment={}))
        await trio.lowlevel.wait_readable(process.stdout)
        assert processes_of(tmp_path)
    assert not processes_of(tmp_path)
    for fd in (process.stdin, process.stdout, process.stderr):
        os.close(fd)
