"""A connection that also passes its lines to a sink: for traces, and for bot checks."""

from collections.abc import Callable
from typing import Literal

import trio
from msgspec import Struct

from protocol.framing import Oversize
from referee.connections.connection import Connection, ConnectionEnded


class WireLine(Struct, frozen=True):
    """A line on its way to or from a bot, without its end."""

    direction: Literal["to", "from"]
    """To the bot, or from it."""
    data: bytes
    """From a bot: untrusted, of any length up to its limit, not necessarily text."""
    time: float
    """On Trio's clock. To the bot: of the first attempt to write the line. From the bot: when the referee took it."""
    received: bool = True
    """Whether the referee received it as a line. False for output of the bot that was not received before the
    connection ended: further lines, or bytes without an end of line (also the beginning of a line that is too long)."""


Sink = Callable[[WireLine], None]
"""Takes each line, in the order of their times. It must not raise anything."""


class TracedConnection:
    """A `Connection` that passes each line to `sink`, and otherwise delegates to `inner`.

    A line to the bot is passed on before it is written, so the sink has it even if the bot ends without having read it.
    A line from the bot is passed on when the referee takes it: lines that nobody asked for come with the next question,
    or at the end.
    """

    def __init__(self, inner: Connection, sink: Sink) -> None:
        self._inner = inner
        self._sink = sink
        self._handshake: list[WireLine] = []
        """All lines up to the first one from the bot: `hello` and `ready`."""
        self._greeted = False
        self.ended: trio.Event = inner.ended
        self.closed: trio.Event = inner.closed
        self.suspends: bool = inner.suspends
        self.flush = inner.flush
        self.suspend = inner.suspend
        self.resume = inner.resume
        self.begin_game = inner.begin_game
        self.has_read_nothing = inner.has_read_nothing
        self.pending = inner.pending
        self.wait_until_read = inner.wait_until_read
        self.is_exhausted = inner.is_exhausted
        self.stderr_excerpt = inner.stderr_excerpt
        self.logged_stderr = inner.logged_stderr

    @property
    def outstayed(self) -> bool:
        return self._inner.outstayed

    def trace_to(self, sink: Sink) -> None:
        """From now on pass lines to this sink. It gets the handshake first, with its times, if there has been one, so
        that it has a whole session."""
        self._sink = sink
        for line in self._handshake:
            sink(line)

    async def send(self, line: bytes) -> None:
        self._hand_over("to", line[:-1])
        await self._inner.send(line)

    def send_nowait(self, line: bytes) -> bool:
        self._hand_over("to", line[:-1])
        return self._inner.send_nowait(line)

    async def post(self, line: bytes) -> None:
        self._hand_over("to", line[:-1])
        await self._inner.post(line)

    async def receive(self) -> bytes:
        try:
            line = await self._inner.receive()
        except (ConnectionEnded, Oversize):
            self.take_unreceived()
            raise
        self._hand_over("from", line)
        return line

    def receive_nowait(self) -> bytes | None:
        line = self._inner.receive_nowait()
        if line is not None:
            self._hand_over("from", line)
        return line

    def take_unreceived(self) -> list[bytes]:
        *lines, part = unreceived = self._inner.take_unreceived()
        for data in (*lines, part) if part else lines:
            self._hand_over("from", data, received=False)
        return unreceived

    def _hand_over(self, direction: Literal["to", "from"], data: bytes, *, received: bool = True) -> None:
        line = WireLine(direction, data, trio.current_time(), received)
        if not self._greeted:
            self._handshake.append(line)
            self._greeted = direction == "from"
        self._sink(line)

    def close(self) -> None:
        self.take_unreceived()
        self._inner.close()
