"""The referee's side of live pages: starts the process that serves them, and tells it what happens.

Nothing here waits for that process, and its end changes nothing in the games.
"""

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Final

import trio

from referee.errors import RefereeError
from referee.live.messages import FromServer, LinesWritten, ListenFailed, Listening, RunEnded, RunShown, ToServer
from referee.processes.message_channel import MessageChannel
from referee.processes.own_process import channel_to, start_module

START_TIMEOUT_OF_PAGES: Final = 30.0
END_TIMEOUT_OF_PAGES: Final = 10.0
"""Seconds until the process is killed that should have ended."""
SEND_INTERVAL: Final = 0.1
"""Seconds for which lines of records are collected before they are sent."""


class PagesError(RefereeError):
    """Pages can't be served. The text says why, and what to do."""


class LivePages:
    """The process that serves pages, while it is open."""

    def __init__(self, channel: MessageChannel[FromServer]) -> None:
        self.port = 0
        self.spectators = ""
        self.ending = False
        self._channel = channel
        self._lines: dict[str, list[bytes]] = {}
        """Lines not yet sent, by game."""
        self.handle: Callable[[FromServer], None] = lambda message: None
        """Called with each message from the pages."""

    def send(self, message: ToServer) -> None:
        """Send a message, after all lines that were recorded before it. Does not wait."""
        self.flush()
        self._channel.send(message)

    def flush(self) -> None:
        lines, self._lines = self._lines, {}
        for game_id, some in lines.items():
            self._channel.send(LinesWritten(game_id, tuple(some)))

    def record(self, game_id: str, line: bytes) -> None:
        """Send a line of a record soon."""
        self._lines.setdefault(game_id, []).append(line)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Receive messages until the process ends. Started once it listens. Raises PagesError if it can't."""
        async with contextlib.aclosing(self._channel.messages()) as messages:
            async for message in messages:
                match message:
                    case Listening(port, spectators):
                        self.port, self.spectators = port, spectators
                        task_status.started()
                    case ListenFailed(problem):
                        raise PagesError(problem)
                    case _:
                        self.handle(message)
        if not self.port:
            raise PagesError("the process that serves pages ended while it was starting; its error is above")

    async def send_lines(self) -> None:
        while True:
            await trio.sleep(SEND_INTERVAL)
            self.flush()


@contextlib.asynccontextmanager
async def serve_pages(shown: RunShown, warn: Callable[[str], None]) -> AsyncIterator[LivePages]:
    """Pages about a run while the block runs. Raises PagesError if they can't be served.

    If their process ends too early, the block goes on after a call of `warn`, unless somebody plays in a browser.
    """
    try:
        process = start_module("referee.live.process")
    except OSError as error:
        raise PagesError(f"the process that serves pages can't be started: {error.strerror}") from None
    channel: MessageChannel[FromServer] = channel_to(process, FromServer)
    pages = LivePages(channel)

    async def receive(task_status: trio.TaskStatus[None]) -> None:
        await pages.run(task_status)
        if pages.ending:
            return
        if shown.tokens:
            raise PagesError("the process that serves pages has ended: nobody can play in a browser any more")
        warn("the process that serves pages has ended: there are no more pages, and the games continue")

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(channel.write)
            channel.send(shown)
            with trio.move_on_after(START_TIMEOUT_OF_PAGES) as starting:
                await nursery.start(receive)
            if starting.cancelled_caught:
                raise PagesError(f"the process that serves pages has not started within {START_TIMEOUT_OF_PAGES:g} s")
            nursery.start_soon(pages.send_lines)
            try:
                yield pages
            finally:
                pages.ending = True
                pages.send(RunEnded("The run has ended."))
                channel.end()
                with trio.CancelScope(shield=True, deadline=trio.current_time() + END_TIMEOUT_OF_PAGES):
                    await trio.to_thread.run_sync(process.wait, abandon_on_cancel=True)
            nursery.cancel_scope.cancel()
    finally:
        process.kill()
        process.wait()
