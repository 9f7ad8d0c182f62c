"""An Executor whose games are played by the machines of a Dask cluster.

The director gives each task to one worker of Dask by name, so that it decides itself what a lost machine costs: what
Dask would repeat by its own rules, it is told to forget. Results are keyed by the ids of games, and the first one
stands.
"""

import math
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final

import trio
from msgspec import structs

from referee.games.narrator import format_count
from referee.players.event_loop_lag import EventLoopLag
from referee.printable import sanitise
from referee.record.writer import Recorder
from tournaments.play.cluster import machine
from tournaments.play.cluster.messages import FromMachine, SentTask, TaskBegun, is_usable
from tournaments.play.cluster.places import (
    Admission,
    CallFailed,
    Connection,
    ConnectionLost,
    DaskPlace,
    DaskWorker,
    PackedBots,
    Refused,
)
from tournaments.play.cluster.results import unpacked
from tournaments.play.cluster.settings import ClusterSettings, check_games
from tournaments.play.dispatcher import Attempt, WorkerError
from tournaments.play.dispatching import Dispatching
from tournaments.play.events import Observer, notices_to
from tournaments.play.measurements import Measurements
from tournaments.play.phase_change import PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame, Store
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

    def __init__(self, settings: ClusterSettings, observer: Observer) -> None:
        self.settings = settings
        self.observer = observer
        self.notice = notices_to(observer)
        self.change = PhaseChange(self.notice)
        self.connection: Connection
        self.archives = PackedBots()
        self.places: dict[str, DaskPlace] = {}
        """The workers of Dask that are known, by address."""
        self.numbers = count()
        """Of tasks. None is used twice: a message of an earlier round may come late."""
        self._told: set[str] = set()
        """Notices that were given."""
        self._round: _Round | None = None

    async def play(
        self, plan: GamePlan, schedule: Schedule, store: Store, measured: Measurements | None = None
    ) -> None:
        """See Executor. Raises ExecutorError, ArchiveError and WorkerError."""
        check_games(plan.conditions, plan.bots, plan.traces is not None)
        bots = {}
        if any(bot.is_program for bot in plan.bots):
            bots = await trio.to_thread.run_sync(self.archives.pack, plan)
        admission = Admission(plan, bots, self.archives, ANSWER_TIMEOUT)
        self._round = round_ = _Round(self, plan, schedule, store, admission, measured or Measurements(plan))
        try:
            await round_.play()
        finally:
            self._round = None
            round_.report_lateness()

    def receive(self, message: FromMachine) -> None:
        """Handle a message from a machine. Messages between two rounds are too late, and ignored."""
        if self._round is not None:
            self._round.receive(message)

    def tell(self, text: str) -> None:
        """Show a notice, once."""
        if text not in self._told:
            self._told.add(text)
            self.notice(text)

    async def close(self) -> None:
        """End the processes that wait for tasks, and remove what was made."""

        async def end(place: DaskPlace) -> None:
            with suppress(CallFailed):
                await self.connection.call(machine.end, worker=place.address, timeout=END_TIMEOUT)

        self.archives.close()
        async with trio.open_nursery() as nursery:
            for place in self.places.values():
                if place.ready_for is not None:
                    nursery.start_soon(end, place)


