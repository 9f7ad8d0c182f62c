"""Games between bots of a few lines, and the check that a run leaks no process, descriptor or task.

    async def test_garbage_is_a_bad_message(harness: Harness) -> None:
        fault = await harness.fault_of('''
            ready()
            receive("act")
            send_bytes(b"garbage\\n")
        ''')
        assert fault.code == "bad_message"

A bot's source runs after PRELUDE and REPORTING, which have functions for it, and before a loop that answers all
questions.
"""

import contextlib
import fcntl
import gc
import json
import os
import select
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import trio

from referee.bots.bot_spec import BotSpec
from referee.games import Game
from referee.outcome import ONE_LEFT, Fault
from referee.players.clock import TimeControl
from referee.processes.keeper.lifetime import is_keeper_of
from referee.processes.limits.process_limits import ProcessLimits
from tests.game_runner.pebbles import Pebbles
from tests.playing import plan_of, play_games
from tests.timeouts import EXIT_TIMEOUT, TEST_TIMEOUT
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Phases, ScheduledGame, rotations

AMPLE_TIME: Final = TimeControl(move=30.0, startup=30.0)
"""For bots that answer: enough however busy the machine is."""
SHORT_TIME: Final = TimeControl(move=0.2, margin=0.5, startup=30.0)
"""For bots that never answer a question."""
FIRST: Final = BotSpec(name="first", policy="first")
RANDOM: Final = BotSpec(name="random", policy="random")

SHARED: Final = Path(__file__).parents[1] / "hostile/bots"
"""Has the functions for the protocol that hostile bots use too: `receive`, `answer`, `play` and more."""
PRELUDE: Final = "from __future__ import annotations\n" + "".join(
    line
    for part in ("quick_json.py", "prelude.py")
    for line in (SHARED / part).read_text("utf-8").splitlines(keepends=True)
    if not line.startswith(("from __future__", "from quick_json"))
)
REPORTING: Final = '''
HERE = os.path.dirname(os.path.abspath(__file__))
REPORTS = os.open(os.path.join(HERE, "reports"), os.O_WRONLY)
"""The report pipe: open as long as this process or a child of it lives."""

def report(text):
    """Send a line to the test."""
    os.write(REPORTS, text.encode() + b"\\n")

def wait_for_gate():
    """Wait until the test opens the gate."""
    import fcntl
    fcntl.flock(os.open(os.path.join(HERE, "gate"), os.O_RDONLY), fcntl.LOCK_SH)

def child():
    """Start a child in the same process group, with the same pipes, that does nothing until killed."""
    if fork():
        wait_forever()

# -- the bot of this test --
'''
IMPORTED: Final = ("fcntl", "json", "signal")
"""Modules that the source of a bot may use without an import. Only those that it uses are imported."""
WELL_BEHAVED: Final = "ready()\n"


class ResourceSnapshot(NamedTuple):
    """What this process holds: processes with their states, file descriptors, Trio tasks."""

    children: dict[int, str]
    descriptors: dict[int, str]
    tasks: int

    @classmethod
    def take(cls) -> "ResourceSnapshot":
        """What is open and running now."""
        tasks = trio.lowlevel.current_statistics().tasks_living if trio.lowlevel.in_trio_run() else 0
        return cls(dict(children()), dict(descriptors()), tasks)


def children() -> Iterator[tuple[int, str]]:
    """The children of this process, its keepers and their children, with name and state (Z: a zombie).

    Most tests with processes look twice, at hundreds of processes. What started before this one is none of its keepers.
    """
    own = str(os.getpid())
    processes = {}
    for process in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        with contextlib.suppress(OSError), open(f"/proc/{process}/stat", "rb", buffering=0) as file:  # noqa: PTH123
            name, _, rest = file.read().rpartition(b")")
            state, parent, *others = rest.split(maxsplit=20)
            processes[process] = f"{name.decode(errors='replace')}) {state.decode()}", parent.decode(), int(others[17])
    began = processes[own][2]
    keepers = {
        process
        for process, (_, _, started) in processes.items()
        if started >= began and process != own and is_keeper_of(int(own), process)
    }
    for process, (shown, parent, _) in processes.items():
        if process in keepers or parent in keepers or parent == own:
            yield int(process), shown


def descriptors() -> Iterator[tuple[int, str]]:
    """The open file descriptors of this process and what they are."""
    for fd in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the one that reads the folder is gone by now
            yield int(fd.name), str(fd.readlink())


