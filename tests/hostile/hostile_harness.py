"""Where a hostile bot plays: real games through the Runner, beside bots that must not suffer from it."""

import shutil
import socket
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.players.bot_spec import BotSpec
from referee.processes.limits import ProcessLimits
from referee.record.replay import Replay
from tests.game_runner.harness import FIRST, PATIENT, Harness, record
from tests.game_runner.pebbles import Pebbles
from tests.hostile.catalogue import Expected
from tests.hostile.cleanup import Peak
from tests.processes.sandboxed import WORKING
from tournaments.runner import Plan, PlayedGame
from tournaments.schedule import ScheduledGame, derive

BOTS: Final = Path(__file__).parent / "bots"
PRELUDE: Final = "prelude"
NEIGHBOUR: Final = "well_behaved"
HOSTILE_GAMES: Final = 2
"""The first games of a run; the last one is played without the hostile bot."""
SEATINGS: Final = ((0, 1, 2), (1, 0, 2), (2, 1, 2))
"""By game: who sits where. 0 is the hostile bot, 1 the neighbour, a real process too, and 2 a built-in player."""


class Stage:
    """A folder for each bot, the things that a hostile one may be after, and games."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.folder = harness.folder
        self.home = harness.folder / "home"
        self.home.mkdir()
        (self.home / "secret").write_text("gold")
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.growth = 0.0
        """MiB by which the referee grew in the last run, at its worst."""

    def close(self) -> None:
        """Nobody can be called any more."""
        self._server.close()

    def bot(self, bot: str, expected: Expected, arguments: list[str]) -> BotSpec:
        """A bot of the gallery, in a folder of its own."""
        folder = self.folder / bot
        if not folder.exists():
            folder.mkdir()
            for name in (bot, PRELUDE):
                shutil.copy(BOTS / f"{name}.py", folder)
        return BotSpec(
            name=bot,
            argv=(sys.executable, "-ESB", str(folder / f"{bot}.py"), *arguments),
            folder=folder,
            limits=ProcessLimits(**expected.limits),
        )

    def plan(self, bot: str, expected: Expected, *, sandboxed: bool = False) -> Plan:
        """A run with this bot."""
        prepared = {
            "neighbour": self.folder / NEIGHBOUR,
            "records": self.folder / f"records{self.harness.runs + 1}",
            "home": self.home,
            "port": self._server.getsockname()[1],
        }
        arguments = [argument.format(**prepared) for argument in expected.arguments]
        bots = [self.bot(bot, expected, arguments), self.bot(NEIGHBOUR, Expected(), []), FIRST]
        plan = self._plan(bots, expected)
        return in_sandbox(plan) if sandboxed else plan

    async def play(self, bot: str, expected: Expected, *, sandboxed: bool) -> list[PlayedGame]:
        """Two games with the hostile bot in different seats, then one without it. Nothing is left."""
        plan = self.plan(bot, expected, sandboxed=sandboxed)
        peak = Peak()
        played = await self.harness.run(plan, schedule())
        self.growth = peak.growth()
        return played

    async def play_in_peace(self, expected: Expected) -> PlayedGame:
        """The last game of the same run among built-in players, who choose what the neighbour chooses."""
        [played] = await self.harness.run(self._plan([FIRST] * len(SEATINGS[-1]), expected), schedule()[HOSTILE_GAMES:])
        return played

    def _plan(self, bots: list[BotSpec], expected: Expected) -> Plan:
        options = {"heap": 9} if expected.game is Pebbles else {}
        return self.harness.plan(
            bots,
            game=expected.game,
            control=expected.control,
            concurrency=1 if expected.control is PATIENT else HOSTILE_GAMES,
            **{**options, **expected.options, "players": len(bots)},
        )

    def was_called(self) -> bool:
        """Whether somebody came through the network."""
        try:
            caller, _ = self._server.accept()
        except BlockingIOError:
            return False
        caller.close()
        return True


def in_sandbox(plan: Plan) -> Plan:
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
            deal=number,
            rotation=0,
            phase=0,
            seating=seating,
            seed=derive("hostile", number),
            bot_seeds=tuple(range(len(seating))),
        )
        for number, seating in enumerate(SEATINGS, start=1)
    ]


def seat_of_the_hostile(played: PlayedGame) -> int:
    """Where it sat."""
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
