"""Which worker plays which games, and what becomes of each game: pure, without processes, Trio or a clock.

A worker is a process on this machine, or a worker of Dask. It is given tasks, plays the games of each in their order,
and sends their results. It may be lost at any moment, as a process is that dies or no longer answers. Any game of the
tasks that it had begun may be the reason, so each is played once more, with nothing else in the same process. A game
that is lost again is left unplayed, and the others go on.

TRANSITIONS has the states of a game that the schedule has handed out, and by event the next state. The games of a task
are in the same state until their results come.
"""

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypeVar

from referee.errors import RefereeError
from tournaments.play.events import GameBegun, Notice, Observer
from tournaments.play.schedule import Schedule, ScheduledGame

State = Literal["waiting", "given", "playing", "lost", "given again", "playing again", "played", "stored", "unplayed"]
Event = Literal["give", "begin", "lose", "return", "result", "store"]

# fmt: off
TRANSITIONS: Final[Mapping[State, Mapping[Event, State]]] = {
    "waiting":       {"give": "given",          "result": "played"},  # of a worker that was thought lost, as in "lost"
    "given":         {"begin": "playing",       "result": "played", "return": "waiting"},
    "playing":       {"lose": "lost",           "result": "played", "return": "waiting"},
    "lost":          {"give": "given again",    "result": "played"},
    "given again":   {"begin": "playing again", "result": "played", "return": "lost"},
    "playing again": {"lose": "unplayed",       "result": "played", "return": "lost"},
    "played":        {"store": "stored"},  # a second result is ignored
    "stored":        {},
    "unplayed":      {},
}
# fmt: on

MAX_LOSSES: Final = 8
"""Workers that may be lost without a result in between: with more, no game can be played here."""


class WorkerError(RefereeError):
    """Workers can't play the games. The text says why."""


class Worker(ABC):
    """Plays tasks."""

    def __init__(self) -> None:
        self.tasks: dict[int, Task[Any]] = {}
        """Those that it was given and has not ended, by their numbers."""

    @abstractmethod
    def capacity(self, *, again: bool) -> int:
        """How many tasks it can have, with one more of those that were lost (`again`), or of those that were not."""

    @abstractmethod
    def rank(self, task: "Task[Any]") -> Any:
        """Of several workers with room for a task, the one with the lowest rank is given it."""


W = TypeVar("W", bound=Worker)


class Task(Generic[W]):
    """Games that one worker plays, one after another. Between two parts all processes of bots end."""

    def __init__(self, parts: Sequence[Collection[ScheduledGame]], state: State) -> None:
        self._parts = parts
        self.missing = {game.game_id: game for part in parts for game in part}
        self.state: State = state
        """That of the missing games."""
        self.number: int
        """Another one each time that it is given to a worker."""
        self.worker: W

    @property
    def again(self) -> bool:
        """Whether it was lost once."""
        return self.state in ("lost", "given again", "playing again")

    @property
    def begun(self) -> bool:
        return self.state in ("playing", "playing again")

    @property
    def first(self) -> ScheduledGame:
        return next(iter(self.missing.values()))

    @property
    def parts(self) -> list[list[ScheduledGame]]:
        parts = ([game for game in part if game.game_id in self.missing] for part in self._parts)
        return [part for part in parts if part]

    def move(self, event: Event) -> State:
        self.state = TRANSITIONS[self.state][event]
        return self.state


