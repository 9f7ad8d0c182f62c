"""Strangers who reach the port of live pages disturb nobody: without an address of their own they are nobody."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest
import trio

from tests.timeouts import TEST_TIMEOUT

pytest.importorskip("h11", reason="the package of the extra web is not installed")
connections = pytest.importorskip("referee.live.connections")

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"
HTTP2_HEADERS = b"\0\0\x0e\x01\x05\0\0\0\x01\x02\x01\xff\x84\x86\x41\x0809.0.0.1"
WEBSOCKET = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n"
HTTP2_UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: !\r\n"
HOSTILE = {
    "http2": PREFACE + HTTP2_HEADERS,
    "http2 after its preface": PREFACE + b"\0\0\x04\0\0\0\0\0\x01ab\xff\xff" * 5,
    "websocket": b"GET /unknown/events HTTP/1.1\r\nHost: a\r\n" + WEBSOCKET + b"\r\n\xff\xff\xff",
    "upgrade to http2": b"GET / HTTP/1.1\r\nHost: a\r\n" + HTTP2_UPGRADE + b"\r\n",
    "a body that nobody reads": b"POST /unknown/choose HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n"
    + b"x" * 90000,
    "a body with a wrong length": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "no http": bytes(range(256)) * 300,
}


class Served:
    """Connections on a free port; the application says whose a connection is by the path."""

    def __init__(self, server: Any, port: int) -> None:
        self.server = server
        self.streams: contextlib.AsyncExitStack
        self.port = port
        self.unread = b"x" * (1 << 24)
        self.stream_closed = trio.Event()

    async def connect(self) -> trio.SocketStream:
        return await self.streams.enter_async_context(await trio.open_tcp_stream("127.0.0.1", self.port))

    async def ask(self, stream: trio.SocketStream, path: str) -> bytes:
        """The body of an answer; empty if the connection was closed."""
        try:
            await stream.send_all(f"GET /{path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            answer = b""
            while not answer.endswith(b"answer"):
                part = await stream.receive_some()
                if not part:
                    return b""
                answer += part
        except trio.BrokenResourceError:
            return b""
        return b"answer"


@contextlib.asynccontextmanager
async def served(limit: int) -> AsyncIterator[Served]:
    async def answer(request: Any) -> Any:
        whose = {"/spectator": connections.SPECTATOR, "/person": connections.PERSON}
        request.connection.whose = whose.get(request.path, connections.STRANGER)
        if request.path == "/stream":
            return connections.Response(content=parts())
        return connections.Response(content=served_here.unread if request.path == "/unread" else b"answer")

    async def parts() -> AsyncGenerator[bytes, None]:
        try:
            yield b"answer"
            await trio.sleep_forever()
        finally:
            served_here.stream_closed.set()

    server = connections.Connections(answer)
    server._limit = limit
    listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
    served_here = Served(server, listener.socket.getsockname()[1])
    with trio.fail_after(TEST_TIMEOUT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.serve, listener)
            async with contextlib.AsyncExitStack() as streams:
                served_here.streams = streams
                yield served_here
                await server.end(0.1)
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
async def test_whatever_is_sent_ends_only_its_own_connection(hostile: bytes) -> None:
    async with served(100) as server:
        person, stranger = await server.connect(), await server.connect()
        assert await server.ask(person, "person")
        # It may be answered and then stay open until it has been idle for 5 s: nobody needs to wait for that.
        with contextlib.suppress(trio.BrokenResourceError), trio.move_on_after(1):
            await stranger.send_all(hostile)
            await stranger.send_eof()
            while await stranger.receive_some():
                pass
        assert await server.ask(person, "person")
        assert await server.ask(await server.connect(), "person")


async def test_with_too_many_connections_strangers_are_closed_first_and_persons_last() -> None:
    async with served(4) as server:
        streams = {}
        for whose in ("person", "stranger", "spectator", "another person"):
            streams[whose] = await server.connect()
            assert await server.ask(streams[whose], whose.split()[-1])
        for closed in ("stranger", "spectator"):
            further = await server.connect()
            assert await server.ask(further, "person")
            assert await streams[closed].receive_some() == b""
        assert await server.ask(streams["person"], "person")
        assert await server.ask(streams["another person"], "person")


async def test_several_requests_in_one_packet_are_answered_one_after_another() -> None:
    async with served(10) as server:
        stream = await server.connect()
        await stream.send_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 3)
        answers = b""
        while answers.count(b"answer") < 3:
            answers += await stream.receive_some()


POST = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n"


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHo", POST + b"x"], ids=["nothing", "head", "body"])
async def test_a_request_that_does_not_end_is_given_up(begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", 0.05)
    async with served(10) as server:
        stream = await server.connect()
        await stream.send_all(begun)
        assert await stream.receive_some() == b""


@pytest.mark.parametrize("long", [b"GET / HTTP/1.1\r\nA: " + b"x" * 20000, POST + b"x" * 9999], ids=["head", "body"])
async def test_a_request_that_is_too_long_is_refused_before_its_end(long: bytes) -> None:
    async with served(10) as server:
        stream = await server.connect()
        await stream.send_all(long)
        assert (await stream.receive_some()).partition(b" ")[2].startswith((b"431", b"413"))


async def test_a_stream_ends_when_its_browser_is_gone() -> None:
    async with served(10) as server:
        stream = await server.connect()
        await stream.send_all(b"GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        assert await stream.receive_some()
        await stream.aclose()
        await server.stream_closed.wait()


async def test_an_answer_that_nobody_reads_does_not_hold_the_end_up() -> None:
    async with served(10) as server:
        stream = await server.connect()
        await stream.send_all(b"GET /unread HTTP/1.1\r\nHost: a\r\n\r\n")
        assert await stream.receive_some(10)


@pytest.mark.slow
async def test_an_answer_that_nobody_reads_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SEND_TIMEOUT", 0.05)
    async with served(10) as server:
        stream = await server.connect()
        await stream.send_all(b"GET /unread HTTP/1.1\r\nHost: a\r\n\r\n")
        while server.server._open:
            await server.server._all_closed.wait()
