"""A cgroup for each bot: counts what no walk through /proc finds, and kills what such a walk can't catch."""

import os
from pathlib import Path

import pytest
import trio

from referee.connections import ConnectionEnded
from referee.processes import cgroups, keeper_client, process_tree
from referee.processes.cgroups import Cgroups, Group
from referee.processes.limits import ProcessLimits
from referee.processes.supervisor import enforce, watch_in_force
from tests.hostile.cleanup import processes_of
from tests.processes.running import python, running
from tests.timeouts import TEST_TIMEOUT

probed = cgroups.create()
if probed is not None:
    probed.remove()
needs_cgroups = pytest.mark.skipif(probed is None, reason="no cgroups can be created here")
SMALL = ProcessLimits(memory_mb=100)

FORK_CHAIN = """
import os, signal, time
signal.alarm(60)
for _ in range(4):
    if not os.fork():
        os.setsid()
        while True:
            if os.fork():
                os._exit(0)
print("forking", flush=True)
signal.pause()
"""
"""Four processes that each live only until they have started the next one."""


@needs_cgroups
async def test_cpu_time_of_short_children_counts_though_nobody_waits_for_them() -> None:
    source = """
        import os, signal, time
        signal.alarm(120)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        for _ in range(60):
            if not os.fork():
                while time.process_time() < 0.02: pass
                os._exit(0)
            try: os.wait()
            except ChildProcessError: pass
        print("worked", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0) as connection:
        assert await connection.receive() == b"worked"
        assert process_tree.usage(connection.process.pid, 100).cpu < 1
        connection.process.limits = ProcessLimits(cpu_seconds=1)
        enforce(connection.process)
        with pytest.raises(ConnectionEnded, match="used 1 s of CPU time"):
            await connection.receive()


@needs_cgroups
async def test_chains_of_forks_are_gone_with_their_bot(tmp_path: Path) -> None:
    async with running(python(FORK_CHAIN), quit_grace=0, cwd=tmp_path) as connection:
        assert await connection.receive() == b"forking"
        assert processes_of(tmp_path)
    assert not processes_of(tmp_path)


@needs_cgroups
async def test_no_group_is_left() -> None:
    before = groups()
    async with running(python("input()")) as connection:
        assert connection.process.group is not None
        assert Path(connection.process.group.folder).parent in groups() - before
    assert groups() == before


@needs_cgroups
def test_groups_of_a_referee_that_was_killed_are_removed_by_the_next() -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(pid, 0)
    abandoned = cgroups.places()[0] / f"referee-{pid}-1"
    (abandoned / "1").mkdir(parents=True)
    created = cgroups.create()
    assert created is not None
    created.remove()
    assert not abandoned.exists()


def groups() -> set[Path]:
    """All groups of referees."""
    return {folder for place in cgroups.places() for folder in place.glob("referee-*")}


@needs_cgroups
async def test_keeper_gets_a_group_from_systemd_where_the_user_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """systemd-run is played by a shell: it moves itself to a group that belongs to the user, and becomes the keeper."""
    scope = cgroups.places()[0] / "test.scope"
    script = f'mkdir -p {scope} && echo $$ >{scope}/cgroup.procs && exec "$@"'
    monkeypatch.setattr(keeper_client, "scope_command", lambda: ["/bin/sh", "-c", script, "sh"])
    async with running(python("print(open('/proc/self/cgroup').read()); input()")) as connection:
        assert connection.process.group is not None
        assert connection.process.group.folder == str(scope / "1")
        memberships = [await connection.receive()]
        while memberships[-1]:
            memberships.append(await connection.receive())
        assert any(line.startswith(b"0::") and line.endswith(b"/test.scope/1") for line in memberships)
    assert not scope.exists()


@needs_cgroups
async def test_there_are_no_groups_if_systemd_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper_client, "scope_command", lambda: ["/bin/false"])
    monkeypatch.setattr(keeper_client, "create", lambda: None)
    async with running(python("print('fine')")) as connection:
        assert await connection.receive() == b"fine"
        assert connection.process.group is None


def test_memory_is_what_the_bot_has_and_not_what_the_system_has_cached(tmp_path: Path) -> None:
    """With controllers, which not every machine has."""
    (tmp_path / "memory.stat").write_text("anon 1000\nfile 90000\nkernel 300\nshmem 20\nsock 4\npagetables 100\n")
    (tmp_path / "pids.current").write_text("7\n")
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n")
    group = Group(str(tmp_path), frozenset({"memory", "pids"}))
    assert (group.memory(), group.tasks(), group.cpu_seconds()) == (1324, 7, 2.5)
    bare = Group(str(tmp_path), frozenset())
    assert (bare.memory(), bare.tasks(), bare.cpu_seconds()) == (None, None, 2.5)


def test_group_that_is_gone_says_nothing() -> None:
    group = Group("/no/such/group", frozenset({"memory", "pids"}))
    assert (group.memory(), group.tasks(), group.cpu_seconds(), group.freeze(True)) == (None, None, None, False)


def test_watch_in_force_is_said(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpu hugetlb memory pids\n")
    (tmp_path / "cgroup.subtree_control").touch()
    full = Cgroups(tmp_path)
    assert full.controllers == {"cpu", "memory", "pids"}
    assert watch_in_force(full) == "watch: a cgroup for each bot counts CPU time, memory, processes"
    (tmp_path / "cgroup.controllers").write_text("\n")
    assert watch_in_force(Cgroups(tmp_path)) == (
        "watch: a cgroup for each bot counts CPU time; memory, processes through /proc"
    )
    assert watch_in_force(None) == "watch: CPU time, memory, processes through /proc; no cgroups can be created here"


# -- without a cgroup -------------------------------------------------------------------------------------------------


async def test_page_tables_count(monkeypatch: pytest.MonkeyPatch) -> None:
    source = f"""
        import mmap, signal
        signal.alarm(120)
        size = 64 << 30
        spread = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | {0x4000}, prot=mmap.PROT_READ)
        for at in range(0, size, 2 << 20): spread[at]
        print("spread", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0) as connection:
        assert await connection.receive() == b"spread"
        connection.process.group = None
        connection.process.limits = SMALL
        enforce(connection.process)
        with pytest.raises(ConnectionEnded, match="memory_mb"):
            await connection.receive()


async def test_memfd_behind_many_other_files_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_tree, "MAX_OPEN_FILES", 100)
    source = """
        import os, signal
        signal.alarm(120)
        for _ in range(900): os.dup(0)
        os.write(os.memfd_create("hidden"), b"x" * (150 << 20))
        print("hidden", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0) as connection:
        assert await connection.receive() == b"hidden"
        connection.process.group = None
        connection.process.limits = SMALL
        with trio.fail_after(TEST_TIMEOUT):
            while not connection.ended.is_set():
                enforce(connection.process)
                await trio.lowlevel.checkpoint()
        with pytest.raises(ConnectionEnded, match="memory_mb"):
            await connection.receive()
