"""Limits how many processes of bots are starting at the same time."""

import contextlib
from collections.abc import AsyncIterator

import trio

from tournaments.play.conditions import START_SECONDS


class StartLimiter:
    """Lets at most `limit` processes be starting at a time; all others wait until one is ready or its time is over.

    Programs use most CPU time when they start. Many at once would take it from the bots that are on turn, whose clocks
    run, and from the referee, which reads their answers. Where starts keep the cores busy, all of them together take as
    long as without a limit.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._began: dict[object, float] = {}
        """When the starts began that still count, the earliest first."""
        self._next = trio.Lock()
        """Held by the start that is the next one to begin."""
        self._room = trio.Event()
        """Set when one no longer counts."""

    @contextlib.asynccontextmanager
    async def start(self) -> AsyncIterator[None]:
        """A start, from when there is room for it to the end of the block."""
        async with self._next:
            # Others run between two starts: many in a row would block the event loop for longer than a margin.
            await trio.lowlevel.checkpoint()
            while len(self._began) >= self._limit:
                first = next(iter(self._began))
                with trio.move_on_at(self._began[first] + START_SECONDS) as waiting:
                    await self._room.wait()
                if waiting.cancelled_caught:
                    self._end(first)
            start = object()
            self._began[start] = trio.current_time()
        try:
            yield
        finally:
            self._end(start)

    def _end(self, start: object) -> None:
        if self._began.pop(start, None) is not None:
            self._room.set()
            self._room = trio.Event()
