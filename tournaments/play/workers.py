"""The director's side of its workers: processes of the referee that play the games of a round or match side by side.

The rule of the pool holds over all of them: at the end of a rotation every worker ends all its processes before any
worker begins a game of the next one.
"""

import contextlib
from collections.abc import AsyncIterator, Collection, Sequence
from itertools import count
from typing import Final

import trio
from msgspec import structs

from referee.processes.bot_process import REAP_TIMEOUT
from referee.processes.keeper.lifetime import wait_for_keepers
from referee.processes.limits.machine import cores
from referee.processes.own_process import channel_to
from referee.record.writer import NoRecord, Recorder, RecordInMemory
from tournaments.play.dispatcher import Attempt, Task, WorkerError
from tournaments.play.dispatching import Dispatching
from tournaments.play.events import Notice, Observer, notices_to
from tournaments.play.measurements import Measurements
from tournaments.play.phase_change import PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame, Store
from tournaments.play.schedule import Schedule, ScheduledGame
from tournaments.play.worker_messages import (
    EndRound,
    FromWorker,
    RoundFailed,
    TaskResult,
    WorkerNotice,
)
from tournaments.play.worker_process import (
    WORKER_END_TIMEOUT,
    WorkerProcess,
    start_process,
    wait_for_exit,
)

ALONE: Final = -1
"""The index of the worker that plays the games again that were lost, one at a time: each of them may end it."""


