"""Process limits: a bot that uses more, counting all its processes, is killed, and the fault says why."""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import trio

from referee.connections import ConnectionEnded
from referee.connections.pipe import PipeConnection
from referee.processes import supervisor
from referee.processes.launch import Command
from referee.processes.limits import process_tree
from referee.processes.limits.process_limits import LimitError, ProcessLimits, parse_limits
from referee.processes.supervisor import supervise
from tests.game_runner.harness import FIRST, Harness
from tests.processes.running import enforce, python, running
from tests.processes.sandboxed import NOBODY
from tests.timeouts import TEST_TIMEOUT

pytestmark = pytest.mark.slow

MB = 1024 * 1024
ALLOCATE_SILENTLY = "import signal; signal.alarm(120); block = b'x' * (200 << 20)"
ALLOCATE = f"{ALLOCATE_SILENTLY}; print('allocated', flush=True); signal.pause()"
SMALL = ProcessLimits(memory_mb=100)


# -- memory, processes, CPU time: checked by the supervisor -----------------------------------------------------------


async def test_process_over_its_memory_is_killed_with_the_reason() -> None:
    async with running(python(ALLOCATE), limits=SMALL) as connection:
        assert await connection.receive() == b"allocated"
        enforce(connection.process)
        with pytest.raises(ConnectionEnded) as caught:
            await connection.receive()
    assert re.fullmatch(r"used 2\d\d MiB of memory; at most 100 MiB \(memory_mb\) are allowed", str(caught.value))
    assert caught.value.code == "memory"


@pytest.mark.parametrize("thread", [False, True], ids=["started by the program", "started by a thread"])
async def test_memory_of_children_counts(thread: bool) -> None:
    fork = "import os, signal, threading\nsignal.alarm(120)\ndef fork():\n"
    fork += (
        "  if not os.fork():\n" + f"    exec({ALLOCATE!r})\n  signal.pause() if False else threading.Event().wait()\n"
    )
    start = "threading.Thread(target=fork).start()" if thread else "fork()"
    async with running(python(fork + start), quit_grace=0, limits=SMALL) as connection:
        assert await connection.receive() == b"allocated"
        assert process_tree.usage(connection.process.pid, 100).memory > 200 * MB
        enforce(connection.process)
        with pytest.raises(ConnectionEnded):
            await connection.receive()


async def test_memory_in_memfds_counts_once() -> None:
    source = """
        import os, signal
        signal.alarm(120)
        block = os.memfd_create("block")
        os.write(block, b"x" * (150 << 20))
        again = os.dup(block)
        os.fork()
        print("allocated", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0, limits=SMALL) as connection:
        assert await connection.receive() == b"allocated"
        assert await connection.receive() == b"allocated"
        assert 150 * MB < process_tree.usage(connection.process.pid, 100).memory < 250 * MB
        enforce(connection.process)
        with pytest.raises(ConnectionEnded, match="memory_mb"):
            await connection.receive()


END_FIRST_THREAD = f"ctypes.CDLL(None).syscall({93 if os.uname().machine == 'aarch64' else 60}, 0)"
"""exit(2), which ends one thread."""


@pytest.mark.parametrize(
    "hoard",
    ["hoard = b'x' * (200 << 20)", "hoard = os.memfd_create('block'); os.write(hoard, b'x' * (200 << 20))"],
    ids=["resident", "memfd"],
)
async def test_memory_counts_after_the_end_of_the_first_thread(hoard: str) -> None:
    """Which /proc shows for the process: it says that it has no memory and no files then."""
    source = f"""
        import ctypes, os, signal, threading, time
        def play():
            while open("/proc/self/stat").read().rpartition(")")[2].split()[0] != "Z": time.sleep(0.01)
            {hoard}
            os.write(1, b"allocated\\n")
            threading.Event().wait(120)
        threading.Thread(target=play).start()
        {END_FIRST_THREAD}
    """
    async with running(python(source), quit_grace=0, limits=SMALL) as connection:
        assert await connection.receive() == b"allocated"
        enforce(connection.process)
        with pytest.raises(ConnectionEnded, match="memory_mb"):
            await connection.receive()


async def test_memfds_of_a_thread_with_descriptors_of_its_own_count() -> None:
    source = """
        import ctypes, os, signal, threading
        signal.alarm(120)
        def hide():
            CLONE_FILES = 0x400
            ctypes.CDLL(None).unshare(CLONE_FILES)
            os.write(os.memfd_create("block"), b"x" * (150 << 20))
            print("allocated", flush=True)
            signal.pause()
        threading.Thread(target=hide).start()
        signal.pause()
    """
    async with running(python(source), quit_grace=0, limits=SMALL) as connection:
        assert await connection.receive() == b"allocated"
        assert process_tree.usage(connection.process.pid, 100).memory > 150 * MB


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user for a moment")
async def test_process_that_hides_its_files_is_killed_in_the_sandbox_only() -> None:
    """Root sees them all. An ordinary user doesn't see those of a process that can't be dumped, such as one that
    executes a file which it may not read. Outside the sandbox there are honest ones: podman, ssh-agent."""
    source = f"""
        import ctypes, os, signal
        signal.alarm(120)
        os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
        PR_SET_DUMPABLE = 4
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        print("hidden", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0) as connection:
        assert await connection.receive() == b"hidden"
        assert not process_tree.usage(connection.process.pid, 100).is_hidden
        connection.process.group = None
        os.seteuid(NOBODY)
        try:
            enforce(connection.process)
            is_tolerated = not connection.ended.is_set()
            enforce(connection.process, sandboxed=True)
        finally:
            os.seteuid(0)
        assert is_tolerated
        with pytest.raises(ConnectionEnded, match="hid which files it holds open") as caught:
            await connection.receive()
    assert caught.value.code == "memory"


