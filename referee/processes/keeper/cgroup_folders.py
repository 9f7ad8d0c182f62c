"""Creates cgroups for the keeper, forks into them, kills the processes in them, and removes them.

The keeper imports this, so it imports little itself (see there).
"""

import _signal as signal  # type: ignore[import-not-found]
import errno
import os
from _collections_abc import Iterable

from referee.processes import linux

TCP_LIMIT = "memory.kmem.tcp.limit_in_bytes"
"""v1 counts what is in TCP sockets only from the first write to this file on."""
UNLIMITED_BYTES = 2**62


class Folders:
    """The folders of the cgroup of a process: `unified` in v2, `legacy` in hierarchies of v1."""

    def __init__(self, unified: str | None, legacy: tuple[str, ...]) -> None:
        self._unified = unified
        self._legacy = legacy
        self.all = (*(() if unified is None else (unified,)), *legacy)
        self.parents = () if unified is None else (os.path.dirname(unified),)  # noqa: PTH120
        """The folders to be removed with the last group in them."""

    def create(self) -> None:
        """Create the folders. Raises OSError."""
        for folder in self.all:
            os.mkdir(folder)  # noqa: PTH102
        for folder in self._legacy:
            with linux.suppress(OSError):  # only where the controller is memory, in a kernel that has this
                linux.write(f"{folder}/{TCP_LIMIT}", b"%d" % UNLIMITED_BYTES)

    def fork(self) -> int:
        """Fork; the new process starts in the group of v2, and then has to call `enter`. Raises OSError.

        This takes 0.02 ms. A write to `cgroup.procs` would wait for all processes of the system that fork, exec or
        exit: 10 ms.
        """
        return os.fork() if self._unified is None else linux.fork_into(self._unified)

    def enter(self) -> None:
        """Move this process, which must have only one thread, into the groups of v1. Raises OSError.

        A thread that writes 0 to `tasks` moves only itself. So it waits for no other process, and takes 0.05 ms.
        """
        for folder in self._legacy:
            linux.write(f"{folder}/tasks", b"0")

    def kill(self) -> None:
        if self._unified is not None:
            with linux.suppress(OSError):
                linux.write(f"{self._unified}/cgroup.kill", b"1")
            return
        for folder in self._legacy:
            with linux.suppress(OSError):
                linux.write(f"{folder}/pids.max", b"0")  # only where the controller is pids: nothing forks any more
        for folder in self._legacy[:1]:
            for pid in _processes(folder):
                with linux.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)


def _processes(folder: str) -> list[int]:
    """The processes in a group that are visible in this process's namespace: the kernel lists others as 0."""
    try:
        with open(f"{folder}/cgroup.procs", "rb", buffering=0) as file:  # noqa: PTH123
            return [pid for pid in map(int, file.readall().split()) if pid]
    except OSError:
        return []


def remove(folders: Iterable[str]) -> list[str]:
    """Remove cgroups. Returns those that can't be removed yet."""
    left = []
    for folder in folders:
        try:
            os.rmdir(folder)  # noqa: PTH106
        except FileNotFoundError:
            continue
        except OSError:
            left.append(folder)
    return left


def attempt(group: Folders) -> int:
    """Create a cgroup with a process in it, for a moment. Returns 0, or the errno if that is refused."""
    try:
        group.create()
        pid = group.fork()
        if not pid:
            _enter_and_exit(group)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status)
    except OSError as error:
        return error.errno or errno.EPERM
    finally:
        remove(group.all)


def _enter_and_exit(group: Folders) -> None:
    """Exit from the new process, with the errno as its status if it can't enter the group."""
    status = errno.EPERM
    try:
        group.enter()
        status = 0
    except OSError as error:
        status = error.errno or errno.EPERM
    finally:
        os._exit(status)
