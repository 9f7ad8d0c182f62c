"""Lower bounds for what a question costs: the same bytes moved by a bare C referee (epoll) and by a bare Trio loop."""

import json
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import trio

from protocol import codec
from protocol.framing import MAX_LINE
from protocol.messages import HelloLimits
from protocol.record import PlayerInfo
from referee.game_runner import GameRunner, GameSetup
from referee.games import Game, find_game
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl
from referee.players.session import BotSession
from referee.record.writer import NoRecord, Recorder
from tests.memory_connection import MemoryConnection

HERE: Final = Path(__file__).parent
SEATS: Final = 2
GAMES: Final = 5
"""Whose questions are moved."""
CONTROL: Final = TimeControl(move=60.0)
LIMITS: Final = HelloLimits(
    line_bytes=MAX_LINE, info_bytes=codec.MAX_INFO, startup_ms=10000, margin_ms=50, quit_ms=1000
)


def compile_c(folder: Path, name: str) -> Path:
    """The program NAME.c of this folder, compiled."""
    program = folder / name
    subprocess.run(["cc", "-O2", "-std=c11", "-o", program, HERE / f"{name}.c"], check=True)
    return program


class CapturingBot(MemoryConnection):
    """A connection to a bot in this process: keeps the questions of a game and answers at random, like the fast bot."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.lines: list[bytes] = []
        self._rng = random.Random(seed)
        self._answer = b""

    async def send(self, line: bytes) -> None:
        """Take a line and prepare the answer."""
        message = json.loads(line)
        if message["type"] == "act":
            self.lines.append(line)
            index = self._rng.randrange(len(message["legal"]))
            self._answer = json.dumps({"type": "action", "id": message["id"], "index": index}).encode()

    async def receive(self) -> bytes:
        """Answer."""
        await trio.lowlevel.checkpoint()
        return self._answer


async def play(game: type[Game], number: int, sessions: Sequence[BotSession], recorder: Recorder) -> None:
    """Play a game of two bots in its default configuration."""
    setup = GameSetup(
        game_id=str(number),
        public_id=str(number),
        game=game,
        config=game.Config(players=SEATS),
        seed=f"bench {number}",
        names=["a", "b"],
        bot_seeds=[2 * number + 1, 2 * number + 2],
        control=CONTROL,
    )
    players = [BotPlayer(session) for session in sessions]
    outcome = await GameRunner(setup, players, [PlayerInfo(name=name) for name in "ab"], recorder).play()
    assert not any(outcome.faults), outcome.faults


def capture(name: str) -> list[bytes]:
    """The questions of a few games."""
    lines: list[bytes] = []

    async def main() -> None:
        for number in range(GAMES):
            bots = [CapturingBot(number), CapturingBot(-number - 1)]
            await play(find_game(name), number, [BotSession(bot, CONTROL, LIMITS) for bot in bots], NoRecord())
            lines.extend(line for bot in bots for line in bot.lines)

    trio.run(main)
    return lines


class Floors:
    """The lower bounds of a game."""

    def __init__(self, folder: Path, game: str, bot: Path) -> None:
        """`folder`: for files. `bot`: the compiled fast bot."""
        lines = capture(game)
        self.size: Final = sum(map(len, lines)) // len(lines)
        """The mean length of a question in bytes."""
        self._traffic = folder / f"{game}.acts"
        self._traffic.write_bytes(b"".join(lines))
        self._bot = bot
        self._bare = compile_c(folder, "bare_referee")

    def c(self, at_once: int, questions: int) -> tuple[float, float]:
        """Microseconds of CPU and of wall clock for each question."""
        return self._measure([str(self._bare)], at_once, questions)

    def trio(self, at_once: int, questions: int) -> tuple[float, float]:
        """Microseconds of CPU and of wall clock for each question."""
        return self._measure([sys.executable, str(HERE / "bare_trio.py")], at_once, questions)

    def _measure(self, program: list[str], at_once: int, questions: int) -> tuple[float, float]:
        arguments = [str(at_once), str(max(100, questions // at_once)), str(self._traffic), str(self._bot), "--random"]
        done = subprocess.run([*program, *arguments], check=True, capture_output=True)
        found = json.loads(done.stdout)
        return found["cpu_us_per_question"], found["wall_us_per_question"]
