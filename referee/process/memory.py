"""The memory limit: looks at what bots use from time to time, and ends those who use too much."""

import os
from pathlib import Path
from typing import Final

import trio

from referee.process.child import Child

INTERVAL: Final = 0.1
"""Seconds between two looks."""
MIB: Final = 1024 * 1024
PAGE: Final = os.sysconf("SC_PAGE_SIZE")


async def watch_memory(child: Child, limit_mb: int) -> None:
    """Kill `child` once it and the processes it started use more resident memory than the limit.

    Returns when it has exited. Looks at /proc, so it does nothing where that is missing (anywhere but Linux).
    """
    if not Path("/proc/self/statm").exists():
        return
    while not child.exited.is_set():
        resident = tree_memory(child.pid)
        if resident > limit_mb * MIB:
            child.over_memory = f"used {resident // MIB} MiB of memory; at most {limit_mb} MiB are allowed"
            child.kill()
            return
        with trio.move_on_after(INTERVAL):
            await child.exited.wait()


def tree_memory(pid: int) -> int:
    """Resident bytes of a process and all its descendants; those that are gone count nothing."""
    process = Path(f"/proc/{pid}")
    try:
        total = int((process / "statm").read_bytes().split()[1]) * PAGE
        children = (process / "task" / str(pid) / "children").read_bytes().split()
    except (OSError, IndexError):
        return 0
    return total + sum(tree_memory(int(child)) for child in children)
