"""Where the tests let bots play: misbehaving bots in a few lines, and proof that a run leaves nothing behind.

    async def test_garbage_is_a_bad_message(harness: Harness) -> None:
        fault = await harness.fault_of('''
            ready()
            hear("act")
            raw(b"garbage\\n")
        ''')
        assert fault.code == "bad_message"

A bot's source runs after PRELUDE, which speaks the protocol for it, and before the proper play of a whole game.
"""

import contextlib
import fcntl
import json
import os
import select
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import trio

from referee.games import Game, config_from
from referee.outcome import ONE_LEFT, Fault
from referee.players.bot_spec import BotSpec
from referee.players.clock import TimeControl
from referee.processes.limits import ProcessLimits
from tests.game_runner.pebbles import Pebbles
from tournaments.runner import Plan, PlayedGame, play_games
from tournaments.schedule import Phases, ScheduledGame, rotations

PATIENT: Final = TimeControl(move=30.0, startup=30.0)
"""For bots that are to answer however busy the machine is."""
HASTY: Final = TimeControl(move=0.3, startup=30.0)
"""For bots that never answer a question."""
FIRST: Final = BotSpec(name="first", policy="first")
RANDOM: Final = BotSpec(name="random", policy="random")

HANG: Final = 60.0
"""Seconds after which a run counts as stuck."""
DEATH: Final = 10.0
"""Seconds that a killed process may take to be gone."""

PRELUDE: Final = '''
import fcntl, json, os, signal, sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIFELINE = os.open(os.path.join(HERE, "lifeline"), os.O_WRONLY)
"""Held open as long as this process or a child of it lives."""

def report(text):
    """A line for the test."""
    os.write(LIFELINE, text.encode() + b"\\n")

def raw(data):
    """Bytes for the referee."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()

def say(kind, **fields):
    """A message for the referee."""
    raw(json.dumps({"type": kind, **fields}).encode() + b"\\n")

def messages():
    """All messages until it is time to leave."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "quit":
            break
        yield message

def hear(kind):
    """The next message of that type; leaves when it is time to."""
    for message in messages():
        if message["type"] == kind:
            return message
    sys.exit()

def ready(**fields):
    """The start of a well-behaved bot."""
    hear("hello")
    say("ready", **{"protocol": 1, "name": "bot", **fields})

def answer(act, **fields):
    """An answer, the first legal action unless something else is given."""
    say("action", id=act["id"], **(fields or {"index": 0}))

def play(turns=-1):
    """Good answers to so many questions, or for ever."""
    while turns:
        answer(hear("act"))
        turns -= 1

def pass_gate():
    """Wait until the test opens the gate."""
    fcntl.flock(os.open(os.path.join(HERE, "gate"), os.O_RDONLY), fcntl.LOCK_SH)

def linger():
    """Do nothing for ever, or nearly."""
    signal.alarm(120)
    while True:
        signal.pause()

def fork(pipes=True):
    """A child in the same process group, with the same pipes or none, that does nothing for ever."""
    ear, mouth = os.pipe()
    if not os.fork():
        if not pipes:
            os.closerange(0, 3)
        os.close(ear)
        os.close(mouth)
        linger()
    os.close(mouth)
    os.read(ear, 1)  # until the child has closed what it is to close
    os.close(ear)

# -- the bot of this test --
'''
WELL_BEHAVED: Final = "ready()\n"


class Census(NamedTuple):
    """What this process holds: children with their states, file descriptors, Trio tasks."""

    children: dict[int, str]
    descriptors: dict[int, str]
    tasks: int

    @classmethod
    def take(cls) -> "Census":
        """What there is now."""
        tasks = trio.lowlevel.current_statistics().tasks_living if trio.lowlevel.in_trio_run() else 0
        return cls(dict(children()), dict(descriptors()), tasks)


def children() -> Iterator[tuple[int, str]]:
    """The children of this process with name and state (Z: a zombie)."""
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it may be gone by now, or none
            name, _, rest = (process / "stat").read_text().rpartition(")")
            state, parent, *_ = rest.split()
            if process.name.isdigit() and int(parent) == os.getpid():
                yield int(process.name), f"{name}) {state}"


def descriptors() -> Iterator[tuple[int, str]]:
    """The open file descriptors of this process and what they are."""
    for fd in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the one that reads the folder is gone by now
            yield int(fd.name), str(fd.readlink())


