"""What becomes of games whose workers are lost, refuse to go on, or send results late. The workers are fake."""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import ClassVar

import pytest

from tournaments.play.dispatcher import (
    MAX_LOSSES,
    TRANSITIONS,
    Dispatcher,
    Event,
    State,
    Task,
    Worker,
    WorkerError,
)
from tournaments.play.events import GameBegun, LiveEvent, Notice
from tournaments.play.schedule import Phases, ScheduledGame, rotations


class FakeWorker(Worker):
    """Has room for some tasks, and is as good as a test says."""

    def __init__(self, room: int = 1, *, best: int = 0, only_again: bool | None = None) -> None:
        super().__init__()
        self.room = room
        self.best = best
        self.only_again = only_again

    def capacity(self, *, again: bool) -> int:
        return self.room if self.only_again in (None, again) else 0

    def rank(self, task: "Task[FakeWorker]") -> int:
        return -self.best


class Games(Phases):
    """A schedule of games that don't wait for each other."""

    def __init__(self, number: int) -> None:
        super().__init__(rotations(number, 1, "seed"))
        self.over: list[str] = []
        self.started: list[str] = []

    def begun(self, games: Iterable[ScheduledGame]) -> None:
        self.started += [game.game_id for game in games]

    def finished(self, game: ScheduledGame) -> None:
        super().finished(game)
        self.over.append(game.game_id)


class Played:
    """A dispatcher, and what it has told."""

    def __init__(self, games: int = 1, parts: int = 1, per_part: int = 1, limit: float = 99) -> None:
        self.schedule = Games(games)
        self.told: list[LiveEvent] = []
        self.parts, self.per_part = parts, per_part
        self.dispatcher: Dispatcher[FakeWorker] = Dispatcher(
            self.schedule, self._take, self.told.append, count(), limit
        )

    def _take(self) -> Sequence[Sequence[ScheduledGame]]:
        parts = [[self.schedule.next_game() for _ in range(self.per_part)] for _ in range(self.parts)]
        return [found for part in parts if (found := [game for game in part if game is not None])]

    def give(self, *workers: FakeWorker, begin: bool = True) -> Task[FakeWorker] | None:
        """Give the next task to one of these workers, which begins it."""
        task = self.dispatcher.next_task(workers)
        if task is not None:
            assert self.dispatcher.give(task, workers)
            if begin:
                self.dispatcher.begin(task)
        return task

    def given(self, *workers: FakeWorker, begin: bool = True) -> Task[FakeWorker]:
        """The same where there is a task and room."""
        task = self.give(*workers, begin=begin)
        assert task is not None
        return task

    def finish(self, task: Task[FakeWorker]) -> None:
        """All results of a task come and are stored, and it ends."""
        for game_id in [*task.missing]:
            game = self.dispatcher.result(game_id)
            assert game is not None
            self.dispatcher.close(game)
        self.dispatcher.end(task)

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.told if isinstance(event, Notice)]

    @property
    def begun(self) -> list[str]:
        return [event.game_id for event in self.told if isinstance(event, GameBegun)]


class OneGame(Played):
    """One game, which is brought to a state."""

    game_id = "0001-1"
    steps: ClassVar[dict[State, list[Event]]] = {
        "waiting": ["give", "return"],
        "given": ["give"],
        "playing": ["give", "begin"],
        "lost": ["give", "begin", "lose"],
        "given again": ["give", "begin", "lose", "give"],
        "playing again": ["give", "begin", "lose", "give", "begin"],
        "played": ["give", "begin", "result"],
        "stored": ["give", "begin", "result", "store"],
        "unplayed": ["give", "begin", "lose", "give", "begin", "lose"],
    }

    def __init__(self, state: State) -> None:
        super().__init__()
        self.game = next(rotations(1, 1, "seed"))
        self.task: Task[FakeWorker] | None = None
        for event in self.steps[state]:
            self.happen(event)

    def happen(self, event: Event) -> None:
        """Report an event."""
        if event == "give":
            self.task = self.given(FakeWorker(), begin=False)
        elif event == "result":
            self.dispatcher.result(self.game_id)
        elif event == "store":
            self.dispatcher.close(self.game)
        else:
            assert self.task is not None
            if event == "begin":
                self.dispatcher.begin(self.task)
            elif event == "lose":
                self.dispatcher.lose([self.task], "x died")
            else:
                self.dispatcher.take_back(self.task)

    @property
    def state(self) -> State:
        """The state of the game: those that are over are forgotten."""
        task = self.dispatcher._open.get(self.game_id)
        if task is not None:
            return task.state if task.missing else "played"
        return "unplayed" if self.dispatcher._unplayed else "stored"


