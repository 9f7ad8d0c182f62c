"""Kills and reaps orphans: processes that outlived the bot process that started them.

A process whose parent ends becomes a child of the referee, which is their subreaper (prctl(2)), instead of a child of
init. So every child of the referee that the referee did not start itself is an orphan of some bot. It is killed with
all its descendants.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from typing import Final

import trio

from referee.processes import linux
from referee.processes.process_tree import children, descendants

SWEEP_INTERVAL: Final = 0.005
"""Seconds between two sweeps for processes that are about to end."""


class Reaper:
    """Knows which children are the referee's own, and kills the others."""

    def __init__(self) -> None:
        self._own: set[int] = set()

    @contextlib.contextmanager
    def installed(self) -> Iterator["Reaper"]:
        """Make this process the subreaper for as long as the block lasts."""
        before = linux.is_subreaper()
        linux.become_subreaper()
        try:
            yield self
        finally:
            if not before:
                linux.become_subreaper(False)

    def adopt(self, pid: int) -> None:
        """Spare a child that the referee started."""
        self._own.add(pid)

    def release(self, pid: int) -> None:
        """Forget a child that has ended and was reaped: its number may be another's next."""
        self._own.discard(pid)

    def orphans(self) -> list[int]:
        """Children that the referee did not start. Bots lead sessions of their own, and so do their descendants."""
        here = os.getsid(0)
        found = []
        for pid in children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                if pid not in self._own and os.getsid(pid) != here:
                    found.append(pid)
        return found

    def sweep(self) -> bool:
        """Kill all orphans with their descendants, and reap those that are dead. True if there were any."""
        orphans = self.orphans()
        for orphan in orphans:
            for pid in list(descendants(orphan)):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(orphan, os.WNOHANG)
        return bool(orphans)

    async def clear(self) -> None:
        """Sweep until no orphan is left."""
        while self.sweep():  # noqa: ASYNC110 (there is no event for the end of an orphan's orphans)
            await trio.sleep(SWEEP_INTERVAL)