class Harness:
    """Makes bots and plays games between them. Bots report to the test through a pipe (`report` in a bot's source).

    Every process of a bot inherits the report pipe, so that its end shows that all of them are gone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._bots = 0
        self.runs = 0
        self._report_pipe = folder / "reports"
        os.mkfifo(self._report_pipe)
        self._report_pipe.chmod(0o666)  # for bots that run as their own users
        self._reading = os.open(self._report_pipe, os.O_RDONLY | os.O_NONBLOCK)
        self._writing = os.open(self._report_pipe, os.O_WRONLY)
        self._unread = b""

    def close(self) -> None:
        """Close the report pipe."""
        os.close(self._reading)
        os.close(self._writing)

    # -- bots ---------------------------------------------------------------------------------------------

    def bot(self, source: str = WELL_BEHAVED, name: str | None = None, **limits: int) -> BotSpec:
        """A bot that runs this source and then answers every question. `limits` are its process limits."""
        self._bots += 1
        name = name or f"bot{self._bots}"
        script = self.folder / f"{name}.py"
        imports = "".join(f"import {module}\n" for module in IMPORTED if f"{module}." in source)
        script.write_text(f"{PRELUDE}{imports}{REPORTING}{textwrap.dedent(source)}\nplay()\n")
        return BotSpec(
            name=name,
            argv=(sys.executable, "-IS", str(script)),
            folder=self.folder,
            limits=ProcessLimits(**limits),
            from_command_line=True,
        )

    async def reported(self) -> str:
        """The next line that a bot reports."""
        while b"\n" not in self._unread:
            await trio.lowlevel.wait_readable(self._reading)
            self._unread += os.read(self._reading, 65536)
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def reported_blocking(self) -> str:
        """The next line that a bot reports; blocks the event loop until it comes."""
        while b"\n" not in self._unread:
            assert select.select([self._reading], [], [], TEST_TIMEOUT)[0], "no bot reported anything"
            self._unread += os.read(self._reading, 65536)
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def all_reported(self) -> list[str]:
        """All unread reports, after the bots have ended."""
        lines, self._unread = self._unread.decode().splitlines(), b""
        return lines

    @contextlib.contextmanager
    def gate_closed(self) -> Iterator[None]:
        """Bots stop at `wait_for_gate` until the block ends."""
        with (self.folder / "gate").open("w") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield

    # -- games --------------------------------------------------------------------------------------------

    def plan(
        self,
        bots: Sequence[BotSpec],
        *,
        game: type[Game] = Pebbles,
        **options: Any,
    ) -> GamePlan:
        """A plan with its own folder for records. `options`: of the game, and conditions."""
        self.runs += 1
        records = self.folder / f"records{self.runs}"
        records.mkdir()
        return plan_of(game, bots, **{"control": AMPLE_TIME, "concurrency": 1, "records": records} | options)

    async def play(
        self,
        *bots: BotSpec,
        deals: int = 1,
        rotate: bool = False,
        seed: str = "seed",
        **plan: Any,
    ) -> list[PlayedGame]:
        """Play this number of deals to the end; returns the games sorted by id. Nothing leaks."""
        schedule = list(rotations(deals, len(bots), seed, rotate=rotate))
        return await self.run(self.plan(bots, **plan), schedule)

    async def run(self, plan: GamePlan, schedule: Sequence[ScheduledGame]) -> list[PlayedGame]:
        """Play the games of a schedule to the end; sorted by id. Nothing leaks."""
        played: list[PlayedGame] = []
        async with self.no_leaks():
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
        started = {} if 0 not in played.outcome.unstarted else {"started": False}
        assert recorded == {"type": "fault", "seat": 0, "code": fault.code, "message": fault.message} | started
        assert result["faults"] == [fault.code, None]
        assert result["ranks"] == [2, 1]
        assert result["stopped"] == ONE_LEFT
        return fault

    # -- leaks --------------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def no_leaks(self) -> AsyncIterator[None]:
        """Check that the block ends in time and leaves no process, zombie, descriptor or task."""
        gc.collect()  # what a test before this one has left in a cycle must not be closed meanwhile
        before = ResourceSnapshot.take()
        with trio.fail_after(TEST_TIMEOUT):
            yield
        after = ResourceSnapshot.take()
        assert after == before, f"before: {before}, after: {after}"
        await self.all_bots_ended()

    async def all_bots_ended(self) -> None:
        """Wait until every process of every bot has ended: none holds the report pipe any more."""
        os.close(self._writing)
        try:
            with trio.fail_after(EXIT_TIMEOUT):
                while await self._read_reports():
                    pass
        finally:
            self._writing = os.open(self._report_pipe, os.O_WRONLY)

    async def _read_reports(self) -> bool:
        """Read the reports of bots; False once no process can report any more."""
        try:
            data = os.read(self._reading, 65536)
        except BlockingIOError:
            await trio.lowlevel.wait_readable(self._reading)
            return True
        self._unread += data
        return bool(data)


def record(played: PlayedGame) -> list[dict[str, Any]]:
    """The lines of a game's record."""
    assert played.record is not None
    return [json.loads(line) for line in played.record.read_bytes().splitlines()]


def lines_of(played: PlayedGame, kind: str) -> list[dict[str, Any]]:
    """The lines of one type."""
    return [line for line in record(played) if line["type"] == kind]
