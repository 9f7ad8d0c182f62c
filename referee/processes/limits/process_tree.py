"""The resources that a process and its descendants use, read from /proc. Without /proc nothing is found."""

import contextlib
import os
import random
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from referee.files import read_file
from referee.processes.procfs import (
    CHILDREN_SYSTEM_TIME,
    RESIDENT_PAGES,
    START_TIME,
    STATE,
    SYSTEM_TIME,
    THREADS,
    USER_TIME,
    children_of_thread,
    descendants,
    has_ended,
    is_ending,
    read_stat,
)

PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
BLOCK_BYTES: Final = 512
"""Bytes in a unit of `st_blocks`."""
TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
MAX_OPEN_FILES: Final = 1024
"""Maximum number of a bot's open files that are examined for memory, so that a check never takes long."""
FILES_PER_STEP: Final = 32
FDINFO_BYTES: Final = 4096
Result = TypeVar("Result")
HAS_PROC: Final = Path("/proc/self/stat").exists()


class Usage(NamedTuple):
    """The resources that a process and its descendants use together."""

    memory: int
    """Bytes: as counted by a cgroup; else resident memory, page tables, and memfd files."""
    tasks: int
    """Processes and threads."""
    cpu: float
    """CPU seconds: all of them if a cgroup counts; else of running processes, and of ended ones whose parent waited
    for them."""
    own: dict[tuple[int, int], float]
    """CPU seconds that each running process used itself, by its pid and start time; empty if a cgroup counts."""
    is_hidden: bool = False
    """Whether the kernel hides from the referee which files one of them holds open: it is not dumpable
    (PR_SET_DUMPABLE in prctl(2)). Not set if a cgroup counts memory."""


def walk(pid: int, max_tasks: int) -> Generator[None, None, Usage]:
    """The resources of a process and its descendants, in small steps: each takes about 0.2 ms at most.

    Counting stops at more than `max_tasks` processes and threads.
    """
    memory, tasks, ticks, files_left = 0, 0, 0, MAX_OPEN_FILES
    own: dict[tuple[int, int], float] = {}
    memfds: dict[int, int] = {}
    is_hidden = False
    waiting = [pid]
    while waiting:
        process = waiting.pop()
        yield
        threads = _threads(process)
        for thread in threads:
            waiting += children_of_thread(process, thread)
            yield
        try:
            fields = read_stat(str(process))
        except OSError:
            continue
        ticks += sum(map(int, fields[USER_TIME : CHILDREN_SYSTEM_TIME + 1]))  # including children that have ended
        own[process, int(fields[START_TIME])] = sum(map(int, fields[USER_TIME : SYSTEM_TIME + 1])) / TICKS_PER_SECOND
        tasks += int(fields[THREADS])
        if tasks > max_tasks:
            break
        alive = str(process)
        if has_ended(fields) and int(fields[THREADS]) > 1:
            alive, fields = yield from _living_thread(process, threads, fields)
        memory += int(fields[RESIDENT_PAGES]) * PAGE_BYTES
        memory += _page_tables(alive)
        others = [thread for thread in threads if int(thread) != process]
        # A thread may have descriptors of its own (CLONE_FILES in unshare(2)).
        for place in (alive, *(f"{process}/task/{thread}" for thread in random.sample(others, min(1, len(others))))):
            try:
                files_left = yield from _add_memfds(place, memfds, files_left)
            except PermissionError:
                is_hidden = is_hidden or not _is_ending(place)
            except OSError:
                continue  # it has ended
    return Usage(memory + sum(memfds.values()), tasks, ticks / TICKS_PER_SECOND, own, is_hidden)


def usage(pid: int, max_tasks: int) -> Usage:
    """The same as `walk`, without pauses."""
    return finish(walk(pid, max_tasks))


def core_times(pid: int) -> dict[str, tuple[float, float]]:
    """By thread of a process and its descendants, the seconds that it ran, and that it waited for a core to run on."""
    found = {}
    for process in descendants(pid):
        for thread in _threads(process):
            with contextlib.suppress(OSError, ValueError):
                times = read_file(Path(f"/proc/{process}/task/{thread}/schedstat"), FDINFO_BYTES).split()
                found[thread] = (int(times[0]) / 1e9, int(times[1]) / 1e9)
    return found


def is_stopped(pid: int) -> bool:
    """Whether a signal, such as SIGSTOP, has stopped a process or one of its descendants."""
    with contextlib.suppress(OSError):  # one has ended meanwhile
        return any(read_stat(str(process))[STATE] == b"T" for process in descendants(pid))
    return False


def finish(steps: Generator[None, None, Result]) -> Result:
    """The result of a generator, without pauses between its steps."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: Result = stop.value
            return result


def descriptors_in_flight(pid: int) -> int:
    """The descriptors that wait in sockets which a process or its descendants hold open, to be received.

    Those in a socket that is itself in flight can't be seen; but then there is at least one that can.
    """
    found: dict[int, int] = {}
    for process in descendants(pid):
        with contextlib.suppress(OSError):
            for fd in os.listdir(f"/proc/{process}/fd"):  # noqa: PTH208
                with contextlib.suppress(OSError, ValueError):
                    info = read_file(Path(f"/proc/{process}/fdinfo/{fd}"), FDINFO_BYTES)
                    _, _, count = info.partition(b"scm_fds:")
                    if count.strip():
                        found[os.stat(f"/proc/{process}/fd/{fd}").st_ino] = int(count.split()[0])  # noqa: PTH116
    return sum(found.values())


def _living_thread(
    process: int, threads: Iterable[str], fields: list[bytes]
) -> Generator[None, None, tuple[str, list[bytes]]]:
    """A thread that shows the memory and open files of a process whose first thread has ended: then /proc doesn't show
    them for the process itself. Its path in /proc, and its `stat`; without such a thread, those of the process."""
    for thread in threads:
        place = f"{process}/task/{thread}"
        try:
            found = read_stat(place)
        except OSError:
            continue
        if not has_ended(found):
            return place, found
        yield
    return str(process), fields


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return []


def _is_ending(place: str) -> bool:
    """Whether a process or thread is ending: then its files can't be seen either."""
    try:
        return is_ending(read_stat(place))
    except OSError:
        return True


def _page_tables(place: str) -> int:
    """Bytes of the page tables of a process: many even for few pages, if those are spread out."""
    try:
        with open(f"/proc/{place}/status", "rb", buffering=0) as file:  # noqa: PTH123
            words = file.read().partition(b"VmPTE:")[2].split(maxsplit=1)
    except OSError:
        return 0
    return int(words[0]) * 1024 if words else 0


def _add_memfds(place: str, memfds: dict[int, int], files_left: int) -> Generator[None, None, int]:
    """Add the sizes in bytes of the memfd files (memfd_create(2)) that a process holds open to `memfds`, by inode.

    They do not count as resident memory of a process unless it maps them. At most `files_left` files are examined; if
    there are more, different ones at each check, so that none stays hidden. Returns how many are left. Raises OSError.
    """
    files = [f"/proc/{place}/fd/{fd}" for fd in os.listdir(f"/proc/{place}/fd")]  # noqa: PTH208
    if len(files) > files_left:
        files = random.sample(files, files_left)
    for count, path in enumerate(files):
        if not count % FILES_PER_STEP:
            yield
        try:
            if os.readlink(path).startswith("/memfd:"):  # noqa: PTH115
                found = os.stat(path)  # noqa: PTH116
                memfds[found.st_ino] = found.st_blocks * BLOCK_BYTES
        except OSError:
            continue
    return files_left - len(files)
