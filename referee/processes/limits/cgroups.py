"""A control group (cgroups(7)) for each bot process: counts what it uses, stops it, and kills all of it.

A process can't leave its group with anything that it does, nor can its descendants, as long as it may not write to the
files of cgroups. Where there is cgroup v2, each process has a group in it: even without controllers that counts CPU
time, freezes and kills. The controllers `memory` and `pids`, which count the rest, and `cpu`, which gives every group
the same share, are used where available: each belongs to v2 or to a hierarchy of v1, in which the process then has
another group.
"""

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from referee.processes import linux

MOUNTINFO: Final = Path("/proc/self/mountinfo")
GROUP_PREFIX: Final = "referee"
KEEPER_GROUP: Final = "keeper"
SCOPE_OPTIONS: Final = ("--user", "--scope", "--quiet", "--collect", "--property=Delegate=yes", "--")
OWN_GROUP: Final = "own"
"""Ends the name of the group of the referee itself (see `Cgroups.enter_own_group`)."""
OWN_FOLDER: Final = re.compile(rf"{GROUP_PREFIX}-\d+-[0-9a-f]{{8}}-{OWN_GROUP}")
OWN_SHARES: Final = 8 * 1024
"""`cpu.shares` of that group, eight times those of a bot: it hardly waits for the CPU while many start. Bots still have
at least a ninth of a processor that the referee keeps busy. With a real-time priority (SCHED_RR) it would read
nearly all answers within 1 ms, but take the CPU from bots for so long that on a busy machine they lose on time."""
CLEAR_ATTEMPTS: Final = 3
CPU_TIME: Final = "cpuacct"
"""The controller of v1 that counts CPU time. v2 counts it without a controller, as if it always had this one."""
CONTROLLERS: Final = frozenset({CPU_TIME, "cpu", "memory", "pids"})
CHARGED: Final = (b"anon", b"shmem", b"kernel", b"sock")
"""Fields of memory.stat that are charged to a bot: all but the contents of files that the system has cached."""
CHARGED_V1: Final = (b"total_rss", b"total_shmem")
"""The same in v1, with the files MEMORY_V1."""
MEMORY_V1: Final = ("memory.kmem.usage_in_bytes", "memory.kmem.tcp.usage_in_bytes")
SELF_ENTRY: Final = (5, 5)
"""The first version of Linux in which a process with one thread enters a group of v1 without waiting for all others:
commit 9a3284fad42f, "cgroup: Optimize single thread migration"."""
SYSTEM_PATH: Final = "/usr/bin:/bin"
FILE_BYTES: Final = 16384
"""More than the length of any file that is read here."""


class Hierarchy(NamedTuple):
    """One of the kernel's trees of groups, and the location of the groups of processes in it."""

    version: int
    """The version of cgroups, 1 or 2. There is at most one tree of v2."""
    folder: Path
    """In v2, the group that contains them. In v1 they are beside each other, so that each gets as much of the CPU as
    any other group or session does; their paths begin with this."""
    controllers: frozenset[str]
    """The controllers that they have."""

    def path(self, name: str) -> Path:
        return self.folder / name if self.version == 2 else self.folder.with_name(f"{self.folder.name}-{name}")


