"""What the executor of a cluster promises when machines are lost, silent, refused or late. The machines are fake."""

import zlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from referee.exception_groups import single_errors
from referee.outcome import Outcome
from referee.players.clock import TimeControl
from referee.players.event_loop_lag import LagSamples
from referee.players.thinking_time import ThinkingTime
from referee.record.reader import MAX_RECORD
from referee.record.writer import Recorder
from tests.game_runner.harness import FIRST, RANDOM
from tests.game_runner.pebbles import Pebbles
from tests.playing import plan_of
from tests.timeouts import TEST_TIMEOUT
from tests.tournaments.play.cluster.fake_cluster import LOST_AFTER, FakeCluster, FakeMachine
from tournaments.competition.progress import games_of
from tournaments.competition.rounds import DealsOf, Round, Table
from tournaments.event.round_schedule import RoundSchedule
from tournaments.play.cluster.dask_workers import ConnectionLost
from tournaments.play.dispatcher import WorkerError
from tournaments.play.runner import Measured, Measurements, PlayedGame
from tournaments.play.schedule import Phases, Schedule, rotations
from tournaments.play.worker_messages import TaskEnded, TaskResult

CONTROL = TimeControl(move=1.0)
BOTS = [RANDOM, FIRST, RANDOM, FIRST]
PLAN = plan_of(Pebbles, BOTS, players=2, control=CONTROL, concurrency=1, executor="dask://h:1", records_in_memory=True)
TABLES = (Table((0, 1)), Table((2, 3)))


class Playing:
    """A round that a fake cluster plays, and what was stored of it."""

    def __init__(
        self, *machines: FakeMachine, deals_of: DealsOf = "table", at_a_time: int | None = None, tables: int = 2
    ) -> None:
        self.cluster = FakeCluster(PLAN, *machines, at_a_time=at_a_time)
        self.stored: dict[str, PlayedGame] = {}
        self.deals_of = deals_of
        self.tables = (TABLES * tables)[:tables]

    def schedule(self) -> Schedule:
        """Some tables, one deal."""
        games = games_of(Round(number=1, tables=self.tables, deals=1), 1, self.deals_of)
        return RoundSchedule(games, "secret", deals_of=self.deals_of, exclusive={}, is_ending=lambda: False)

    async def store(self, played: PlayedGame, recorder: Recorder) -> None:
        assert played.game.game_id not in self.stored
        await trio.lowlevel.checkpoint()
        self.stored[played.game.game_id] = played

    async def play(self, meanwhile: Callable[[], Awaitable[None]], schedule: Schedule | None = None) -> None:
        """Play to the end, while something else happens."""
        with single_errors():
            async with trio.open_nursery() as nursery:

                async def happen() -> None:
                    await meanwhile()
                    await self.cluster.finish_all()

                nursery.start_soon(happen)
                await self.cluster.executor.play(PLAN, schedule or self.schedule(), self.store, Measurements(PLAN))
                nursery.cancel_scope.cancel()

    def check_all_stored(self) -> None:
        """All games of the round, each once."""
        tables = range(1, len(self.tables) + 1)
        assert sorted(self.stored) == [f"r01-t{table:03}-d01-s{rotation}" for table in tables for rotation in (1, 2)]


async def nothing() -> None:
    """Machines finish all tasks."""


async def test_a_machine_that_measures_bots_that_there_are_not_is_refused() -> None:
    one, two = FakeMachine("one"), FakeMachine("two")
    playing = Playing(one, two)

    async def meanwhile() -> None:
        task = await playing.cluster.task(one)
        lag = LagSamples(tenths={}, longest=0.0, over_margin=0)
        measured = Measured({len(PLAN.bots): ThinkingTime(decisions=1)}, lag)
        playing.cluster.executor.receive(TaskEnded(task.number, measured=measured))

    await playing.play(meanwhile)
    playing.check_all_stored()
    assert "host of one (one) doesn't take part: its measurements can't be used" in playing.cluster.notices


