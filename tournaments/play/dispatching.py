"""Plays the games of a schedule: gives tasks to workers as the dispatcher decides, and stores what they send."""

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import Generic, TypeVar

import trio

from referee.record.writer import Recorder
from tournaments.play.dispatcher import Dispatcher, Task, Worker
from tournaments.play.events import Observer
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame, Store
from tournaments.play.schedule import Schedule, ScheduledGame

W = TypeVar("W", bound=Worker)


class Dispatching(ABC, Generic[W]):
    """The games of one schedule while workers play them. Each kind of worker has its own subclass."""

    def __init__(
        self,
        plan: GamePlan,
        schedule: Schedule,
        store: Store,
        observer: Observer,
        numbers: Iterator[int],
        limit: float = math.inf,
    ) -> None:
        """`numbers`, `limit`: see Dispatcher."""
        self.plan = plan
        self.schedule = schedule
        self.dispatcher: Dispatcher[W] = Dispatcher(schedule, self.next_parts, observer, numbers, limit)
        self.nursery: trio.Nursery
        """For what ends with the games."""
        self._store = store
        self._played: deque[tuple[PlayedGame, Recorder]] = deque()
        """What workers have sent and is not stored yet."""
        self._changed = trio.Event()

    # -- what each kind of worker defines -----------------------------------------------------------------------

    @property
    @abstractmethod
    def workers(self) -> Collection[W]:
        """Those that there are."""

    @abstractmethod
    def next_parts(self) -> Sequence[Sequence[ScheduledGame]]:
        """Take the games of a task from the schedule, by part."""

    @abstractmethod
    def begin(self) -> None:
        """Prepare for games."""

    def replace_lost(self) -> None:
        """Report workers that are lost to the dispatcher, and have others in their stead."""

    async def prepare(self, task: Task[W]) -> None:
        """Before a task is given to any worker."""

    @abstractmethod
    def send(self, task: Task[W]) -> None:
        """Have the worker of a task play it."""

    async def end(self) -> None:
        """All games are over: have workers end what they keep for games."""

    @abstractmethod
    async def cancel(self) -> None:
        """Have workers end what they still play, and wait for them and for what they have finished. Shielded."""

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
            # Shielded: no process of a bot may outlive the games, and what workers have finished comes with their end.
            with trio.CancelScope(shield=True):
                await self.cancel()
                await self._store_all()
        self.dispatcher.check_all_played()

    async def _play_games(self) -> None:
        """One task for all games, as a task for each costs more than all else that is done here for a short game."""
        while True:
            self.replace_lost()
            self.dispatcher.check()
            while (task := self.dispatcher.next_task(self.workers)) is not None:
                await self.prepare(task)
                if not self.dispatcher.give(task, self.workers):
                    break
                self.send(task)
            if self._played:
                played = self._played.popleft()
                if self.plan.records_in_memory:
                    self.nursery.start_soon(self._store_game, *played)  # it waits for a disk
                else:
                    await self._store_game(*played)
            elif self.dispatcher.is_over():
                return
            else:
                await self.wait_for_change()

    def store_soon(self, played: PlayedGame, recorder: Recorder) -> None:
        self._played.append((played, recorder))
        self.wake()

    async def _store_game(self, played: PlayedGame, recorder: Recorder) -> None:
        await self._store(played, recorder)
        self.dispatcher.close(played.game)
        self.wake()

    async def _store_all(self) -> None:
        """Store all that has come, also if some of it can't be stored. Raises what `store` raises."""
        try:
            while self._played:
                await self._store_game(*self._played.popleft())
        finally:
            if self._played:
                await self._store_all()

    def fail(self, error: Exception) -> None:
        self.dispatcher.fail(error)
        self.wake()

    async def wait_for_change(self) -> None:
        """Wait until `wake` is called, unless it was since the last wait."""
        await self._changed.wait()
        self._changed = trio.Event()

    def wake(self) -> None:
        """Something has changed: a worker may be given a task, is lost, or can't go on."""
        self._changed.set()
