"""An Executor whose games are played by the machines of a Dask cluster.

The director gives each task to one worker of Dask by name, so that it decides itself what a lost machine costs: what
Dask would repeat by its own rules, it is told to forget. Results are keyed by the ids of games, and the first one
stands.
"""

import math
import zlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final

import trio
from msgspec import structs

from referee.errors import RefereeError
from referee.games.narrator import format_count
from referee.players.event_loop_lag import EventLoopLag
from referee.printable import sanitise
from referee.processes.causes import SUSPENDED
from referee.processes.stderr_log import StderrExcerpt
from referee.record.writer import Recorder, RecordFile, RecordInMemory
from tournaments.play.cluster import machine
from tournaments.play.cluster.dask_workers import (
    Admission,
    CallFailed,
    Connection,
    ConnectionLost,
    DaskWorker,
    ListedWorker,
    PackedBots,
    Refused,
)
from tournaments.play.cluster.messages import FromMachine, SentTask, TaskBegun, is_usable
from tournaments.play.cluster.settings import LOST_AFTER, check
from tournaments.play.conditions import Conditions
from tournaments.play.dispatcher import Task, WorkerError
from tournaments.play.dispatching import Dispatching
from tournaments.play.events import Observer, notices_to
from tournaments.play.phase_change import PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measurements, PlayedGame, Store
from tournaments.play.schedule import Schedule, ScheduledGame
from tournaments.play.worker_messages import PlayTask, TaskEnded, TaskResult
from tournaments.play.worker_process import WORKER_END_TIMEOUT

LOOK_INTERVAL: Final = 1.0
"""Seconds between two requests for the scheduler's list of workers."""
MERGED_SECONDS: Final = 0.25
"""Tasks of the schedule that are shorter are sent to a machine together, up to about this many seconds of play."""
MAX_PARTS: Final = 16
"""The most of them that are sent together. A loss costs all that have not ended."""
ANSWER_TIMEOUT: Final = 120.0
"""Seconds for each answer of a machine before it takes part: other tasks may keep it busy, and a large bot takes time
to unpack."""
END_TIMEOUT: Final = 2.0
"""Seconds in which a machine that has no task ends its processes, when all games are over."""


class Cluster:
    """An Executor that lets the machines of a cluster play. Made by `open_cluster`."""

    def __init__(self, conditions: Conditions, observer: Observer) -> None:
        self.lost_after = conditions.lost_after or LOST_AFTER
        self.limit = conditions.concurrency or math.inf
        """Of tasks at the same time; by default the threads of the workers are."""
        self.observer = observer
        self.notice = notices_to(observer)
        self.change = PhaseChange(self.notice)
        self.connection: Connection
        self.archives = PackedBots()
        self.workers: dict[str, DaskWorker] = {}
        """The workers of Dask that are known, by address."""
        self.numbers = count()
        """Of tasks. None is used twice: a message of an earlier round may come late."""
        self._told: set[str] = set()
        self._round: _Round | None = None

    async def play(self, plan: GamePlan, schedule: Schedule, store: Store, measured: Measurements) -> None:
        """See Executor. Raises ExecutorError, ArchiveError and WorkerError."""
        check(plan.conditions, plan.bots, plan.traces is not None)
        bots = {}
        if any(bot.is_program for bot in plan.bots):
            bots = await trio.to_thread.run_sync(self.archives.pack, plan)
        admission = Admission(plan, bots, self.archives, ANSWER_TIMEOUT)
        self._round = round_ = _Round(self, plan, schedule, store, admission, measured)
        try:
            await round_.play()
        finally:
            self._round = None
            round_.report_lateness()

    def receive(self, message: FromMachine) -> None:
        """Handle a message from a machine. Messages between two rounds are too late, and ignored."""
        if self._round is not None:
            self._round.receive(message)

    def notice_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self.notice(text)

    async def close(self) -> None:
        """End the processes that wait for tasks, and remove what was made."""

        async def end(worker: DaskWorker) -> None:
            with suppress(CallFailed):
                await self.connection.call(machine.end, worker=worker.address, timeout=END_TIMEOUT)

        self.archives.close()
        async with trio.open_nursery() as nursery:
            for worker in self.workers.values():
                if worker.ready_for is not None:
                    nursery.start_soon(end, worker)


