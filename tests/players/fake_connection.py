"""A bot in memory, on Trio's clock and without a process."""

import json
from collections.abc import Callable, Iterable
from typing import Any, Final

import trio

from protocol.messages import HelloLimits, Start
from referee.connections import Connection
from referee.games import Seeded
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl
from referee.players.event_loop_lag import EventLoopLag
from referee.players.session import BotSession
from tests.game_runner.pebbles import Pebbles, PebblesConfig
from tests.memory_connection import MemoryConnection

Json = dict[str, Any]
Reply = tuple[float, Json | bytes]
"""Seconds after the arrival of the message, and the line."""

LIMITS: Final = HelloLimits(line_bytes=2**20, info_bytes=4096, startup_ms=10_000, margin_ms=50, quit_ms=1000)
READY: Final = {"type": "ready", "protocol": 1, "name": "fake"}


class FakeBot(MemoryConnection):
    """Says `ready`, then answers each `act` as `answers` says: with lines, each after its delay in seconds.

    It makes room for a line only after `write_time`; what is posted until then comes with the next line. A bot that is
    `prompt` takes a question in the moment in which it is sent. With `referee_busy`, only `receive_nowait` gives lines
    that have come, as if the referee had been busy until after the deadline.
    """

    def __init__(self, answers: Callable[[Json], Iterable[Reply]], ready: Json | bytes = READY) -> None:
        super().__init__()
        self.answers = answers
        self.ready = ready
        self.write_time = 0.0
        self.prompt = False
        self.referee_busy = False
        self.received: list[Json] = []
        self.unsent: list[bytes] = []
        """Lines that were posted while there was no room."""
        self._coming: list[tuple[float, bytes]] = []

    def send_nowait(self, line: bytes) -> bool:
        """Take a line if the bot is prompt."""
        if not self.prompt:
            return super().send_nowait(line)
        self._take(line)
        return True

    async def post(self, line: bytes) -> None:
        """Take a line if there is room."""
        if self.write_time:
            self.unsent.append(line)
        else:
            self._take(line)

    async def send(self, line: bytes) -> None:
        """Take a line, and the lines before it, when there is room."""
        await trio.sleep(self.write_time)
        while self.unsent:
            self._take(self.unsent.pop(0))
        self._take(line)

    def _take(self, line: bytes) -> None:
        """Prepare the answers."""
        message = json.loads(line)
        self.received.append(message)
        replies: Iterable[Reply] = ()
        if message["type"] == "hello":
            replies = [(0, self.ready)]
        elif message["type"] == "act":
            replies = self.answers(message)
        for seconds, reply in replies:
            data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self._coming.append((trio.current_time() + seconds, data))

    async def receive(self) -> bytes:
        """The next line, when its time has come."""
        if self.referee_busy or not self._coming:
            await trio.sleep_forever()
        await trio.sleep_until(self._coming[0][0])
        return self._coming.pop(0)[1]

    def receive_nowait(self) -> bytes | None:
        """The next line, if its time has come."""
        if self._coming and self._coming[0][0] <= trio.current_time():
            return self._coming.pop(0)[1]
        return None

    def acts(self) -> list[Json]:
        """The questions so far."""
        return [message for message in self.received if message["type"] == "act"]


def after(*seconds: float) -> Callable[[Json], Iterable[Reply]]:
    """Answers with the first legal action, after these delays in seconds; the last one is reused."""
    times = list(seconds)

    def answers(act: Json) -> Iterable[Reply]:
        yield (times.pop(0) if len(times) > 1 else times[0]), first(act)

    return answers


def first(act: Json, **fields: Any) -> Json:
    """The answer with the first legal action, or with other fields."""
    return {"type": "action", "id": act["id"], **(fields or {"index": 0})}


def at_once(*lines: Json | bytes) -> Callable[[Json], Iterable[Reply]]:
    """Answers with these lines, one for each question, and then with the first legal action."""
    coming = list(lines)
    return lambda act: [(0, coming.pop(0) if coming else first(act))]


def start_of_game(control: TimeControl) -> Start:
    """A game of two begins."""
    return Start(
        game_id="1",
        game=Pebbles.name,
        config=PebblesConfig(),
        seat=0,
        players=["fake", "other"],
        clock=control.on_wire(),
        bot_seed=1,
    )


def bot_player(
    connection: Connection, control: TimeControl, retries: int = 0, lag: EventLoopLag | None = None
) -> BotPlayer:
    """A player over this connection, which has not sent `ready` yet."""
    return BotPlayer(BotSession(connection, control, LIMITS, lag), retries)


async def ready_player(bot: FakeBot, control: TimeControl, retries: int = 0) -> BotPlayer:
    """The bot as a player that has sent `ready`, at the start of a game."""
    player = bot_player(bot, control, retries)
    await player.session.greet()
    await player.begin(start_of_game(control))
    return player


def pebbles_game(heap: int = 100) -> Pebbles:
    """A game in which seat 0 is asked, three actions being legal. It stays so while nobody applies an answer."""
    return Pebbles.new(PebblesConfig(heap=heap), Seeded("heap"))
