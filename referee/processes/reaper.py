"""The end of what bots leave behind.

A process that loses its parent becomes a child of the referee, its subreaper, instead of escaping to init. So every
child of the referee that the referee did not start itself is a stray of some bot, and is ended with all below it.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from typing import Final

import trio

from referee.processes import linux
from referee.processes.process_tree import children, family

PAUSE: Final = 0.005
"""Seconds between two looks at processes that are about to end."""


class Reaper:
    """Knows which children are the referee's own, and ends the others."""

    def __init__(self) -> None:
        self._own: set[int] = set()

    @contextlib.contextmanager
    def installed(self) -> Iterator["Reaper"]:
        """Orphans come to this process meanwhile."""
        before = linux.is_subreaper()
        linux.become_subreaper()
        try:
            yield self
        finally:
            if not before:
                linux.become_subreaper(False)

    def adopt(self, pid: int) -> None:
        """This child was started by the referee."""
        self._own.add(pid)

    def release(self, pid: int) -> None:
        """This child has ended and was reaped."""
        self._own.discard(pid)

    def orphans(self) -> list[int]:
        """Children that nobody here started. Bots lead sessions of their own, and so do their descendants."""
        here = os.getsid(0)
        found = []
        for pid in children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                if pid not in self._own and os.getsid(pid) != here:
                    found.append(pid)
        return found

    def sweep(self) -> bool:
        """Kill all orphans with all below them, and reap those that are dead; whether there were any."""
        orphans = self.orphans()
        for stray in orphans:
            for pid in list(family(stray)):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(stray, os.WNOHANG)
        return bool(orphans)

    async def clear(self) -> None:
        """Sweep until nothing is left."""
        while self.sweep():  # noqa: ASYNC110 (nobody tells when orphans of orphans are gone)
            await trio.sleep(PAUSE)