class _Round(Dispatching[DaskPlace]):
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
        super().__init__(plan, schedule, store, cluster.observer, cluster.numbers)
        self._cluster = cluster
        self._admission = admission
        self._futures: dict[int, Any] = {}
        """By the number of a task, what cancels it."""
        self._began: dict[int, tuple[float, int]] = {}
        """When a task began, by this machine's clock, and the number of its parts."""
        self._ended = trio.Event()
        """Set when a task has ended while all are cancelled."""
        self._cancelled = False
        self._part_seconds: float | None = None
        """Seconds that a task of the schedule has taken lately."""
        self._nobody_since: float | None = None
        self._reasons: dict[str, str] = {}
        """Why workers of Dask are refused, by what people are told of them."""
        self._measured = measured
        self._lag: dict[str, EventLoopLag] = {}
        """Event loop lag by host."""

    # -- tasks ------------------------------------------------------------------------------------------------

    @property
    def places(self) -> Collection[DaskPlace]:
        """See Dispatching."""
        return self._cluster.places.values()

    @property
    def limit(self) -> float:
        """See Dispatching."""
        return self._cluster.settings.at_a_time or math.inf

    def take(self) -> Sequence[Sequence[ScheduledGame]]:
        """See Dispatching. Short tasks of the schedule are one here: a message costs more than a short game."""
        at_a_time = 1
        if self._part_seconds is not None:
            at_a_time = max(1, min(MAX_PARTS, int(MERGED_SECONDS / max(self._part_seconds, 0.001))))
        parts: list[Sequence[ScheduledGame]] = []
        while len(parts) < at_a_time and (games := self.schedule.next_task()):
            parts.append(games)
        return parts

    def begin(self) -> None:
        """See Dispatching."""
        for place in self.places:
            place.refused = False
            place.admitted = place.ready_for == self._admission.plan_id
            place.attempts.clear()
        self.nursery.start_soon(self._look)

    def send(self, attempt: Attempt[DaskPlace]) -> None:
        """See Dispatching."""
        connection, parts = self._cluster.connection, attempt.task.parts
        games = tuple(attempt.task.missing.values())
        task = PlayTask(attempt.number, games, ends_before=tuple(part[0].game_id for part in parts[1:]))

        def on_end(problem: CallFailed | ConnectionLost | None) -> None:
            # What has gone wrong before or after `play` itself; the end of a task comes as an event.
            if attempt.number in self.dispatcher.attempts and not self._cancelled:
                if isinstance(problem, ConnectionLost):
                    self._fail(problem)
                elif problem is not None:
                    self.receive(TaskEnded(attempt.number, problem=str(problem)))

        message = SentTask(task=task, topic=connection.topic, plan_id=self._admission.plan_id)
        self._futures[attempt.number] = connection.play(message, worker=attempt.place.address, on_end=on_end)

    def receive(self, message: FromMachine) -> None:
        """Take what a machine tells."""
        attempt = self.dispatcher.attempts.get(message.number)
        if attempt is not None:
            attempt.place.heard()
        match message:
            case TaskBegun() if attempt is not None:
                self._began[attempt.number] = trio.current_time(), len(attempt.task.parts)
                self.dispatcher.begin(attempt)
            case TaskResult():
                game = self.dispatcher.missing(message.played.game.game_id)
                if game is None or is_usable(message, game):
                    self.receive_result(message, None if attempt is None else attempt.place)
                elif attempt is not None:
                    self._end(attempt, TaskEnded(message.number, problem=f"its result of {game.game_id} can't be used"))
            case TaskEnded(measured=measured) if attempt is not None:
                if measured is not None and not measured.is_of(self.plan):
                    message = TaskEnded(message.number, problem="its measurements can't be used")
                self._end(attempt, message)
        self.wake()

    def _end(self, attempt: Attempt[DaskPlace], ended: TaskEnded) -> None:
        """A machine plays a task no longer."""
        place, task = attempt.place, attempt.task
        began = self._began.get(attempt.number)
        if began is not None and not task.missing:
            took = (trio.current_time() - began[0]) / began[1]
            self._part_seconds = took if self._part_seconds is None else (self._part_seconds + took) / 2
        if ended.measured is not None:
            self._measured.add(ended.measured)
            margin = self.plan.conditions.control.margin
            self._lag.setdefault(place.host, EventLoopLag(margin)).merge(ended.measured.lag)
        for notice in ended.notices:
            self._cluster.tell(f"{sanitise(place.host)}: {sanitise(notice)}")
        self._forget(attempt)
        if self._cancelled:
            self.dispatcher.end(attempt)
            self._ended.set()
        elif ended.traceback is not None:
            self._fail(RuntimeError(f"error on {place.description}:\n{ended.traceback}"))
        elif ended.problem is not None:
            self._refuse(place, ended.problem)
            self.dispatcher.take_back(attempt)
        elif task.missing:
            died = ended.died or "ended its task too early"
            self.dispatcher.lose([attempt], f"a worker process on {place.description} {died}")
        else:
            self.dispatcher.end(attempt)

    def _forget(self, attempt: Attempt[DaskPlace]) -> None:
        self._began.pop(attempt.number, None)
        self._cluster.connection.cancel(self._futures.pop(attempt.number, None))

    async def cancel(self) -> None:
        """See Dispatching. Machines that have not begun a task, or are lost, are not waited for."""
        self._cancelled = True
        attempts = self.dispatcher.attempts
        for number in attempts:
            self._cluster.connection.cancel(self._futures.get(number))
        with trio.move_on_after(2 * WORKER_END_TIMEOUT):
            while self.dispatcher.failure is None and any(attempt.begun for attempt in attempts.values()):
                await self._ended.wait()
                self._ended = trio.Event()
        for attempt in attempts.values():
            self._forget(attempt)

    # -- results ----------------------------------------------------------------------------------------------

    def unpack(self, game: ScheduledGame, result: TaskResult, place: DaskPlace | None) -> tuple[PlayedGame, Recorder]:
        """See Dispatching."""
        played, recorder = unpacked(self.plan, game, result)
        if place is None:  # it was thought lost, and its result has come before that of another one
            return structs.replace(played, host="unknown", built={}), recorder
        names = {self.plan.bots[bot].name for bot in game.seating}
        built = {name: files for name, files in place.built.items() if name in names}
        return structs.replace(played, host=place.host, built=built), recorder

    def report_lateness(self) -> None:
        """Report machines that were late: as on this machine, bots there were charged for it within their limits."""
        for host, lag in self._lag.items():
            if lag.over_margin:
                times = format_count(lag.over_margin, "times")
                self._cluster.notice(
                    f"{sanitise(host)} was late: up to {lag.longest * 1000:.0f} ms, {times} over the"
                    f" margin of {lag.margin * 1000:.0f} ms. Start fewer threads of Dask there, or stop what else runs"
                )

    # -- machines ---------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        """Ask the scheduler for its workers, from time to time."""
        while True:
            try:
                workers = await self._cluster.connection.workers(self._cluster.settings.lost_after)
            except ConnectionLost as error:
                self._fail(error)
                return
            self._see(workers)
            await trio.sleep(LOOK_INTERVAL)

    def _see(self, workers: dict[str, DaskWorker]) -> None:
        lost_after, places = self._cluster.settings.lost_after, self._cluster.places
        for address, place in [*places.items()]:
            worker = workers.get(address)
            if worker is None:
                del places[address]
                self._lose(place, f"{place.description} has left the cluster, or was killed")
            elif not place.seen(worker, lost_after):
                if not place.is_lost:
                    self._lose(place, f"{place.description} has been silent for {lost_after:g} s")
            elif place.is_lost:
                del places[address]  # it is back, and is treated as a new one
        for address, worker in workers.items():
            place = places.get(address) or DaskPlace(address, worker)
            if address not in places:
                place.seen(worker, lost_after)
                places[address] = place
            if not (place.admitted or place.refused or place.asking or place.is_lost):
                place.asking = trio.CancelScope()
                self.nursery.start_soon(self._admit, place)
        self._check_anybody_left()
        self.wake()

    async def _admit(self, place: DaskPlace) -> None:
        try:
            assert place.asking is not None
            with place.asking:
                await self._admission.admit(self._cluster.connection, place)
                place.ready_for = self._admission.plan_id
                place.admitted = True
                for bot, files in place.built.items():
                    self._cluster.tell(f"{sanitise(place.host)} has built {bot}: the SHA-256 of its files is {files}")
        except Refused as refused:
            self._refuse(place, str(refused))
        finally:
            place.asking = None
            self.wake()

    def _refuse(self, place: DaskPlace, reason: str) -> None:
        place.refused, place.admitted = True, False
        self._reasons[place.description] = sanitise(reason)
        self._cluster.tell(f"{place.description} doesn't take part: {sanitise(reason)}")

    def _lose(self, place: DaskPlace, what: str) -> None:
        place.lose()
        attempts = [*place.attempts.values()]
        begun = [attempt for attempt in attempts if attempt.begun and attempt.task.missing]
        for attempt in attempts:
            self._forget(attempt)
            if attempt not in begun:
                self.dispatcher.take_back(attempt)
        if begun:
            self.dispatcher.lose(begun, what)
        elif not place.refused:
            self._cluster.tell(what)

    def _check_anybody_left(self) -> None:
        """Fail if for some time no machine could play."""
        if any(place.asking or place.admitted for place in self.places):
            self._nobody_since = None
            return
        now = trio.current_time()
        self._nobody_since = self._nobody_since or now
        if now - self._nobody_since >= self._cluster.settings.lost_after:
            reasons = "; ".join(f"{who}: {why}" for who, why in self._reasons.items()) or "it has no workers"
            self._fail(WorkerError(f"no machine of the cluster can play. {reasons}"))

    def _fail(self, error: Exception) -> None:
        self.dispatcher.fail(error)
        self.wake()
