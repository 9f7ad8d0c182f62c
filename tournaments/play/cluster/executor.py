"""An Executor whose games are played by the machines of a Dask cluster.

The director gives each task to one worker of Dask by name, so that it decides itself what a lost machine costs: what
Dask would repeat by its own rules, it is told to forget. Results are keyed by the ids of games, and the first one
stands.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import trio
from msgspec import structs

from referee.exception_groups import single_errors
from referee.games.narrator import format_count
from referee.players.event_loop_lag import EventLoopLag
from referee.printable import sanitise
from tournaments.play.cluster import machine
from tournaments.play.cluster.messages import FromMachine, Task, TaskBegun, TaskEnded, TaskResult, is_usable
from tournaments.play.cluster.places import (
    Admission,
    Attempt,
    CallFailed,
    ClusterTask,
    Connection,
    ConnectionLost,
    DaskWorker,
    PackedBots,
    Place,
    Refused,
)
from tournaments.play.cluster.results import unpacked
from tournaments.play.cluster.settings import ClusterSettings, check_possible
from tournaments.play.events import GameBegun, Observer, notices_to
from tournaments.play.measurements import Measurements
from tournaments.play.phase_change import PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Store
from tournaments.play.schedule import Schedule, ScheduledGame
from tournaments.play.worker_process import WORKER_END_TIMEOUT, WorkerError
from tournaments.play.workers import MAX_LOSSES

LOOK_INTERVAL: Final = 1.0
"""Seconds between two requests for the scheduler's list of workers."""
MAX_TASK_LOSSES: Final = 2
"""Losses of a task after which it is left unplayed, as with workers on this machine."""
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
        self.places: dict[str, Place] = {}
        """The workers of Dask that are known, by address."""
        self._told: set[str] = set()
        """Notices that were given."""
        self._attempts = 0
        self._round: _Round | None = None

    async def play(
        self, plan: GamePlan, schedule: Schedule, store: Store, measured: Measurements | None = None
    ) -> None:
        """See Executor. Raises ClusterError, ArchiveError and WorkerError."""
        check_possible(plan.bots, plan.conditions, traces=plan.traces is not None)
        bots = {}
        if any(bot.is_program for bot in plan.bots):
            bots = await trio.to_thread.run_sync(self.archives.pack, plan)
        admission = Admission(plan, bots, self.archives, ANSWER_TIMEOUT)
        measured = measured or Measurements(plan)
        self._round = round_ = _Round(self, plan, schedule, store, admission, measured)
        try:
            with single_errors():
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

    def next_attempt(self) -> str:
        """A new id."""
        self._attempts += 1
        return f"{self._attempts}"

    async def close(self) -> None:
        """End the processes that wait for tasks, and remove what was made."""

        async def end(place: Place) -> None:
            with suppress(CallFailed):
                await self.connection.call(machine.end, worker=place.address, timeout=END_TIMEOUT)

        self.archives.close()
        async with trio.open_nursery() as nursery:
            for place in self.places.values():
                if place.ready_for is not None:
                    nursery.start_soon(end, place)


