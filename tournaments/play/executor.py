"""Executors play games: those of a match and those of a round of a tournament, in this process or in workers."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pkgutil import resolve_name
from typing import Any, Final, Protocol

from referee.errors import RefereeError
from referee.processes.limits.machine import cores
from tournaments.play.cluster.settings import ClusterSettings
from tournaments.play.events import GameBegun, LineRecorded, Observer, notices_to
from tournaments.play.measurements import Measurements
from tournaments.play.phase_change import PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Callbacks, MakePerson, Store, open_runner, play_schedule
from tournaments.play.schedule import Schedule, ScheduledGame
from tournaments.play.workers import start_workers

GAMES_PER_WORKER: Final = 200
"""Games that must be played by each worker for its start to pay, with bots that answer at once."""


def default_workers(concurrency: int, games: int) -> int:
    """The number of processes that is fastest: as many as cores if there are games enough to pay for their start.

    `games`: how many there are in all. A game that is played alone needs no further process.
    """
    return max(1, min(cores(), concurrency, games // GAMES_PER_WORKER))


class Executor(Protocol):
    """Plays the games of a schedule, at most `plan.conditions.games_at_a_time` at the same time."""

    change: PhaseChange
    """What it does between phases."""

    async def play(
        self, plan: GamePlan, schedule: Schedule, store: Store, measured: Measurements | None = None
    ) -> None:
        """Play all games; each is given to `store` with its recorder, even if `play` is cancelled at that moment.

        The observer of the executor gets notices and the beginning of games; finished games are up to `store`.
        Measurements are added to `measured`, even if `play` ends early. All processes of bots have
        ended when this returns or is cancelled. Raises, in an exception group: what `store` raises, and RefereeError
        or OSError if games can't be played here.
        """
        ...


class InProcess:
    """Plays the games in this process. `person` makes the player of one game for a person, by its name."""

    def __init__(self, observer: Observer, person: MakePerson | None = None) -> None:
        self._observer = observer
        self._person = person
        self.change = PhaseChange(notices_to(observer))

    async def play(
        self, plan: GamePlan, schedule: Schedule, store: Store, measured: Measurements | None = None
    ) -> None:
        """See Executor. Raises RecordWriteError, TraceWriteError, ListenError, and MachineError if processes can't be
        started for a reason that is not a bot's."""
        plan = await self.change.begin(plan)

        def on_line(game_id: str, line: bytes) -> None:
            self._observer(LineRecorded(game_id=game_id, line=line))

        callbacks = Callbacks(
            store=store,
            on_notice=notices_to(self._observer),
            needs_processes=schedule.needs_processes,
            between_phases=lambda: self.change.between(plan),
            person=self._person,
            on_line=on_line if plan.conditions.watched else None,
        )
        async with open_runner(plan, measured or Measurements(plan), callbacks) as runner:

            def begin(game: ScheduledGame) -> None:
                runner.announce(game)
                self._observer(GameBegun.of(game))

            await play_schedule(schedule, plan.conditions.games_at_a_time, runner.play, begin)


class NotInstalled(RefereeError):
    """What plays on a cluster is not installed here."""


@contextlib.asynccontextmanager
async def open_executor(
    workers: int, observer: Observer, person: MakePerson | None = None, cluster: ClusterSettings | None = None
) -> AsyncIterator[Executor]:
    """An executor with this number of processes while the block runs; 1: this process. Or one that uses a `cluster`.

    Persons, and bots that are started manually, play in this process only. Raises NotInstalled and ClusterError.
    """
    if cluster is not None:
        async with cluster_executor()(cluster, observer) as playing:
            yield playing
    elif workers == 1:
        executor = InProcess(observer, person)
        try:
            yield executor
        finally:
            executor.change.close()
    else:
        async with start_workers(workers, observer) as started:
            yield started


def cluster_executor() -> Callable[[ClusterSettings, Observer], contextlib.AbstractAsyncContextManager[Executor]]:
    """What opens an executor on a cluster, imported when it is needed. Raises NotInstalled."""
    try:
        found: Callable[..., Any] = resolve_name("tournaments.play.cluster.connection:open_cluster")
    except ModuleNotFoundError as error:
        raise NotInstalled(
            f"games on a cluster need the extra `dask` ({error.name} is not installed): pip install 'referee[dask]'"
        ) from None
    return found