EXPECTED: list[tuple[State, Event, State]] = [
    ("waiting", "give", "given"),
    ("waiting", "result", "played"),
    ("given", "begin", "playing"),
    ("given", "return", "waiting"),
    ("given", "result", "played"),
    ("playing", "lose", "lost"),
    ("playing", "return", "waiting"),
    ("playing", "result", "played"),
    ("lost", "give", "given again"),
    ("lost", "result", "played"),
    ("given again", "begin", "playing again"),
    ("given again", "return", "lost"),
    ("given again", "result", "played"),
    ("playing again", "lose", "unplayed"),
    ("playing again", "return", "lost"),
    ("playing again", "result", "played"),
    ("played", "store", "stored"),
]


@pytest.mark.parametrize(("state", "event", "then"), EXPECTED)
def test_each_transition(state: State, event: Event, then: State) -> None:
    played = OneGame(state)
    assert played.state == state
    played.happen(event)
    assert played.state == then
    is_over = then in ("stored", "unplayed")
    assert played.schedule.over == (["0001-1"] if is_over else [])
    assert played.dispatcher.is_over() == is_over
    can_be_given = played.dispatcher.next_task([FakeWorker()]) is not None
    assert can_be_given == (then in ("waiting", "lost"))


def test_the_table_has_these_transitions_and_no_others() -> None:
    assert {(state, event, then) for state, row in TRANSITIONS.items() for event, then in row.items()} == {*EXPECTED}
    assert TRANSITIONS.keys() == OneGame.steps.keys()


@pytest.mark.parametrize("state", ["played", "stored", "unplayed"])
def test_a_second_result_is_ignored(state: State) -> None:
    played = OneGame(state)
    assert played.dispatcher.result("0001-1") is None
    assert played.dispatcher.missing("0001-1") is None
    assert played.state == state


# -- losses ---------------------------------------------------------------------------------------------------


def test_a_finished_game_resets_the_losses_in_a_row() -> None:
    played = Played(games=100)
    worker = FakeWorker()
    for _ in range(3):
        for _ in range(MAX_LOSSES - 1):
            played.dispatcher.lose([played.given(worker)], "x died")
        played.finish(played.given(worker))
    played.dispatcher.check()


def test_with_more_losses_in_a_row_no_game_can_be_played() -> None:
    played = Played(games=100)
    for _ in range(MAX_LOSSES):
        played.dispatcher.lose([played.given(FakeWorker())], "x died")
        played.dispatcher.check()
    played.dispatcher.lose([], "an idle one died")
    with pytest.raises(WorkerError, match=r"^an idle one died, as did 8 before it, and no game has finished since$"):
        played.dispatcher.check()
    assert len(played.notices) == MAX_LOSSES
    played.dispatcher.fail(WorkerError("later"))
    with pytest.raises(WorkerError, match="idle"):
        played.dispatcher.check()


def test_a_worker_with_many_tasks_is_one_loss() -> None:
    played = Played(games=100)
    worker = FakeWorker(room=2 * MAX_LOSSES)
    played.dispatcher.lose([played.given(worker) for _ in range(worker.room)], "x died")
    played.dispatcher.check()
    assert played.notices == [f"x died; games played again: {2 * MAX_LOSSES}"]
    assert not worker.tasks


def test_what_a_lost_worker_had_not_begun_is_no_loss() -> None:
    played = Played(games=100)
    for _ in range(2 * MAX_LOSSES):
        played.dispatcher.lose([played.given(FakeWorker(), begin=False)], "x died")
    worker = FakeWorker(room=2)
    played.dispatcher.lose([played.given(worker), played.given(worker, begin=False)], "x died")
    played.dispatcher.check()
    assert played.notices[-1] == "x died; games played again: 1"


def test_a_worker_that_is_lost_after_all_its_results_have_come_is_no_loss() -> None:
    played = Played(games=MAX_LOSSES + 1)
    tasks = [played.given(FakeWorker()) for _ in range(MAX_LOSSES + 1)]
    games = [played.dispatcher.result(task.first.game_id) for task in tasks]
    for task in tasks:
        played.dispatcher.lose([task], "x died")
    played.dispatcher.check()
    for game in games:
        assert game is not None
        played.dispatcher.close(game)
    assert played.give(FakeWorker()) is None
    assert played.dispatcher.is_over()
    late = OneGame("waiting")
    task = late.given(FakeWorker())
    late.happen("result")
    late.dispatcher.take_back(task)
    assert late.give(FakeWorker()) is None