async def test_process_within_its_limits_goes_on() -> None:
    source = "for line in __import__('sys').stdin: print(line, flush=True)"
    async with running(python(source), limits=SMALL) as connection:
        for _ in range(3):
            enforce(connection.process)
            await connection.send(b"still there\n")
            assert await connection.receive() == b"still there"
            assert await connection.receive() == b""


def test_process_that_is_gone_uses_nothing() -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(pid, 0)
    assert process_tree.usage(pid, 10) == (0, 0, 0.0, {}, False)


async def test_threads_and_processes_are_counted_together() -> None:
    source = """
        import os, signal, threading
        signal.alarm(120)
        for _ in range(5):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        if os.fork(): os.fork()
        print("forked", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0) as connection:
        for _ in range(3):
            assert await connection.receive() == b"forked"
        assert process_tree.usage(connection.process.pid, 100).tasks == 8  # a forked process has none of the threads
        connection.process.limits = ProcessLimits(processes=8)
        enforce(connection.process)
        assert not connection.ended.is_set()


async def test_cpu_time_of_all_processes_adds_up_and_is_limited() -> None:
    source = """
        import os, signal, time
        signal.alarm(120)
        pid = os.fork()
        while time.process_time() < 0.6: pass
        if not pid: os._exit(0)
        os.waitpid(pid, 0)
        print("worked", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0) as connection:
        assert await connection.receive() == b"worked"
        connection.process.limits = ProcessLimits(cpu_seconds=2)
        enforce(connection.process)
        assert connection.process.cpu_seconds > 1.1
        connection.process.limits = ProcessLimits(cpu_seconds=1)
        enforce(connection.process)
        with pytest.raises(ConnectionEnded, match=r"used [12] s of CPU time; at most 1 s \(cpu_seconds\)") as caught:
            await connection.receive()
        assert caught.value.code == "crash"


async def test_cpu_time_of_children_counts_though_nobody_waits_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "CHECK_INTERVAL", 0.01)
    source = """
        import os, signal, time
        signal.alarm(120)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            if not os.fork():
                while time.process_time() < 0.4: pass
                os._exit(0)
            try: os.wait()
            except ChildProcessError: pass
    """
    async with supervise() as owner:
        connection = PipeConnection(
            await owner.start(Command(tuple(python(source)), tmp_path), ProcessLimits(cpu_seconds=1))
        )
        with trio.fail_after(TEST_TIMEOUT), pytest.raises(ConnectionEnded, match="of CPU time"):
            await connection.receive()
        connection.close()


async def test_check_of_a_bot_with_very_many_open_files_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_tree, "MAX_OPEN_FILES", 100)
    read: list[str] = []
    readlink = os.readlink

    def count(path: str) -> str:
        read.append(path)
        return readlink(path)

    monkeypatch.setattr(os, "readlink", count)
    source = """
        import os, signal
        signal.alarm(120)
        for _ in range(200): os.dup(0)
        for _ in range(3): os.fork() or signal.pause()
        print("open", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0) as connection:
        assert await connection.receive() == b"open"
        process_tree.usage(connection.process.pid, 1000)
    assert len(read) == 100


async def test_check_of_a_bot_with_many_processes_threads_and_files_has_many_steps() -> None:
    source = """
        import os, signal, threading
        signal.alarm(120)
        for _ in range(50):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        for _ in range(400): os.dup(0)
        for _ in range(50):
            if not os.fork(): signal.pause()
        print("ready", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0) as connection:
        assert await connection.receive() == b"ready"
        steps = sum(1 for _ in process_tree.walk(connection.process.pid, 1000))
    assert steps > 50 + 50 + 400 / process_tree.FILES_PER_STEP