@pytest.mark.parametrize(
    ("lag", "said"),
    [
        ({"longest": 0.2, "over_margin": 1}, "late: up to 200 ms, 1 time over the margin"),
        ({"longest": 0.2, "over_margin": 3}, "late: up to 200 ms, 3 times over the margin"),
        ({"longest": 0.2, "over_margin": 0}, None),
        (
            {"longest": 3.0, "over_margin": 0, "suspensions": 1, "suspended": 3.0},
            "suspended for 3.0 s, by a signal (SIGSTOP",
        ),
    ],
)
async def test_a_machine_that_was_late_or_suspended_is_named(lag: dict[str, Any], said: str | None) -> None:
    one, two = FakeMachine("one"), FakeMachine("two")
    playing = Playing(one, two)

    async def meanwhile() -> None:
        task = await playing.cluster.task(one)
        playing.cluster.executor.receive(TaskEnded(task.number, measured=Measured({}, LagSamples(tenths={}, **lag))))

    await playing.play(meanwhile)
    told = [text for text in playing.cluster.notices if text.startswith("host of one was ")]
    assert [text.startswith(f"host of one was {said}") for text in told] == ([True] if said else [])


async def test_a_table_with_all_its_rotations_is_a_task() -> None:
    one, two = FakeMachine("one"), FakeMachine("two")
    playing = Playing(one, two)
    await playing.play(nothing)
    playing.check_all_stored()
    assert sorted([game.game_id[4:8] for game in task.games] for task in (*one.tasks, *two.tasks)) == [
        ["t001", "t001"],
        ["t002", "t002"],
    ]
    for machine in (one, two):
        games = [game.game_id for task in machine.tasks for game in task.games]
        assert {playing.stored[game].host for game in games} <= {f"host of {machine.address}"}


async def test_where_deals_are_shared_no_machine_begins_a_rotation_before_all_have_ended_the_last(
    autojump_clock: MockClock,
) -> None:
    one, two = FakeMachine("one"), FakeMachine("two")
    playing = Playing(one, two, deals_of="round")

    async def meanwhile() -> None:
        first, other = await playing.cluster.task(one), await playing.cluster.task(two)
        assert {game.rotation for game in (*first.games, *other.games)} == {0}
        playing.cluster.finish(first)
        await trio.sleep(LOST_AFTER / 2)
        assert len(one.tasks) == 1, "the other one still plays the first rotation"

    await playing.play(meanwhile)
    playing.check_all_stored()


async def test_of_a_match_a_task_is_a_part_of_the_deals_of_a_batch_in_all_rotations() -> None:
    one = FakeMachine("one", threads=100)
    playing = Playing(one)
    schedule = Phases(rotations(40, 2, "seed"))
    await playing.play(nothing, schedule)
    assert len(playing.stored) == 80
    for task in one.tasks:
        deals = len({game.deal for game in task.games})
        order = [1, 0] if task.games[0].phase else [0, 1]  # that of the batch
        assert [game.rotation for game in task.games] == [order[0]] * deals + [order[1]] * deals
    assert len(one.tasks) == 8


async def test_the_task_of_a_killed_machine_is_played_again_without_the_games_that_it_had_finished(
    autojump_clock: MockClock,
) -> None:
    one, two = FakeMachine("one"), FakeMachine("two")
    playing = Playing(one, two)

    async def meanwhile() -> None:
        task = await playing.cluster.task(one)
        playing.cluster.finish(task, task.games[:1])
        del playing.cluster.machines["one"]
        await playing.cluster.task(two)
        playing.cluster.finish(two.tasks[0])
        again = await playing.cluster.task(two, 2)
        assert [game.game_id for game in again.games] == [game.game_id for game in task.games[1:]]

    await playing.play(meanwhile)
    playing.check_all_stored()
    assert any("host of one (one) has left the cluster, or was killed" in text for text in playing.cluster.notices)


