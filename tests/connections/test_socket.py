"""A socket is another kind of connection: pool, session and game runner play over it without a change."""

import contextlib
import json
from collections.abc import AsyncIterator

import trio

from protocol.framing import LineBuffer
from referee.connections import Connection, ConnectionEnded
from referee.games import config_from
from referee.players.bot_spec import BotSpec
from referee.players.clock import TimeControl
from tests.game_runner.pebbles import Pebbles
from tests.memory_connection import MemoryConnection
from tests.timeouts import TEST_TIMEOUT
from tournaments.pool import Pool
from tournaments.runner import Plan, PlayedGame, Runner
from tournaments.schedule import Phases, rotations


class SocketConnection(MemoryConnection):
    """Lines over a stream of a socket."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__()
        self._stream = stream
        self._lines = LineBuffer()

    async def send(self, line: bytes) -> None:
        try:
            await self._stream.send_all(line)
        except trio.BrokenResourceError:
            raise ConnectionEnded("closed the connection") from None

    async def receive(self) -> bytes:
        while (line := self._lines.pop()) is None:
            try:
                data = await self._stream.receive_some()
            except trio.BrokenResourceError:
                data = b""
            if not data:
                self.ended.set()
                raise ConnectionEnded("closed the connection")
            self._lines.feed(bytes(data))
        return line

    def close(self) -> None:
        self._stream.socket.close()
        super().close()


async def serve_bot(stream: trio.SocketStream, leaves_at: int | None = None) -> None:
    """A bot that answers with the first legal action, and hangs up at its question `leaves_at`."""
    lines = LineBuffer()
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        async for data in stream:
            lines.feed(bytes(data))
            while (line := lines.pop()) is not None:
                message = json.loads(line)
                if message["type"] == "hello":
                    await stream.send_all(b'{"type":"ready","protocol":1,"name":"remote"}\n')
                elif message["type"] == "act":
                    if message["id"] == leaves_at:
                        await stream.aclose()
                        return
                    await stream.send_all(b'{"type":"action","id":%d,"index":0}\n' % message["id"])


@contextlib.asynccontextmanager
async def remote_bots(leaves_at: int | None = None) -> AsyncIterator[Pool]:
    """A pool whose bots are at the other end of TCP connections on this machine."""
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(
            lambda task_status: trio.serve_tcp(
                lambda stream: serve_bot(stream, leaves_at), 0, host="127.0.0.1", task_status=task_status
            )
        )
        port = listeners[0].socket.getsockname()[1]

        async def connect(bot: BotSpec) -> Connection:
            return SocketConnection(await trio.open_tcp_stream("127.0.0.1", port))

        yield Pool([BotSpec(name="a"), BotSpec(name="b")], connect, TimeControl(move=30.0, startup=30.0))
        nursery.cancel_scope.cancel()


async def play(pool: Pool, deals: int) -> list[PlayedGame]:
    """Play games over a pool."""
    bots = [BotSpec(name="a"), BotSpec(name="b")]
    config = config_from(Pebbles.Config, {"players": 2})
    plan = Plan(game=Pebbles, config=config, bots=bots, control=TimeControl(move=30.0), concurrency=2)
    played: list[PlayedGame] = []
    with trio.fail_after(TEST_TIMEOUT):
        await Runner(plan, pool, played.append).run(Phases(rotations(deals, 2, "seed")))
        await pool.close()
    return played


async def test_match_over_sockets() -> None:
    async with remote_bots() as pool:
        played = await play(pool, deals=3)
    assert len(played) == 6
    assert all(game.outcome.faults == [None, None] for game in played)


async def test_bot_that_hangs_up_has_crashed() -> None:
    async with remote_bots(leaves_at=2) as pool:
        played = await play(pool, deals=1)
    fault = played[0].outcome.faults[0]
    assert fault is not None
    assert (fault.code, fault.message) == ("crash", "closed the connection at act 2")
