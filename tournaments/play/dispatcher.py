"""Which place plays which games, and what becomes of each game: pure, without processes, Trio or a clock.

A place is a worker process on this machine, or a worker of Dask. It is given tasks, plays the games of each in their
order, and sends their results. It may be lost at any moment, as a process is that dies or no longer answers. Any game
of the tasks that it had begun may be the reason, so each is played once more, with nothing else in the same process. A
game that is lost again is left unplayed, and the others go on.

TRANSITIONS has the states of a game that the schedule has handed out, and by event the next state. The games of a task
are in the same state until their results come.
"""

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
    "waiting":       {"give": "given",          "result": "played"},  # of a place that was thought lost, as for "lost"
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
"""Losses of places without a result in between: with more, no game can be played here."""


class WorkerError(RefereeError):
    """Workers can't play the games. The text says why."""


class Task:
    """Games that one place plays, one after another. Between two parts all processes of bots end."""

    def __init__(self, parts: Iterable[Collection[ScheduledGame]], *, again: bool = False) -> None:
        """`again`: the games were lost once, so that nothing else may be played in the same process."""
        parts = [*parts]
        self._parts = [[game.game_id for game in part] for part in parts]
        self.missing = {game.game_id: game for part in parts for game in part}
        """The games without a result."""
        self.again = again

    @property
    def first(self) -> ScheduledGame:
        """The first of the missing games."""
        return next(iter(self.missing.values()))

    @property
    def parts(self) -> list[list[ScheduledGame]]:
        """The missing games, by part."""
        parts = ([self.missing[name] for name in names if name in self.missing] for names in self._parts)
        return [part for part in parts if part]


class Place(ABC):
    """Plays tasks."""

    def __init__(self) -> None:
        self.attempts: dict[int, Attempt[Any]] = {}
        """The tasks that it was given and has not ended, by their numbers."""

    @abstractmethod
    def capacity(self, *, again: bool) -> int:
        """How many tasks it can have, if one more is a task of this kind; see Task."""

    @abstractmethod
    def rank(self, task: Task) -> Any:
        """Of several places that have room for a task, the one with the lowest rank is given it."""


P = TypeVar("P", bound=Place)


class Attempt(Generic[P]):
    """A task that was given to a place."""

    def __init__(self, number: int, task: Task, place: P) -> None:
        self.number = number
        self.task = task
        self.place = place
        self.begun = False


class _Open:
    """A game that the schedule has handed out, and that is neither stored nor left unplayed."""

    __slots__ = ("announced", "game", "state", "task")

    def __init__(self, game: ScheduledGame, task: Task) -> None:
        self.game = game
        self.task = task
        self.state: State = "waiting"
        self.announced = False


