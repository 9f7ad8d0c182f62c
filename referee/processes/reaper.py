"""Kills and reaps orphans: processes that outlived the bot process that started them.

The referee is a subreaper (prctl(2)): a descendant whose parent ends becomes a child process of the referee instead of
init. So every child process that the referee did not start itself is an orphan of some bot. It is killed together with
all its descendants.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import ClassVar, Final

import trio

from referee.processes import linux
from referee.processes.process_tree import children, descendants

SWEEP_INTERVAL: Final = 0.005
"""Seconds between two sweeps while `clear` waits for killed processes to end."""


class Reaper:
    """Keeps track of the child processes that the referee started, and kills all others.

    All reapers of a process share what they know, as several matches may be played in one process at a time. Children
    that were there before the first of them was installed are left alone. A child that the same program starts later,
    in a session of its own and not through a supervisor, can't be told from an orphan.
    """

    lock: Final = threading.Lock()
    """To be held from the start of a child until it is adopted, or a reaper in another thread might kill it."""
    _own: ClassVar[set[int]] = set()
    _others: ClassVar[set[int]] = set()
    """Children that were there before."""
    _installed: ClassVar[int] = 0
    _was_subreaper: ClassVar[bool] = False

    @contextlib.contextmanager
    def installed(self) -> Iterator["Reaper"]:
        """Make this process a subreaper while the block runs."""
        with self.lock:
            if not Reaper._installed:
                Reaper._was_subreaper = linux.is_subreaper()
                Reaper._others = set(children(os.getpid())) - self._own
                linux.become_subreaper()
            Reaper._installed += 1
        try:
            yield self
        finally:
            with self.lock:
                Reaper._installed -= 1
                if not Reaper._installed and not Reaper._was_subreaper:
                    linux.become_subreaper(False)

    def adopt(self, pid: int) -> None:
        """Register a child process that the referee started, so that it is not taken for an orphan."""
        self._own.add(pid)

    def release(self, pid: int) -> None:
        """Unregister a child process that was reaped, because its pid may be reused."""
        self._own.discard(pid)

    def orphans(self) -> list[int]:
        """Child processes that the referee did not start. Bots and their descendants are never in its session."""
        here = os.getsid(0)
        found = []
        for pid in children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                if pid not in self._own | self._others and os.getsid(pid) != here:
                    found.append(pid)
        return found

    def sweep(self) -> bool:
        """Kill all orphans and their descendants, and reap those that have ended. True if there were any."""
        with self.lock:
            orphans = self.orphans()
        for orphan in orphans:
            for pid in list(descendants(orphan)):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(orphan, os.WNOHANG)
        return bool(orphans)

    async def clear(self) -> None:
        """Sweep until there are no orphans."""
        while self.sweep():  # noqa: ASYNC110 (there is no event for the end of an orphan's orphans)
            await trio.sleep(SWEEP_INTERVAL)
