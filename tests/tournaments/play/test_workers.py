"""Workers: the same games as in one process, at the same time; what happens when a worker or the director dies."""

import contextlib
import importlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest
import trio

from referee.bots.bot_spec import BotSpec
from referee.exception_groups import single_errors
from referee.games import Chance, OptionError
from referee.processes import heartbeat
from referee.processes.keeper.lifetime import keepers_of
from referee.processes.own_process import start_module
from referee.record.writer import Recorder, RecordInMemory
from tests.game_runner.harness import FIRST, RANDOM, Harness
from tests.game_runner.pebbles import Pebbles, PebblesConfig
from tests.timeouts import EXIT_TIMEOUT, TEST_TIMEOUT
from tournaments.competition.progress import games_of
from tournaments.competition.rounds import Round, Table
from tournaments.event.round_schedule import RoundSchedule
from tournaments.play.dispatcher import WorkerError
from tournaments.play.events import LiveEvent, Notice
from tournaments.play.executor import Executor
from tournaments.play.local import InProcess
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measurements, PlayedGame
from tournaments.play.workers import Workers, start_workers

pytestmark = [
    pytest.mark.xdist_group("clocks and bombs"),  # not at the same time: its processes take CPU time from clocks
    pytest.mark.usefixtures("forked_modules"),
]

PAIR = (Table((0, 1)),)
TWO_TABLES = (Table((0, 1)), Table((2, 3)))
KEEPER_PROGRAM = "report(f\"{os.getppid()} {os.readlink('/proc/self/ns/pid')}\")"
"""A bot says which keeper started it. In a process namespace that has the number 1."""
WAITS = f"ready(); act = receive('act'); {KEEPER_PROGRAM}; wait_for_gate(); answer(act)"
"""Says which keeper started it, and answers no more until the gate is open."""


def pids_of(workers: Workers) -> list[int]:
    return [worker.process.pid for worker in workers.processes.values()]


def worker_of(reported: str, workers: Workers) -> int:
    """The pid of the worker of a bot that has reported its keeper; 0 if it has ended."""
    parent, namespace = reported.split()
    for worker in pids_of(workers):
        for keeper in keepers_of(worker):
            if str(Path(f"/proc/{keeper}/ns/pid").readlink()) == namespace and parent in ("1", str(keeper)):
                return worker
    return 0


class Games:
    """Plays rounds and keeps their games."""

    def __init__(self, harness: Harness, bots: Sequence[BotSpec], game: type[Pebbles] = Pebbles) -> None:
        plan = harness.plan(bots, concurrency=2, game=game)
        config = msgspec.structs.replace(plan.config, players=2)
        self.plan: GamePlan = msgspec.structs.replace(
            plan, records=None, records_in_memory=True, config=config, stderr=plan.records
        )
        self.played: dict[str, PlayedGame] = {}
        self.records: dict[str, bytes] = {}
        self.notices: list[str] = []

    async def play(self, executor: Executor, tables: Sequence[Table] = PAIR, deals: int = 1, number: int = 1) -> None:
        """Play a round to the end."""
        schedule = RoundSchedule(
            games_of(Round(number=number, tables=tuple(tables), deals=deals), 1, "table"),
            "seed",
            deals_of="table",
            exclusive={},
            is_ending=lambda: False,
        )
        await executor.play(self.plan, schedule, self._store, Measurements(self.plan))

    async def _store(self, played: PlayedGame, recorder: Recorder) -> None:
        assert played.game.game_id not in self.played
        self.played[played.game.game_id] = played
        if isinstance(recorder, RecordInMemory):
            self.records[played.game.game_id] = recorder.content()

    def observe(self, event: LiveEvent) -> None:
        """Keep notices, and the ids of games that begin."""
        if isinstance(event, Notice):
            self.notices.append(event.text)

    @contextlib.asynccontextmanager
    async def workers(self, number: int = 2) -> AsyncIterator[Workers]:
        """Workers for the block; an error is raised by itself."""
        with trio.fail_after(TEST_TIMEOUT), single_errors():
            async with start_workers(number, self.observe) as workers:
                yield workers

    @property
    def faults(self) -> list[str]:
        """All faults."""
        return [str(fault) for played in self.played.values() for fault in played.outcome.faults if fault]


