"""The director's side of its workers: processes of the referee that play the games of a round or match side by side.

The rule of the pool holds over all of them: at the end of a rotation every worker ends all its processes before any
worker begins a game of the next one.
"""

import contextlib
from collections import deque
from collections.abc import AsyncIterator
from typing import Final

import trio
from msgspec import structs

from referee.processes.bot_process import REAP_TIMEOUT
from referee.processes.keeper.lifetime import wait_for_keepers
from referee.processes.limits.machine import cores
from referee.processes.own_process import channel_to
from referee.record.writer import NoRecord, RecordInMemory
from tournaments.play.events import GameBegun, Notice, Observer, notices_to
from tournaments.play.measurements import Measurements
from tournaments.play.phase_change import PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Store
from tournaments.play.schedule import Schedule, ScheduledGame
from tournaments.play.worker_messages import (
    EndRound,
    FromWorker,
    GamePlayed,
    RoundFailed,
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
        self._again: deque[ScheduledGame] = deque()
        """The games that wait for it."""
        self._unplayed: list[str] = []
        """The games that have ended two workers."""
        self._losses = 0
        """Workers that have died since a game was finished."""
        self._noticed: set[str] = set()
        self._plan: GamePlan | None = None
        self._schedule: Schedule | None = None
        self._store: Store | None = None
        self._rotation: int | None = None
        self._given = 0
        """The games that were given to workers and are not over: neither stored nor left unplayed."""
        self._finished: deque[GamePlayed] = deque()
        """What workers have told and is not stored yet."""
        self._news = trio.Event()
        """Set when a worker has finished a game, has failed or is gone."""

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
        self._rotation = None
        self._losses = self._given = 0
        self._unplayed.clear()
        self._noticed.clear()
        self._again.clear()
        try:
            await self._begin(min(self._number, plan.conditions.games_at_a_time))
            await self._play_games()
            await self._end()
        finally:
            # Shielded: no process of a bot may outlive the round, and what workers have finished and measured comes
            # with its end.
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as ending:
                    for worker in self._all():
                        ending.start_soon(worker.cancel_round)
                for worker in self._all():
                    worker.games.clear()
                if measured is not None:
                    for worker in self._all():
                        if worker.measured is not None:
                            measured.add(worker.measured)
                await self._store_all()

    async def _begin(self, number: int) -> None:
        """Have `number` workers ready for games."""
        if self._alone is not None and self._alone.lost:
            await self._alone.gone.wait()
            self._alone = None
        for index, worker in enumerate(self._workers):
            if not worker.lost:
                self._begin_round(worker, index)
        if self._alone is not None:
            self._begin_round(self._alone, self._number)
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

    async def _play_games(self) -> None:
        """Play all games of the schedule. Raises WorkerError.

        One task for all of them, as a task for each costs more than all else that is done here for a short game.
        """
        assert self._plan is not None
        async with trio.open_nursery() as storing:
            while True:
                await self._give_games()
                if not self._given:
                    return
                if not self._finished:
                    await self._news.wait()
                    self._news = trio.Event()
                    for worker in self._all():
                        raise_failure(worker)
                elif self._plan.records_in_memory:
                    storing.start_soon(self._store_game, self._finished.popleft())  # it waits for a disk
                else:
                    await self._store_game(self._finished.popleft())

    async def _give_games(self) -> None:
        """Give games to the workers that have room. Raises WorkerError."""
        assert self._plan is not None
        assert self._schedule is not None
        await self._replace_lost()
        await self._play_again()
        limit = self._plan.conditions.games_at_a_time
        if not self._again and (self._alone is None or not self._alone.games):
            limit += sum(worker.ahead for worker in self._workers)
        while self._given < limit and any(worker.has_room for worker in self._workers):
            game = self._schedule.next_game()
            if game is None:
                return
            self._given += 1
            self._observer(GameBegun.of(game))
            await self._enter(game.rotation)
            # No checkpoint since no worker was lost.
            worker = min(
                (worker for worker in self._workers if worker.has_room),
                key=lambda each: (len(each.games) >= each.room, not each.idle[game.table], len(each.games)),
            )
            worker.play(game)
            if not self._schedule.needs_processes(game):
                self._end_table(game, but=worker)

    async def _play_again(self) -> None:
        """Have a game of a lost worker played, and nothing else meanwhile by the same worker. Raises WorkerError.

        Any of the games that a worker was playing may have ended it. Only the one that does it once more stays
        unplayed.
        """
        if self._alone is not None and self._alone.lost:
            await self._alone.gone.wait()
            for game in self._take_lost(self._alone):
                self._note_loss(self._alone, f"game {game.game_id}, which has now ended two, is left unplayed")
                self._unplayed.append(game.game_id)
                self._end_game(game)
            self._alone = None
        if self._again and (self._alone is None or not self._alone.games):
            self._alone = self._alone or self._start(self._number)
            self._alone.play(self._again.popleft())

    async def _store_game(self, finished: GamePlayed) -> None:
        """Store a finished game, and end processes that are no longer needed. Raises what `store` raises."""
        assert self._schedule is not None
        assert self._store is not None
        game = finished.played.game
        self._losses = 0
        if not self._schedule.needs_processes(game):
            self._end_table(game)
        recorder = NoRecord() if finished.content is None else RecordInMemory(finished.content)
        with trio.CancelScope(shield=True):
            await self._store(finished.played, recorder)
        self._end_game(game)

    async def _store_all(self) -> None:
        """Store all finished games, also if some of them can't be stored. Raises what `store` raises."""
        try:
            while self._finished:
                await self._store_game(self._finished.popleft())
        finally:
            if self._finished:
                await self._store_all()

    def _end_game(self, game: ScheduledGame) -> None:
        assert self._schedule is not None
        self._schedule.finished(game)
        self._given -= 1
        self._news.set()

    def _end_table(self, game: ScheduledGame, but: WorkerProcess | None = None) -> None:
        for worker in self._all():
            if worker is not but:
                worker.end_table(game.table)

    async def _enter(self, rotation: int) -> None:
        """End the processes of all workers before a game of another rotation begins. Afterwards no worker is lost."""
        assert self._plan is not None
        if rotation == self._rotation or self._plan.only_builtin:
            return
        if self._rotation is not None:
            for worker in self._all():
                worker.end_processes()  # in all of them at the same time, before any is waited for
            for worker in self._all():
                await worker.processes_ended.wait()  # set, too, when the worker dies
            await self.change.between(self._plan)
            await self._replace_lost()
        self._rotation = rotation

    # -- processes --------------------------------------------------------------------------------------------

    async def _replace_lost(self) -> None:
        """Start workers in place of those that have died, whose games are played again. Raises WorkerError."""
        # From the beginning again after each: while the end of one is waited for, one before it may die.
        while (index := next((index for index, each in enumerate(self._workers) if each.lost), None)) is not None:
            worker = self._workers[index]
            # `lost` is not enough: until it is gone, bots of it may be alive that have played this rotation, and write
            # to the same files.
            await worker.gone.wait()
            games = self._take_lost(worker)
            self._again += games
            again = f"; games played again: {len(games)}" if games else ""
            self._note_loss(worker, f"another one takes its place{again}")
            self._workers[index] = self._start(index)

    def _take_lost(self, worker: WorkerProcess) -> list[ScheduledGame]:
        """The games of a worker that is gone. Nothing of them is left: nobody writes to their files any more."""
        assert self._plan is not None
        games = [*worker.games.values()]
        worker.games.clear()
        for game in games:
            self._plan.remove_files(game)
        return games

    def _note_loss(self, worker: WorkerProcess, then: str) -> None:
        """Tell that a worker has died, and what follows. Raises WorkerError if it is one too many."""
        self._losses += 1
        if self._losses > MAX_LOSSES:
            raise WorkerError(f"{worker.describe_end()}, as did {MAX_LOSSES} before it, and no game has finished since")
        self._observer(Notice(text=f"{worker.describe_end()}; {then}"))

    def _begin_round(self, worker: WorkerProcess, index: int) -> None:
        """Begin the round at the worker with this index."""
        assert self._plan is not None
        concurrency = self._plan.conditions.games_at_a_time
        playing = min(self._number, concurrency)
        if index == self._number:
            room = 1
        elif index < playing:
            room = concurrency // playing + (index < concurrency % playing)
        else:
            room = 0
        plan = structs.replace(self._plan.share(index, self._number + 1), starts=max(1, cores() // playing))
        worker.begin_round(plan, room)

    def _start(self, index: int) -> WorkerProcess:
        """Start the worker with this index and begin the round there. Raises WorkerError."""
        try:
            process = start_process()
        except OSError as error:
            raise WorkerError(f"a worker process can't be started: {error.strerror or error}") from None
        worker = WorkerProcess(process, channel_to(process, FromWorker))
        self._begin_round(worker, index)
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
                        match message:
                            case GamePlayed():
                                self._finished.append(message)
                                self._news.set()
                            case RoundFailed():
                                self._news.set()
                            case WorkerNotice():
                                self._pass_on(message)
                        worker.receive(message)
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
                self._news.set()

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
    raise WorkerError(f"a worker process can't continue: {failure.problem}")
