"""The director's side of its workers: processes of the referee that play the games of a round or match side by side.

The rule of the pool holds over all of them: at the end of a rotation every worker ends all its processes before any
worker begins a game of the next one.
"""

import contextlib
import math
from collections import Counter
from collections.abc import AsyncIterator
from typing import Final

import trio

from referee.processes.keeper_process import wait_for_keepers
from referee.processes.own_process import channel_to
from referee.processes.process import REAP_TIMEOUT
from referee.record.writer import NoRecord, RecordInMemory
from tournaments.play.events import GameBegun, Notice, Observer, notices_to
from tournaments.play.measurements import Measurements
from tournaments.play.phase_change import PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Store, play_schedule
from tournaments.play.schedule import Schedule, ScheduledGame
from tournaments.play.worker_messages import (
    EndRound,
    FromWorker,
    GamePlayed,
    WorkerNotice,
)
from tournaments.play.worker_process import (
    WORKER_END_TIMEOUT,
    WorkerError,
    WorkerProcess,
    start_process,
    wait_for_exit,
)

MAX_LOSSES: Final = 8
"""Workers that may die without a game being finished in between: with more, no game can be played here."""


class Workers:
    """An Executor that lets worker processes play. Made by `start_workers`."""

    def __init__(self, number: int, nursery: trio.Nursery, observer: Observer) -> None:
        self._number = number
        self._nursery = nursery
        self._observer = observer
        self.change = PhaseChange(notices_to(observer))
        self._workers: list[WorkerProcess] = []
        self._alone: WorkerProcess | None = None
        """The worker that plays one game again at a time, each of which may have ended the worker that played it."""
        self._one_alone = trio.Lock()
        self._unplayed: list[str] = []
        """The games that have ended two workers."""
        self._losses = 0
        """Workers that have died since a game was finished."""
        self._noticed: set[str] = set()
        self._plan: GamePlan | None = None
        self._schedule: Schedule | None = None
        self._store: Store | None = None
        self._room = 1
        """The number of games that each worker plays at the same time, if there are enough for all."""
        self._rotation: int | None = None
        self._beginning = Counter[int]()
        """By table, the games that wait for a worker."""
        self._changing = trio.Lock()

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that play."""
        return [worker.process.pid for worker in self._all()]

    def _all(self) -> list[WorkerProcess]:
        return self._workers if self._alone is None else [*self._workers, self._alone]

    # -- a round ----------------------------------------------------------------------------------------------

    async def play(
        self, plan: GamePlan, schedule: Schedule, store: Store, measured: Measurements | None = None
    ) -> None:
        """See Executor. Raises WorkerError."""
        plan = await self.change.begin(plan)
        self._plan, self._schedule, self._store = plan, schedule, store
        self._room = math.ceil(plan.concurrency / self._number)
        self._rotation = None
        self._losses = 0
        self._unplayed.clear()
        self._noticed.clear()
        self._beginning.clear()
        try:
            await self._begin(min(self._number, plan.concurrency))
            await play_schedule(schedule, plan.concurrency, self._play, self._announce)
            await self._end()
        finally:
            # Shielded: no process of a bot may outlive the round, and what workers have measured comes with its end.
            with trio.CancelScope(shield=True):
                for worker in self._all():
                    await worker.cancel_round()
            if measured is not None:
                for worker in self._all():
                    if worker.measured is not None:
                        measured.add(worker.measured)

    async def _begin(self, number: int) -> None:
        """Have `number` workers ready for games."""
        assert self._plan is not None
        for index, worker in enumerate(self._workers):
            if not worker.lost:
                worker.begin_round(self._share(index))
        if self._alone is not None and self._alone.lost:
            await self._alone.gone.wait()
            self._alone = None
        elif self._alone is not None:
            self._alone.begin_round(self._share(self._number))
        await self._replace_lost()
        while len(self._workers) < number:
            self._workers.append(self._start(len(self._workers)))

    async def _end(self) -> None:
        """End the round at all workers, and wait until none has a process left. Raises WorkerError."""
        for worker in self._all():
            if not worker.round_over.is_set():
                worker.channel.send(EndRound())
        for worker in self._all():
            await worker.round_over.wait()  # set, too, when the worker dies: by now all its games have been stored
            raise_failure(worker)
        if self._unplayed:
            games = "game" if len(self._unplayed) == 1 else "games"
            raise WorkerError(
                f"{games} {', '.join(self._unplayed)} not played: each attempt ended its worker process. The others are"
                " finished"
            )

    def _announce(self, game: ScheduledGame) -> None:
        # Until `_play` has chosen a worker other tasks run. A game that ends meanwhile must not end the idle processes
        # of this table: this game can use them.
        self._beginning[game.table] += 1
        self._observer(GameBegun.of(game))

    async def _play(self, game: ScheduledGame) -> None:
        """Have a worker play a game; if it dies, another one plays the game again, and nothing else meanwhile.

        Any of the games that a worker was playing may have ended it. Only the one that does it once more stays
        unplayed.
        """
        try:
            await self._enter(game.rotation)
            worker = await self._worker_for(game)
        finally:
            self._beginning[game.table] -= 1
        if await self._play_at(worker, game):
            return
        await self._replace_lost()
        async with self._one_alone:
            if not await self._play_at(await self._worker_alone(), game):
                assert self._alone is not None
                self._note_loss(self._alone, f"game {game.game_id}, which has now ended two, is left unplayed")
                self._unplayed.append(game.game_id)

    async def _play_at(self, worker: WorkerProcess, game: ScheduledGame) -> bool:
        """Have this worker play a game. False if it dies before the end. Raises WorkerError."""
        assert self._plan is not None
        # No checkpoint since the worker was chosen: it has room and is not lost, also where several games that
        # were waiting choose theirs one after another.
        playing = worker.play(game)
        if not self._needs_processes(game):
            self._end_table(game, but=worker)
        try:
            await playing.over.wait()
        except trio.Cancelled:
            # The worker may have sent the result already, so it is asked to end, and listened to until it has.
            with trio.CancelScope(shield=True):
                await worker.cancel_round()
            raise
        finally:
            if playing.played is not None:
                await self._finish(game, playing.played)
        if playing.played is not None:
            return True
        raise_failure(worker)
        await worker.gone.wait()
        self._plan.remove_files(game)  # nothing writes to them any more: the lost worker is gone with its bots
        return False

    def _needs_processes(self, game: ScheduledGame) -> bool:
        """Whether another game is to begin at its table, or waits for a worker."""
        assert self._schedule is not None
        return self._schedule.needs_processes(game) or self._beginning[game.table] > 0

    async def _finish(self, game: ScheduledGame, finished: GamePlayed) -> None:
        """End the processes of a game that are no longer needed, and store it."""
        assert self._store is not None
        self._losses = 0
        if not self._needs_processes(game):
            self._end_table(game)
        recorder = NoRecord() if finished.content is None else RecordInMemory(finished.content)
        with trio.CancelScope(shield=True):
            await self._store(finished.played, recorder)

    def _end_table(self, game: ScheduledGame, but: WorkerProcess | None = None) -> None:
        for worker in self._all():
            if worker is not but:
                worker.end_table(game.table)

    async def _enter(self, rotation: int) -> None:
        """End the processes of all workers before a game of another rotation begins."""
        # All games of a rotation come here at the same time. The first one waits for the workers, and the others wait
        # for it: none may begin while a process that has played another rotation is alive in any worker.
        async with self._changing:
            if rotation == self._rotation:
                return
            if self._rotation is not None:
                for worker in self._all():
                    worker.end_processes()  # in all of them at the same time, before any is waited for
                for worker in self._all():
                    await worker.processes_ended.wait()  # set, too, when the worker dies
                assert self._plan is not None
                await self.change.between(self._plan)
            self._rotation = rotation

    async def _worker_for(self, game: ScheduledGame) -> WorkerProcess:
        """The worker for a game: if possible one with room and idle processes of its table. Raises WorkerError."""
        await self._replace_lost()
        worker = min(
            self._workers,
            key=lambda each: (len(each.games) >= self._room, not each.idle[game.table], len(each.games)),
        )
        raise_failure(worker)
        return worker

    # -- processes --------------------------------------------------------------------------------------------

    async def _replace_lost(self) -> None:
        """Start workers in place of those that have died. Raises WorkerError."""
        # From the beginning again after each: while the end of one is waited for, one before it may die.
        while (index := next((index for index, each in enumerate(self._workers) if each.lost), None)) is not None:
            worker = self._workers[index]
            # Every game that it played comes here, and so does every game that begins meanwhile. `lost` is not enough:
            # until it is gone, bots of it may be alive that have played this rotation, and write to the same files.
            await worker.gone.wait()
            if self._workers[index] is not worker:
                continue  # another task waited for the same event and ran first
            again = f"; games played again: {worker.lost_games}" if worker.lost_games else ""
            self._note_loss(worker, f"another one takes its place{again}")
            self._workers[index] = self._start(index)

    async def _worker_alone(self) -> WorkerProcess:
        """The worker that plays one game at a time. Raises WorkerError."""
        if self._alone is not None and self._alone.lost:
            await self._alone.gone.wait()
        if self._alone is None or self._alone.lost:
            self._alone = self._start(self._number)
        return self._alone

    def _note_loss(self, worker: WorkerProcess, then: str) -> None:
        """Tell that a worker has died, and what follows. Raises WorkerError if it is one too many."""
        self._losses += 1
        if self._losses > MAX_LOSSES:
            raise WorkerError(f"{worker.describe_end()}, as did {MAX_LOSSES} before it, and no game is finished since")
        self._observer(Notice(text=f"{worker.describe_end()}; {then}"))

    def _share(self, index: int) -> GamePlan:
        """The plan for the worker with this index."""
        assert self._plan is not None
        return self._plan.share(index, self._number + 1)

    def _start(self, index: int) -> WorkerProcess:
        """Start the worker with this index and begin the round there. Raises WorkerError."""
        plan = self._share(index)
        try:
            process = start_process()
        except OSError as error:
            raise WorkerError(f"a worker process can't be started: {error.strerror or error}") from None
        worker = WorkerProcess(process, channel_to(process, FromWorker))
        worker.begin_round(plan)
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
                        if isinstance(message, WorkerNotice):
                            self._pass_on(message)
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

    def _pass_on(self, notice: WorkerNotice) -> None:
        """Show a notice once: the same may happen in every worker."""
        if notice.text not in self._noticed:
            self._noticed.add(notice.text)
            self._observer(Notice(text=notice.text))

    async def close(self) -> None:
        """End all workers."""
        for worker in self._all():
            worker.channel.end()
        for worker in self._all():
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


def raise_failure(worker: WorkerProcess) -> None:
    """Raise the error that has ended the round in a worker, if any: WorkerError, or RuntimeError for a bug."""
    failure = worker.failure
    if failure is None:
        return
    if failure.traceback is not None:
        raise RuntimeError(f"error in a worker process:\n{failure.traceback}")
    raise WorkerError(f"a worker process can't go on: {failure.problem}")
