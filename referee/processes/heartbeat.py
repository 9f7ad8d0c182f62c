"""Watches another process of the referee: one that does nothing for a while is an error, not something to wait for."""

from collections.abc import Callable
from typing import Final

import trio

PING_INTERVAL: Final = 1.0
"""Seconds between two pings."""
MAX_UNANSWERED: Final = 10
"""Pings without an answer after which the other process is given up."""
MAX_UNANSWERED_AT_START: Final = 60
"""The same before its first answer: it may have to import its modules on a busy machine."""


class Heartbeat:
    """Counts the pings that another process leaves without an answer.

    What is counted are pings and not seconds, as the watching process may have been stopped (Ctrl-Z), asleep with the
    machine, or busy: however long that took, it counts as one ping, and an answer that has come meanwhile is read
    before the next one.
    """

    def __init__(self) -> None:
        self._unanswered = 0
        self._allowed = MAX_UNANSWERED_AT_START

    def answered(self) -> None:
        self._unanswered = 0
        self._allowed = MAX_UNANSWERED

    async def watch(self, ping: Callable[[], None]) -> float:
        """Send pings until too many are unanswered. Returns the seconds of that silence in which this process ran."""
        while self._unanswered < self._allowed:
            self._unanswered += 1
            ping()
            await trio.sleep(PING_INTERVAL)
        return self._allowed * PING_INTERVAL
