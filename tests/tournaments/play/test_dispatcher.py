"""What becomes of games whose places are lost, refuse to go on, or send results late. The places are fake."""

from collections.abc import Sequence
from itertools import count
from typing import ClassVar

import pytest

from tournaments.play.dispatcher import (
    MAX_LOSSES,
    TRANSITIONS,
    Attempt,
    Dispatcher,
    Event,
    Place,
    State,
    Task,
    WorkerError,
)
from tournaments.play.events import GameBegun, LiveEvent, Notice
from tournaments.play.schedule import Phases, ScheduledGame, rotations


class FakePlace(Place):
    """Has room for some tasks, and is as good as a test says."""

    def __init__(self, room: int = 1, *, best: int = 0, only_again: bool | None = None) -> None:
        super().__init__()
        self.room = room
        self.best = best
        self.only_again = only_again

    def capacity(self, *, again: bool) -> int:
        return self.room if self.only_again in (None, again) else 0

    def rank(self, task: Task) -> int:
        return -self.best


class Games(Phases):
    """A schedule of games that don't wait for each other."""

    def __init__(self, number: int) -> None:
        super().__init__(rotations(number, 1, "seed"))
        self.over: list[str] = []

    def finished(self, game: ScheduledGame) -> None:
        super().finished(game)
        self.over.append(game.game_id)


class Played:
    """A dispatcher, and what it has told."""

    def __init__(self, games: int = 1, parts: int = 1, per_part: int = 1) -> None:
        self.schedule = Games(games)
        self.told: list[LiveEvent] = []
        self.parts, self.per_part = parts, per_part
        self.dispatcher: Dispatcher[FakePlace] = Dispatcher(self.schedule, self._take, self.told.append, count())

    def _take(self) -> Sequence[Sequence[ScheduledGame]]:
        parts = [[self.schedule.next_game() for _ in range(self.per_part)] for _ in range(self.parts)]
        return [found for part in parts if (found := [game for game in part if game is not None])]

    def give(self, *places: FakePlace, begin: bool = True, limit: float = 99) -> Attempt[FakePlace] | None:
        """Give the next task to one of these places, which begins it."""
        task = self.dispatcher.next_task(places, limit)
        attempt = None if task is None else self.dispatcher.give(task, places)
        if attempt is not None and begin:
            self.dispatcher.begin(attempt)
        return attempt

    def given(self, *places: FakePlace, begin: bool = True) -> Attempt[FakePlace]:
        """The same where there is a task and room."""
        attempt = self.give(*places, begin=begin)
        assert attempt is not None
        return attempt

    def finish(self, attempt: Attempt[FakePlace]) -> None:
        """All results of a task come and are stored, and it ends."""
        for game_id in [*attempt.task.missing]:
            game = self.dispatcher.result(game_id)
            assert game is not None
            self.dispatcher.store(game)
        self.dispatcher.end(attempt)

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
        self.attempt: Attempt[FakePlace] | None = None
        for event in self.steps[state]:
            self.happen(event)

    def happen(self, event: Event) -> None:
        """Report an event."""
        if event == "give":
            self.attempt = self.given(FakePlace(), begin=False)
        elif event == "result":
            self.dispatcher.result(self.game_id)
        elif event == "store":
            self.dispatcher.store(self.game)
        else:
            assert self.attempt is not None
            if event == "begin":
                self.dispatcher.begin(self.attempt)
            elif event == "lose":
                self.dispatcher.lose([self.attempt], "x died")
            else:
                self.dispatcher.take_back(self.attempt)

    @property
    def state(self) -> State:
        """The state of the game: those that are over are forgotten."""
        if self.game_id in self.dispatcher._open:
            return self.dispatcher._open[self.game_id].state
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
    can_be_given = played.dispatcher.next_task([FakePlace()], 1) is not None
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
    place = FakePlace()
    for _ in range(3):
        for _ in range(MAX_LOSSES - 1):
            played.dispatcher.lose([played.given(place)], "x died")
        played.finish(played.given(place))
    played.dispatcher.check()


def test_with_more_losses_in_a_row_no_game_can_be_played() -> None:
    played = Played(games=100)
    for _ in range(MAX_LOSSES):
        played.dispatcher.lose([played.given(FakePlace())], "x died")
        played.dispatcher.check()
    played.dispatcher.lose([], "an idle one died")
    with pytest.raises(WorkerError, match=r"^an idle one died, as did 8 before it, and no game has finished since$"):
        played.dispatcher.check()
    assert len(played.notices) == MAX_LOSSES
    played.dispatcher.fail(WorkerError("later"))
    with pytest.raises(WorkerError, match="idle"):
        played.dispatcher.check()