class Dispatcher(Generic[W]):
    """The games of one schedule. Every method but `next_task` and `give` reports what has happened."""

    def __init__(
        self,
        schedule: Schedule,
        next_parts: Callable[[], Sequence[Sequence[ScheduledGame]]],
        observer: Observer,
        numbers: Iterator[int],
        limit: float = math.inf,
    ) -> None:
        """`next_parts` takes the games of a task from the schedule, by part. `numbers`: for tasks. `limit`: how many
        tasks workers may have.

        The observer is told when a game begins, again if it was lost, and of losses.
        """
        self._schedule = schedule
        self._next_parts = next_parts
        self._observer = observer
        self._numbers = numbers
        self._limit = limit
        self._open: dict[str, Task[W]] = {}
        """By the id of a game that is neither stored nor unplayed, its task; if that doesn't miss it, it is played."""
        self._announced: set[str] = set()
        self._waiting: deque[Task[W]] = deque()
        self._losses = 0
        """Losses since the last result."""
        self._unplayed: list[str] = []
        self.given: dict[int, Task[W]] = {}
        """The tasks that workers have, by their numbers."""
        self.failure: Exception | None = None

    # -- giving tasks -----------------------------------------------------------------------------------------

    def next_task(self, workers: Collection[W]) -> Task[W] | None:
        """The next task, if a worker may be given it."""
        if len(self.given) < self._limit:
            for task in self._waiting:
                if _with_room(workers, task.again):
                    self._waiting.remove(task)
                    return task
            if _with_room(workers, again=False) and (parts := self._next_parts()):
                return self._opened(parts)
        return None

    def give(self, task: Task[W], workers: Collection[W]) -> bool:
        """Give a task to the best worker with room. False if there is none any more: the task waits again."""
        free = _with_room(workers, task.again)
        if not free:
            self._waiting.appendleft(task)
            return False
        task.worker, task.number = min(free, key=lambda worker: worker.rank(task)), next(self._numbers)
        self.given[task.number] = task.worker.tasks[task.number] = task
        task.move("give")
        return True

    def is_over(self) -> bool:
        """Whether all games are stored or unplayed, and the schedule has no more."""
        if not self._open and (parts := self._next_parts()):
            self._waiting.append(self._opened(parts))  # perhaps there is no worker yet
        return not self._open

    def _opened(self, parts: Sequence[Sequence[ScheduledGame]], state: State = "waiting") -> Task[W]:
        task: Task[W] = Task(parts, state)
        self._open.update(dict.fromkeys(task.missing, task))
        return task

    # -- what happens -----------------------------------------------------------------------------------------

    def begin(self, task: Task[W]) -> None:
        if not task.begun:
            task.move("begin")
            self._schedule.begun(task.missing.values())
            self._announce(task)

    def result(self, game_id: str) -> ScheduledGame | None:
        """The result of a game has come: the game, which is to be stored; None if there is one already."""
        game, task = self.missing(game_id), self._open.get(game_id)
        if game is not None and task is not None:
            self._losses = 0
            del task.missing[game_id]
            if not task.missing and task.state in ("waiting", "lost"):
                self._waiting.remove(task)
            self._announce(task)
        return game

    def missing(self, game_id: str) -> ScheduledGame | None:
        """The game with this id, if its result has not come and may come."""
        return self._open[game_id].missing.get(game_id) if game_id in self._open else None

    def close(self, game: ScheduledGame) -> None:
        """A game is over: its result is durable, or it is left unplayed."""
        del self._open[game.game_id]
        self._announced.discard(game.game_id)
        self._schedule.finished(game)

    def end(self, task: Task[W]) -> None:
        """A worker has ended a task, and all its results have come."""
        del self.given[task.number], task.worker.tasks[task.number]

    def take_back(self, task: Task[W]) -> None:
        """A worker doesn't play a task, for a reason that has nothing to do with its games."""
        self.end(task)
        if task.missing:
            task.move("return")
            self._waiting.append(task)

    def lose(self, tasks: Iterable[Task[W]], what: str) -> None:
        """A worker was lost with these tasks, or a process of it with one. `what` says how.

        If it had tasks, and had begun none, that says nothing about games.
        """
        tasks = [*tasks]
        begun = [task for task in tasks if task.begun and task.missing]
        self._losses += bool(begun) or not tasks
        if self._losses > MAX_LOSSES:
            self.fail(WorkerError(f"{what}, as did {MAX_LOSSES} before it, and no game has finished since"))
            return
        again, unplayed = 0, []
        for task in tasks:
            if task not in begun:
                self.take_back(task)
                continue
            self.end(task)
            self._announced -= task.missing.keys()
            if task.move("lose") == "lost":
                again += len(task.missing)
                # Part by part: only the one that is lost again is left unplayed.
                self._waiting += (self._opened([part], "lost") for part in task.parts)
            else:
                unplayed += [*task.missing]
                for game in task.missing.values():
                    self.close(game)
        self._unplayed += unplayed
        if again:
            what += f"; games played again: {again}"
        if unplayed:
            what += f"; left unplayed after two attempts: {', '.join(unplayed)}"
        self._observer(Notice(text=what))

    def fail(self, error: Exception) -> None:
        """Nothing more can be played. The first reason stands."""
        self.failure = self.failure or error

    def check(self) -> None:
        if self.failure is not None:
            raise self.failure

    def check_all_played(self) -> None:
        """Raise WorkerError if games were left unplayed."""
        if self._unplayed:
            games = "game" if len(self._unplayed) == 1 else "games"
            raise WorkerError(
                f"{games} {', '.join(self._unplayed)} not played: two attempts have failed. The others are finished"
            )

    def _announce(self, task: Task[W]) -> None:
        """Announce that the next game of a task begins: once, and again after a loss."""
        if task.begun and task.missing and task.first.game_id not in self._announced:
            self._announced.add(task.first.game_id)
            self._observer(GameBegun.of(task.first))


def _with_room(workers: Iterable[W], again: bool) -> list[W]:
    return [worker for worker in workers if worker.capacity(again=again) > len(worker.tasks)]
