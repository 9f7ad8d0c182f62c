"""Plays the games of a schedule at places: gives them tasks as the dispatcher decides, and stores what they send."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import Generic, TypeVar

import trio

from referee.record.writer import Recorder
from tournaments.play.dispatcher import Attempt, Dispatcher, Place, Task
from tournaments.play.events import Observer
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame, Store
from tournaments.play.schedule import Schedule, ScheduledGame
from tournaments.play.worker_messages import TaskResult

P = TypeVar("P", bound=Place)


class Dispatching(ABC, Generic[P]):
    """The games of one schedule while places play them. Each kind of place has its own subclass."""

    def __init__(
        self, plan: GamePlan, schedule: Schedule, store: Store, observer: Observer, numbers: Iterator[int]
    ) -> None:
        """`numbers`: of attempts."""
        self.plan = plan
        self.schedule = schedule
        self.dispatcher: Dispatcher[P] = Dispatcher(schedule, self.take, observer, numbers)
        self.nursery: trio.Nursery
        """For tasks that end with the games."""
        self._store = store
        self._results: deque[tuple[ScheduledGame, TaskResult, P | None]] = deque()
        """What places have sent and is not stored yet."""
        self._changed = trio.Event()

    # -- what a kind of place defines ---------------------------------------------------------------------------

    @property
    @abstractmethod
    def places(self) -> Collection[P]:
        """The places that there are."""

    @property
    @abstractmethod
    def limit(self) -> float:
        """The most tasks that places may have."""

    @abstractmethod
    def take(self) -> Sequence[Sequence[ScheduledGame]]:
        """Take the games of a task from the schedule, by part."""

    @abstractmethod
    def begin(self) -> None:
        """Prepare for games."""

    async def replace_lost(self) -> None:
        """Report places that are lost to the dispatcher, and have others in their stead."""

    async def prepare(self, task: Task) -> None:
        """Before a task is given to any place. Afterwards no place is lost."""

    @abstractmethod
    def send(self, attempt: Attempt[P]) -> None:
        """Have a place play a task."""

    @abstractmethod
    def unpack(self, game: ScheduledGame, result: TaskResult, place: P | None) -> tuple[PlayedGame, Recorder]:
        """A finished game and its record as they are stored. Raises RecordWriteError.

        `place`: as in `receive_result`.
        """

    async def end(self) -> None:
        """All games are over: have the places end what they keep for games."""

    @abstractmethod
    async def cancel(self) -> None:
        """Have the places end what they still play, and wait for them and for what they have finished. Shielded."""

    # -- the games ----------------------------------------------------------------------------------------------

    async def play(self) -> None:
        """Play all games. Raises, in an exception group, what `store` raises, RefereeError, and OSError."""
        try:
            async with trio.open_nursery() as self.nursery:
                self.begin()
                await self._play_games()
                await self.end()
                self.nursery.cancel_scope.cancel()
        finally:
            # Shielded: no process of a bot may outlive the games, and what places have finished comes with their end.
            with trio.CancelScope(shield=True):
                await self.cancel()
                await self._store_all()
        self.dispatcher.check_all_played()

    async def _play_games(self) -> None:
        """One task for all games, as a task for each costs more than all else that is done here for a short game."""
        while True:
            await self.replace_lost()
            self.dispatcher.check()
            await self._give_tasks()
            if self._results:
                result = self._results.popleft()
                if self.plan.records_in_memory:
                    self.nursery.start_soon(self._store_result, *result)  # it waits for a disk
                else:
                    await self._store_result(*result)
            elif self.dispatcher.is_over():
                return
            else:
                await self._changed.wait()
                self._changed = trio.Event()

    async def _give_tasks(self) -> None:
        while (task := self.dispatcher.next_task(self.places, self.limit)) is not None:
            await self.prepare(task)
            attempt = self.dispatcher.give(task, self.places)
            if attempt is None:
                return
            self.send(attempt)

    def receive_result(self, result: TaskResult, place: P | None) -> None:
        """The result of a game has come. `place`: the one that has the task; None if none has it any more.

        A second result of the same game is ignored."""
        game = self.dispatcher.result(result.played.game.game_id)
        if game is not None:
            self._results.append((game, result, place))
            self.wake()

    async def _store_result(self, game: ScheduledGame, result: TaskResult, place: P | None) -> None:
        with trio.CancelScope(shield=True):
            await self._store(*self.unpack(game, result, place))
        self.dispatcher.store(game)
        self.wake()

    async def _store_all(self) -> None:
        """Store all that has come, also if some of it can't be stored. Raises what `store` raises."""
        try:
            while self._results:
                await self._store_result(*self._results.popleft())
        finally:
            if self._results:
                await self._store_all()

    def wake(self) -> None:
        """Something has changed: a place may be given a task, is lost, or can't go on."""
        self._changed.set()
