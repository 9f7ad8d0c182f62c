"""The executors of this machine: games are played in this process, or in worker processes side by side."""

import contextlib
from collections.abc import AsyncIterator, Iterable
from typing import Final

from referee.bots.bot_spec import BotSpec
from referee.processes.limits.machine import cores
from tournaments.play.conditions import OPTIONS, Conditions
from tournaments.play.events import GameBegun, LineRecorded, Observer, notices_to
from tournaments.play.executor import THIS_MACHINE, Executor, ExecutorError, ExecutorKind, invalid_address
from tournaments.play.phase_change import PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Callbacks, MakePerson, Measurements, Store, open_runner, play_schedule
from tournaments.play.schedule import Schedule, ScheduledGame

GAMES_PER_WORKER: Final = 200
"""Games that must be played by each worker for its start to pay, with bots that answer at once."""


def default_workers(concurrency: int, games: int) -> int:
    """The number of processes that is fastest: as many as cores if there are games enough to pay for their start.

    `games`: how many there are in all. A game that is played alone needs no further process.
    """
    return max(1, min(cores(), concurrency, games // GAMES_PER_WORKER))


class InProcess:
    """Plays the games in this process. `person` makes the player of one game for a person, by its name."""

    def __init__(self, observer: Observer, person: MakePerson | None = None) -> None:
        self._observer = observer
        self._person = person
        self.change = PhaseChange(notices_to(observer))

    async def play(self, plan: GamePlan, schedule: Schedule, store: Store, measured: Measurements) -> None:
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
        async with open_runner(plan, measured, callbacks) as runner:

            def begin(game: ScheduledGame) -> None:
                schedule.begun((game,))
                runner.pool.announce(game.table)
                self._observer(GameBegun.of(game))

            await play_schedule(schedule, plan.conditions.games_at_a_time, runner.play, begin)


def check(conditions: Conditions, bots: Iterable[BotSpec], traces: bool) -> None:
    """See ExecutorKind. All bots can play here."""
    if conditions.executor not in (None, THIS_MACHINE):
        raise invalid_address(conditions.executor)
    for name in ("build_remotely", "lost_after"):
        if conditions.executor is None and getattr(conditions, name):
            option = f"--{OPTIONS[name].flag} ({name} in [run])"
            raise ExecutorError(f"{option} has no effect without --executor: leave it out", name)


@contextlib.asynccontextmanager
async def open_local(
    conditions: Conditions, observer: Observer, person: MakePerson | None = None
) -> AsyncIterator[Executor]:
    """See ExecutorKind. Persons, and bots that are started manually, play in this process only."""
    workers = conditions.workers or 1
    if workers == 1:
        executor = InProcess(observer, person)
        try:
            yield executor
        finally:
            executor.change.close()
    else:
        from tournaments.play.workers import start_workers  # noqa: PLC0415 (most matches have no workers)

        async with start_workers(workers, observer) as started:
            yield started


LOCAL: Final = ExecutorKind(plays_here=True, check=check, open=open_local)
