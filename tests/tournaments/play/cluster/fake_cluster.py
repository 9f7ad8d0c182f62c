"""A cluster without Dask and without processes: machines that play a game at once, when they are told to."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import trio

from referee.outcome import Outcome
from referee.processes.message_channel import decode, encode
from tournaments.play.cluster import machine
from tournaments.play.cluster.dask_workers import CallFailed, ConnectionLost, ListedWorker, OnEnd, own_program
from tournaments.play.cluster.executor import Cluster
from tournaments.play.cluster.messages import Prepared, SentTask, TaskBegun
from tournaments.play.conditions import Conditions
from tournaments.play.events import LiveEvent, Notice
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import ScheduledGame
from tournaments.play.worker_messages import PlayTask, TaskEnded, TaskResult

LOST_AFTER = 10.0


class FakeMachine:
    """A worker of Dask. Tests set what it is like."""

    def __init__(self, address: str, threads: int = 1) -> None:
        self.address = address
        self.threads = threads
        self.tasks: list[PlayTask] = []
        self.wanted: set[int] = set()
        """The tasks that the director has not cancelled."""
        self.differs: dict[str, Any] = {}
        """What it says of itself in place of what the director's machine is."""
        self.problem: str | None = None
        """Why it can't play."""
        self.is_silent = False
        self.beats = 0


class FakeCluster:
    """A Connection, and the executor that uses it."""

    topic = "topic"

    def __init__(self, plan: GamePlan, *machines: FakeMachine, at_a_time: int | None = None) -> None:
        self.machines = {machine.address: machine for machine in machines}
        self.events: list[LiveEvent] = []
        conditions = Conditions(executor="dask://h:1", lost_after=LOST_AFTER, concurrency=at_a_time)
        self.executor = Cluster(conditions, self.events.append)
        self.executor.connection = self
        self.is_reachable = True
        self.asked: list[Any] = []
        """Everything that machines were sent before tasks."""
        self.cancelled = trio.Event()
        """A task was cancelled, or is over."""
        self._plan = plan
        self._given = trio.Event()

    @property
    def notices(self) -> list[str]:
        """What the organiser was told."""
        return [event.text for event in self.events if isinstance(event, Notice)]

    # -- a connection -----------------------------------------------------------------------------------------

    def play(self, task: SentTask, *, worker: str, on_end: OnEnd) -> Any:
        at = self.machines[worker]
        sent: SentTask = decode(encode(task), SentTask)
        at.tasks.append(sent.task)
        at.wanted.add(sent.task.number)
        self.executor.receive(TaskBegun(sent.task.number))
        self._given.set()
        self._given = trio.Event()
        return at, sent.task.number

    async def call(self, function: Callable[..., bytes], *arguments: Any, worker: str, timeout: float) -> bytes:
        self.asked.append((function, arguments))
        at = self.machines.get(worker)
        if at is None or at.is_silent:
            raise CallFailed("no answer")
        if function is machine.describe:
            own = machine.description(own_program(), machine.rules_hash(self._plan.game))
            own = msgspec.structs.replace(own, host=f"host of {worker}", **at.differs)
            return msgspec.json.encode(own)
        if function is machine.prepare:
            return encode(Prepared(sandbox="none", problem=at.problem))
        return b""

    def cancel(self, future: Any) -> None:
        if future is not None:
            at, number = future
            at.wanted.discard(number)
            self.cancelled.set()

    async def workers(self, timeout: float) -> dict[str, ListedWorker]:
        if not self.is_reachable:
            raise ConnectionLost("the scheduler of the cluster no longer answers")
        for at in self.machines.values():
            at.beats += not at.is_silent
        return {
            at.address: ListedWorker(host=at.address, nthreads=at.threads, last_seen=at.beats)
            for at in self.machines.values()
        }

    # -- what tests let machines do -----------------------------------------------------------------------------

    async def task(self, at: FakeMachine, number: int = 1) -> PlayTask:
        """The task with this number that a machine was given, as soon as it has it."""
        while len(at.tasks) < number:
            await self._given.wait()
        return at.tasks[number - 1]

    def finish(self, task: PlayTask, games: Sequence[ScheduledGame] | None = None, seconds: float = 0.0) -> None:
        """A machine has finished these games of a task; without `games` all of them, and the task."""
        for game in task.games if games is None else games:
            seats = len(game.seating)
            outcome = Outcome(scores=list(range(seats)), ranks=[*range(seats, 0, -1)], faults=[None] * seats, asked=1)
            played = PlayedGame(game=game, outcome=outcome, record=None, stderr=[None] * seats)
            self.executor.receive(TaskResult(task.number, played, None, seconds, (None,) * seats))
        if games is None:
            self.end(task)

    def end(self, task: PlayTask) -> None:
        """A machine plays a task no longer."""
        self.executor.receive(TaskEnded(task.number))

    async def finish_all(self) -> None:
        """All machines finish every task at once, until cancelled."""
        done: set[int] = set()
        while True:
            for at in self.machines.values():
                for task in at.tasks:
                    if task.number not in done and not at.is_silent:
                        done.add(task.number)
                        self.finish(task)
            await self._given.wait()
