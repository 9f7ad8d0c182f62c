"""A cgroup for each bot: counts what no walk through /proc finds, and kills what such a walk can't catch."""

import ctypes
import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

import pytest
import trio

from referee.connections import ConnectionEnded
from referee.processes import linux, supervisor
from referee.processes.bot_process import BotProcess
from referee.processes.keeper import client, lifetime
from referee.processes.keeper.cgroup_folders import Folders
from referee.processes.launch import Command
from referee.processes.limits import cgroups, process_tree
from referee.processes.limits.cgroups import CPU_TIME, Cgroups, Group, Hierarchy
from referee.processes.limits.machine import MachineError
from referee.processes.limits.process_limits import ProcessLimits
from referee.processes.supervisor import format_counters
from tests.hostile.cleanup import processes_of
from tests.processes.running import enforce, python, running
from tests.timeouts import TEST_TIMEOUT


def starts_in_groups() -> bool:
    """Whether processes can be started in a cgroup of v2: a container may refuse clone3(2), with ENOSYS."""
    linux.LIBC.syscall(linux.SYS_CLONE3, 0, 0)
    return ctypes.get_errno() == errno.EINVAL


def probe() -> dict[str, int]:
    """The controllers that groups have here, each with its version of cgroups."""
    created = cgroups.create_cgroups()
    if created is None:
        return {}
    created.remove()
    return created.controllers


def only_v1(patch: pytest.MonkeyPatch) -> None:
    """Do without cgroup v2."""
    patch.setattr(cgroups, "places", lambda pid=None: [])


can_start = starts_in_groups()
probed = probe() if can_start else {}
with pytest.MonkeyPatch.context() as v1:
    only_v1(v1)
    probed_v1 = probe()