class Harness:
    """Bots, games between them, and a line from the bots to the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._bots = 0
        self.runs = 0
        self._lifeline = folder / "lifeline"
        os.mkfifo(self._lifeline)
        self._ear = os.open(self._lifeline, os.O_RDONLY | os.O_NONBLOCK)
        self._pen = os.open(self._lifeline, os.O_WRONLY)
        self._told = b""

    def close(self) -> None:
        """Give back the line."""
        os.close(self._ear)
        os.close(self._pen)

    # -- bots ---------------------------------------------------------------------------------------------

    def bot(self, source: str = WELL_BEHAVED, name: str | None = None, **limits: int) -> BotSpec:
        """A bot that runs this source and then goes on as a good bot."""
        self._bots += 1
        name = name or f"bot{self._bots}"
        script = self.folder / f"{name}.py"
        script.write_text(f"{PRELUDE}{textwrap.dedent(source)}\nplay()\n")
        return BotSpec(
            name=name,
            argv=(sys.executable, "-IS", str(script)),
            folder=self.folder,
            limits=ProcessLimits(**limits),
            from_command_line=True,
        )

    async def reported(self) -> str:
        """The next line that a bot tells the test."""
        while b"\n" not in self._told:
            await trio.lowlevel.wait_readable(self._ear)
            self._told += os.read(self._ear, 65536)
        line, _, self._told = self._told.partition(b"\n")
        return line.decode()

    def reported_blocking(self) -> str:
        """The next line that a bot tells the test, while the event loop stands still."""
        while b"\n" not in self._told:
            assert select.select([self._ear], [], [], HANG)[0], "the bot tells nothing"
            self._told += os.read(self._ear, 65536)
        line, _, self._told = self._told.partition(b"\n")
        return line.decode()

    def all_reported(self) -> list[str]:
        """All further lines of bots that have ended."""
        lines, self._told = self._told.decode().splitlines(), b""
        return lines

    @contextlib.contextmanager
    def gate_closed(self) -> Iterator[None]:
        """Bots stop at `pass_gate` until the block ends."""
        with (self.folder / "gate").open("w") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield

    # -- games --------------------------------------------------------------------------------------------

    def plan(
        self,
        bots: Sequence[BotSpec],
        *,
        game: type[Game] = Pebbles,
        control: TimeControl = PATIENT,
        concurrency: int = 1,
        retries: int = 0,
        **options: Any,
    ) -> Plan:
        """A plan with a folder of its own for its records."""
        self.runs += 1
        records = self.folder / f"records{self.runs}"
        records.mkdir()
        return Plan(
            game=game,
            config=config_from(game.Config, {"players": len(bots), **options}),
            bots=list(bots),
            control=control,
            concurrency=concurrency,
            retries=retries,
            records=records,
        )

    async def play(
        self,
        *bots: BotSpec,
        deals: int = 1,
        rotate: bool = False,
        seed: str = "seed",
        **plan: Any,
    ) -> list[PlayedGame]:
        """Play games to the end, sorted by id; nothing is left behind."""
        schedule = list(rotations(deals, len(bots), seed, rotate=rotate))
        return await self.run(self.plan(bots, **plan), schedule)

    async def run(self, plan: Plan, schedule: Sequence[ScheduledGame]) -> list[PlayedGame]:
        """Play these games; nothing is left behind."""
        played: list[PlayedGame] = []
        async with self.leaves_nothing():
            await play_games(plan, Phases(iter(schedule)), played.append)
        return sorted(played, key=lambda each: each.game.game_id)

    async def play_one(self, *bots: BotSpec, **plan: Any) -> PlayedGame:
        """Play one game."""
        [played] = await self.play(*bots, **plan)
        return played

    async def fault_of(self, source: str, **options: Any) -> Fault:
        """The fault for which a bot loses a game against a built-in player; the game stops and is recorded so."""
        limits = {name: options.pop(name) for name in ProcessLimits.__struct_fields__ if name in options}
        played = await self.play_one(self.bot(source, **limits), FIRST, **options)
        fault, none = played.outcome.faults
        assert fault is not None, "the bot committed no fault"
        assert none is None
        assert played.outcome.ranks == [2, 1]
        assert played.outcome.stopped == ONE_LEFT
        *_, recorded, result = record(played)
        assert recorded == {"type": "fault", "seat": 0, "code": fault.code, "message": fault.message}
        assert result["faults"] == [fault.code, None]
        assert result["ranks"] == [2, 1]
        assert result["stopped"] == ONE_LEFT
        return fault

    # -- nothing is left ----------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def leaves_nothing(self) -> AsyncIterator[None]:
        """What happens inside leaves no process, zombie, descriptor or task, and ends in time."""
        before = Census.take()
        with trio.fail_after(HANG):
            yield
        assert Census.take() == before
        await self.all_gone()

    async def all_gone(self) -> None:
        """Every bot and every child of one is dead: nobody holds the lifeline any more."""
        os.close(self._pen)
        try:
            with trio.fail_after(DEATH):
                while await self._listen():
                    pass
        finally:
            self._pen = os.open(self._lifeline, os.O_WRONLY)

    async def _listen(self) -> bool:
        """Take in what bots tell; False once there is nobody any more who could."""
        try:
            heard = os.read(self._ear, 65536)
        except BlockingIOError:
            await trio.lowlevel.wait_readable(self._ear)
            return True
        self._told += heard
        return bool(heard)


def record(played: PlayedGame) -> list[dict[str, Any]]:
    """The lines of a game's record."""
    assert played.record is not None
    return [json.loads(line) for line in played.record.read_bytes().splitlines()]


def lines_of(played: PlayedGame, kind: str) -> list[dict[str, Any]]:
    """The lines of one type."""
    return [line for line in record(played) if line["type"] == kind]
