"""The processes below a process and what they use, read from /proc; of no use where there is none."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

PAGE: Final = os.sysconf("SC_PAGE_SIZE")
TICKS: Final = os.sysconf("SC_CLK_TCK")
KNOWN: Final = Path("/proc/self/stat").exists()
"""Whether anything can be known here."""


class Usage(NamedTuple):
    """What processes use together: resident bytes, processes and threads, seconds of CPU time."""

    memory: int
    tasks: int
    cpu: float


def children(pid: int) -> list[int]:
    """The child processes of a process, those of all its threads."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return found
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb", buffering=0) as file:  # noqa: PTH123 (it is hot)
                found += map(int, file.read().split())
        except OSError:
            continue
    return found


def family(pid: int) -> Iterator[int]:
    """A process and all its descendants, each before its own children."""
    waiting = [pid]
    while waiting:
        member = waiting.pop()
        yield member
        waiting += children(member)


def usage(pid: int, most: int) -> Usage:
    """What a process and its descendants use; counting stops at more than `most` processes and threads."""
    memory, tasks, ticks = 0, 0, 0
    for member in family(pid):
        try:
            with open(f"/proc/{member}/stat", "rb", buffering=0) as file:  # noqa: PTH123
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        # Numbered as in proc(5), less three: 14 to 17 are CPU time, also of children that ended; 20 threads, 24 pages.
        ticks += sum(map(int, fields[11:15]))
        tasks += int(fields[17])
        memory += int(fields[21]) * PAGE
        if tasks > most:
            break
    return Usage(memory, tasks, ticks / TICKS)