class Group:
    """The group of one process, in all hierarchies. Its folders are created and removed by the keeper."""

    def __init__(self, hierarchies: Sequence[Hierarchy]) -> None:
        """`hierarchies`: each with the folder of this group itself."""
        self.unified = next((str(each.folder) for each in hierarchies if each.version == 2), None)
        """Its folder in v2; the process is created in it."""
        self.legacy = tuple(str(each.folder) for each in hierarchies if each.version == 1)
        """Its folders in v1; the process enters them itself."""
        self.folders = self.unified, self.legacy
        """For messages to the keeper."""
        self._folders = {name: str(each.folder) for each in hierarchies for name in each.controllers}
        self._freezer: int | None = None

    @property
    def can_freeze(self) -> bool:
        """Whether `freeze` can succeed. The freezer of v1 is not used: a process that it has frozen can't be killed."""
        return self.unified is not None

    def cpu_seconds(self) -> float | None:
        """CPU time used by all processes that have ever been in the group; None if it is not known."""
        folder = self._folders.get(CPU_TIME)
        if folder is None:
            return None
        if folder == self.unified:
            usage = _stat(f"{folder}/cpu.stat").get(b"usage_usec")
            return None if usage is None else usage / 1e6
        usage = _number(f"{folder}/cpuacct.usage")
        return None if usage is None else usage / 1e9

    def memory(self) -> int | None:
        """Bytes of memory, with page tables and memory that no longer belongs to a process; None if it is not known."""
        folder = self._folders.get("memory")
        if folder is None or not (stat := _stat(f"{folder}/memory.stat")):
            return None
        if folder == self.unified:
            return sum(stat.get(name, 0) for name in CHARGED)
        kernel = sum(_number(f"{folder}/{name}") or 0 for name in MEMORY_V1)
        return kernel + sum(stat.get(name, 0) for name in CHARGED_V1)

    def tasks(self) -> int | None:
        """Processes and threads; None if it is not known."""
        return _number(f"{self._folders['pids']}/pids.current") if "pids" in self._folders else None

    def freeze(self, frozen: bool) -> bool:
        """Suspend all processes of the group, or resume them. False if that fails, as when the group is gone."""
        try:
            if self._freezer is None:
                self._freezer = os.open(f"{self.unified}/cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)
            os.write(self._freezer, b"1" if frozen else b"0")
        except OSError:
            return False
        return True

    def close(self) -> None:
        if self._freezer is not None:
            os.close(self._freezer)
            self._freezer = None


class Cgroups:
    """The hierarchies with the groups of all processes of one keeper. Made by `create_cgroups`."""

    def __init__(self, hierarchies: Sequence[Hierarchy]) -> None:
        self.hierarchies = tuple(hierarchies)

    @property
    def controllers(self) -> dict[str, int]:
        """The controllers that the groups of processes have, each with its version of cgroups."""
        return {name: each.version for each in self.hierarchies for name in each.controllers}

    @property
    def can_freeze(self) -> bool:
        """Whether all processes of a group can be suspended (see Group)."""
        return any(each.version == 2 for each in self.hierarchies)

    def group(self, name: str) -> Group:
        """The group for a process; its folders need not exist."""
        return Group([each._replace(folder=each.path(name)) for each in self.hierarchies])

    def enter_own_group(self) -> "OwnGroup | None":
        """Give this thread more weight than a bot where they compete for the CPU; None if that is not possible.

        It reads what bots write, while their clocks run. Among many that start, each of which has a group, its turn
        would come only after all of theirs. Needs the controller `cpu` of v1; in v2, where the groups of all bots are
        in one, the referee has as much weight as all of them together.
        """
        for hierarchy in self.hierarchies:
            if hierarchy.version == 1 and "cpu" in hierarchy.controllers:
                own = OwnGroup(hierarchy.path(OWN_GROUP))
                return own if own.enter() else None
        return None

    def remove(self) -> None:
        """Remove all groups, as far as they are empty."""
        for each in self.hierarchies:
            for folder in [each.folder] if each.version == 2 else each.folder.parent.glob(f"{each.folder.name}-*"):
                _remove(folder)


class OwnGroup:
    """A group of v1 with the referee's own thread, and with what that thread starts meanwhile."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before = folder.parent
        """The group that the thread was in: possibly that of another match in the same program."""

    def enter(self) -> bool:
        """Move this thread into the group. False, and nothing is changed, if that is refused."""
        if not os.access(self._folder.parent / "tasks", os.W_OK):
            return False  # there would be no way back
        try:
            self._before = _thread_group(self._folder.parent)
            self._folder.mkdir()
            linux.write(f"{self._folder}/cpu.shares", str(OWN_SHARES).encode())
            linux.write(f"{self._folder}/tasks", b"0")
        except OSError:
            _remove(self._folder)
            return False
        return True

    def move_back(self) -> bool:
        """Move this thread back, and remove the group. False if something else is in it: see `clear`."""
        with contextlib.suppress(OSError):
            if _thread_group(self._folder.parent) == self._folder:  # else a match that began later has moved it
                back = self._before if self._before.exists() else self._folder.parent
                linux.write(f"{back}/tasks", b"0")
        _remove(self._folder)
        return not self._folder.exists()

    def clear(self) -> None:
        """Move everything else out of the group, and remove it. Each move takes up to 20 ms."""
        for _ in range(CLEAR_ATTEMPTS):  # a process may be forking
            for task in _tasks(self._folder):
                with contextlib.suppress(OSError):
                    linux.write(f"{self._folder.parent}/tasks", task)
            _remove(self._folder)


# -- where groups can be created ---------------------------------------------------------------------------------------


class Mount(NamedTuple):
    """A mounted hierarchy."""

    version: int
    options: frozenset[str]
    """In v1, the controllers are among them."""
    root: str
    """The group of the hierarchy that is mounted."""
    point: Path


def create_cgroups(keeper: int | None = None) -> Cgroups | None:
    """All hierarchies in which groups are allowed and useful; None if there are none.

    `keeper`: the pid of a keeper that got a group in v2 from systemd.
    """
    name = f"{GROUP_PREFIX}-{os.getpid()}-{secrets.token_hex(4)}"  # a program may play several matches at a time
    unified = _create_unified(name) if keeper is None else _of_scope(keeper)
    missing = CONTROLLERS - (unified.controllers if unified else set())
    legacy = _legacy(name, missing) if linux_version() >= SELF_ENTRY else []
    found = [*([unified] if unified else ()), *legacy]
    return Cgroups(found) if found else None


def _create_unified(name: str) -> Hierarchy | None:
    """A new group in v2, in the first place where that is allowed."""
    for parent in places():
        with contextlib.suppress(OSError):
            remove_abandoned(parent)
            folder = parent / name
            folder.mkdir()
            try:
                if is_sufficient(folder):
                    return with_controllers(folder)
            except OSError:
                folder.rmdir()
                raise
            folder.rmdir()
    return None


def _legacy(name: str, missing: frozenset[str]) -> list[Hierarchy]:
    """The hierarchies of v1 that have one of these controllers and in which groups with this name are allowed."""
    found = []
    for mount in mounts():
        if mount.version == 1 and (useful := missing & mount.options):
            parent = own_place(mount)
            if parent is not None:
                with contextlib.suppress(OSError):
                    remove_abandoned(parent)
                    folder = parent / name
                    folder.mkdir()
                    folder.rmdir()
                    found.append(Hierarchy(1, folder, useful))
                    missing -= useful
    return found


def with_controllers(folder: Path) -> Hierarchy:
    """Enable all controllers of a group in v2 for the groups in it. Raises OSError."""
    controllers = frozenset((folder / "cgroup.controllers").read_text().split()) & CONTROLLERS
    for controller in sorted(controllers):
        linux.write(f"{folder}/cgroup.subtree_control", b"+" + controller.encode())
    return Hierarchy(2, folder, controllers | {CPU_TIME})


def is_sufficient(folder: Path) -> bool:
    """Whether groups can be killed and frozen: since Linux 5.14, and not at the top of the hierarchy."""
    return (folder / "cgroup.kill").exists() and (folder / "cgroup.freeze").exists()


def scope_command() -> list[str]:
    """A command that runs another one in its own group through the user's systemd; empty if that is useless.

    A user may create groups only within one that was delegated to them, and most sessions are in none.
    """
    program = shutil.which("systemd-run", path=SYSTEM_PATH)
    if program is None or os.geteuid() == 0 or "XDG_RUNTIME_DIR" not in os.environ or any(places()):
        return []
    return [program, *SCOPE_OPTIONS]


def _of_scope(keeper: int) -> Hierarchy | None:
    """The group that was delegated to a keeper, which moves into a group within it; None if that is refused."""
    others = {*places(), *(mount.point for mount in mounts() if mount.version == 2)}  # and the top of v2
    for folder in [place for place in places(keeper) if place not in others]:
        with contextlib.suppress(OSError):
            if is_sufficient(folder):
                (folder / KEEPER_GROUP).mkdir()
                linux.write(f"{folder}/{KEEPER_GROUP}/cgroup.procs", str(keeper).encode())
                return with_controllers(folder)
    return None


def places(pid: int | None = None) -> list[Path]:
    """Groups of v2 in which this process may create others: for root the top one; its own one, or that of `pid`."""
    found = []
    for mount in mounts():
        if mount.version == 2:
            if os.geteuid() == 0:
                found.append(mount.point)
            place = own_place(mount, pid)
            if place is not None and place != mount.point:
                found.append(place)
            break
    return found


def own_place(mount: Mount, pid: int | None = None) -> Path | None:
    """The group of this process, or of `pid`, in a hierarchy; None if it is not visible or not writable."""
    try:
        lines = Path("/proc", "self" if pid is None else str(pid), "cgroup").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        number, controllers, own = line.split(":", 2)
        if (number == "0") if mount.version == 2 else (set(controllers.split(",")) <= mount.options):
            place = mount.point / os.path.relpath(own, mount.root)
            if mount.version == 1 and OWN_FOLDER.fullmatch(place.name):
                place = place.parent  # that of another match in this process, which has more weight than its bots
            if ".." not in place.parts and os.access(place / "cgroup.procs", os.W_OK):
                return place
    return None


def mounts() -> Iterator[Mount]:
    try:
        lines = MOUNTINFO.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        mount, _, filesystem = line.partition(" - ")
        kind, _, options = filesystem.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, point = mount.split()[3:5]
            version = 2 if kind == "cgroup2" else 1
            yield Mount(version, frozenset(options.split(",")), _unescaped(root), Path(_unescaped(point)))


def linux_version() -> tuple[int, int]:
    numbers = re.match(r"(\d+)\.(\d+)", os.uname().release)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


def remove_abandoned(parent: Path) -> None:
    """Remove the groups left behind by referees that were killed together with their keepers."""
    for folder in parent.glob(f"{GROUP_PREFIX}-*-*"):
        pid = folder.name.split("-")[1]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            _remove(folder)


def _remove(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for inner in folder.iterdir():
            if inner.is_dir():
                with contextlib.suppress(OSError):
                    inner.rmdir()
        folder.rmdir()


def _thread_group(parent: Path) -> Path:
    """The group of this thread: that of a match within `parent`, if it is in one, or `parent`. Raises OSError."""
    groups = Path("/proc/thread-self/cgroup").read_text()
    own = re.search(rf"/({OWN_FOLDER.pattern})$", groups, re.MULTILINE)
    return parent / own[1] if own else parent


def _tasks(folder: Path) -> list[bytes]:
    """The ids of all threads in a group of v1; none if there is no such group."""
    try:
        return (folder / "tasks").read_bytes().split()
    except OSError:
        return []


def _stat(path: str) -> dict[bytes, int]:
    """The numbers of a flat keyed file; none if the group is gone."""
    try:
        words = _read(path).split()
    except OSError:
        return {}
    return dict(zip(words[::2], map(int, words[1::2]), strict=False))


def _number(path: str) -> int | None:
    """The number in a file; None if there is no such file."""
    try:
        return int(_read(path))
    except OSError:
        return None


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, FILE_BYTES)
    finally:
        os.close(fd)


def _unescaped(path: str) -> str:
    """A path of mountinfo, in which white space and backslashes are octal escapes."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path)