async def test_the_games_are_those_of_a_single_process(harness: Harness) -> None:
    bots = [harness.bot(), RANDOM, FIRST, RANDOM]
    alone, together = Games(harness, bots), Games(harness, bots)
    with trio.fail_after(TEST_TIMEOUT):
        await alone.play(InProcess(alone.observe), TWO_TABLES, deals=3)
    async with harness.no_leaks(), together.workers() as workers:
        await together.play(workers, TWO_TABLES, deals=3)
    assert len(alone.played) == 2 * 3 * 2
    for game_id, played in alone.played.items():
        other = together.played[game_id]
        assert other.game == played.game
        assert other.outcome == played.outcome
        assert without_times(together.records[game_id]) == without_times(alone.records[game_id])
    assert set(alone.played) == set(together.played)
    assert (alone.notices, together.notices) == ([], [])


def without_times(record: bytes) -> list[dict[str, object]]:
    lines = [msgspec.json.decode(line) for line in record.splitlines()]
    for line in lines:
        line.pop("ms", None)
    return lines


@pytest.mark.slow
async def test_every_worker_plays_and_keeps_the_processes_of_a_table_as_long_as_it_needs_them(harness: Harness) -> None:
    bot = harness.bot(f"ready(); {KEEPER_PROGRAM}")
    games = Games(harness, [bot, FIRST])
    async with harness.no_leaks(), games.workers() as workers:
        await games.play(workers, deals=10)
        pids = pids_of(workers)
    assert games.faults == []
    started = harness.all_reported()
    assert len(set(started)) == len(pids) == 2
    assert len(started) == 4, "one process per rotation and worker"


PHASES = """
    def locks(rotation):
        return os.open(os.path.join(HERE, f"rotation{rotation}"), os.O_RDWR | os.O_CREAT)
    ready()
    report("process")
    for message in messages():
        if message["type"] == "start":
            seat = message["seat"]
            own = locks(seat)
            os.lseek(own, os.getpid(), os.SEEK_SET)
            os.lockf(own, os.F_LOCK, 1)  # one byte for each process, as long as it lives
            try:
                os.lockf(locks(1 - seat), os.F_TEST, 0)
            except PermissionError:
                report("overlap")
        elif message["type"] == "act":
            answer(message)
"""


@pytest.mark.ci_only
async def test_no_process_of_a_rotation_is_alive_in_any_worker_while_the_next_one_is_played(harness: Harness) -> None:
    slow = harness.bot(PHASES + "    if seat == 0: wait_forever()  # after quit, until it is killed\n")
    quick = harness.bot(PHASES)
    games = Games(harness, [slow, FIRST, quick, FIRST])
    async with harness.no_leaks(), games.workers() as workers:
        await games.play(workers, TWO_TABLES)
    assert harness.all_reported() == ["process"] * 4
    assert games.faults == []


# -- the end of a worker --------------------------------------------------------------------------------------

LEAVES_A_CHILD = """
    if not os.fork():
        os.setsid()
        wait_forever()
"""


@pytest.mark.slow
async def test_a_worker_that_dies_costs_only_its_running_game_which_has_the_files_of_the_last_attempt(
    harness: Harness, tmp_path: Path
) -> None:
    """As in a match, whose records and traces workers write themselves."""
    source = LEAVES_A_CHILD + f"    sys.stderr.write('once'); {WAITS}"
    games = Games(harness, [harness.bot(source), FIRST, RANDOM, RANDOM])
    games.plan = msgspec.structs.replace(games.plan, records=tmp_path, traces=tmp_path, records_in_memory=False)
    async with harness.no_leaks(), games.workers() as workers, trio.open_nursery() as nursery:
        with harness.gate_closed():
            nursery.start_soon(games.play, workers, TWO_TABLES)
            os.kill(worker_of(await harness.reported(), workers), signal.SIGKILL)
            await harness.reported()
    assert games.faults == []
    assert games.notices == ["a worker process was killed by SIGKILL; games played again: 1"]
    assert len(games.played) == 2 * 2
    for played in games.played.values():
        assert played.record is not None
        first, *_, last = [msgspec.json.decode(line) for line in played.record.read_bytes().splitlines()]
        assert (first["type"], last["type"]) == ("game", "result")
        if 0 not in played.game.seating:
            continue
        seat = played.game.seating.index(0)
        stderr = games.plan.stderr_path(played.game, seat)
        assert stderr is not None
        assert stderr.read_text() == "once"
        trace = tmp_path / f"{played.game.game_id}.seat{seat}.trace.jsonl"
        assert sum("began" in msgspec.json.decode(line) for line in trace.read_bytes().splitlines()) == 1


