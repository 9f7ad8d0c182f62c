"""HTTP for browsers, with h11. Whatever one of them sends, and however many there are, the others are served.

HTTP/1 only: with HTTP/2 one connection could have a hundred pages waiting in memory, and browsers don't use it here.
"""

import contextlib
import resource
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from email.utils import formatdate
from typing import Final
from urllib.parse import parse_qs

import h11
import trio
from msgspec import Struct

MAX_CONNECTIONS: Final = 1000
"""Beyond that one is closed for each new one: the oldest of those that matter least."""
RESERVED_DESCRIPTORS: Final = 64
"""Descriptors that are kept free for anything else."""
REQUEST_TIMEOUT: Final = 10.0
"""Seconds in which a browser has to send a whole request, from the start of the connection or the answer before."""
SEND_TIMEOUT: Final = 60.0
"""Seconds in which a browser has to take what it is sent."""
LINGER_TIMEOUT: Final = 1.0
"""Seconds in which a browser has to close a connection on which it was refused."""
MAX_HEAD: Final = 16 * 1024
"""Maximum length of the head of a request, in bytes."""
MAX_BODY: Final = 4096
"""Maximum length of the body of a request, in bytes."""
REQUEST_READ_BYTES: Final = 16 * 1024

STRANGER: Final = 0
SPECTATOR: Final = 1
PERSON: Final = 2
"""Whose connection it is, by the addresses that it has asked for. Persons matter most: they may be on the clock."""


class Request(Struct, frozen=True, kw_only=True):
    connection: "Connection"
    method: str
    path: str
    """With percent-encoded characters as they are."""
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    """The first of each name; names in lower case."""
    body: bytes


class Response(Struct, frozen=True, kw_only=True):
    status: int = 200
    media_type: str = "text/plain"
    headers: Mapping[str, str] = {}
    content: bytes | AsyncGenerator[bytes, None] = b""
    """A generator sends each part when the browser has taken the one before. It is closed if the browser is gone."""


Answer = Callable[[Request], Awaitable[Response]]


class Connection:
    """The connection of a browser, and `whose` it is."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.whose = STRANGER
        self._stream = stream
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        self._receiving = trio.CancelScope()
        """While a request is being received."""
        self._is_last = False
        """Whether no further request is answered."""

    async def serve(self, answer: Answer) -> None:
        """Answer requests until the connection ends. Raises trio.BrokenResourceError and trio.ClosedResourceError."""
        async with self._stream:
            while True:
                try:
                    request = await self._receive_request()
                except h11.RemoteProtocolError as error:
                    await self._refuse(error)
                    return
                if request is None:
                    return
                await self._send_response(await answer(request), is_head=request.method == "HEAD")
                if self._is_last or self._http.our_state is not h11.DONE:
                    return
                self._http.start_next_cycle()

    async def _receive_request(self) -> Request | None:
        """The next request; None at the end of the connection. Raises RemoteProtocolError."""
        self._receiving = trio.move_on_after(REQUEST_TIMEOUT)
        with self._receiving:
            head = await self._next_event()
            if not isinstance(head, h11.Request):
                return None
            body = b""
            while isinstance(part := await self._next_event(), h11.Data):
                body += part.data
                if len(body) > MAX_BODY:
                    raise h11.RemoteProtocolError(f"a body of over {MAX_BODY} bytes", error_status_hint=413)
            path, _, query = head.target.decode().partition("?")
            return Request(
                connection=self,
                method=head.method.decode(),
                path=path,
                query=parse_qs(query),
                headers={name.decode(): value.decode("latin-1") for name, value in reversed(head.headers)},
                body=body,
            )
        return None

    async def _next_event(self) -> object:
        """The next part of a request, as h11 gives it. Raises RemoteProtocolError."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._stream.receive_some(REQUEST_READ_BYTES))
        return event

    async def _refuse(self, error: h11.RemoteProtocolError) -> None:
        """Answer what is not a request, and close the connection."""
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._is_last = True
            text = f"The request can't be read: {error}\n".encode()
            await self._send_response(Response(status=error.error_status_hint, content=text), is_head=False)
            await self._stream.send_eof()
            with trio.move_on_after(LINGER_TIMEOUT):  # if it were closed before all is read, the answer could be lost
                while await self._stream.receive_some(REQUEST_READ_BYTES):
                    pass

    async def _send_response(self, response: Response, *, is_head: bool) -> None:
        headers = {"Date": formatdate(usegmt=True), "Content-Type": f"{response.media_type}; charset=utf-8"}
        if isinstance(response.content, bytes):
            headers["Content-Length"] = str(len(response.content))
        if self._is_last:
            headers["Connection"] = "close"
        head = h11.Response(status_code=response.status, headers=[*(headers | {**response.headers}).items()])
        if isinstance(response.content, bytes):
            data = b"" if is_head else response.content
            await self._send(head, h11.Data(data=data), h11.EndOfMessage())
            return
        async with contextlib.aclosing(response.content) as content:
            await self._send(head)
            if not is_head:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._cancel_at_end, nursery.cancel_scope)
                    async for part in content:
                        await self._send(h11.Data(data=part))
                    nursery.cancel_scope.cancel()
            await self._send(h11.EndOfMessage())

    async def _cancel_at_end(self, sending: trio.CancelScope) -> None:
        """Cancel what is being sent when the browser closes the connection; a browser that sends more is not watched
        any longer, so that it can't fill the memory."""
        data = await self._stream.receive_some(REQUEST_READ_BYTES)
        self._http.receive_data(data)
        if not data:
            sending.cancel()

    async def _send(self, *events: h11.Event) -> None:
        """Send parts of a response. Raises trio.BrokenResourceError if the browser doesn't take them in time."""
        data = b"".join(self._http.send(event) or b"" for event in events)
        try:
            with trio.fail_after(SEND_TIMEOUT):
                await self._stream.send_all(data)
        except trio.TooSlowError:
            raise trio.BrokenResourceError from None

    def end(self) -> None:
        """Close it after the answer that is being sent, or now."""
        self._is_last = True
        self._receiving.cancel()

    def close(self) -> None:
        """Close it at once, also while something is being sent."""
        self._stream.socket.close()


class Connections:
    """The connections of all browsers, whose requests are answered by `answer`, which says there whose they are."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._open: dict[Connection, None] = {}
        """The open ones, the oldest first."""
        self._all_closed = trio.Event()
        self._limit = max_connections()

    async def serve(self, listener: trio.SocketListener) -> None:
        """Accept connections until this is cancelled, after `end`."""
        await trio.serve_listeners(self._serve_one, [listener])

    async def end(self, seconds: float) -> None:
        """Close those that are idle, and others after their next answer, or after `seconds`."""
        for connection in self._open:
            connection.end()
        with trio.move_on_after(seconds):
            await self._all_closed.wait()
        for connection in self._open:
            connection.close()  # what is being sent on it can't be cancelled

    async def _serve_one(self, stream: trio.SocketStream) -> None:
        connection = Connection(stream)
        if len(self._open) >= self._limit:
            dropped = min(self._open, key=lambda other: other.whose)
            del self._open[dropped]
            dropped.close()
        self._open[connection] = None
        try:
            await connection.serve(self._answer)
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
    wanted = MAX_CONNECTIONS + RESERVED_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    limit = wanted if soft == resource.RLIM_INFINITY else soft
    return max(1, min(MAX_CONNECTIONS, limit - RESERVED_DESCRIPTORS))
