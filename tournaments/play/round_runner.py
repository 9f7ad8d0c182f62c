"""Who plays the games of a round: the director's own process, or workers."""

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from referee.players.event_loop_lag import EventLoopLag
from referee.record.writer import RecordInMemory
from tournaments.play.runner import Plan, Store, play_games
from tournaments.play.schedule import Schedule
from tournaments.play.workers import start_workers


class RoundRunner(Protocol):
    """Plays the games of a schedule, at most `plan.concurrency` at the same time."""

    async def play(self, plan: Plan, schedule: Schedule, store: Store) -> None:
        """Play all games; each is given to `store` with its RecordInMemory, also if `play` is cancelled just then.

        All processes have ended when this returns or is cancelled. Raises what `store` raises, and RefereeError or
        OSError if games can't be played here, in an exception group.
        """
        ...


class InProcess:
    """Plays the games in this process."""

    def __init__(self, on_notice: Callable[[str], None]) -> None:
        self._on_notice = on_notice

    async def play(self, plan: Plan, schedule: Schedule, store: Store) -> None:
        await play_games(
            plan,
            schedule,
            lambda played: None,
            EventLoopLag(plan.control.margin),
            on_notice=self._on_notice,
            recorder=lambda game: RecordInMemory(),
            store=store,
        )


@contextlib.asynccontextmanager
async def round_runner(workers: int, on_notice: Callable[[str], None]) -> AsyncIterator[RoundRunner]:
    """A RoundRunner with so many processes for as long as the block runs; this one, if it is 1."""
    if workers == 1:
        yield InProcess(on_notice)
    else:
        async with start_workers(workers, on_notice) as started:
            yield started
