"""What /proc tells about processes: their descendants, and the fields of /proc/PID/stat (proc(5)).

Without /proc there are no descendants. The keeper imports this, so it imports little itself (see there).
"""

import os
from _collections_abc import Iterator

STATE, FLAGS, USER_TIME, SYSTEM_TIME, CHILDREN_SYSTEM_TIME, THREADS, START_TIME, RESIDENT_PAGES = (
    number - 3 for number in (3, 9, 14, 15, 17, 20, 22, 24)
)
"""The indices of fields in the result of `read_stat`: their number in proc(5), less three."""
PF_EXITING = 4
"""Flag of a process or thread that is ending."""


def children(pid: int) -> list[int]:
    """The child processes of all threads of a process."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return found
    for thread in threads:
        found += children_of_thread(pid, thread)
    return found


def children_of_thread(pid: int, thread: str) -> list[int]:
    """The child processes that one thread of a process has started."""
    try:
        with open(f"/proc/{pid}/task/{thread}/children", "rb", buffering=0) as file:  # noqa: PTH123 (it is hot)
            return list(map(int, file.read().split()))
    except OSError:
        return []


def descendants(pid: int) -> Iterator[int]:
    """A process and all its descendants, each before its own children."""
    waiting = [pid]
    while waiting:
        process = waiting.pop()
        yield process
        waiting += children(process)


def read_stat(place: str) -> list[bytes]:
    """The fields of a process ("42") or thread ("42/task/43") from its state on. Raises OSError."""
    with open(f"/proc/{place}/stat", "rb", buffering=0) as file:  # noqa: PTH123 (it is hot)
        return file.read().rpartition(b")")[2].split()  # the name of the program may have spaces and brackets


def has_ended(fields: list[bytes]) -> bool:
    """Whether a process or thread has ended (but not been reaped yet)."""
    return fields[STATE] in (b"Z", b"X")


def is_ending(fields: list[bytes]) -> bool:
    return has_ended(fields) or bool(int(fields[FLAGS]) & PF_EXITING)