async def test_games_continue_in_the_middle_of_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others_ran = trio.Event()
    checked = trio.Event()

    def endless_check(*_: object, **__: object) -> Iterator[None]:
        began = time.monotonic()
        while not others_ran.is_set() and time.monotonic() - began < TEST_TIMEOUT:
            yield
        checked.set()

    async def run() -> None:
        while not checked.is_set():
            before = time.monotonic()
            await trio.lowlevel.checkpoint()
            if time.monotonic() - before > supervisor.MAX_SLICE:
                others_ran.set()

    monkeypatch.setattr(supervisor, "enforce_in_steps", endless_check)
    with trio.fail_after(TEST_TIMEOUT / 2):
        async with supervise() as owner:
            process = await owner.start(Command(tuple(python("input()")), tmp_path), SMALL)
            await run()
            process.stop()


async def test_process_near_its_cpu_limit_is_not_used_for_another_game(harness: Harness) -> None:
    source = """
        import time
        while time.process_time() < 0.7: pass
        ready()
        report(f"{os.getpid()}")
        while True:
            act = receive("act")
            pause = time.monotonic() + 0.15  # so that the supervisor checks the time used
            while time.monotonic() < pause: pass
            answer(act)
    """
    await harness.play(harness.bot(source, cpu_seconds=1), FIRST, deals=2)
    assert len(set(harness.all_reported())) == 2


# -- files: limited by the kernel -------------------------------------------------------------------------------------


async def test_limits_of_the_kernel_are_in_force() -> None:
    limits = ProcessLimits(open_files=50, file_mb=3, cpu_seconds=7)
    source = """
        import resource
        for what in ("NOFILE", "FSIZE", "CORE", "CPU"):
            print(resource.getrlimit(getattr(resource, f"RLIMIT_{what}")))
        print(open("/proc/self/oom_score_adj").read().strip())
    """
    async with running(python(source), limits=limits) as connection:
        printed = [(await connection.receive()).decode() for _ in range(5)]
    assert printed == ["(50, 50)", f"({3 * MB}, {3 * MB})", "(0, 0)", "(8, 9)", "1000"]


async def test_file_that_grows_too_large_is_named_as_the_reason(tmp_path: Path) -> None:
    source = """
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        open("large", "wb").write(b"x" * (2 << 20))
    """
    async with running(python(source), cwd=tmp_path, limits=ProcessLimits(file_mb=1)) as connection:
        with pytest.raises(ConnectionEnded, match=r"was killed by SIGXFSZ: a file grew over file_mb"):
            await connection.receive()


# -- output -----------------------------------------------------------------------------------------------------------


async def test_volume_on_standard_output_is_limited_in_each_game(harness: Harness) -> None:
    padded = "answer(receive('act'), index=0, info='x' * 300_000)"
    games = await harness.play(
        harness.bot(f"ready()\nfor _ in range(4): {padded}", stdout_mb=1), FIRST, deals=2, heap=3
    )
    assert [played.outcome.faults[0] for played in games] == [None, None]


# -- settings ---------------------------------------------------------------------------------------------------------


def test_a_bot_may_lower_its_limits_and_not_raise_them() -> None:
    organiser = ProcessLimits(memory_mb=1000, processes=100)
    lowered = organiser.lowered({"memory_mb": 2000, "processes": 50, "open_files": 20})
    assert lowered == ProcessLimits(memory_mb=1000, processes=50, open_files=20)


def test_limits_are_read_from_settings() -> None:
    assert parse_limits(["memory_mb=512", " open_files = 64 "]) == ProcessLimits(memory_mb=512, open_files=64)
    assert parse_limits([]) == ProcessLimits()


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("memory_mb", "memory_mb: write NAME=NUMBER, for example memory_mb=512"),
        ("memory=5", "memory=5: unknown limit 'memory'; did you mean 'memory_mb'?"),
        ("disk=5", "disk=5: unknown limit 'disk'; available: memory_mb, cpu_seconds, processes,"),
        ("memory_mb=much", "memory_mb=much: memory_mb is a whole number from 1 to 1073741824 (MiB of resident memory)"),
        ("processes=1", "processes=1: processes is a whole number from 8 to"),
        ("memory_mb=1e99", "memory_mb=1e99: memory_mb is a whole number from 1 to"),
        ("memory_mb=" + "9" * 400, "memory_mb=999"),
    ],
)
def test_wrong_setting_is_refused_with_what_would_be_right(setting: str, words: str) -> None:
    with pytest.raises(LimitError) as caught:
        parse_limits([setting])
    assert str(caught.value).startswith(words)


def test_every_limit_can_be_set_and_has_a_description() -> None:
    for field in msgspec.structs.fields(ProcessLimits):
        assert getattr(parse_limits([f"{field.name}=2000"]), field.name) == 2000
