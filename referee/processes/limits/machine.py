"""The resources that the machine has to provide: checked before the first game, and the error if one runs out later."""

import contextlib
import errno
import fcntl
import math
import os
import resource
import termios
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

from referee.errors import RefereeError
from referee.files import read_file
from referee.processes.causes import BUSY_PROGRAM

DESCRIPTORS_PER_PROCESS: Final = 5
"""Three pipes, the file of its standard error, and the one that freezes its cgroup."""
SPARE_DESCRIPTORS: Final = 64
"""For descriptors that are open only briefly, such as the other ends of the pipes of a process that is starting."""
TASKS_PER_PROCESS: Final = 4
"""A bot with one thread, and the processes of bubblewrap. What a bot itself starts is unknown."""
PIPES_PER_PROCESS: Final = 3
PAGES_PER_PIPE: Final = 16
"""PIPE_DEF_BUFFERS of Linux, the size of a new pipe: 64 KiB with pages of 4 KiB."""
STARTING_AND_ENDING: Final = 2
"""Processes per seat at a time: one may be starting while the one before it ends."""
CAP_SYS_ADMIN: Final = 21
CAP_SYS_RESOURCE: Final = 24
MAX_SETTING: Final = 64
FEWER_GAMES: Final = "play fewer games at a time (concurrency)"
MACHINE_REMEDIES: Final = {
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "raise the limit of open files of the system (sysctl fs.file-max)",
    errno.ENOSPC: "raise the limits of epoll watches of a user (sysctl fs.epoll.max_user_watches), of namespaces"
    " (sysctl user) and of cgroups (cgroup.max.descendants)",
    errno.ENOMEM: "free some memory",
    errno.EAGAIN: "raise the limit of processes (ulimit -u, and pids.max of the control group)",
    errno.ETOOMANYREFS: "raise the limit of open files (ulimit -Hn), which is also that of the descriptors that all"
    " processes of a user keep in flight in their sockets",
    errno.EUSERS: "raise the limit of namespaces (sysctl user.max_user_namespaces)",
    errno.ETXTBSY: str(BUSY_PROGRAM),
}
"""Advice if a system call of the referee fails, by error. Writing records is not among these calls."""


class MachineError(RefereeError):
    """The machine lacks something that the referee needs, such as descriptors or memory. The text says what to set.

    No bot is at fault. If it is raised during a game, that game can be played again.
    """

    code: int = 0
    """The errno of the system call that failed, if there was one."""

    @classmethod
    def of(cls, error: OSError, what: str) -> Self:
        """The error for a failed system call of the referee. `what` completes "the referee can't …"."""
        remedy = MACHINE_REMEDIES.get(error.errno or 0, "see what limits this user has")
        otherwise = "" if error.errno == errno.ETXTBSY else f", or {FEWER_GAMES}"
        made = cls(f"the referee can't {what}: {error.strerror or error}; {remedy}{otherwise}")
        made.code = error.errno or 0
        return made


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


Need = tuple[int, str, float, str]
"""How much of what the referee needs at a time, how much it may have, and the command that allows as much."""


def provide_for(games: int, bots: int, referees: int = 1) -> None:
    """Make sure that there are enough descriptors, processes and pipes to play this number of games at a time, each
    with this number of bot processes. Raises soft limits as far as necessary; raises MachineError if the hard limits
    are too low.

    `referees`: the number of processes of the referee that share the games and inherit the limits of this one.
    """
    processes = games * bots
    if not processes:
        return
    needs = [*_limits(games, processes, referees), *_settings(processes)]
    for amount, what, allowed, setting in needs:
        if amount > allowed:
            raise MachineError(
                f"games at a time: {games}, bots in each: {bots}; they need {amount} {what}, but {allowed} are allowed"
                f" here: raise the limit ({setting}), or {FEWER_GAMES}"
            )
    _check_new_pipe()


def _limits(games: int, processes: int, referees: int) -> Iterator[Need]:
    """Needs that are limited by setrlimit(2). Raises the soft limits first."""
    alive = processes * STARTING_AND_ENDING
    own = math.ceil((games + alive * DESCRIPTORS_PER_PROCESS) / referees)
    descriptors = _open_descriptors() + SPARE_DESCRIPTORS + own
    yield descriptors, "open files", _raised(resource.RLIMIT_NOFILE, descriptors), f"ulimit -n {descriptors}"
    if not _is_privileged():
        tasks = _own_tasks() + alive * TASKS_PER_PROCESS
        yield tasks, "processes of this user", _raised(resource.RLIMIT_NPROC, tasks), f"ulimit -u {tasks}"