needs_cgroups = pytest.mark.skipif(not (can_start and cgroups.places()), reason="no cgroups of v2 here")
needs_counting = pytest.mark.skipif(not probed.keys() >= {"memory", "pids"}, reason="no cgroups count memory here")
needs_weights = pytest.mark.skipif(probed.get("cpu") != 1, reason="no cgroup v1 with the controller cpu here")
VERSIONS: Final = [
    pytest.param(lambda patch: None, id="v2", marks=needs_cgroups),
    pytest.param(
        only_v1,
        id="v1",
        marks=pytest.mark.skipif(not probed_v1.keys() >= {"pids", CPU_TIME}, reason="no cgroup v1 here"),
    ),
]
SMALL = ProcessLimits(memory_mb=100)
PAGE_TABLES = f"""
import mmap, signal
signal.alarm(120)
size = 64 << 30
spread = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | {0x4000}, prot=mmap.PROT_READ)
for at in range(0, size, 2 << 20): spread[at]
print("ready", flush=True)
signal.pause()
"""
MEMFD_BEHIND_DUPS = """
import os, signal
signal.alarm(120)
for _ in range(900): os.dup(0)
os.write(os.memfd_create("hidden"), b"x" * (150 << 20))
print("ready", flush=True)
signal.pause()
"""
RELEASED = """
import mmap, signal
signal.alarm(120)
shared = mmap.mmap(-1, 150 << 20)
shared.write(b"x" * len(shared))
shared.madvise(mmap.MADV_DONTNEED)
print("ready", flush=True)
signal.pause()
"""
"""Shared memory that this process no longer has pages of."""
SOCKETS = """
import contextlib, signal, socket
signal.alarm(120)
listener, kept, sent = socket.create_server(("127.0.0.1", 0)), [], 0
while sent < 150 << 20:
    connection = socket.create_connection(listener.getsockname())
    kept += [connection, listener.accept()[0]]
    connection.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True: sent += connection.send(bytes(1 << 16))
print("ready", flush=True)
signal.pause()
"""
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


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
async def test_cpu_time_of_short_children_counts_though_nobody_waits_for_them(
    version: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    version(monkeypatch)
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


@pytest.mark.parametrize("version", VERSIONS)
async def test_chains_of_forks_are_gone_with_their_bot(
    tmp_path: Path, version: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    version(monkeypatch)
    with trio.fail_after(TEST_TIMEOUT):
        async with supervisor.supervise() as owner:
            process = await owner.start(Command(tuple(python(FORK_CHAIN)), tmp_path), ProcessLimits())
            await trio.lowlevel.wait_readable(process.stdout)
            assert processes_of(tmp_path)
            process.stop()
            await process.closed.wait()
            assert not processes_of(tmp_path)


@pytest.mark.parametrize("version", VERSIONS[1:])
async def test_killing_a_group_of_v1_reaches_chains_of_forks_without_a_search_for_orphans(
    version: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    version(monkeypatch)
    created = cgroups.create_cgroups()
    assert created is not None
    group = created.group("1")
    folders = Folders(*group.folders)
    folders.create()
    bot = await trio.lowlevel.open_process(python(FORK_CHAIN), stdout=subprocess.PIPE, preexec_fn=folders.enter)
    assert bot.stdout is not None
    with trio.fail_after(TEST_TIMEOUT):
        await bot.stdout.receive_some()
        assert group.tasks()
        folders.kill()
        await bot.wait()
        while group.tasks():  # noqa: ASYNC110 (there is no event for this)
            await trio.sleep(0.001)
    created.remove()
    assert not any(Path(folder).exists() for folder in folders.all)


def own_group() -> Path:
    """The group of this thread in the hierarchy of v1 that has the controller `cpu`."""
    mount = next(each for each in cgroups.mounts() if each.version == 1 and "cpu" in each.options)
    lines = Path("/proc/thread-self/cgroup").read_text().splitlines()
    own = next(line.split(":", 2)[2] for line in lines if "cpu" in line.split(":", 2)[1].split(","))
    return mount.point / own.lstrip("/")


@needs_weights
async def test_the_referee_has_more_weight_than_its_bots_as_long_as_they_run(tmp_path: Path) -> None:
    before = own_group()
    async with supervisor.supervise(ahead=True) as owner:
        process = await owner.start(Command(("/bin/sleep", "60"), tmp_path), ProcessLimits())
        own = own_group()
        assert own.parent == before
        assert int((own / "cpu.shares").read_text()) == cgroups.OWN_SHARES
        async with supervisor.supervise(ahead=True) as other:
            second = await other.start(Command(("/bin/sleep", "60"), tmp_path), ProcessLimits())
            assert own_group().parent == before
            for each in (process, second):
                assert each.group is not None
                [bots] = [Path(folder) for folder in each.group.folders[1] if Path(folder, "cpu.shares").exists()]
                assert bots.parent == before
                assert int((bots / "cpu.shares").read_text()) * 8 == cgroups.OWN_SHARES
            second.stop()
        assert own_group() == own
        process.stop()
    assert own_group() == before
    assert not own.exists()


@needs_weights
def test_of_two_matches_the_later_one_keeps_its_weight_when_the_first_one_ends() -> None:
    before = own_group()
    first, second = (cgroups.create_cgroups() for _ in range(2))
    assert first is not None
    assert second is not None
    groups = [each.enter_own_group() for each in (first, second)]
    own = own_group()
    for group in groups:
        assert group is not None
        assert own_group() == own
        assert group.move_back()
    assert own_group() == before


@needs_weights
def test_what_was_started_meanwhile_leaves_the_group_of_the_referee_too() -> None:
    created = cgroups.create_cgroups()
    assert created is not None
    group = created.enter_own_group()
    assert group is not None
    own = own_group()
    with subprocess.Popen(["/bin/sleep", "60"]) as child:
        assert not group.move_back()
        assert own.exists()
        group.clear()
        assert not own.exists()
        child.kill()


@needs_weights
def test_nothing_is_changed_where_the_group_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, data: bytes) -> None:
        raise OSError(errno.EACCES, "refused", path)

    before = own_group()
    created = cgroups.create_cgroups()
    assert created is not None
    monkeypatch.setattr(linux, "write", refuse)
    assert created.enter_own_group() is None
    assert own_group() == before
    assert not [*before.glob(f"*-{os.getpid()}-*-{cgroups.OWN_GROUP}")]


@needs_weights
async def test_the_referee_has_no_more_weight_than_others_unless_it_asks_for_it(tmp_path: Path) -> None:
    before = own_group()
    async with supervisor.supervise() as owner:
        process = await owner.start(Command(("/bin/sleep", "60"), tmp_path), ProcessLimits())
        assert own_group() == before
        process.stop()


@needs_counting
@pytest.mark.parametrize(
    "source",
    [PAGE_TABLES, MEMFD_BEHIND_DUPS, RELEASED, SOCKETS],
    ids=["page tables", "memfd", "released", "TCP sockets"],
)
async def test_memory_counts_that_is_not_resident(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_tree, "walk", walk_is_not_needed)
    async with running(python(source), quit_grace=0) as connection:
        assert await connection.receive() == b"ready"
        enforce(connection.process)
        connection.process.limits = SMALL
        enforce(connection.process)
        with pytest.raises(ConnectionEnded, match=r"at most 100 MiB \(memory_mb\)"):
            await connection.receive()


@needs_counting
async def test_threads_and_processes_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_tree, "walk", walk_is_not_needed)
    source = """
        import os, signal, threading
        for _ in range(3): threading.Thread(target=signal.pause, daemon=True).start()
        for _ in range(4):
            if not os.fork(): signal.pause()
        print("ready", flush=True)
        signal.pause()
    """
    async with running(python(source), quit_grace=0, limits=ProcessLimits(processes=8)) as connection:
        assert await connection.receive() == b"ready"
        enforce(connection.process)
        connection.process.limits = ProcessLimits(processes=8).lowered({"processes": 7})
        enforce(connection.process)
        with pytest.raises(ConnectionEnded, match="ran more than 7 processes and threads"):
            await connection.receive()


def walk_is_not_needed(pid: int, max_tasks: int) -> NoReturn:
    """In place of the walk through /proc."""
    raise AssertionError("the cgroup counts everything")


@pytest.mark.parametrize("version", VERSIONS)
async def test_no_group_is_left(version: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    version(monkeypatch)
    before = groups()
    async with running(python("input()")) as connection:
        folders = folders_of(connection.process)
        assert folders
        assert all(any(Path(folder).is_relative_to(group) for group in groups() - before) for folder in folders)
    assert groups() == before


@pytest.mark.skipif(not probed, reason="no cgroups can be created here")
async def test_bots_that_start_at_once_each_have_their_own_group() -> None:
    """The kernel says so in /proc/self/cgroup, in the first process as in a child of it."""
    before = groups()
    command = ["/bin/sh", "-c", "cat /proc/self/cgroup; echo end; read line"]
    bots: list[BotProcess] = []
    memberships: dict[BotProcess, bytes] = {}

    async def start() -> None:
        process = await owner.start(Command(tuple(command), Path("/")), ProcessLimits())
        bots.append(process)
        said = b""
        while not said.endswith(b"end\n"):
            await trio.lowlevel.wait_readable(process.stdout)
            said += os.read(process.stdout, 65536)
        memberships[process] = said

    with trio.fail_after(TEST_TIMEOUT):
        async with supervisor.supervise() as owner:
            async with trio.open_nursery() as nursery:
                for _ in range(16):
                    nursery.start_soon(start)
            assert len({folder for bot in bots for folder in folders_of(bot)}) == 16 * len(folders_of(bots[0]))
            for bot, said in memberships.items():
                paths = {line.split(b":", 2)[2] for line in said.splitlines() if line != b"end"}
                for folder in folders_of(bot):
                    assert any(os.fsencode(folder).endswith(path) for path in paths if len(path) > 1)
            for bot in bots:
                bot.stop()
    assert groups() == before


def folders_of(process: BotProcess) -> set[str]:
    """All folders of its cgroup."""
    assert process.group is not None
    unified, legacy = process.group.folders
    return {*legacy, *([unified] if unified else [])}


@pytest.mark.skipif(not probed, reason="no cgroups can be created here")
def test_groups_of_a_referee_that_was_killed_are_removed_by_the_next() -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(pid, 0)
    template = cgroups.create_cgroups()
    assert template is not None
    template.remove()
    named = [each._replace(folder=each.folder.with_name(f"referee-{pid}-1")) for each in template.hierarchies]
    abandoned = [each.path("1") for each in named]
    for folder in abandoned:
        folder.mkdir(parents=True)
    created = cgroups.create_cgroups()
    assert created is not None
    created.remove()
    assert not any(folder.exists() for folder in abandoned)


def groups() -> set[Path]:
    """All groups of this referee."""
    return {folder for place in all_places() for folder in place.glob(f"referee-{os.getpid()}-*")}


def all_places() -> Iterator[Path]:
    for mount in cgroups.mounts():
        yield mount.point
        own = cgroups.own_place(mount)
        if own is not None:
            yield own


@needs_cgroups
async def test_group_that_cannot_be_entered_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is not a cgroup stands in for one of v1 that the system does not let a process into."""
    monkeypatch.setattr(client, "create_cgroups", partial(with_false_group, cgroups.create_cgroups, tmp_path / "false"))
    async with running(python("print('fine')")) as connection:
        assert await connection.receive() == b"fine"
        assert connection.process.group is not None
        assert connection.process.group.legacy == ()
    assert not list(tmp_path.iterdir())


def with_false_group(create: Callable[[], Cgroups | None], folder: Path, keeper: int | None) -> Cgroups:
    created = create()
    assert created is not None
    return Cgroups([*created.hierarchies, Hierarchy(1, folder, frozenset({"memory"}))])


async def test_bot_is_not_to_blame_if_its_group_cannot_be_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "RETRY_PAUSES", ())
    async with supervisor.supervise() as owner:
        keeper = await owner.keeper()
        before, keeper.cgroups = keeper.cgroups, Cgroups([Hierarchy(1, tmp_path / "false", frozenset({"memory"}))])
        with pytest.raises(MachineError, match="prepare the process"):
            await owner.start(Command(("/bin/true",), tmp_path), ProcessLimits())
        keeper.cgroups = before
    assert not list(tmp_path.iterdir())


@needs_cgroups
async def test_keeper_gets_a_group_from_systemd_where_the_user_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """systemd-run is played by a shell: it moves itself to a group that belongs to the user, and becomes the keeper."""
    scope = cgroups.places()[0] / "test.scope"
    script = f'mkdir -p {scope} && echo $$ >{scope}/cgroup.procs && exec "$@"'
    monkeypatch.setattr(lifetime, "scope_command", lambda: ["/bin/sh", "-c", script, "sh"])
    async with running(python("print(open('/proc/self/cgroup').read()); input()")) as connection:
        assert connection.process.group is not None
        assert connection.process.group.unified == str(scope / "1")
        memberships = [await connection.receive()]
        while memberships[-1]:
            memberships.append(await connection.receive())
        assert any(line.startswith(b"0::") and line.endswith(b"/test.scope/1") for line in memberships)
    assert not scope.exists()


@needs_cgroups
async def test_there_are_no_groups_if_systemd_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifetime, "scope_command", lambda: ["/bin/false"])
    monkeypatch.setattr(client, "create_cgroups", lambda keeper: None)
    async with running(python("print('fine')")) as connection:
        assert await connection.receive() == b"fine"
        assert connection.process.group is None


def test_memory_is_what_the_bot_has_and_not_what_the_system_has_cached(tmp_path: Path) -> None:
    """With controllers, which not every machine has."""
    (tmp_path / "memory.stat").write_text("anon 1000\nfile 90000\nkernel 300\nshmem 20\nsock 4\npagetables 100\n")
    (tmp_path / "pids.current").write_text("7\n")
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n")
    group = Group([Hierarchy(2, tmp_path, frozenset({CPU_TIME, "memory", "pids"}))])
    assert (group.memory(), group.tasks(), group.cpu_seconds(), group.can_freeze) == (1324, 7, 2.5, True)
    bare = Group([Hierarchy(2, tmp_path, frozenset({CPU_TIME}))])
    assert (bare.memory(), bare.tasks(), bare.cpu_seconds()) == (None, None, 2.5)


def test_the_same_in_cgroup_v1(tmp_path: Path) -> None:
    memory, rest = tmp_path / "memory", tmp_path / "rest"
    memory.mkdir()
    rest.mkdir()
    (memory / "memory.stat").write_text("cache 1\nrss 2\ntotal_cache 90000\ntotal_rss 1000\ntotal_shmem 20\n")
    (memory / "memory.usage_in_bytes").write_text("91304\n")
    (memory / "memory.kmem.usage_in_bytes").write_text("300\n")
    (memory / "memory.kmem.tcp.usage_in_bytes").write_text("4\n")
    (rest / "pids.current").write_text("7\n")
    (rest / "cpuacct.usage").write_text("2500000000\n")
    group = Group(
        [Hierarchy(1, memory, frozenset({"memory"})), Hierarchy(1, rest, frozenset({"cpu", CPU_TIME, "pids"}))]
    )
    assert (group.memory(), group.tasks(), group.cpu_seconds(), group.can_freeze) == (1324, 7, 2.5, False)
    assert group.folders == (None, (str(memory), str(rest)))


def test_group_that_is_gone_says_nothing() -> None:
    for version in (1, 2):
        group = Group([Hierarchy(version, Path("/no/such/group"), frozenset({CPU_TIME, "memory", "pids"}))])
        assert (group.memory(), group.tasks(), group.cpu_seconds(), group.freeze(True)) == (None, None, None, False)


def test_hierarchies_of_v1_are_found_as_they_are_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several controllers may share one, and only a part of it may be visible, as in a container."""
    (tmp_path / "mountinfo").write_text(
        "25 20 0:22 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
        "30 25 0:27 / /sys/fs/cgroup/systemd rw,nosuid shared:9 - cgroup cgroup rw,xattr,name=systemd\n"
        "31 25 0:28 /docker/a\\040b /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:10 - cgroup cgroup rw,cpu,cpuacct\n"
        "32 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n"
    )
    monkeypatch.setattr(cgroups, "MOUNTINFO", tmp_path / "mountinfo")
    systemd, both, unified = cgroups.mounts()
    assert (both.version, both.root, str(both.point)) == (1, "/docker/a b", "/sys/fs/cgroup/cpu,cpuacct")
    assert both.options >= {"cpu", CPU_TIME}
    assert not systemd.options & cgroups.CONTROLLERS
    assert unified.version == 2


def test_old_kernels_where_a_process_waits_to_enter_a_group_of_v1_go_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "linux_version", lambda: (5, 4))
    only_v1(monkeypatch)
    assert cgroups.create_cgroups() is None


def test_how_usage_is_watched_is_said(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpu hugetlb memory pids\n")
    (tmp_path / "cgroup.subtree_control").touch()
    full = cgroups.with_controllers(tmp_path)
    assert full.controllers == {CPU_TIME, "cpu", "memory", "pids"}
    assert format_counters(Cgroups([full])) == "watch: a cgroup for each bot counts CPU time, memory, processes"
    (tmp_path / "cgroup.controllers").write_text("\n")
    bare = cgroups.with_controllers(tmp_path)
    assert format_counters(Cgroups([bare])) == (
        "watch: a cgroup for each bot counts CPU time; memory, processes through /proc"
    )
    legacy = Hierarchy(1, tmp_path, frozenset({"memory", "pids"}))
    assert format_counters(Cgroups([bare, legacy])) == (
        "watch: a cgroup for each bot counts CPU time, memory (v1), processes (v1)"
    )
    assert format_counters(None) == "watch: CPU time, memory, processes through /proc; no cgroups can be created here"


# -- without a cgroup -------------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_page_tables_count() -> None:
    async with running(python(PAGE_TABLES), quit_grace=0) as connection:
        assert await connection.receive() == b"ready"
        connection.process.group = None
        connection.process.limits = SMALL
        enforce(connection.process)
        with pytest.raises(ConnectionEnded, match="memory_mb"):
            await connection.receive()


@pytest.mark.slow
async def test_memfd_behind_many_other_files_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_tree, "MAX_OPEN_FILES", 100)
    async with running(python(MEMFD_BEHIND_DUPS), quit_grace=0) as connection:
        assert await connection.receive() == b"ready"
        connection.process.group = None
        connection.process.limits = SMALL
        with trio.fail_after(TEST_TIMEOUT):
            while not connection.ended.is_set():
                enforce(connection.process)
                await trio.lowlevel.checkpoint()
        with pytest.raises(ConnectionEnded, match="memory_mb"):
            await connection.receive()
