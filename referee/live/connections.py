"""The connections of browsers. Whatever one of them sends, and however many there are, the others go on.

HTTP/1 only: with HTTP/2 one connection could have a hundred pages waiting in memory, and browsers don't use it here.
"""

import resource
from typing import Any, Final, cast

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState

MAX_CONNECTIONS: Final = 1000
"""Beyond that one is closed for each new one: the oldest of those that matter least."""
SPARE_DESCRIPTORS: Final = 64
"""Descriptors that are kept free for anything else."""
SEND_TIMEOUT: Final = 60.0
"""Seconds in which a browser has to take what it is sent."""

STRANGER: Final = 0
SPECTATOR: Final = 1
PERSON: Final = 2
"""Whose connection it is, by the addresses that it has asked for. Persons matter most: they may be on the clock."""


class RefusedRequest(Exception):
    """A request for something else than HTTP/1."""


class Connection:
    """The stream of a connection, as Hypercorn uses it, and `whose` it is."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.whose = STRANGER
        self.socket = stream.socket
        self._stream = stream

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """As of SocketStream."""
        return await self._stream.receive_some(max_bytes)

    async def send_all(self, data: bytes) -> None:
        """As of SocketStream. Raises trio.BrokenResourceError if the browser doesn't take the data in time."""
        try:
            with trio.fail_after(SEND_TIMEOUT):
                await self._stream.send_all(data)
        except trio.TooSlowError:
            self.close()
            raise trio.BrokenResourceError from None

    async def send_eof(self) -> None:
        """As of SocketStream."""
        await self._stream.send_eof()

    async def aclose(self) -> None:
        """As of SocketStream."""
        await self._stream.aclose()

    def close(self) -> None:
        """Close it at once, also while something is being sent."""
        self._stream.socket.close()


class Http1(H11Protocol):
    """HTTP/1, which doesn't become another protocol: an offer to change to HTTP/2 is ignored."""

    async def _check_protocol(self, event: Any) -> None:
        websocket = any(name.lower() == b"upgrade" and b"websocket" in value.lower() for name, value in event.headers)
        if websocket or event.method == b"PRI":
            raise RefusedRequest
        await trio.lowlevel.checkpoint()


class BrowserConnection(TCPServer):
    """Hypercorn's handling of one connection, with HTTP/1 only."""

    async def run(self) -> None:
        """Answer requests until the connection ends. Raises whatever goes wrong in it."""
        try:
            async with TaskGroup() as tasks:
                self._task_group = tasks
                state = cast("ConnectionState", self.state)
                protocol = Http1(
                    self.app, self.config, self.context, tasks, state, False, None, None, self.protocol_send
                )
                self.protocol = cast("Any", protocol)
                await self.idle_task.restart(tasks, self._idle_timeout)
                await self._read_data()
        finally:
            await self._close()


class Connections:
    """Answers requests of all browsers by an application of ASGI. In `scope["state"]["connection"]` it finds the
    Connection, and says there whose it is."""

    def __init__(self, app: Any) -> None:
        self._app = ASGIWrapper(app)
        self._config = Config()
        self._config.accesslog = self._config.errorlog = None
        self._context = WorkerContext(None)
        self._open: dict[Connection, None] = {}
        """The open ones, the oldest first."""
        self._all_closed = trio.Event()
        self._limit = max_connections()

    async def serve(self, listener: trio.SocketListener) -> None:
        """Accept connections until this is cancelled, after `end`."""
        await trio.serve_listeners(self._serve_one, [listener])

    async def end(self, seconds: float) -> None:
        """Close those that are idle, and others after their next answer, or after so many seconds."""
        await self._context.terminated.set()
        with trio.move_on_after(seconds):
            await self._all_closed.wait()
        for connection in self._open:
            connection.close()  # what is being sent on it can't be cancelled

    async def _serve_one(self, stream: trio.SocketStream) -> None:
        connection = Connection(stream)
        if len(self._open) >= self._limit:
            least = min(self._open, key=lambda other: other.whose)
            del self._open[least]
            least.close()
        self._open[connection] = None
        state = ConnectionState(cast("Any", {"connection": connection}))
        try:
            await BrowserConnection(self._app, self._config, self._context, cast("Any", state), cast("Any", connection))
        except* Exception:
            # What comes from outside may make the parser fail in any way. Only this connection ends by that.
            pass
        finally:
            self._open.pop(connection, None)
            if not self._open:
                self._all_closed.set()
                self._all_closed = trio.Event()


def max_connections() -> int:
    """MAX_CONNECTIONS, or as many as this process may have; its limit is raised for them as far as it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + SPARE_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(1, min(MAX_CONNECTIONS, soft - SPARE_DESCRIPTORS))
