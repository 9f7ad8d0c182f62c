"""A control group (cgroup v2, cgroups(7)) for each bot process: counts what it uses, stops it, and kills all of it.

Nothing that a process does takes it or its descendants out of its group, as long as it may not write to the files of
cgroups. Even a hierarchy without controllers counts CPU time, freezes and kills; the controllers `memory` and `pids`
are used where the groups have them.
"""

import contextlib
import itertools
import os
import re
import shutil
from pathlib import Path
from typing import Final

from referee.processes import linux

MOUNTS: Final = Path("/proc/self/mountinfo")
PREFIX: Final = "referee"
KEEPER_GROUP: Final = "keeper"
SCOPE_OPTIONS: Final = ("--user", "--scope", "--quiet", "--collect", "--property=Delegate=yes", "--")
CHARGED: Final = (b"anon", b"shmem", b"kernel", b"sock")
"""What of memory.stat is charged to a bot: all but the contents of files that the system has cached."""
SYSTEM_PATH: Final = "/usr/bin:/bin"
FILE_BYTES: Final = 16384
"""More than any file has that is read here."""
_numbers: Final = itertools.count(1)


class Group:
    """The group of one process. Its folder is created and removed by the keeper."""

    def __init__(self, folder: str, controllers: frozenset[str]) -> None:
        self.folder = folder
        self.controllers = controllers
        self._freezer: int | None = None

    def cpu_seconds(self) -> float | None:
        """CPU time used by all processes that have ever been in the group; None if it is gone."""
        usage = self._stat("cpu.stat").get(b"usage_usec")
        return None if usage is None else usage / 1e6

    def memory(self) -> int | None:
        """Bytes of memory, with page tables and whatever belongs to no process any more; None if it is not known."""
        stat = self._stat("memory.stat") if "memory" in self.controllers else {}
        return sum(stat.get(name, 0) for name in CHARGED) if stat else None

    def tasks(self) -> int | None:
        """Processes and threads; None if it is not known."""
        if "pids" in self.controllers:
            with contextlib.suppress(OSError):
                return int(_read(f"{self.folder}/pids.current"))
        return None

    def freeze(self, frozen: bool) -> bool:
        """Stop all processes of the group, or let them go on. False if that fails, as when the group is gone."""
        try:
            if self._freezer is None:
                self._freezer = os.open(f"{self.folder}/cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)
            os.write(self._freezer, b"1" if frozen else b"0")
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Close what `freeze` has opened."""
        if self._freezer is not None:
            os.close(self._freezer)
            self._freezer = None

    def _stat(self, name: str) -> dict[bytes, int]:
        """The numbers of a flat keyed file; none if the group is gone."""
        try:
            words = _read(f"{self.folder}/{name}").split()
        except OSError:
            return {}
        return dict(zip(words[::2], map(int, words[1::2]), strict=False))


class Cgroups:
    """A group that holds those of all processes of one keeper. Made by `create`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.controllers = frozenset((folder / "cgroup.controllers").read_text().split()) & {"cpu", "memory", "pids"}
        """The controllers that the groups of processes have."""
        for controller in sorted(self.controllers):
            linux.write(f"{folder}/cgroup.subtree_control", b"+" + controller.encode())

    def group(self, name: str) -> Group:
        """The group for a process; its folder need not exist."""
        return Group(f"{self.folder}/{name}", self.controllers)

    def remove(self) -> None:
        """Remove the group and those in it, as far as they are empty."""
        _remove(self.folder)


def create() -> Cgroups | None:
    """A new group in the first place where that is allowed; None if there is none."""
    for parent in places():
        with contextlib.suppress(OSError):
            remove_abandoned(parent)
            folder = parent / f"{PREFIX}-{os.getpid()}-{next(_numbers)}"
            folder.mkdir()
            try:
                if is_sufficient(folder):
                    return Cgroups(folder)
            except OSError:
                folder.rmdir()
                raise
            folder.rmdir()
    return None


def is_sufficient(folder: Path) -> bool:
    """Whether groups can be killed and frozen: since Linux 5.14, and not at the top of the hierarchy."""
    return (folder / "cgroup.kill").exists() and (folder / "cgroup.freeze").exists()


def scope_command() -> list[str]:
    """A command that runs another one in a group of its own by way of the user's systemd; empty if that is of no use.

    A user may create groups only within one that was delegated to them, and most sessions are in none.
    """
    program = shutil.which("systemd-run", path=SYSTEM_PATH)
    if program is None or os.geteuid() == 0 or "XDG_RUNTIME_DIR" not in os.environ or any(places()):
        return []
    return [program, *SCOPE_OPTIONS]


def of_scope(keeper: int) -> Cgroups | None:
    """The group that was delegated to a keeper, which moves into one within it; None if that is refused."""
    for folder in [place for place in places(keeper) if place not in {*places(), top_group()}]:
        with contextlib.suppress(OSError):
            if is_sufficient(folder):
                (folder / KEEPER_GROUP).mkdir()
                linux.write(f"{folder}/{KEEPER_GROUP}/cgroup.procs", str(keeper).encode())
                return Cgroups(folder)
    return None


def places(pid: int | None = None) -> list[Path]:
    """Groups in which this process may create others: for root the one at the top; the own one, or that of `pid`."""
    mounted = _mounted()
    try:
        lines = Path("/proc", "self" if pid is None else str(pid), "cgroup").read_text().splitlines()
        own = next(line.removeprefix("0::") for line in lines if line.startswith("0::"))
    except (OSError, StopIteration):
        return []
    if mounted is None:
        return []
    root, top = mounted
    place = top / os.path.relpath(own, root)
    found = [top] if os.geteuid() == 0 else []
    if place != top and ".." not in place.parts and os.access(place / "cgroup.procs", os.W_OK):
        found.append(place)
    return found


def top_group() -> Path | None:
    """The group at the top of the hierarchy, as far as it is visible."""
    mounted = _mounted()
    return None if mounted is None else mounted[1]


def _mounted() -> tuple[str, Path] | None:
    """Which group of the hierarchy is mounted, and where."""
    with contextlib.suppress(OSError):
        for line in MOUNTS.read_text().splitlines():
            described, _, kind = line.partition(" - ")
            if kind.startswith("cgroup2 "):
                root, point = described.split()[3:5]
                return _unescaped(root), Path(_unescaped(point))
    return None


def remove_abandoned(parent: Path) -> None:
    """Remove the groups that referees have left behind which were killed together with their keepers."""
    for folder in parent.glob(f"{PREFIX}-*-*"):
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


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, FILE_BYTES)
    finally:
        os.close(fd)


def _unescaped(path: str) -> str:
    """A path of mountinfo, in which spaces and the like are written as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path)
