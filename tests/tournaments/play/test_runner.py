"""Many games: at the same time up to the limit, with processes reused but never for the same deal."""

import pytest
import trio
from msgspec import Raw
from msgspec.structs import replace
from trio.testing import wait_all_tasks_blocked

from referee.bots.bot_spec import BotSpec
from referee.games import Game
from referee.players.builtin import BuiltinPlayer
from referee.players.event_loop_lag import SAMPLE_PERIOD
from referee.players.player import Choice
from referee.processes.keeper.client import KeeperClient, KeptProcess
from referee.processes.launch import Launch
from tests.game_runner.harness import FIRST, Harness, record
from tests.playing import play_games
from tests.timeouts import TEST_TIMEOUT
from tournaments.play.runner import Measurements, PlayedGame, play_schedule
from tournaments.play.schedule import Phases, ScheduledGame, rotations


class Barrier:
    """Blocks games at their first question until as many as expected have come."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.inside = 0
        self.most = 0
        self.opened = trio.Event()

    async def wait(self) -> None:
        """Wait until all have come and no task can go on."""
        self.inside += 1
        self.most = max(self.most, self.inside)
        if self.inside == self.expected:
            await wait_all_tasks_blocked()
            self.opened.set()
        await self.opened.wait()
        self.inside -= 1


@pytest.mark.parametrize(("concurrency", "games", "at_once"), [(1, 3, 1), (3, 9, 3), (4, 3, 3)])
async def test_as_many_games_as_allowed_run_at_the_same_time(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, concurrency: int, games: int, at_once: int
) -> None:
    barrier = Barrier(at_once)

    class Blocked(BuiltinPlayer):
        async def decide(self, game: Game, events: list[Raw]) -> Choice:
            await barrier.wait()
            return await super().decide(game, events)

    monkeypatch.setattr("tournaments.play.runner.BuiltinPlayer", Blocked)
    played = await harness.play(FIRST, FIRST, deals=games, concurrency=concurrency)
    assert len(played) == games
    assert barrier.most == at_once


async def test_bots_of_a_game_start_at_the_same_time(harness: Harness) -> None:
    """Nobody says ready before both have been started."""
    bot = harness.bot("report('started'); wait_for_gate(); ready()")
    plan = harness.plan([bot, bot])
    played: list[PlayedGame] = []
    async with harness.no_leaks(), trio.open_nursery() as nursery:
        with harness.gate_closed():
            nursery.start_soon(play_games, plan, Phases(rotations(1, 2, "seed", rotate=False)), played.append)
            assert [await harness.reported() for _ in range(2)] == ["started"] * 2
    assert [each.outcome.faults for each in played] == [[None, None]]


async def test_games_are_reported_as_they_finish_phase_by_phase(harness: Harness) -> None:
    finished: list[str] = []
    plan = harness.plan([FIRST, FIRST])
    await play_games(plan, Phases(rotations(3, 2, "seed")), lambda played: finished.append(played.game.game_id))
    assert finished == ["0001-1", "0002-1", "0003-1", "0001-2", "0002-2", "0003-2"]


@pytest.mark.slow
async def test_every_scheduled_game_is_played_once_with_the_bots_in_their_seats(harness: Harness) -> None:
    names = ["a", "b", "c"]
    bots = [harness.bot(name=name) for name in names]
    games = await harness.play(*bots, deals=2, rotate=True, concurrency=2)
    assert [played.game for played in games] == sorted(rotations(2, 3, "seed"), key=lambda game: game.game_id)
    for played in games:
        assert played.record is not None
        assert played.record.name == f"{played.game.game_id}.jsonl"
        header = record(played)[0]
        assert [seat["name"] for seat in header["players"]] == [names[bot] for bot in played.game.seating]
        assert header["seed"] == played.game.seed


async def test_run_without_records_keeps_the_end_of_stderr_as_excerpt(harness: Harness) -> None:
    bot = harness.bot("ready(); receive('act'); raise ValueError('no idea')")
    plan = replace(harness.plan([bot, FIRST]), records=None)
    [played] = await harness.run(plan, list(rotations(1, 2, "seed", rotate=False)))
    assert played.record is None
    excerpt = played.stderr[0]
    assert excerpt is not None
    assert excerpt.path is None
    assert excerpt.tail.endswith("ValueError: no idea\n")
    assert played.stderr[1] is None


async def test_no_games_need_no_processes(harness: Harness) -> None:
    with trio.fail_after(TEST_TIMEOUT):
        assert await harness.run(harness.plan([BotSpec(name="x", argv=("./none",)), FIRST]), []) == []


class LoopTurns(trio.abc.Instrument):
    """Counts the turns of the event loop."""

    count = 0

    def before_io_wait(self, timeout: float) -> None:
        """All tasks have had their turn."""
        self.count += 1


async def test_starting_many_processes_does_not_block_running_games(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start takes milliseconds: all of them in one turn of the event loop would cost other games time."""
    turns, started = LoopTurns(), []

    start = KeeperClient.start

    async def count_start(keeper: KeeperClient, launch: Launch) -> KeptProcess:
        started.append(turns.count)
        return await start(keeper, launch)

    monkeypatch.setattr(KeeperClient, "start", count_start)
    bot = harness.bot()
    trio.lowlevel.add_instrument(turns)
    await harness.play(bot, bot, deals=4, concurrency=4)
    trio.lowlevel.remove_instrument(turns)
    assert len(started) >= 8
    assert len(set(started)) == len(started)


async def test_event_loop_lag_is_measured_while_games_are_played(harness: Harness) -> None:
    bot = harness.bot("import time; ready(); act = receive('act'); time.sleep(0.3); answer(act)")
    plan = harness.plan([bot, FIRST])
    measured = Measurements(plan)
    async with harness.no_leaks():
        await play_games(plan, Phases(rotations(1, 2, "seed", rotate=False)), lambda played: None, measured)
    assert measured.lag.summary().samples >= 0.3 / SAMPLE_PERIOD


async def test_no_game_begins_when_the_games_have_been_cancelled() -> None:
    begun: list[ScheduledGame] = []

    async def play(game: ScheduledGame) -> None:
        scope.cancel()

    with trio.CancelScope() as scope:
        await play_schedule(Phases(rotations(2, 2, "seed")), 1, play, begun.append)
    assert len(begun) == 1