def test_of_games_that_were_lost_together_only_the_part_that_is_lost_again_stays_unplayed() -> None:
    played = Played(games=7, parts=3, per_part=2)
    worker = FakeWorker()
    task = played.given(worker)
    assert [[game.game_id for game in part] for part in task.parts] == [
        ["0001-1", "0002-1"],
        ["0003-1", "0004-1"],
        ["0005-1", "0006-1"],
    ]
    game = played.dispatcher.result("0003-1")
    assert game is not None
    played.dispatcher.close(game)
    played.dispatcher.lose([task], "x died")
    first, second = played.given(worker), None
    assert ([*first.missing], first.again) == (["0001-1", "0002-1"], True)
    played.finish(first)
    second = played.given(worker)
    assert [*second.missing] == ["0004-1"]
    played.dispatcher.lose([second], "y died")
    played.finish(played.given(worker))
    played.finish(played.given(worker))
    assert played.dispatcher.is_over()
    assert played.notices == [
        "x died; games played again: 5",
        "y died; left unplayed after two attempts: 0004-1",
    ]
    assert sorted(played.schedule.over) == [f"{deal:04}-1" for deal in range(1, 8)]
    with pytest.raises(WorkerError, match=r"^game 0004-1 not played: two attempts have failed\. The "):
        played.dispatcher.check_all_played()


def test_what_was_lost_is_played_before_the_rest_where_it_may_be_played_and_the_rest_elsewhere() -> None:
    played = Played(games=4)
    worker, alone = FakeWorker(room=3, only_again=False), FakeWorker(only_again=True)
    played.dispatcher.lose([played.given(worker), played.given(worker)], "x died")
    given = [played.given(worker, alone) for _ in range(3)]
    assert [[*task.missing] for task in given] == [["0001-1"], ["0003-1"], ["0004-1"]]
    assert [task.worker for task in given] == [alone, worker, worker]
    assert played.give(worker, alone) is None, "0002-1 waits for the worker that is busy"
    played.finish(given[0])
    assert [*played.given(worker, alone).missing] == ["0002-1"]


def test_a_result_that_comes_late_of_a_task_that_waits_leaves_the_rest_of_it() -> None:
    played = Played(games=3, per_part=2)
    worker = FakeWorker()
    task = played.given(worker)
    played.dispatcher.take_back(task)
    assert played.dispatcher.result("0001-1") is not None
    assert [*played.given(worker).missing] == ["0002-1"]
    late = OneGame("lost")
    late.happen("result")
    assert late.give(FakeWorker()) is None
    late.happen("store")
    assert late.dispatcher.is_over()


# -- giving tasks, and what is told ---------------------------------------------------------------------------


def test_the_best_worker_with_room_is_given_the_task() -> None:
    played = Played(games=9, limit=3)
    full, better, best = FakeWorker(room=0, best=9), FakeWorker(best=1), FakeWorker(best=2)
    workers = [full, better, best]
    assert [played.given(*workers).worker for _ in range(2)] == [best, better]
    assert played.give(*workers) is None
    assert played.give(FakeWorker()) is not None
    assert played.give(FakeWorker()) is None, "three tasks are being played"


def test_a_task_waits_if_its_worker_has_gone_meanwhile() -> None:
    played = Played(games=2)
    task = played.dispatcher.next_task([FakeWorker()])
    assert task is not None
    assert not played.dispatcher.give(task, [])
    assert played.given(FakeWorker()) is task


def test_without_any_worker_it_is_not_over() -> None:
    played = Played(games=1)
    assert [played.dispatcher.is_over() for _ in range(2)] == [False, False]
    played.finish(played.given(FakeWorker()))
    assert played.dispatcher.is_over()


def test_the_schedule_is_told_of_each_time_that_games_begin() -> None:
    played = Played(games=2, per_part=2)
    worker = FakeWorker()
    task = played.given(worker)
    played.dispatcher.begin(task)  # said twice
    played.dispatcher.result("0001-1")
    played.dispatcher.lose([task], "lost")
    again = played.given(worker, begin=False)
    assert played.schedule.started == ["0001-1", "0002-1"]
    played.dispatcher.begin(again)
    assert played.schedule.started == ["0001-1", "0002-1", "0002-1"]


def test_each_game_is_announced_once_when_it_begins() -> None:
    played = Played(games=2, per_part=2)
    task = played.given(FakeWorker(), begin=False)
    assert played.begun == []
    for _ in range(2):
        played.dispatcher.begin(task)
    assert played.begun == ["0001-1"]
    played.dispatcher.take_back(task)
    again = played.given(FakeWorker())
    assert played.begun == ["0001-1"]
    played.finish(again)
    assert played.begun == ["0001-1", "0002-1"]


def test_a_game_that_was_lost_is_announced_again() -> None:
    played = Played(games=2, per_part=2)
    played.dispatcher.lose([played.given(FakeWorker())], "x died")
    played.finish(played.given(FakeWorker()))
    assert played.begun == ["0001-1", "0001-1", "0002-1"]
