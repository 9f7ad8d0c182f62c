"""Games of a hostile bot through the runner, with bots that must not suffer from it."""

import shutil
import socket
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.bots.bot_spec import BotSpec
from referee.processes.limits.process_limits import ProcessLimits
from referee.record.replay import Replay
from tests.game_runner.harness import AMPLE_TIME, FIRST, Harness, record
from tests.hostile.catalogue import Expected
from tests.hostile.cleanup import PeakMemory
from tests.processes.sandboxed import WORKING
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import ScheduledGame, deriving

BOTS: Final = Path(__file__).parent / "bots"
PRELUDE: Final = ("prelude", "quick_json")
OPPONENT: Final = "well_behaved"
GAMES_WITH_HOSTILE: Final = 2
"""The first games of a run; the last one is played without the hostile bot."""
SEATINGS: Final = ((0, 1, 2), (1, 0, 2), (2, 1, 2))
"""The seating of each game. 0 is the hostile bot, 1 the opponent, also a real process, and 2 a built-in player."""

WITHOUT: Final[dict[object, list[dict[str, Any]]]] = {}
"""Records of last games without the hostile bot, by options and clock."""


class HostileHarness:
    """Makes a folder for each bot and what a hostile one may attack (a secret, a server), and plays the games."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.folder = harness.folder
        self.home = harness.folder / "home"
        self.home.mkdir()
        (self.home / "secret").write_text("gold")
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.growth = 0.0
        """MiB by which the referee grew in the last run, at its peak."""

    def close(self) -> None:
        """Close the server."""
        self._server.close()

    def bot(self, bot: str, expected: Expected, arguments: list[str]) -> BotSpec:
        """A bot of tests/hostile/bots, in its own folder."""
        folder = self.folder / bot
        if not folder.exists():
            folder.mkdir()
            for name in (bot, *PRELUDE):
                shutil.copy(BOTS / f"{name}.py", folder)
        return BotSpec(
            name=bot,
            argv=(sys.executable, "-ESB", str(folder / f"{bot}.py"), *arguments),
            folder=folder,
            limits=ProcessLimits(**expected.limits),
        )

    def plan(self, bot: str, expected: Expected, *, sandboxed: bool = False) -> GamePlan:
        """A run with this bot."""
        prepared = {
            "opponent": self.folder / OPPONENT,
            "records": self.folder / f"records{self.harness.runs + 1}",
            "home": self.home,
            "port": self._server.getsockname()[1],
        }
        arguments = [argument.format(**prepared) for argument in expected.arguments]
        bots = [self.bot(bot, expected, arguments), self.bot(OPPONENT, Expected(), []), FIRST]
        plan = self._plan(bots, expected)
        return in_sandbox(plan) if sandboxed else plan

    async def play(self, bot: str, expected: Expected, *, sandboxed: bool) -> list[PlayedGame]:
        """Two games with the hostile bot in different seats, then one without it. Nothing leaks."""
        plan = self.plan(bot, expected, sandboxed=sandboxed)
        peak = PeakMemory()
        played = await self.harness.run(plan, schedule())
        self.growth = peak.growth()
        return played

    async def lines_without_it(self, expected: Expected) -> list[dict[str, Any]]:
        """The record of the last game of the same run between built-in players, who choose what the opponent chooses.

        Played once for all bots with the same clock and options.
        """
        plan = self._plan([FIRST] * len(SEATINGS[-1]), expected)
        if (known := (plan.config, plan.conditions.control)) not in WITHOUT:
            [played] = await self.harness.run(plan, schedule()[GAMES_WITH_HOSTILE:])
            WITHOUT[known] = verified(played)
        return WITHOUT[known]

    def _plan(self, bots: list[BotSpec], expected: Expected) -> GamePlan:
        return self.harness.plan(
            bots,
            control=expected.control,
            concurrency=1 if expected.control is AMPLE_TIME else GAMES_WITH_HOSTILE,
            heap=9,
            filler=expected.filler,
            players=len(bots),
        )

    def was_connected_to(self) -> bool:
        """Whether a bot got through to the server."""
        try:
            connection, _ = self._server.accept()
        except BlockingIOError:
            return False
        connection.close()
        return True


def in_sandbox(plan: GamePlan) -> GamePlan:
    """The same plan, its bots in bubblewrap, which hides from each what `referee match` hides."""
    assert plan.records is not None
    hidden = {bot.folder for bot in plan.bots if bot.policy is None} | {plan.records}
    assert WORKING is not None
    return msgspec.structs.replace(plan, sandbox=msgspec.structs.replace(WORKING, hide=tuple(hidden)))


def schedule() -> list[ScheduledGame]:
    """The games of a run. All are of one rotation, so that processes without a fault are used again."""
    return [
        ScheduledGame(
            game_id=f"{number:04}-1",
            public_id=f"{number:04}-1",
            deal=number,
            rotation=0,
            phase=0,
            seating=seating,
            seed=deriving("hostile")(str(number)),
            bot_seeds=tuple(range(len(seating))),
        )
        for number, seating in enumerate(SEATINGS, start=1)
    ]


def seat_of_hostile(played: PlayedGame) -> int:
    """The seat of the hostile bot."""
    return played.game.seating.index(0)


def stderr_of(played: PlayedGame, seat: int) -> str:
    """All that the bot in a seat wrote to its standard error."""
    excerpt = played.stderr[seat]
    assert excerpt is not None
    return excerpt.tail if excerpt.path is None else excerpt.path.read_text(errors="replace")


def verified(played: PlayedGame) -> list[dict[str, Any]]:
    """The lines of a game's record, which holds by the rules alone; without the time that decisions took."""
    assert played.record is not None
    Replay(played.record).check()
    return [{name: value for name, value in line.items() if name != "ms"} for line in record(played)]
