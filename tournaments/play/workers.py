"""The director's side of its workers: processes of the referee that play the games of a round or match side by side.

The rule of the pool holds over all of them: at the end of a rotation every worker ends all its processes before any
worker begins a game of the next one.
"""

import contextlib
from collections.abc import AsyncIterator, Collection, Sequence
from itertools import count

import trio
from msgspec import structs

from referee.bots.hashed_files import FilesChangedError
from referee.processes.limits.machine import cores
from referee.record.writer import NoRecord, RecordInMemory
from tournaments.play.dispatcher import Task, WorkerError
from tournaments.play.dispatching import Dispatching
from tournaments.play.events import LineRecorded, Notice, Observer, notices_to
from tournaments.play.phase_change import PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measurements, Store
from tournaments.play.schedule import Schedule, ScheduledGame
from tournaments.play.worker_messages import (
    EndRound,
    FromWorker,
    LinesPlayed,
    RoundFailed,
    TaskResult,
    WorkerNotice,
)
from tournaments.play.worker_process import (
    WorkerProcess,
)


class _Round(Dispatching[WorkerProcess]):
    """The games of one schedule."""

    def __init__(self, executor: "Workers", plan: GamePlan, schedule: Schedule, store: Store) -> None:
        super().__init__(plan, schedule, store, executor.observer, executor.numbers)
        self._executor = executor
        self._processes = executor.processes
        self._concurrency = plan.conditions.games_at_a_time
        self._rotation: int | None = None
        self._noticed: set[str] = set()

    @property
    def workers(self) -> Collection[WorkerProcess]:
        return self._processes.values()

    def next_parts(self) -> Sequence[Sequence[ScheduledGame]]:
        """A task is one game, as the processes of all workers end between two rotations."""
        game = self.schedule.next_game()
        return [] if game is None else [[game]]

    def begin(self) -> None:
        for index, worker in self._processes.items():
            if not worker.lost:
                self._begin_round(index, worker)
        for index in range(min(self._executor.number, self._concurrency)):
            if index not in self._processes:
                self._start(index)

    def replace_lost(self) -> None:
        """Raises WorkerError."""
        for index, worker in [*self._processes.items()]:
            # `lost` is not enough: until it is gone, bots of it may be alive that have played this rotation, and write
            # to the same files.
            if worker.gone.is_set():
                del self._processes[index]
                for task in worker.tasks.values():
                    self.plan.remove_files(task.first)
                self.dispatcher.lose(worker.tasks.values(), f"a worker process {worker.describe_end()}")
                self.dispatcher.check()
                self._start(index)

    async def prepare(self, task: Task[WorkerProcess]) -> None:
        """The processes of all workers end before a game of another rotation begins."""
        rotation = task.first.rotation
        if rotation == self._rotation or self.plan.only_builtin:
            return
        if self._rotation is not None:
            workers = [*self.workers]
            for worker in workers:
                worker.end_processes()  # in all of them at the same time, before any is waited for
            for worker in workers:
                await worker.processes_ended.wait()  # set, too, when the worker dies
            await self._executor.change.between(self.plan)
            self.replace_lost()
        self._rotation = rotation

    def send(self, task: Task[WorkerProcess]) -> None:
        """What a worker has may begin at any moment."""
        task.worker.play(task)
        self.dispatcher.begin(task)
        self._end_table(task.first, but=task.worker)

    def receive(self, message: FromWorker | None) -> None:
        """Handle a message of a worker. None: it is gone."""
        match message:
            case None:
                self.wake()
            case TaskResult(number=number, played=played, content=content):
                self.dispatcher.result(played.game.game_id)
                self.dispatcher.end(self.dispatcher.given[number])
                self.store_soon(played, NoRecord() if content is None else RecordInMemory(content))
                self._end_table(played.game)
            case RoundFailed(problem=problem, files_changed=True):
                self.fail(FilesChangedError(problem))
            case RoundFailed(problem=problem, traceback=traceback):
                self.fail(
                    WorkerError(f"a worker process can't continue: {problem}")
                    if traceback is None
                    else RuntimeError(f"error in a worker process:\n{traceback}")
                )
            case LinesPlayed(game_id=game_id, lines=lines):
                for line in lines:
                    self._executor.observer(LineRecorded(game_id=game_id, line=line))
            case WorkerNotice(text) if text not in self._noticed:  # the same may happen in every worker
                self._noticed.add(text)
                self._executor.observer(Notice(text=text))

    def _end_table(self, game: ScheduledGame, but: WorkerProcess | None = None) -> None:
        """End the processes of a table that no game needs any more."""
        if not self.schedule.needs_processes(game):
            for worker in self.workers:
                if worker is not but:
                    worker.end_table(game.table)

    async def end(self) -> None:
        for worker in self.workers:
            if not worker.round_over.is_set():
                worker.channel.send(EndRound())
        for worker in self.workers:
            await worker.round_over.wait()  # set, too, when the worker dies: by now all its games have been stored
        self.dispatcher.check()

    async def cancel(self) -> None:
        async with trio.open_nursery() as ending:
            for worker in self.workers:
                ending.start_soon(worker.cancel_round)

    def _start(self, index: int) -> None:
        self._processes[index] = self._executor.start()
        self._begin_round(index, self._processes[index])

    def _begin_round(self, index: int, worker: WorkerProcess) -> None:
        number, concurrency = self._executor.number, self._concurrency
        starts = max(1, cores() // min(number, concurrency))
        plan = structs.replace(self.plan.share(index, number), starts=starts)
        worker.begin_round(plan, concurrency // number + (index < concurrency % number))


class Workers:
    """An Executor that lets worker processes play. Made by `start_workers`."""

    def __init__(self, number: int, nursery: trio.Nursery, observer: Observer) -> None:
        self.number = number
        self.observer = observer
        self.change = PhaseChange(notices_to(observer))
        self.numbers = count()
        """Of tasks."""
        self.processes: dict[int, WorkerProcess] = {}
        """By index, from 0."""
        self._nursery = nursery
        self._round: _Round | None = None

    async def play(self, plan: GamePlan, schedule: Schedule, store: Store, measured: Measurements) -> None:
        """See Executor. Raises WorkerError."""
        plan = await self.change.begin(plan)
        self._round = _Round(self, plan, schedule, store)
        try:
            await self._round.play()
        finally:
            self._round = None
            for worker in self.processes.values():
                worker.tasks.clear()
                if worker.measured is not None:
                    measured.add(worker.measured)

    def start(self) -> WorkerProcess:
        try:
            worker = WorkerProcess()
        except OSError as error:
            raise WorkerError(f"a worker process can't be started: {error.strerror or error}") from None
        self._nursery.start_soon(worker.own, self._receive)
        return worker

    def _receive(self, message: FromWorker | None) -> None:
        if self._round is not None:
            self._round.receive(message)

    async def close(self) -> None:
        async with trio.open_nursery() as closing:
            for worker in self.processes.values():
                closing.start_soon(worker.close)


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