def raise_descriptor_limit() -> None:
    """Raise the soft limit of descriptors to the hard one.

    The kernel counts the descriptors in flight in the sockets of a user, bots included, and refuses to send more to a
    process whose own soft limit is lower than that number. Bots have low limits: their own are refused first.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _settings(processes: int) -> Iterator[Need]:
    alive = processes * STARTING_AND_ENDING
    watches = _setting("fs/epoll/max_user_watches")
    if watches is not None:
        needed = alive * DESCRIPTORS_PER_PROCESS
        yield needed, "epoll watches", watches, f"sysctl fs.epoll.max_user_watches={needed}"
    pages = _setting("fs/pipe-user-pages-soft")
    if pages and not _is_privileged():
        needed = processes * PIPES_PER_PROCESS * PAGES_PER_PIPE
        yield needed, "pages of memory in pipes", pages, f"sysctl fs.pipe-user-pages-soft={needed}"


def _raised(which: int, amount: int) -> float:
    """Raise a soft limit to this amount if it is lower and the hard limit allows it. Returns the resulting limit."""
    soft, hard = resource.getrlimit(which)
    maximum = _amount(hard)
    if _amount(soft) < amount <= maximum:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(which, (amount, hard))
    return _amount(resource.getrlimit(which)[0]) if amount <= maximum else maximum


def _amount(limit: int) -> float:
    return float("inf") if limit == resource.RLIM_INFINITY else limit


def _open_descriptors() -> int:
    try:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())
    except OSError:  # not on Linux
        return SPARE_DESCRIPTORS


def _own_tasks() -> int:
    """The number of processes and threads of this user, as far as they can be seen."""
    tasks, user = 0, os.getuid()
    with contextlib.suppress(OSError):
        for process in Path("/proc").iterdir():
            with contextlib.suppress(OSError):  # it has ended
                if process.name.isdigit() and process.stat().st_uid == user:
                    tasks += sum(1 for _ in (process / "task").iterdir())
    return tasks


def _is_privileged() -> bool:
    """Whether the limits of users don't apply to the referee."""
    try:
        status = Path("/proc/self/status").read_text(errors="replace")
    except OSError:
        return os.getuid() == 0
    capabilities = int(status.partition("CapEff:")[2].split(maxsplit=1)[0], 16)
    return bool(capabilities & (1 << CAP_SYS_ADMIN | 1 << CAP_SYS_RESOURCE))


def _setting(name: str) -> int | None:
    """A number in /proc/sys; None if there is none."""
    try:
        return int(read_file(Path("/proc/sys", name), MAX_SETTING))
    except (OSError, ValueError):
        return None


def _check_new_pipe() -> None:
    """Raises MachineError if this user can't create pipes of the usual size: the kernel creates smaller ones of 8 KiB
    for users whose pipes hold too many pages."""
    try:
        ends = os.pipe()
    except OSError as error:
        raise MachineError.of(error, "create a pipe") from None
    try:
        if pipe_capacity(ends[0]) not in (0, PAGES_PER_PIPE * resource.getpagesize()):
            raise MachineError(
                "the pipes of this user hold so much memory that the kernel creates only small ones: end the programs"
                " that hold them, or raise the limit (sysctl fs.pipe-user-pages-soft)"
            )
    finally:
        for end in ends:
            os.close(end)


F_GETPIPE_SZ: Final[int | None] = getattr(fcntl, "F_GETPIPE_SZ", None)
"""Only Linux has it, and only there can a process change the size of a pipe."""


def pipe_capacity(pipe: int) -> int:
    """The bytes that a pipe can hold; 0 if the system doesn't tell."""
    if F_GETPIPE_SZ is None:
        return 0
    try:
        return fcntl.fcntl(pipe, F_GETPIPE_SZ)
    except OSError:
        return 0


def unread_bytes(pipe: int) -> int:
    """The bytes in a pipe that nobody has read; -1 if the system doesn't tell."""
    unread = array("i", [-1])
    try:
        fcntl.ioctl(pipe, termios.FIONREAD, unread)
    except OSError:
        return -1
    return unread[0]