class _Round(Dispatching[DaskWorker]):
    """The games of one schedule."""

    def __init__(
        self,
        cluster: Cluster,
        plan: GamePlan,
        schedule: Schedule,
        store: Store,
        admission: Admission,
        measured: Measurements,
    ) -> None:
        super().__init__(plan, schedule, store, cluster.observer, cluster.numbers, cluster.limit)
        self._cluster = cluster
        self._admission = admission
        self._futures: dict[int, Any] = {}
        """By the number of a task, what cancels it."""
        self._seconds: float | None = None
        """How long a game has taken lately."""
        self._cancelled = False
        self._nobody_since: float | None = None
        self._reasons: dict[str, str] = {}
        """Why workers of Dask are refused, by what people are told of them."""
        self._suspects: dict[str, DaskWorker] = {}
        """By the id of a game, the machine that is refused for its result."""
        self._measured = measured
        self._lag: dict[str, EventLoopLag] = {}
        """Event loop lag by host."""

    # -- tasks ------------------------------------------------------------------------------------------------

    @property
    def workers(self) -> Collection[DaskWorker]:
        return self._cluster.workers.values()

    def next_parts(self) -> Sequence[Sequence[ScheduledGame]]:
        """Several tasks of the schedule that are short are one here: a message costs more than a short game."""
        parts: list[Sequence[ScheduledGame]] = []
        seconds = 0.0
        while len(parts) < MAX_PARTS and seconds < MERGED_SECONDS and (games := self.schedule.next_task()):
            parts.append(games)
            seconds += math.inf if self._seconds is None else len(games) * self._seconds
        return parts

    def begin(self) -> None:
        for worker in self.workers:
            worker.refused = False
            worker.admitted = worker.ready_for == self._admission.plan_id
            worker.tasks.clear()
        self.nursery.start_soon(self._look)

    def send(self, task: Task[DaskWorker]) -> None:
        connection = self._cluster.connection
        ends_before = tuple(part[0].game_id for part in task.parts[1:])
        message = SentTask(
            task=PlayTask(task.number, tuple(task.missing.values()), ends_before=ends_before),
            topic=connection.topic,
            plan_id=self._admission.plan_id,
        )
        number = task.number

        def on_end(problem: CallFailed | ConnectionLost | None) -> None:
            # What has gone wrong before or after `play` itself; the end of a task comes as an event.
            if number in self.dispatcher.given and not self._cancelled:
                if isinstance(problem, ConnectionLost):
                    self.fail(problem)
                elif problem is not None:
                    self.receive(TaskEnded(number, problem=str(problem)))

        self._futures[number] = connection.play(message, worker=task.worker.address, on_end=on_end)

    def receive(self, message: FromMachine) -> None:
        task = self.dispatcher.given.get(message.number)
        if task is not None:
            task.worker.heard()
        match message:
            case TaskBegun() if task is not None:
                self.dispatcher.begin(task)
            case TaskResult():
                self._receive_result(message, task)
            case TaskEnded(measured=measured) if task is not None:
                if measured is not None and not all(0 <= bot < len(self.plan.bots) for bot in measured.thinking):
                    message = TaskEnded(message.number, problem="its measurements can't be used")
                self._end(task, message)
        self.wake()

    def _receive_result(self, result: TaskResult, task: Task[DaskWorker] | None) -> None:
        """Take a result. Without a task it comes from a machine that was thought lost, and counts if it is the first
        one."""
        game = self.dispatcher.missing(result.played.game.game_id)
        if game is not None and is_usable(result, game):
            host, built = ("unknown", {}) if task is None else (task.worker.host, task.worker.built)
            names = {self.plan.bots[bot].name for bot in game.seating}
            try:
                played, recorder = unpacked(self.plan, game, result)
            except RefereeError as error:
                self.fail(error)
                return
            self.dispatcher.result(game.game_id)
            built = {name: files for name, files in built.items() if name in names}
            self.store_soon(structs.replace(played, host=host, built=built), recorder)
            self._seconds = result.seconds if self._seconds is None else (self._seconds + result.seconds) / 2
        elif game is not None and task is not None:
            game_id = game.game_id
            self._forget(task)
            if game_id in self._suspects:  # a second machine: the game is to blame, and not the first one
                self._suspects[game_id].refused = False
            else:
                self._suspects[game_id] = task.worker
                self._refuse(task.worker, f"its result of {game_id} can't be used")
            self.dispatcher.lose([task], f"{task.worker.description} sent a result of {game_id} that can't be used")

    def _end(self, task: Task[DaskWorker], ended: TaskEnded) -> None:
        worker = task.worker
        if ended.measured is not None:
            self._measured.add(ended.measured)
            margin = self.plan.conditions.control.margin
            self._lag.setdefault(worker.host, EventLoopLag(margin)).merge(ended.measured.lag)
        for notice in ended.notices:
            self._cluster.notice_once(f"{sanitise(worker.host)}: {sanitise(notice)}")
        self._forget(task)
        if self._cancelled:
            self.dispatcher.end(task)
        elif ended.traceback is not None:
            self.fail(RuntimeError(f"error on {worker.description}:\n{ended.traceback}"))
        elif ended.problem is not None:
            self._refuse(worker, ended.problem)
            self.dispatcher.take_back(task)
        elif task.missing:
            died = ended.died or "ended its task too early"
            self.dispatcher.lose([task], f"a worker process on {worker.description} {died}")
        else:
            self.dispatcher.end(task)

    def _forget(self, task: Task[DaskWorker]) -> None:
        self._cluster.connection.cancel(self._futures.pop(task.number, None))

    async def cancel(self) -> None:
        """Machines that have not begun a task, or are lost, are not waited for."""
        self._cancelled = True
        given = self.dispatcher.given
        for number in given:
            self._cluster.connection.cancel(self._futures.get(number))
        with trio.move_on_after(2 * WORKER_END_TIMEOUT):
            while self.dispatcher.failure is None and any(task.begun for task in given.values()):
                await self.wait_for_change()
        for task in given.values():
            self._forget(task)

    # -- machines ---------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        while True:
            try:
                listed = await self._cluster.connection.workers(self._cluster.lost_after)
            except ConnectionLost as error:
                self.fail(error)
                return
            self._see(listed)
            await trio.sleep(LOOK_INTERVAL)

    def _see(self, listed: dict[str, ListedWorker]) -> None:
        lost_after, workers = self._cluster.lost_after, self._cluster.workers
        for address, worker in [*workers.items()]:
            if address not in listed:
                del workers[address]
                self._lose(worker, f"{worker.description} has left the cluster, or was killed")
            elif not worker.seen(listed[address], lost_after):
                if not worker.is_lost:
                    self._lose(worker, f"{worker.description} has been silent for {lost_after:g} s")
            elif worker.is_lost:
                del workers[address]  # it is back, and is treated as a new one
        for address, found in listed.items():
            if address not in workers:
                workers[address] = DaskWorker(address, found)
                workers[address].seen(found, lost_after)
            worker = workers[address]
            if not (worker.admitted or worker.refused or worker.asking or worker.is_lost):
                worker.asking = trio.CancelScope()
                self.nursery.start_soon(self._admit, worker)
        self._check_anybody_left()
        self.wake()

    async def _admit(self, worker: DaskWorker) -> None:
        try:
            assert worker.asking is not None
            with worker.asking:
                await self._admission.admit(self._cluster.connection, worker)
                worker.ready_for = self._admission.plan_id
                worker.admitted = True
                for bot, files in worker.built.items():
                    self._cluster.notice_once(
                        f"{sanitise(worker.host)} has built {bot}: the SHA-256 of its files is {files}"
                    )
        except Refused as refused:
            self._refuse(worker, str(refused))
        finally:
            worker.asking = None
            self.wake()

    def _refuse(self, worker: DaskWorker, reason: str) -> None:
        worker.refused, worker.admitted = True, False
        self._reasons[worker.description] = sanitise(reason)
        self._cluster.notice_once(f"{worker.description} doesn't take part: {sanitise(reason)}")

    def _lose(self, worker: DaskWorker, what: str) -> None:
        worker.lose()
        tasks = [*worker.tasks.values()]
        for task in tasks:
            self._forget(task)
        if tasks:
            self.dispatcher.lose(tasks, what)
        elif not worker.refused:
            self._cluster.notice_once(what)

    def _check_anybody_left(self) -> None:
        """Fail if for some time no machine could play."""
        if any(worker.asking or worker.admitted for worker in self.workers):
            self._nobody_since = None
            return
        now = trio.current_time()
        self._nobody_since = self._nobody_since or now
        if now - self._nobody_since >= self._cluster.lost_after:
            reasons = "; ".join(f"{who}: {why}" for who, why in self._reasons.items()) or "it has no workers"
            self.fail(WorkerError(f"no machine of the cluster can play. {reasons}"))

    def report_lateness(self) -> None:
        """Report machines that were late: as on this machine, bots there were charged for it within their limits."""
        for host, lag in self._lag.items():
            if lag.over_margin:
                times = format_count(lag.over_margin, "times")
                self._cluster.notice(
                    f"{sanitise(host)} was late: up to {lag.longest * 1000:.0f} ms, {times} over the"
                    f" margin of {lag.margin * 1000:.0f} ms. Start fewer threads of Dask there, or stop what else runs"
                )
            if lag.suspensions:
                self._cluster.notice(
                    f"{sanitise(host)} was suspended for {lag.suspended:.1f} s, {SUSPENDED.explanation}"
                )


def unpacked(plan: GamePlan, game: ScheduledGame, result: TaskResult) -> tuple[PlayedGame, Recorder]:
    """The finished game and its record; the files that the plan wants are written. Raises RecordWriteError.

    `result`: one that is usable for this game.
    """
    stderr: list[StderrExcerpt | None] = []
    for seat, (excerpt, content) in enumerate(zip(result.played.stderr, result.stderr, strict=True)):
        file = plan.stderr_path(game, seat)
        if file is not None and content is not None:
            with suppress(OSError):  # as with StderrLog: a full disk must not end a game
                file.write_bytes(zlib.decompress(content))
        if excerpt is not None:
            excerpt = structs.replace(excerpt, path=None if excerpt.path is None else file)  # noqa: PLW2901
        stderr.append(excerpt)
    lines = b"" if result.content is None else zlib.decompress(result.content)
    recorder = RecordInMemory(lines) if plan.records_in_memory else plan.recorder(game)
    if isinstance(recorder, RecordFile):
        for line in lines.splitlines():
            recorder.write(line)
        recorder.close()
    path = recorder.path if isinstance(recorder, RecordFile) else result.played.record
    return structs.replace(result.played, game=game, stderr=stderr, record=path), recorder