@pytest.mark.slow
async def test_short_games_that_are_over_are_told_while_others_wait_and_no_death_of_a_worker_repeats_them(
    harness: Harness,
) -> None:
    """Short games are given in advance and told together; the one slot is held by a game that does not end."""
    games = Games(harness, [RANDOM, FIRST, harness.bot(WAITS), FIRST])
    games.plan = games.plan.with_conditions(concurrency=1)
    deals = 12
    async with harness.no_leaks(), games.workers(1) as workers, trio.open_nursery() as nursery:
        with harness.gate_closed():
            nursery.start_soon(games.play, workers, TWO_TABLES, deals)
            first = await harness.reported()
            while len(games.played) < deals:  # noqa: ASYNC110 (a deadline is in `workers`)
                await trio.sleep(0.01)
            os.kill(worker_of(first, workers), signal.SIGKILL)
            await harness.reported()
    assert len(games.played) == 2 * 2 * deals
    assert games.faults == []
    [notice] = games.notices
    assert re.fullmatch(r"a worker process was killed by SIGKILL; games played again: \d+", notice)


class Exits(Pebbles):
    """A game that ends its process: it closes its pipes before, and takes a moment."""

    @classmethod
    def new(cls, config: PebblesConfig, chance: Chance) -> "Exits":
        os.closerange(3, 1000)
        time.sleep(0.1)  # the director sees the end of its output before the process has ended
        os._exit(7)


@pytest.mark.slow
async def test_a_game_that_ends_two_workers_stays_unplayed_and_is_named(harness: Harness) -> None:
    games = Games(harness, [RANDOM, FIRST], game=Exits)
    with pytest.raises(
        WorkerError,
        match=r"^games r01-t001-d01-s1, r01-t001-d01-s2 not played: two attempts have failed",
    ):
        async with harness.no_leaks(), games.workers() as workers:
            await games.play(workers)
    assert games.notices == [
        "a worker process exited with status 7; games played again: 1",
        "a worker process exited with status 7; left unplayed after two attempts: r01-t001-d01-s1",
        "a worker process exited with status 7; games played again: 1",
        "a worker process exited with status 7; left unplayed after two attempts: r01-t001-d01-s2",
    ]


NOT_TEXT = os.fsdecode(b"a\xffb")


class Refuses(Pebbles):
    """A game that can't begin, as it says with a path that is not text."""

    @classmethod
    def new(cls, config: PebblesConfig, chance: Chance) -> "Refuses":
        raise OptionError(f"{NOT_TEXT} is gone")


class Fails(Pebbles):
    """A game with a bug."""

    @classmethod
    def new(cls, config: PebblesConfig, chance: Chance) -> "Fails":
        raise ZeroDivisionError("oops")


