"""A connection over a socket: pool, session and game runner play over it without a change."""

import contextlib
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

import trio

from protocol.framing import LineBuffer
from referee.bots.bot_spec import BotSpec
from referee.connections import Connection, ConnectionEnded
from referee.games import config_from
from referee.record.writer import Recorder
from tests.game_runner.harness import AMPLE_TIME
from tests.game_runner.pebbles import Pebbles, PebblesConfig
from tests.memory_connection import MemoryConnection
from tests.timeouts import TEST_TIMEOUT
from tournaments.play.conditions import Conditions
from tournaments.play.measurements import Measurements
from tournaments.play.plan import GamePlan
from tournaments.play.pool import Pool
from tournaments.play.runner import Callbacks, PlayedGame, Runner, play_schedule
from tournaments.play.schedule import Phases, rotations

BOTS: Final = [BotSpec(name="a"), BotSpec(name="b")]


class SocketConnection(MemoryConnection):
    """Lines over a socket. The first kind of connection that is not a pipe to a process."""

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


async def serve_bot(stream: trio.SocketStream, hangs_up_at: int | None = None) -> None:
    """A bot that takes the first legal action, and closes the connection at the question with the id `hangs_up_at`."""
    lines = LineBuffer()
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        async for data in stream:
            lines.feed(bytes(data))
            while (line := lines.pop()) is not None:
                message = json.loads(line)
                if message["type"] == "hello":
                    await stream.send_all(b'{"type":"ready","protocol":1,"name":"remote"}\n')
                elif message["type"] == "act":
                    if message["id"] == hangs_up_at:
                        await stream.aclose()
                        return
                    await stream.send_all(b'{"type":"action","id":%d,"index":0}\n' % message["id"])


@contextlib.asynccontextmanager
async def remote_bots(hangs_up_at: int | None = None) -> AsyncIterator[Pool]:
    """A pool of two bots that are reached by TCP on this machine."""
    async with trio.open_nursery() as nursery:
        serve = partial(trio.serve_tcp, partial(serve_bot, hangs_up_at=hangs_up_at), 0, host="127.0.0.1")
        listeners: list[trio.SocketListener] = await nursery.start(serve)
        port = listeners[0].socket.getsockname()[1]

        async def connect(bot: BotSpec) -> Connection:
            return SocketConnection(await trio.open_tcp_stream("127.0.0.1", port))

        yield Pool(BOTS, connect, AMPLE_TIME)
        nursery.cancel_scope.cancel()


async def play(pool: Pool, deals: int) -> list[PlayedGame]:
    """Play these deals in both rotations with the bots of the pool."""
    config = config_from(Pebbles.Config, {"players": 2})
    plan = GamePlan(game=Pebbles, config=config, bots=BOTS, conditions=Conditions(control=AMPLE_TIME, concurrency=2))
    played: list[PlayedGame] = []

    async def store(game: PlayedGame, recorder: Recorder) -> None:
        played.append(game)

    with trio.fail_after(TEST_TIMEOUT):
        schedule = Phases(rotations(deals, 2, "seed"))
        callbacks = Callbacks(store=store, on_notice=lambda notice: None, needs_processes=schedule.needs_processes)
        runner = Runner(plan, pool, Measurements(plan).thinking, callbacks)
        await play_schedule(schedule, plan.conditions.games_at_a_time, runner.play, runner.announce)
        await pool.close()
    return played


async def test_match_is_played_over_sockets() -> None:
    async with remote_bots() as pool:
        played = await play(pool, deals=3)
    assert sorted(game.game.game_id for game in played) == ["0001-1", "0001-2", "0002-1", "0002-2", "0003-1", "0003-2"]
    assert all(sum(game.outcome.scores) == PebblesConfig().heap for game in played)
    assert all(game.outcome.faults == [None, None] for game in played)


async def test_bot_that_closes_the_connection_has_crashed() -> None:
    async with remote_bots(hangs_up_at=2) as pool:
        played = await play(pool, deals=1)
    fault = played[0].outcome.faults[0]
    assert fault is not None
    assert (fault.code, fault.message) == ("crash", "closed the connection at act 2")