async def test_a_machine_that_is_silent_for_the_set_time_is_lost_and_its_late_results_do_no_harm(
    autojump_clock: MockClock,
) -> None:
    one, two = FakeMachine("one"), FakeMachine("two")
    playing = Playing(one, two)

    async def meanwhile() -> None:
        task = await playing.cluster.task(one)
        one.is_silent = True
        began = trio.current_time()
        playing.cluster.finish(await playing.cluster.task(two))
        again = await playing.cluster.task(two, 2)
        assert LOST_AFTER <= trio.current_time() - began <= LOST_AFTER + TEST_TIMEOUT
        assert task.number not in one.wanted, "it is told to stop, should it wake up"
        playing.cluster.finish(task, task.games)  # the results come after all
        playing.cluster.finish(again)

    await playing.play(meanwhile)
    playing.check_all_stored()


async def test_tables_that_are_short_are_sent_together_and_processes_end_between_them() -> None:
    one = FakeMachine("one")
    playing = Playing(one, tables=25)
    await playing.play(nothing)
    playing.check_all_stored()
    assert [len({game.table for game in task.games}) for task in one.tasks] == [1, 16, 8], "the first tells how short"
    for task in one.tasks:
        begins = [game.game_id for game in task.games if game.rotation == 0]
        assert [task.games[0].game_id, *task.ends_before] == begins


async def test_tables_that_take_long_are_sent_one_by_one() -> None:
    one = FakeMachine("one")
    playing = Playing(one, tables=4)

    async def meanwhile() -> None:
        for number in range(1, 5):
            task = await playing.cluster.task(one, number)
            playing.cluster.finish(task, seconds=0.15)

    await playing.play(meanwhile)
    assert len(one.tasks) == 4


@pytest.mark.parametrize(
    ("differs", "reason"),
    [
        ({"referee": "0.0.7"}, "it has referee 0.0.7, and this machine"),
        ({"python": "3.9"}, "it has Python 3.9, and this machine"),
        ({"rules": "other"}, "it has other rules of Pebbles"),
        ({"sources": "other"}, "it has other files of referee"),
        ({"problem": "no game"}, "no game"),
    ],
)
async def test_a_machine_that_differs_is_refused_by_name_and_reason_and_the_others_play(
    differs: dict[str, str],
    reason: str,
) -> None:
    one, two = FakeMachine("one"), FakeMachine("two")
    one.differs = differs
    playing = Playing(one, two)
    await playing.play(nothing)
    playing.check_all_stored()
    assert one.tasks == []
    assert (
        [text for text in playing.cluster.notices if "doesn't take part" in text]
        == [
            text
            for text in playing.cluster.notices
            if text.startswith("host of one (one) doesn't take part: ") and reason in text
        ]
        != []
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": b"not compressed"},
        {"bytes": MAX_RECORD + 1},
        {"content": zlib.compress(b"record")[:-1]},
        {"stderr": (None,)},
        {"stderr": (None, b"not compressed")},
        {"scores": [0]},
    ],
)
async def test_a_machine_whose_result_cannot_be_used_is_refused_and_another_one_plays_the_game(
    wrong: dict[str, Any],
) -> None:
    one, two = FakeMachine("one"), FakeMachine("two")
    playing = Playing(one, two)
    refused: list[str] = []

    async def go_wrong() -> None:
        task = await playing.cluster.task(one)
        scores = wrong.get("scores", [0, 0])
        outcome = Outcome(scores=scores, ranks=[1, 1], faults=[None, None], asked=1)
        played = PlayedGame(game=task.games[0], outcome=outcome, record=None, stderr=[None, None])
        content = zlib.compress(bytes(wrong["bytes"])) if "bytes" in wrong else wrong.get("content")
        stderr = wrong.get("stderr", (None, None))
        reason = f"its result of {task.games[0].game_id} can't be used"
        refused.append(f"host of one (one) doesn't take part: {reason}")
        result = TaskResult(number=task.number, played=played, seconds=0.0, content=content, stderr=stderr)
        playing.cluster.executor.receive(result)

    await playing.play(go_wrong)
    playing.check_all_stored()
    assert [text for text in playing.cluster.notices if "doesn't take part" in text] == refused