class _Round(Dispatching[WorkerProcess]):
    """The games of one schedule."""

    def __init__(self, workers: "Workers", plan: GamePlan, schedule: Schedule, store: Store) -> None:
        super().__init__(plan, schedule, store, workers.observer, workers.numbers)
        self._executor = workers
        self._workers = workers.workers
        self._concurrency = plan.conditions.games_at_a_time
        self._playing = min(workers.number, self._concurrency)
        """How many workers play, besides the one for games that were lost."""
        self._rotation: int | None = None
        self._noticed: set[str] = set()

    @property
    def places(self) -> Collection[WorkerProcess]:
        """See Dispatching."""
        return self._workers.values()

    @property
    def limit(self) -> int:
        """See Dispatching. None is given in advance while games that were lost are played."""
        alone = self._workers.get(ALONE)
        if self.dispatcher.has_lost or (alone is not None and alone.attempts):
            return self._concurrency
        return self._concurrency + sum(worker.ahead for worker in self.places)

    def take(self) -> Sequence[Sequence[ScheduledGame]]:
        """See Dispatching. A task is one game, as the processes of all workers end between two rotations."""
        game = self.schedule.next_game()
        return [] if game is None else [[game]]

    def begin(self) -> None:
        """See Dispatching."""
        for index, worker in self._workers.items():
            if not worker.lost:
                self._begin_round(index, worker)
        for index in range(self._playing):
            if index not in self._workers:
                self._start(index)

    async def replace_lost(self) -> None:
        """See Dispatching. Raises WorkerError."""
        for index, worker in [*self._workers.items()]:
            # `lost` is not enough: until it is gone, bots of it may be alive that have played this rotation, and write
            # to the same files.
            if worker.gone.is_set():
                del self._workers[index]
                for attempt in worker.attempts.values():
                    self.plan.remove_files(attempt.task.first)
                self.dispatcher.lose(worker.attempts.values(), worker.describe_end())
                self.dispatcher.check()
                if index != ALONE:
                    self._start(index)
        if self.dispatcher.has_lost and ALONE not in self._workers:
            self._start(ALONE)

    async def prepare(self, task: Task) -> None:
        """See Dispatching. The processes of all workers end before a game of another rotation begins."""
        rotation = task.first.rotation
        if rotation == self._rotation or self.plan.only_builtin:
            return
        if self._rotation is not None:
            workers = [*self.places]
            for worker in workers:
                worker.end_processes()  # in all of them at the same time, before any is waited for
            for worker in workers:
                await worker.processes_ended.wait()  # set, too, when the worker dies
            await self._executor.change.between(self.plan)
            await self.replace_lost()
        self._rotation = rotation

    def send(self, attempt: Attempt[WorkerProcess]) -> None:
        """See Dispatching. What a worker has been given may begin at any moment."""
        attempt.place.play(attempt)
        self.dispatcher.begin(attempt)
        self._end_table(attempt.task.first, but=attempt.place)

    def receive(self, worker: WorkerProcess, message: FromWorker) -> None:
        """Handle a message of a worker."""
        match message:
            case TaskResult():
                self.dispatcher.end(self.dispatcher.attempts[message.number])
                self.receive_result(message, worker)
                self._end_table(message.played.game)
            case RoundFailed(problem, None):
                self.dispatcher.fail(WorkerError(f"a worker process can't continue: {problem}"))
                self.wake()
            case RoundFailed(traceback=traceback):
                self.dispatcher.fail(RuntimeError(f"error in a worker process:\n{traceback}"))
                self.wake()
            case WorkerNotice(text) if text not in self._noticed:  # the same may happen in every worker
                self._noticed.add(text)
                self._executor.observer(Notice(text=text))

    def _end_table(self, game: ScheduledGame, but: WorkerProcess | None = None) -> None:
        """End the processes of a table that no game needs any more."""
        if not self.schedule.needs_processes(game):
            for worker in self.places:
                if worker is not but:
                    worker.end_table(game.table)

    def unpack(
        self, game: ScheduledGame, result: TaskResult, place: WorkerProcess | None
    ) -> tuple[PlayedGame, Recorder]:
        """See Dispatching."""
        return result.played, NoRecord() if result.content is None else RecordInMemory(result.content)

    async def end(self) -> None:
        """See Dispatching."""
        for worker in self.places:
            if not worker.round_over.is_set():
                worker.channel.send(EndRound())
        for worker in self.places:
            await worker.round_over.wait()  # set, too, when the worker dies: by now all its games have been stored
        self.dispatcher.check()

    async def cancel(self) -> None:
        """See Dispatching."""
        async with trio.open_nursery() as ending:
            for worker in self.places:
                ending.start_soon(worker.cancel_round)

    def _begin_round(self, index: int, worker: WorkerProcess) -> None:
        concurrency, playing = self._concurrency, self._playing
        if index == ALONE:
            room, part = 1, self._executor.number
        else:
            room, part = concurrency // playing + (index < concurrency % playing) if index < playing else 0, index
        plan = structs.replace(self.plan.share(part, self._executor.number + 1), starts=max(1, cores() // playing))
        worker.begin_round(plan, room)

    def _start(self, index: int) -> None:
        """Start the worker with this index. Raises WorkerError."""
        worker = self._workers[index] = self._executor.start(alone=index == ALONE)
        self._begin_round(index, worker)


class Workers:
    """An Executor that lets worker processes play. Made by `start_workers`."""

    def __init__(self, number: int, nursery: trio.Nursery, observer: Observer) -> None:
        self.number = number
        self.observer = observer
        self.change = PhaseChange(notices_to(observer))
        self.numbers = count()
        """Of tasks."""
        self.workers: dict[int, WorkerProcess] = {}
        """The processes, from 0 on; and ALONE, once a game was lost."""
        self._nursery = nursery
        self._round: _Round | None = None

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that play."""
        return [worker.process.pid for worker in self.workers.values()]

    async def play(
        self, plan: GamePlan, schedule: Schedule, store: Store, measured: Measurements | None = None
    ) -> None:
        """See Executor. Raises WorkerError."""
        plan = await self.change.begin(plan)
        self._round = _Round(self, plan, schedule, store)
        try:
            await self._round.play()
        finally:
            self._round = None
            for worker in self.workers.values():
                worker.attempts.clear()
                if measured is not None and worker.measured is not None:
                    measured.add(worker.measured)

    def start(self, *, alone: bool) -> WorkerProcess:
        """Start a worker. Raises WorkerError."""
        try:
            process = start_process()
        except OSError as error:
            raise WorkerError(f"a worker process can't be started: {error.strerror or error}") from None
        worker = WorkerProcess(process, channel_to(process, FromWorker), alone=alone)
        self._nursery.start_soon(self._own, worker)
        return worker

    async def _own(self, worker: WorkerProcess) -> None:
        """Exchange messages with a worker until it has ended, then reap it and everything it left behind.

        Shielded: whoever cancels a round needs the answers of the workers. It ends after `close` at the latest.
        """
        with trio.CancelScope(shield=True):
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(worker.channel.write)
                    nursery.start_soon(worker.watch)
                    async for message in worker.channel.messages():
                        worker.receive(message)
                        if self._round is not None:
                            self._round.receive(worker, message)
                    nursery.cancel_scope.cancel()
                # Where it crashes by itself, a kill at this moment would be reported in place of the true cause.
                with trio.move_on_after(REAP_TIMEOUT):
                    await wait_for_exit(worker.process)
            finally:
                # In this order: `lost` first, so that no game is given to it from here on; `gone` (in `end`) last, so
                # that nothing takes its place while it or a bot of it is alive. It is killed as it may have closed its
                # output only; the kernel and its keepers end what it started.
                worker.lost = True
                worker.process.kill()
                await trio.to_thread.run_sync(worker.process.wait)
                with trio.move_on_after(REAP_TIMEOUT):
                    await wait_for_keepers(worker.process.pid)
                worker.end()
                if self._round is not None:
                    self._round.wake()

    async def close(self) -> None:
        """End all workers."""
        for worker in self.workers.values():
            worker.channel.end()
        for worker in self.workers.values():
            with trio.move_on_after(WORKER_END_TIMEOUT):
                await worker.gone.wait()
                continue
            worker.process.kill()
            await worker.gone.wait()


@contextlib.asynccontextmanager
async def start_workers(number: int, observer: Observer) -> AsyncIterator[Workers]:
    """Up to `number` worker processes while the block runs; they start when the first round begins."""
    async with trio.open_nursery() as nursery:
        workers = Workers(number, nursery, observer)
        try:
            yield workers
        finally:
            with trio.CancelScope(shield=True):
                await workers.close()
                workers.change.close()
