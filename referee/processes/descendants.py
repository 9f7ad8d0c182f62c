"""The descendants of a process, from /proc; without /proc there are none. The keeper imports this, too."""

import os
from collections.abc import Iterator


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