async def test_a_game_whose_results_two_machines_send_in_vain_is_left_unplayed_and_both_play_on(
    autojump_clock: MockClock,
) -> None:
    one, two = FakeMachine("one"), FakeMachine("two")
    playing = Playing(tables=4)
    wrong = "r01-t001-d01-s1"

    async def go_wrong() -> None:
        for at in (one, two):
            playing.cluster.machines[at.address] = at
            task = await playing.cluster.task(at)
            assert task.games[0].game_id == wrong
            outcome = Outcome(scores=[0, 0], ranks=[1, 1], faults=[None, None], asked=1)
            played = PlayedGame(game=task.games[0], outcome=outcome, record=None, stderr=[None, None])
            playing.cluster.executor.receive(TaskResult(task.number, played, b"?", 0.0, (None, None)))

    with pytest.raises(WorkerError, match=f"^games {wrong}, r01-t001-d01-s2 not played: two attempts have failed"):
        await playing.play(go_wrong)
    assert len(playing.stored) == 6
    assert [worker.refused for worker in playing.cluster.executor.workers.values()] == [False, False]


async def test_without_any_machine_that_may_play_the_run_ends_and_says_why(
    autojump_clock: MockClock,
) -> None:
    one = FakeMachine("one")
    one.differs = {"referee": "0.0.7"}
    playing = Playing(one)
    with pytest.raises(WorkerError, match=r"no machine of the cluster can play.*host of one.*referee 0\.0\.7"):
        await playing.play(nothing)
    assert playing.stored == {}


async def test_a_machine_that_joins_late_plays(
    autojump_clock: MockClock,
) -> None:
    playing = Playing()
    late = FakeMachine("late")

    async def meanwhile() -> None:
        await trio.sleep(LOST_AFTER / 2)
        playing.cluster.machines["late"] = late

    await playing.play(meanwhile)
    playing.check_all_stored()


async def test_a_scheduler_that_is_lost_ends_the_run_without_waiting_for_machines(
    autojump_clock: MockClock,
) -> None:
    one = FakeMachine("one")
    playing = Playing(one)

    async def meanwhile() -> None:
        task = await playing.cluster.task(one)
        playing.cluster.finish(task, task.games[:1])
        playing.cluster.is_reachable = False
        await trio.sleep_forever()

    with pytest.raises(ConnectionLost, match="no longer answers"):
        await playing.play(meanwhile)
    assert len(playing.stored) == 1


async def test_an_interruption_cancels_all_tasks_and_stores_what_was_finished_meanwhile() -> None:
    one = FakeMachine("one")
    playing = Playing(one)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(playing.cluster.executor.play, PLAN, playing.schedule(), playing.store, Measurements(PLAN))
        task = await playing.cluster.task(one)
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await playing.cluster.cancelled.wait()
            playing.cluster.finish(task, task.games[:1])
            playing.cluster.end(task)
    assert [*playing.stored] == [task.games[0].game_id]
    assert len(one.tasks) == 1


async def test_no_seed_reaches_a_machine_before_its_round_and_the_secret_one_never_does() -> None:
    one = FakeMachine("one")
    playing = Playing(one)
    seeds: Sequence[str] = []

    async def meanwhile() -> None:
        nonlocal seeds
        task = await playing.cluster.task(one)
        seeds = [game.seed for game in task.games]
        assert all(seed not in repr(playing.cluster.asked) for seed in seeds)

    await playing.play(meanwhile)
    everything = repr(playing.cluster.asked) + repr(one.tasks)
    assert seeds
    assert "secret" not in everything