def test_a_place_with_many_tasks_is_one_loss() -> None:
    played = Played(games=100)
    place = FakePlace(room=2 * MAX_LOSSES)
    played.dispatcher.lose([played.given(place) for _ in range(place.room)], "x died")
    played.dispatcher.check()
    assert played.notices == [f"x died; games played again: {2 * MAX_LOSSES}"]
    assert not place.attempts


def test_of_games_that_were_lost_together_only_the_part_that_is_lost_again_stays_unplayed() -> None:
    played = Played(games=7, parts=3, per_part=2)
    place = FakePlace()
    attempt = played.given(place)
    assert [[game.game_id for game in part] for part in attempt.task.parts] == [
        ["0001-1", "0002-1"],
        ["0003-1", "0004-1"],
        ["0005-1", "0006-1"],
    ]
    game = played.dispatcher.result("0003-1")
    assert game is not None
    played.dispatcher.store(game)
    played.dispatcher.lose([attempt], "x died")
    assert played.dispatcher.has_lost
    first, second = played.given(place), None
    assert ([*first.task.missing], first.task.again) == (["0001-1", "0002-1"], True)
    played.finish(first)
    second = played.given(place)
    assert [*second.task.missing] == ["0004-1"]
    played.dispatcher.lose([second], "y died")
    played.finish(played.given(place))
    assert not played.dispatcher.has_lost
    played.finish(played.given(place))
    assert played.dispatcher.is_over()
    assert played.notices == [
        "x died; games played again: 5",
        "y died; left unplayed after two attempts: 0004-1",
    ]
    assert sorted(played.schedule.over) == [f"{deal:04}-1" for deal in range(1, 8)]
    with pytest.raises(WorkerError, match=r"^game 0004-1 not played: each attempt ended the worker that played\. The "):
        played.dispatcher.check_all_played()


def test_what_was_lost_is_played_before_the_rest_where_it_may_be_played_and_the_rest_elsewhere() -> None:
    played = Played(games=4)
    place, alone = FakePlace(room=3, only_again=False), FakePlace(only_again=True)
    played.dispatcher.lose([played.given(place), played.given(place)], "x died")
    given = [played.given(place, alone) for _ in range(3)]
    assert [[*attempt.task.missing] for attempt in given] == [["0001-1"], ["0003-1"], ["0004-1"]]
    assert [attempt.place for attempt in given] == [alone, place, place]
    assert played.give(place, alone) is None, "0002-1 waits for the place that is busy"
    played.finish(given[0])
    assert [*played.given(place, alone).task.missing] == ["0002-1"]


def test_a_result_that_comes_late_of_a_task_that_waits_leaves_the_rest_of_it() -> None:
    played = Played(games=3, per_part=2)
    place = FakePlace()
    attempt = played.given(place)
    played.dispatcher.take_back(attempt)
    assert played.dispatcher.result("0001-1") is not None
    assert [*played.given(place).task.missing] == ["0002-1"]
    late = OneGame("lost")
    late.happen("result")
    assert late.give(FakePlace()) is None
    late.happen("store")
    assert late.dispatcher.is_over()


# -- giving tasks, and what is told ---------------------------------------------------------------------------


def test_the_best_place_with_room_is_given_the_task() -> None:
    played = Played(games=9)
    full, better, best = FakePlace(room=0, best=9), FakePlace(best=1), FakePlace(best=2)
    places = [full, better, best]
    assert [played.given(*places).place for _ in range(2)] == [best, better]
    assert played.give(*places) is None
    assert played.give(FakePlace(), limit=2) is None, "two tasks are being played"


def test_a_task_waits_if_its_place_has_gone_meanwhile() -> None:
    played = Played(games=2)
    task = played.dispatcher.next_task([FakePlace()], 9)
    assert task is not None
    assert played.dispatcher.give(task, []) is None
    assert played.given(FakePlace()).task is task


def test_without_any_place_it_is_not_over() -> None:
    played = Played(games=1)
    assert [played.dispatcher.is_over() for _ in range(2)] == [False, False]
    played.finish(played.given(FakePlace()))
    assert played.dispatcher.is_over()


def test_each_game_is_announced_once_when_it_begins() -> None:
    played = Played(games=2, per_part=2)
    attempt = played.given(FakePlace(), begin=False)
    assert played.begun == []
    for _ in range(2):
        played.dispatcher.begin(attempt)
    assert played.begun == ["0001-1"]
    played.dispatcher.take_back(attempt)
    again = played.given(FakePlace())
    assert played.begun == ["0001-1"]
    played.finish(again)
    assert played.begun == ["0001-1", "0002-1"]