@pytest.mark.slow
async def test_what_goes_wrong_in_a_worker_is_said(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    async with harness.no_leaks():
        refused = Games(harness, [harness.bot(), FIRST], game=Refuses)
        with pytest.raises(WorkerError, match=f"^a worker process can't continue: {NOT_TEXT} is gone$"):
            async with refused.workers() as workers:
                await refused.play(workers)
        failed = Games(harness, [harness.bot(), FIRST], game=Fails)
        with pytest.raises(RuntimeError, match=r"(?s)error in a worker process.*in new\n.*ZeroDivisionError: oops"):
            async with failed.workers() as workers:
                await failed.play(workers)
        monkeypatch.setattr(Fails, "__module__", "__main__")  # as in a script
        with pytest.raises(
            WorkerError, match=r"the game __main__:Fails can't be imported: .*; put it in a module that"
        ):
            async with failed.workers() as workers:
                await failed.play(workers)


@pytest.mark.ci_only
async def test_workers_import_from_a_folder_whose_name_has_a_colon(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.play.worker_process.start_module", start_module)
    folder = tmp_path / NOT_TEXT / "a:b 'c'"
    folder.mkdir(parents=True)
    source = "from tests.game_runner.pebbles import Pebbles\n\nclass Away(Pebbles):\n    pass\n"
    (folder / "game_far_away.py").write_text(source)
    monkeypatch.syspath_prepend(str(folder))
    game = importlib.import_module("game_far_away")
    games = Games(harness, [RANDOM, FIRST], game=game.Away)
    async with games.workers() as workers:
        await games.play(workers)
    assert len(games.played) == 2
    (folder / "game_far_away.py").write_text(source + "    title = 'as it was updated meanwhile'\n")
    with pytest.raises(WorkerError, match="files of the referee or of the rules have changed"):
        async with games.workers() as workers:
            await games.play(workers)


@pytest.mark.slow
async def test_a_notice_of_several_workers_is_shown_once(harness: Harness) -> None:
    games = Games(harness, [harness.bot("sys.exit(5)"), FIRST])
    async with harness.no_leaks(), games.workers() as workers:
        await games.play(workers, deals=6)
    [notice] = games.notices
    assert "bot1 is no longer started" in notice
    assert len(games.faults) == 12


# -- signals, and the end of the director ---------------------------------------------------------------------


@pytest.mark.slow
async def test_workers_leave_signals_to_the_director_and_bots_get_them_as_usual(harness: Harness) -> None:
    signals = "[str(signal.getsignal(n)) for n in (signal.SIGTERM, signal.SIGHUP)], signal.pthread_sigmask(0, [])"
    bot = harness.bot(f"ready(); act = receive('act'); report(repr(({signals}))); wait_for_gate(); answer(act)")
    games = Games(harness, [bot, FIRST])
    async with harness.no_leaks(), games.workers() as workers, trio.open_nursery() as nursery:
        with harness.gate_closed():
            nursery.start_soon(games.play, workers)
            assert await harness.reported() == "(['0', '0'], set())"
            for pid in pids_of(workers):
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    os.kill(pid, number)
    assert len(games.played) == 2
    assert (games.faults, games.notices) == ([], [])


@pytest.mark.slow
async def test_an_abandoned_round_ends_at_once_and_workers_that_live_play_the_next_ones(harness: Harness) -> None:
    games = Games(harness, [harness.bot(WAITS), FIRST, RANDOM, RANDOM])
    async with harness.no_leaks(), games.workers() as workers:
        with harness.gate_closed():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(games.play, workers, TWO_TABLES)
                await harness.reported()
                nursery.cancel_scope.cancel()
            await harness.all_bots_ended()
        pids = pids_of(workers)
        before = set(games.played)
        assert all("-t002-" in game_id for game_id in before)
        await games.play(workers, TWO_TABLES, number=2)
        assert pids_of(workers) == pids
        assert games.notices == []
        await harness.all_bots_ended()
        os.kill(pids[0], signal.SIGKILL)
        await games.play(workers, number=3)
        assert pids[0] not in pids_of(workers)
        assert pids[1] in pids_of(workers)
    assert len(games.played) == len(before) + 4 + 2
    assert games.faults == []


DIRECTOR = """
import sys
from pathlib import Path
import trio
from tests.game_runner.harness import FIRST
from tests.tournaments.play.test_workers import *

async def run(folder, source):
    harness = object.__new__(Harness)  # the pipe for reports is that of the test
    harness.folder, harness._bots, harness.runs = folder, 0, 0
    games = Games(harness, [harness.bot(source), FIRST])
    async with games.workers() as workers:
        await games.play(workers, deals=2)

trio.run(run, Path(sys.argv[1]), sys.argv[2])
"""


@pytest.mark.ci_only
async def test_when_the_director_is_killed_its_workers_and_all_bots_end_at_once(harness: Harness) -> None:
    """Also a child of a bot that has left its process group: the workers have time to find it."""
    source = LEAVES_A_CHILD + f"    {WAITS}"
    command = [sys.executable, "-c", DIRECTOR, str(harness.folder), source]
    with harness.gate_closed(), trio.fail_after(TEST_TIMEOUT):
        async with trio.open_nursery() as nursery:
            director: trio.Process = await nursery.start(start, command)
            assert director.stderr is not None
            assert not keepers_of(director.pid)
            assert await harness.reported()
            await harness.reported()
            director.kill()
            with trio.fail_after(EXIT_TIMEOUT):
                assert [data async for data in director.stderr] == []  # until no process of it holds it any more
        await harness.all_bots_ended()


async def start(command: Sequence[str], task_status: trio.TaskStatus[trio.Process]) -> None:
    await trio.run_process(
        command,
        cwd=Path(__file__).parents[3],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        task_status=task_status,
    )


@pytest.mark.slow
async def test_a_worker_that_does_nothing_is_killed_and_its_games_are_played_again(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = Games(harness, [harness.bot(WAITS), RANDOM])

    async def stop_it(workers: Workers) -> None:
        await harness.reported()
        with monkeypatch.context() as impatient:  # but not with the worker after it, which may be slow to start
            impatient.setattr(heartbeat, "PING_INTERVAL", 0.02)
            for pid in pids_of(workers):
                os.kill(pid, signal.SIGSTOP)
            while not games.notices:  # noqa: ASYNC110 (a deadline is above)
                await trio.sleep(0.01)

    async with harness.no_leaks(), games.workers(1) as workers, trio.open_nursery() as nursery:
        with harness.gate_closed():
            nursery.start_soon(games.play, workers)
            await stop_it(workers)
            await harness.reported()
    assert len(games.played) == 2
    assert games.faults == []
    [notice] = games.notices
    assert re.search(r"didn't answer for .* s and was killed \(was it stopped", notice)