class _Round:
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
        self._cluster = cluster
        self._plan = plan
        self._schedule = schedule
        self._store = store
        self._admission = admission
        self._places = cluster.places
        self._again: deque[ClusterTask] = deque()
        """Tasks that were given to a machine that was lost, or can't go on."""
        self._attempts: dict[str, Attempt] = {}
        """All that were given to machines and are not over, by their ids; also those that are not wanted."""
        self._open: dict[str, ClusterTask] = {}
        """The tasks of games without a result, by the id of the game."""
        self._part_seconds: float | None = None
        """Seconds that a task of the schedule has taken lately."""
        self._storing = 0
        self._announced: set[str] = set()
        self._unplayed: list[str] = []
        self._losses = 0
        """Losses since a game was finished."""
        self._nobody_since: float | None = None
        self._reasons: dict[str, str] = {}
        """Why workers of Dask are refused, by what people are told of them."""
        self._changed = trio.Event()
        self._failure: BaseException | None = None
        self._nursery: trio.Nursery
        self._measured = measured
        self._lag: dict[str, EventLoopLag] = {}
        """Event loop lag by host."""

    async def play(self) -> None:
        """Play all games. Raises ClusterError and WorkerError."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            for place in self._places.values():
                place.refused = False
            nursery.start_soon(self._look)
            try:
                while not self._is_over():
                    await self._changed.wait()
                    self._changed = trio.Event()
            finally:
                # Shielded: no process of a bot may outlive the round, and finished games on their way are stored.
                with trio.CancelScope(shield=True):
                    await self._end_attempts()
            nursery.cancel_scope.cancel()
        if self._unplayed:
            games = "game" if len(self._unplayed) == 1 else "games"
            raise WorkerError(
                f"{games} {', '.join(self._unplayed)} not played: each attempt ended the worker that played. The others"
                " are finished"
            )

    def _is_over(self) -> bool:
        """Give tasks to machines that have room. True if nothing is left to do."""
        if self._failure is not None:
            raise self._failure
        self._place_tasks()
        if any(attempt.wanted for attempt in self._attempts.values()) or self._again or self._open or self._storing:
            return False
        task = self._next_task()  # there may be no machine yet that can play it
        if task is not None:
            self._again.append(task)
        return task is None

    # -- tasks ------------------------------------------------------------------------------------------------

    def _place_tasks(self) -> None:
        limit = self._cluster.settings.at_a_time
        while True:
            running = sum(attempt.wanted for attempt in self._attempts.values())
            free = [place for place in self._places.values() if self._may_play(place) and place.room > 0]
            if not free or (limit is not None and running >= limit):
                return
            task = self._next_task()
            if task is None:
                return
            self._give(task, max(free, key=lambda place: place.room / place.threads))

    def _may_play(self, place: Place) -> bool:
        return place.ready_for == self._admission.plan_id and not place.refused

    def _next_task(self) -> ClusterTask | None:
        while self._again:
            task = self._again.popleft()
            if task.missing:
                return task
        parts: list[Sequence[ScheduledGame]] = []
        while len(parts) < self._parts_at_a_time() and (games := self._schedule.next_task()):
            parts.append(games)
        return self._opened(parts) if parts else None

    def _parts_at_a_time(self) -> int:
        """How many tasks of the schedule are sent together: each message costs more than a very short game."""
        if self._part_seconds is None:
            return 1
        return max(1, min(MAX_PARTS, int(MERGED_SECONDS / max(self._part_seconds, 0.001))))

    def _opened(self, parts: Sequence[Sequence[ScheduledGame]]) -> ClusterTask:
        task = ClusterTask(parts)
        self._open.update(dict.fromkeys(task.missing, task))
        return task

    def _give(self, task: ClusterTask, place: Place) -> None:
        connection = self._cluster.connection
        attempt = Attempt(self._cluster.next_attempt(), task, place)
        self._attempts[attempt.attempt_id] = place.attempts[attempt.attempt_id] = attempt
        message = Task(
            task_id=attempt.attempt_id,
            topic=connection.topic,
            plan_id=self._admission.plan_id,
            games=tuple(task.missing.values()),
            ends_before=tuple(part[0].game_id for part in task.parts[1:]),
        )

        def on_end(problem: CallFailed | ConnectionLost | None) -> None:
            # What has gone wrong before or after `play` itself; the end of a task comes as an event.
            if attempt.attempt_id in self._attempts and attempt.wanted:
                if isinstance(problem, ConnectionLost):
                    self._fail(problem)
                elif problem is not None:
                    self.receive(TaskEnded(task_id=attempt.attempt_id, problem=str(problem)))

        attempt.future = connection.play(message, worker=place.address, on_end=on_end)

    def receive(self, message: FromMachine) -> None:
        """Take what a machine tells."""
        attempt = self._attempts.get(message.task_id)
        if attempt is not None:
            attempt.place.heard()
        match message:
            case TaskBegun() if attempt is not None:
                attempt.begun = trio.current_time()
                self._announce(attempt.task)
            case TaskResult():
                task = self._open.get(message.played.game.game_id)
                if task is not None and not is_usable(message, task.missing[message.played.game.game_id]):
                    if attempt is not None:
                        problem = f"its result of {message.played.game.game_id} can't be used"
                        self._receive_end(TaskEnded(task_id=message.task_id, problem=problem), attempt)
                else:
                    self._receive_game(message, attempt)
            case TaskEnded(measured=measured) if attempt is not None:
                if measured is not None and not measured.is_of(self._plan):
                    message = TaskEnded(task_id=message.task_id, problem="its measurements can't be used")
                self._receive_end(message, attempt)
        self._wake()

    def _receive_game(self, message: TaskResult, attempt: Attempt | None) -> None:
        task = self._open.pop(message.played.game.game_id, None)
        if task is None:
            return  # it was played twice, as a machine was thought lost: the first result stands
        game = task.missing.pop(message.played.game.game_id)
        self._losses = 0
        self._storing += 1
        if attempt is not None:
            self._announce(task)
        host, built = ("unknown", {}) if attempt is None else (attempt.place.host, attempt.place.built)
        names = {self._plan.bots[bot].name for bot in game.seating}
        own = {name: files for name, files in built.items() if name in names}
        self._nursery.start_soon(self._finish, game, message, host, own)

    def _announce(self, task: ClusterTask) -> None:
        """Announce that the next game of a task begins."""
        game = next(iter(task.missing.values()), None)
        if game is not None and game.game_id not in self._announced:
            self._announced.add(game.game_id)
            self._cluster.observer(GameBegun.of(game))

    def _receive_end(self, message: TaskEnded, attempt: Attempt) -> None:
        place, task = attempt.place, attempt.task
        self._forget(attempt)
        if attempt.begun is not None and not task.missing:
            took = (trio.current_time() - attempt.begun) / attempt.parts
            self._part_seconds = took if self._part_seconds is None else (self._part_seconds + took) / 2
        if message.measured is not None:
            self._measured.add(message.measured)
            margin = self._plan.conditions.control.margin
            self._lag.setdefault(place.host, EventLoopLag(margin)).merge(message.measured.lag)
        for notice in message.notices:
            self._cluster.tell(f"{sanitise(place.host)}: {sanitise(notice)}")
        if not attempt.wanted:
            return
        if message.traceback is not None:
            self._fail(RuntimeError(f"error on {place.description}:\n{message.traceback}"))
        elif message.problem is not None:
            self._refuse(place, message.problem)
            self._again.append(task)
        elif task.missing:
            self._lose(task, f"a worker process on {place.description} {message.died or 'ended its task too early'}")

    def _lose(self, task: ClusterTask, what: str) -> None:
        """A task was lost while it was played: it is played again, or left unplayed."""
        parts = task.parts
        task.losses += 1
        self._losses += 1
        if self._losses > MAX_LOSSES:
            self._fail(WorkerError(f"{what}, as did {MAX_LOSSES} before it, and no game has finished since"))
        elif task.losses < MAX_TASK_LOSSES:
            games = len(task.missing)
            self._cluster.notice(f"{what}; another one plays its task, with {games} games, again")
            for part in parts:  # one by one: only the one that ends another machine is left unplayed
                again = self._opened([part])
                again.losses = task.losses
                self._again.append(again)
        else:
            names = ", ".join(task.missing)
            self._cluster.notice(f"{what}; the task that has now ended two is left unplayed: {names}")
            for game in task.missing.values():
                self._unplayed.append(game.game_id)
                self._open.pop(game.game_id, None)
                self._schedule.finished(game)

    def _forget(self, attempt: Attempt) -> None:
        attempt.over.set()
        self._attempts.pop(attempt.attempt_id, None)
        attempt.place.attempts.pop(attempt.attempt_id, None)
        self._cluster.connection.cancel(attempt.future)

    async def _end_attempts(self) -> None:
        """End all tasks that still run, wait for the machines, and for what they have finished."""
        for attempt in self._attempts.values():
            attempt.wanted = False
            self._cluster.connection.cancel(attempt.future)
        with trio.move_on_after(2 * WORKER_END_TIMEOUT):
            for attempt in [*self._attempts.values()]:
                if attempt.begun is not None and not attempt.place.is_lost and self._failure is None:
                    await attempt.over.wait()
        for attempt in [*self._attempts.values()]:
            self._forget(attempt)
        while self._storing:
            await self._changed.wait()
            self._changed = trio.Event()

    # -- results ----------------------------------------------------------------------------------------------

    async def _finish(self, game: ScheduledGame, message: TaskResult, host: str, built: dict[str, str]) -> None:
        """Store a finished game with what its machine has sent."""
        with trio.CancelScope(shield=True):
            try:
                played, recorder = unpacked(self._plan, game, message)
                await self._store(structs.replace(played, host=host, built=built), recorder)
                self._schedule.finished(game)
            finally:
                self._storing -= 1
                self._wake()

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
        lost_after = self._cluster.settings.lost_after
        for address, place in [*self._places.items()]:
            worker = workers.get(address)
            if worker is None:
                del self._places[address]
                self._lose_place(place, f"{place.description} has left the cluster, or was killed")
            elif not place.seen(worker, lost_after):
                if not place.is_lost:
                    self._lose_place(place, f"{place.description} has been silent for {lost_after:g} s")
            elif place.is_lost:
                del self._places[address]  # it is back, and is treated as a new one
        for address, worker in workers.items():
            place = self._places.get(address) or Place(address, worker)
            if address not in self._places:
                place.seen(worker, lost_after)
                self._places[address] = place
            may_be_asked = not (place.refused or place.asking or place.is_lost)
            if may_be_asked and place.ready_for != self._admission.plan_id:
                place.asking = trio.CancelScope()
                self._nursery.start_soon(self._admit, place)
        self._check_anybody_left()
        self._wake()

    async def _admit(self, place: Place) -> None:
        try:
            assert place.asking is not None
            with place.asking:
                await self._admission.admit(self._cluster.connection, place)
                place.ready_for = self._admission.plan_id
                for bot, files in place.built.items():
                    self._cluster.tell(f"{sanitise(place.host)} has built {bot}: the SHA-256 of its files is {files}")
        except Refused as refused:
            self._refuse(place, str(refused))
        finally:
            place.asking = None
            self._wake()

    def _refuse(self, place: Place, reason: str) -> None:
        place.refused = True
        self._reasons[place.description] = sanitise(reason)
        self._cluster.tell(f"{place.description} doesn't take part: {sanitise(reason)}")

    def _lose_place(self, place: Place, what: str) -> None:
        place.lose()
        attempts = [attempt for attempt in place.attempts.values() if attempt.wanted]
        for attempt in attempts:
            attempt.wanted = False
            self._forget(attempt)
            if attempt.begun is not None and attempt.task.missing:
                self._lose(attempt.task, what)
            else:
                self._again.append(attempt.task)
        if not attempts and not place.refused:
            self._cluster.tell(what)

    def _check_anybody_left(self) -> None:
        """Fail if for some time no machine could play."""
        if any(place.asking or self._may_play(place) for place in self._places.values()):
            self._nobody_since = None
            return
        now = trio.current_time()
        self._nobody_since = self._nobody_since or now
        if now - self._nobody_since >= self._cluster.settings.lost_after:
            reasons = "; ".join(f"{who}: {why}" for who, why in self._reasons.items()) or "it has no workers"
            self._fail(WorkerError(f"no machine of the cluster can play. {reasons}"))

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
