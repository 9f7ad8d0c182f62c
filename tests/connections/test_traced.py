"""A traced connection passes on every line, both ways, and bytes of a bot that are not a line."""

import contextlib

import pytest
import trio
from msgspec import structs

from protocol import codec
from protocol.framing import Oversize
from referee.connections import ConnectionEnded
from referee.connections.pipe import PipeConnection
from referee.connections.traced import TracedConnection, WireLine
from referee.processes.supervisor import supervise
from tests.game_runner.harness import AMPLE_TIME, Harness
from tests.players.fake_connection import FakeBot, after, bot_player, pebbles_game, start_of_game
from tests.timeouts import TEST_TIMEOUT


def told(lines: list[WireLine]) -> list[tuple[str, bytes]]:
    """The direction and the beginning of each line."""
    return [(line.direction, line.data[:16]) for line in lines]


async def traced(harness: Harness, source: str, lines: list[WireLine], *, sends: bytes = b"go\n") -> None:
    """Receive from a bot until its connection ends."""
    bot = harness.bot(source, line_bytes=100)
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise() as supervisor:
            process = await supervisor.start(structs.replace(bot, from_command_line=True), bot.limits)
            connection = TracedConnection(PipeConnection(process), lines.append)
            connection.begin_game(None)
            await connection.send(sends)
            with contextlib.suppress(ConnectionEnded, Oversize):
                while True:
                    await connection.receive()
            connection.close()
            await connection.closed.wait()


async def test_every_line_is_handed_over_with_its_direction_and_time(autojump_clock: trio.abc.Clock) -> None:
    lines: list[WireLine] = []
    player = bot_player(TracedConnection(FakeBot(after(0.25)), lines.append), AMPLE_TIME)
    began = trio.current_time()
    await player.session.greet()
    await player.begin(start_of_game(AMPLE_TIME))
    await player.decide(pebbles_game(), [])
    assert told(lines) == [
        ("to", b'{"type":"hello",'),
        ("from", b'{"type": "ready"'),
        ("to", b'{"type":"start",'),
        ("to", b'{"type":"act","i'),
        ("from", b'{"type": "action'),
    ]
    assert [line.time - began for line in lines] == pytest.approx([0, 0, 0, 0, 0.25])
    assert all(line.received and not line.data.endswith(b"\n") for line in lines)


async def test_a_second_sink_gets_the_handshake_first() -> None:
    first: list[WireLine] = []
    second: list[WireLine] = []
    connection = TracedConnection(FakeBot(after(0)), first.append)
    player = bot_player(connection, AMPLE_TIME)
    await player.session.greet()
    await player.begin(start_of_game(AMPLE_TIME))
    connection.trace_to(second.append)
    await player.begin(start_of_game(AMPLE_TIME))
    assert second[:2] == first[:2]
    assert told(second) == told(first)
    assert len(first) == 3


async def test_what_comes_without_an_end_of_line_is_handed_over_when_the_bot_ends(harness: Harness) -> None:
    lines: list[WireLine] = []
    await traced(harness, 'sys.stdin.readline(); send_bytes(b"one\\r\\ntwo"); sys.exit()', lines)
    assert told(lines) == [("to", b"go"), ("from", b"one"), ("from", b"two")]
    assert [line.received for line in lines] == [True, True, False]


async def test_the_beginning_of_a_line_that_is_too_long_is_handed_over(harness: Harness) -> None:
    lines: list[WireLine] = []
    await traced(harness, 'send_bytes(b"x" * 5000); wait_forever()', lines)
    assert told(lines) == [("to", b"go"), ("from", b"x" * 16)]
    assert len(lines[1].data) == 1000
    assert not lines[1].received


async def test_what_nobody_received_is_handed_over_when_the_connection_is_closed(harness: Harness) -> None:
    lines: list[WireLine] = []
    bot = harness.bot('send_bytes(b"one\\ntwo\\nthr"); report("written"); wait_forever()')
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise() as supervisor:
            process = await supervisor.start(structs.replace(bot, from_command_line=True), bot.limits)
            connection = TracedConnection(PipeConnection(process, codec.encode_json(0)), lines.append)
            connection.begin_game(None)
            assert await harness.reported() == "written"
            assert await connection.receive() == b"one"
            connection.close()
            await connection.closed.wait()
    assert told(lines) == [("from", b"one"), ("from", b"two"), ("from", b"thr")]
    assert [line.received for line in lines] == [True, False, False]
