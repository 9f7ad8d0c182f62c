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
    """Kill `child` once its resident memory is over the limit. Returns when it has exited.

    Looks at /proc, so it does nothing where that is missing (anywhere but Linux).
    """
    statm = Path(f"/proc/{child.pid}/statm")
    while not child.exited.is_set():
        try:
            resident = int(statm.read_bytes().split()[1]) * PAGE
        except (OSError, IndexError):
            return
        if resident > limit_mb * MIB:
            child.over_memory = f"used {resident // MIB} MiB of memory; at most {limit_mb} MiB are allowed"
            child.kill()
            return
        with trio.move_on_after(INTERVAL):
            await child.exited.wait()
