"""The processes below a process and what they use, read from /proc; of no use where there is none."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

PAGE: Final = os.sysconf("SC_PAGE_SIZE")
BLOCK: Final = 512
"""Bytes in a unit of `st_blocks`."""
TICKS: Final = os.sysconf("SC_CLK_TCK")
LOOKS: Final = 1024
"""Open files of one bot that are looked at for memory: a look must not take long, whatever a bot does."""
KNOWN: Final = Path("/proc/self/stat").exists()
"""Whether anything can be known here."""


class Usage(NamedTuple):
    """What processes use together: bytes, resident or in files that are memory; processes and threads; CPU seconds."""

    memory: int
    tasks: int
    cpu: float
    """What living processes used, and those that ended and whose parent waited for it."""
    own: dict[tuple[int, int], float]
    """What each living process used itself, by its number and the time of its start."""


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
    memory, tasks, ticks, looks = 0, 0, 0, LOOKS
    own: dict[tuple[int, int], float] = {}
    hoards: dict[int, int] = {}
    for member in family(pid):
        try:
            with open(f"/proc/{member}/stat", "rb", buffering=0) as file:  # noqa: PTH123
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        # Numbered as in proc(5), less three: 14 to 17 are CPU time, from 16 on of children that ended; 20 threads,
        # 22 the start, 24 pages.
        ticks += sum(map(int, fields[11:15]))
        own[member, int(fields[19])] = sum(map(int, fields[11:13])) / TICKS
        tasks += int(fields[17])
        memory += int(fields[21]) * PAGE
        looks = _note_hoards(member, hoards, looks)
        if tasks > most:
            break
    return Usage(memory + sum(hoards.values()), tasks, ticks / TICKS, own)


def _note_hoards(pid: int, hoards: dict[int, int], looks: int) -> int:
    """Note the open files of a process that are memory (memfd_create(2)), bytes by inode; how many looks are left.

    No process has them in its resident memory unless it maps them.
    """
    if looks <= 0:
        return 0
    try:
        with os.scandir(f"/proc/{pid}/fd") as listing:
            files = [entry.path for entry in islice(listing, looks)]
    except OSError:
        return looks
    for path in files:
        try:
            if os.readlink(path).startswith("/memfd:"):  # noqa: PTH115
                found = os.stat(path)  # noqa: PTH116
                hoards[found.st_ino] = found.st_blocks * BLOCK
        except OSError:
            continue
    return looks - len(files)
