"""The resources that a process and its descendants use, read from /proc. Without /proc nothing is found."""

import os
import random
from pathlib import Path
from typing import Final, NamedTuple

from referee.processes.descendants import descendants

PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
BLOCK_BYTES: Final = 512
"""Bytes in a unit of `st_blocks`."""
TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
MAX_OPEN_FILES: Final = 1024
"""Maximum number of open files of one bot that are examined for memory, so that a check never takes long."""
AVAILABLE: Final = Path("/proc/self/stat").exists()
"""Whether this system has a /proc."""


class Usage(NamedTuple):
    """The resources that a process and its descendants use together."""

    memory: int
    """Bytes: what a cgroup counts; else resident memory, page tables, and memfd files."""
    tasks: int
    """Processes and threads."""
    cpu: float
    """CPU seconds: all of them where a cgroup counts; else of running processes, and of ended ones whose parent waited
    for them."""
    own: dict[tuple[int, int], float]
    """CPU seconds that each running process used itself, by its pid and start time; empty where a cgroup counts."""


def usage(pid: int, max_tasks: int) -> Usage:
    """The resources of a process and its descendants. Counting stops at more than `max_tasks` processes and threads."""
    memory, tasks, ticks, files_left = 0, 0, 0, MAX_OPEN_FILES
    own: dict[tuple[int, int], float] = {}
    memfds: dict[int, int] = {}
    for process in descendants(pid):
        try:
            with open(f"/proc/{process}/stat", "rb", buffering=0) as file:  # noqa: PTH123
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        # Numbered as in proc(5), less three: 14 to 17 are CPU time, from 16 on of children that ended; 20 threads,
        # 22 the start, 24 pages.
        ticks += sum(map(int, fields[11:15]))
        own[process, int(fields[19])] = sum(map(int, fields[11:13])) / TICKS_PER_SECOND
        tasks += int(fields[17])
        memory += int(fields[21]) * PAGE_BYTES
        memory += _page_tables(process)
        files_left = _add_memfds(process, memfds, files_left)
        if tasks > max_tasks:
            break
    return Usage(memory + sum(memfds.values()), tasks, ticks / TICKS_PER_SECOND, own)


def _page_tables(pid: int) -> int:
    """Bytes of the page tables of a process: many for few pages, if they are spread."""
    try:
        with open(f"/proc/{pid}/status", "rb", buffering=0) as file:  # noqa: PTH123
            words = file.read().partition(b"VmPTE:")[2].split(maxsplit=1)
    except OSError:
        return 0
    return int(words[0]) * 1024 if words else 0


def _add_memfds(pid: int, memfds: dict[int, int], files_left: int) -> int:
    """Add the sizes in bytes of the memfd files (memfd_create(2)) that a process holds open to `memfds`, by inode.

    They do not count as resident memory of a process unless it maps them. At most `files_left` files are examined, of
    too many others at each check, so that none stays hidden behind them; returns how many are left.
    """
    if files_left <= 0:
        return 0
    try:
        files = [f"/proc/{pid}/fd/{fd}" for fd in os.listdir(f"/proc/{pid}/fd")]  # noqa: PTH208
    except OSError:
        return files_left
    if len(files) > files_left:
        files = random.sample(files, files_left)
    for path in files:
        try:
            if os.readlink(path).startswith("/memfd:"):  # noqa: PTH115
                found = os.stat(path)  # noqa: PTH116
                memfds[found.st_ino] = found.st_blocks * BLOCK_BYTES
        except OSError:
            continue
    return files_left - len(files)
