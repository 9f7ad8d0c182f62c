"""A bot that its author starts manually: who may connect, and what the connection does."""

import contextlib
import socket
import stat
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest
import trio
import trio.testing

from protocol.framing import Oversize
from referee.connections import ConnectionEnded
from referee.connections.tcp import (
    MAX_REFUSALS_SHOWN,
    MAX_UNAUTHENTICATED,
    BotListener,
    ListenError,
    TcpConnection,
    listening_socket,
)
from referee.connections.token_file import HOST, TokenError, read_token, token_path
from referee.processes.limits.process_limits import DEFAULT
from tests.timeouts import TEST_TIMEOUT

QUIT: Final = b'{"type":"quit"}\n'


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder for tokens."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "referee"


@pytest.fixture
def notices() -> list[str]:
    return []


@pytest.fixture
def listener(notices: list[str]) -> Iterator[BotListener]:
    listener = BotListener("dbg", 0, DEFAULT, QUIT, notices.append)
    yield listener
    listener.close()


class Visitors:
    """Connect to a listener, and are gone in the end."""

    def __init__(self, listener: BotListener) -> None:
        self.streams: list[trio.SocketStream] = []
        self._listener = listener

    async def open(self, data: bytes = b"") -> trio.SocketStream:
        """Connect and send this."""
        stream = await trio.open_tcp_stream(HOST, self._listener.port)
        self.streams.append(stream)
        await stream.send_all(data)
        return stream

    async def connect(self, rest: bytes = b"") -> tuple[TcpConnection, trio.SocketStream]:
        """Both ends of a connection; `rest` is sent together with the token."""
        ends: list[TcpConnection] = []
        async with self.waiting(ends):
            token = read_token(self._listener.port)
            stream = await self.open(f"{token}\r\n".encode() + rest)
        return ends[0], stream

    @contextlib.asynccontextmanager
    async def waiting(self, ends: list[TcpConnection]) -> AsyncIterator[trio.CancelScope]:
        """The listener waits for a connection, at most until the end of the block, or until the scope is cancelled."""

        async def accept() -> None:
            ends.append(await self._listener.connect())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(accept)
            await trio.testing.wait_all_tasks_blocked()
            yield nursery.cancel_scope


@pytest.fixture
async def visitors(listener: BotListener) -> AsyncIterator[Visitors]:
    visitors = Visitors(listener)
    with trio.fail_after(TEST_TIMEOUT):
        yield visitors
    for stream in visitors.streams:
        await trio.aclose_forcefully(stream)


async def is_closed(stream: trio.SocketStream) -> bool:
    """Wait until the other end closes; whether it did so without a word."""
    try:
        return not await stream.receive_some()
    except trio.BrokenResourceError:
        return True


# -- who may connect ------------------------------------------------------------------------------------------


async def test_only_the_token_opens_the_door_and_nobody_who_is_silent_blocks_it(
    listener: BotListener, visitors: Visitors, notices: list[str]
) -> None:
    ends: list[TcpConnection] = []
    async with visitors.waiting(ends):
        token = read_token(listener.port)
        assert f"  {token}" in notices
        silent = [await visitors.open() for _ in range(MAX_UNAUTHENTICATED + 5)]
        for wrong in (b"\n", b"0" * 32 + b"\n", token[:-1].encode() + b"\n", b"x" * 1000):
            assert await is_closed(await visitors.open(wrong))
        bot = await visitors.open(token.encode() + b"\n")
    for stream in silent:
        assert await is_closed(stream)
    await ends[0].send(b"hello\n")
    assert await bot.receive_some() == b"hello\n"
    assert notices.count("dbg: a connection that did not send the token was closed") == MAX_REFUSALS_SHOWN
    ends[0].close()


async def test_a_token_holds_for_one_connection(listener: BotListener, visitors: Visitors) -> None:
    ends: list[TcpConnection] = []
    async with visitors.waiting(ends):
        token = read_token(listener.port).encode() + b"\n"
        await visitors.open(token)
    ends[0].close()
    with pytest.raises(TokenError, match="none of your referees is waiting for a bot on port"):
        read_token(listener.port)
    async with visitors.waiting(ends) as scope:
        assert await is_closed(await visitors.open(token))
        scope.cancel()
    assert len(ends) == 1


async def test_nobody_else_can_read_the_token(listener: BotListener, visitors: Visitors, cache: Path) -> None:
    cache.mkdir(mode=0o777)
    path = token_path(listener.port)
    path.symlink_to(cache / "elsewhere")
    async with visitors.waiting([]) as scope:
        assert (stat.S_IMODE(cache.stat().st_mode), stat.S_IMODE(path.lstat().st_mode)) == (0o700, 0o600)
        assert stat.S_ISREG(path.lstat().st_mode)
        scope.cancel()
    listener.close()
    assert list(cache.iterdir()) == []


def test_a_port_is_open_to_this_machine_only_and_one_that_is_taken_is_named(listener: BotListener) -> None:
    taken = socket.socket()
    taken.bind((HOST, 0))
    taken.listen()
    port = taken.getsockname()[1]
    with pytest.raises(ListenError, match=rf"tcp:{port}: can't listen on this port: Address already in use"):
        listening_socket(port)
    taken.close()
    with listening_socket(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


# -- the connection -------------------------------------------------------------------------------------------


async def test_lines_that_come_with_the_token_are_received(visitors: Visitors) -> None:
    connection, bot = await visitors.connect(b"one\ntwo\r\nthr")
    assert [await connection.receive(), await connection.receive()] == [b"one", b"two"]
    assert connection.receive_nowait() is None
    assert connection.take_unreceived() == [b"thr"]
    await bot.aclose()
    with pytest.raises(ConnectionEnded, match="closed the connection"):
        await connection.receive()
    assert connection.ended.is_set()
    assert connection.is_exhausted()
    connection.close()
    assert connection.closed.is_set()


async def test_what_finds_no_room_is_sent_later_and_quit_in_the_end(visitors: Visitors) -> None:
    connection, bot = await visitors.connect()
    long = b"x" * 10_000_000 + b"\n"
    await connection.post(long)
    assert connection.is_exhausted()
    received = bytearray()

    async def read() -> None:
        async for data in bot:
            received.extend(data)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        await connection.send(b"next\n")
        assert not connection.is_exhausted()
        connection.close()
    assert bytes(received) == long + b"next\n" + QUIT


async def test_a_bot_that_has_gone_between_two_games_is_noticed(visitors: Visitors) -> None:
    connection, bot = await visitors.connect()
    assert not connection.is_exhausted()
    await bot.aclose()
    await trio.lowlevel.wait_readable(connection._socket)
    assert connection.is_exhausted()
    connection.close()


async def test_too_long_a_line_beside_the_token_is_the_fault_of_the_bot() -> None:
    limits = msgspec.structs.replace(DEFAULT, line_bytes=1024)
    with contextlib.closing(BotListener("dbg", 0, limits, QUIT, lambda notice: None)) as listener:
        with trio.fail_after(TEST_TIMEOUT):
            visitors = Visitors(listener)
            connection, stream = await visitors.connect(b"x" * 2000)
            with pytest.raises(Oversize):
                await connection.receive()
        connection.close()
        await trio.aclose_forcefully(stream)