class Dispatcher(Generic[P]):
    """The games of one schedule.

    Every method but `next_task` and `give` reports what has happened at a place, or what the director has done.
    """

    def __init__(
        self,
        schedule: Schedule,
        take: Callable[[], Sequence[Sequence[ScheduledGame]]],
        observer: Observer,
        numbers: Iterator[int],
    ) -> None:
        """`take` takes the games of a task from the schedule, by part. `numbers`: for attempts.

        The observer is told when a game begins for the first time, and of losses.
        """
        self._schedule = schedule
        self._take = take
        self._observer = observer
        self._numbers = numbers
        self._open: dict[str, _Open] = {}
        self._waiting: deque[Task] = deque()
        """Tasks that no place has."""
        self._losses = 0
        """Losses since the last result."""
        self._unplayed: list[str] = []
        self.attempts: dict[int, Attempt[P]] = {}
        self.failure: Exception | None = None
        """Why nothing more can be played."""

    # -- giving tasks -----------------------------------------------------------------------------------------

    def next_task(self, places: Collection[P], limit: float) -> Task | None:
        """The next task, if a place has room for it, and if no more than `limit` are being played with it."""
        if len(self.attempts) < limit:
            for task in self._waiting:
                if _with_room(places, task.again):
                    self._waiting.remove(task)
                    return task
            if _with_room(places, again=False):
                return self._opened(self._take())
        return None

    def give(self, task: Task, places: Collection[P]) -> Attempt[P] | None:
        """Give a task to the best place that has room. None if there is none any more: it waits again."""
        free = _with_room(places, task.again)
        if not free:
            self._waiting.appendleft(task)
            return None
        attempt = Attempt(next(self._numbers), task, min(free, key=lambda place: place.rank(task)))
        self.attempts[attempt.number] = attempt.place.attempts[attempt.number] = attempt
        self._move(task, "give")
        return attempt

    @property
    def has_lost(self) -> bool:
        """Whether a task waits that was lost."""
        return any(task.again for task in self._waiting)

    def is_over(self) -> bool:
        """Whether all games are stored or left unplayed, and the schedule has no more."""
        if self._open:
            return False
        task = self._opened(self._take())  # perhaps there is no place yet
        if task is not None:
            self._waiting.append(task)
        return task is None

    def _opened(self, parts: Sequence[Sequence[ScheduledGame]]) -> Task | None:
        if not parts:
            return None
        task = Task(parts)
        self._open.update((name, _Open(game, task)) for name, game in task.missing.items())
        return task

    # -- what happens -----------------------------------------------------------------------------------------

    def begin(self, attempt: Attempt[P]) -> None:
        """A place begins a task."""
        if not attempt.begun:
            attempt.begun = True
            self._move(attempt.task, "begin")
            self._announce(attempt.task)

    def result(self, game_id: str) -> ScheduledGame | None:
        """The result of a game has come: the game, which is to be stored; None if there is one already."""
        found = self._open.get(game_id)
        if found is None or "result" not in TRANSITIONS[found.state]:
            return None
        waited = found.state in ("waiting", "lost")
        found.state = TRANSITIONS[found.state]["result"]
        self._losses = 0
        del found.task.missing[game_id]
        if waited and not found.task.missing:
            self._waiting.remove(found.task)
        self._announce(found.task)
        return found.game

    def missing(self, game_id: str) -> ScheduledGame | None:
        """The game with this id, if its result has not come."""
        found = self._open.get(game_id)
        return None if found is None else found.task.missing.get(game_id)

    def store(self, game: ScheduledGame) -> None:
        """A result is durable."""
        found = self._open[game.game_id]
        found.state = TRANSITIONS[found.state]["store"]
        self._over(game)

    def end(self, attempt: Attempt[P]) -> None:
        """A place has ended a task, all of whose results have come."""
        del self.attempts[attempt.number], attempt.place.attempts[attempt.number]

    def take_back(self, attempt: Attempt[P]) -> None:
        """A place doesn't play a task, for a reason that has nothing to do with its games."""
        self.end(attempt)
        if attempt.task.missing:
            self._move(attempt.task, "return")
            self._waiting.append(attempt.task)

    def lose(self, attempts: Iterable[Attempt[P]], what: str) -> None:
        """A place was lost, or a process there, that had begun these tasks. `what` says how."""
        self._losses += 1
        if self._losses > MAX_LOSSES:
            self.fail(WorkerError(f"{what}, as did {MAX_LOSSES} before it, and no game has finished since"))
            return
        again, unplayed = 0, []
        for attempt in [*attempts]:
            self.end(attempt)
            task = attempt.task
            if self._move(task, "lose") == "lost":
                again += len(task.missing)
                for part in task.parts:  # apart: only the one that is lost again is left unplayed
                    self._waiting.append(Task([part], again=True))
                    for game in part:
                        self._open[game.game_id].task = self._waiting[-1]
            else:
                unplayed += [*task.missing]
                for game in task.missing.values():
                    self._over(game)
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
        """Raise the failure, if there is one."""
        if self.failure is not None:
            raise self.failure

    def check_all_played(self) -> None:
        """Raise WorkerError if games were left unplayed."""
        if self._unplayed:
            games = "game" if len(self._unplayed) == 1 else "games"
            raise WorkerError(
                f"{games} {', '.join(self._unplayed)} not played: each attempt ended the worker that played. The others"
                " are finished"
            )

    # -- games ------------------------------------------------------------------------------------------------

    def _move(self, task: Task, event: Event) -> State | None:
        """Change the state of the missing games of a task; it is the same for all."""
        state: State | None = None
        for game_id in task.missing:
            found = self._open[game_id]
            state = found.state = TRANSITIONS[found.state][event]
        return state

    def _over(self, game: ScheduledGame) -> None:
        del self._open[game.game_id]
        self._schedule.finished(game)

    def _announce(self, task: Task) -> None:
        """Announce that the next game of a task begins, once for each game."""
        if task.missing:
            found = self._open[task.first.game_id]
            if found.state.startswith("playing") and not found.announced:
                found.announced = True
                self._observer(GameBegun.of(found.game))


def _with_room(places: Iterable[P], again: bool) -> list[P]:
    return [place for place in places if place.capacity(again=again) > len(place.attempts)]
