"""Plays games concurrently in this process, with bots in processes of their own."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

from protocol.record import PlayerInfo
from referee.bots.policies import POLICIES
from referee.connections.trace_file import TraceFile
from referee.connections.traced import TracedConnection
from referee.game_runner import GameRunner, GameSetup
from referee.games.opening import Opener
from referee.outcome import Fault, Outcome
from referee.players.bot import BotPlayer
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import SeatClock
from referee.players.connect import listen_for, process_connector
from referee.players.event_loop_lag import EventLoopLag, LagSamples
from referee.players.player import Player
from referee.players.thinking_time import ThinkingTime
from referee.processes.stderr_log import StderrExcerpt
from referee.processes.supervisor import supervise
from referee.record.writer import CopiedRecord, Recorder, RecordFile
from tournaments.play.plan import GamePlan
from tournaments.play.pool import Lease, Pool
from tournaments.play.schedule import Schedule, ScheduledGame

STDERR_TIMEOUT: Final = 0.3
"""Seconds to wait until the standard error of a bot that failed has been read."""


class PlayedGame(Struct, frozen=True, kw_only=True):
    """A finished game."""

    game: ScheduledGame
    outcome: Outcome
    record: Path | None
    stderr: list[StderrExcerpt | None]
    """By seat; None for built-in players and for bots whose process could not be started."""
    startup: list[float | None] = []
    """By seat, the seconds until a process that was started for this game was ready."""
    host: str | None = None
    """The machine of a cluster that played it; None: this one."""
    built: dict[str, str] = {}
    """By the name of a bot that this machine has built itself, the hash of its files."""


Store = Callable[[PlayedGame, Recorder], Awaitable[None]]
"""Makes a finished game and its record durable, and only then notifies observers. One that waits has to shield itself
from being cancelled: a finished game is never lost."""
MakePerson = Callable[[str], Player]
"""Makes the player of one game for a person of that name."""
OnLine = Callable[[str, bytes], None]
"""Is called with the id of a game and each line of its record, without the LF."""


class Measured(Struct, frozen=True):
    """Measurements as plain data, to be sent by a worker."""

    thinking: dict[int, ThinkingTime]
    """By the index of the bot; only those that have taken decisions."""
    lag: LagSamples


class Measurements:
    """Collected while games are played, and available even if they are ended early."""

    def __init__(self, plan: GamePlan) -> None:
        self.thinking: list[ThinkingTime] = [ThinkingTime() for _ in plan.bots]
        """By bot, the times of all decisions that it was asked for and made."""
        self.lag = EventLoopLag(plan.conditions.control.margin)

    def new_samples(self) -> Measured:
        """The measurements since the last call. To be called while no game is played."""
        thinking = {bot: time for bot, time in enumerate(self.thinking) if time.decisions}
        for bot in thinking:
            self.thinking[bot] = ThinkingTime()
        return Measured(thinking, self.lag.new_samples())

    def add(self, measured: Measured) -> None:
        for bot, more in measured.thinking.items():
            self.thinking[bot].merge(more)
        self.lag.merge(measured.lag)


@dataclass(frozen=True, kw_only=True)
class Callbacks:
    """What a runner calls."""

    store: Store
    on_notice: Callable[[str], None]
    needs_processes: Callable[[ScheduledGame], bool]
    """As in Schedule."""
    between_phases: Callable[[], Awaitable[None]] | None = None
    """As in Pool."""
    person: MakePerson | None = None
    on_line: OnLine | None = None
    """For each line of the records."""


@contextlib.asynccontextmanager
async def open_runner(plan: GamePlan, measured: Measurements, callbacks: Callbacks) -> AsyncIterator["Runner"]:
    """A Runner, with measurement of the event loop lag, while the block runs; afterwards all processes have ended."""
    on_notice, conditions = callbacks.on_notice, plan.conditions
    async with trio.open_nursery() as measuring:
        measuring.start_soon(measured.lag.measure)
        with listen_for(plan.bots, on_notice) as listeners:
            # Not with built-in players: their decisions would take the CPU from bots whose clocks run.
            ahead = all(bot.policy is None for bot in plan.bots)
            async with supervise(plan.sandbox, conditions.environment, ahead=ahead) as supervisor:
                connect = process_connector(supervisor, listeners, ponder=conditions.ponder)
                bots = [replace(bot, environment={**conditions.environment, **bot.environment}) for bot in plan.bots]
                between = callbacks.between_phases
                control = conditions.control
                pool = Pool(
                    bots, connect, control, measured.lag, on_notice, between, plan.starts, plan.doubts, plan.files
                )
                yield Runner(plan, pool, measured.thinking, callbacks)
                await pool.close()
        measuring.cancel_scope.cancel()


async def play_schedule(
    schedule: Schedule,
    concurrency: int,
    play: Callable[[ScheduledGame], Awaitable[None]],
    begin: Callable[[ScheduledGame], None],
) -> None:
    """Play all games of a schedule with `play`, at most `concurrency` at a time; `begin` is called with each before."""
    running = 0

    def start_games() -> None:
        nonlocal running
        while running < concurrency and (game := schedule.next_game()) is not None:
            running += 1
            # Here and not in its task, which runs later: a game that ends in between must see that this one comes.
            begin(game)
            games.start_soon(play_next, game)

    async def play_next(game: ScheduledGame) -> None:
        nonlocal running
        await play(game)
        schedule.finished(game)
        running -= 1
        await trio.lowlevel.checkpoint_if_cancelled()  # then no other game begins
        start_games()

    async with trio.open_nursery() as games:
        start_games()


class Runner:
    """Plays games with processes from a pool, and hands each finished one to the callback `store`.

    The times of all decisions that bots make are added to `thinking`, by bot.
    """

    def __init__(self, plan: GamePlan, pool: Pool, thinking: Sequence[ThinkingTime], callbacks: Callbacks) -> None:
        self.pool = pool
        self._plan = plan
        self._thinking = thinking
        self._callbacks = callbacks
        self._openers: dict[int, Opener | None] = {}
        """By the size of the table."""

    async def play(self, game: ScheduledGame) -> None:
        """Get processes from the pool, to which the game has been announced, play it, and release them.

        Raises RecordWriteError, TraceWriteError, MachineError, and what `store` raises.
        """
        leases: list[Lease | None] = [None] * len(game.seating)
        runner: GameRunner | None = None
        with contextlib.ExitStack() as stack:
            traces = [self._plan.trace(game, seat) for seat in range(len(game.seating))]
            for trace in traces:
                if trace is not None:
                    stack.callback(trace.close)
            recorder = self._plan.recorder(game)
            try:
                await self._seat(game, leases, traces)
                on_line = self._callbacks.on_line
                copied = recorder if on_line is None else CopiedRecord(recorder, partial(on_line, game.game_id))
                runner = self._game_runner(game, leases, copied)
                outcome = await runner.play()
                if any(outcome.faults):
                    await self._wait_for_stderr(
                        lease for lease, fault in zip(leases, outcome.faults, strict=True) if fault
                    )
            finally:
                recorder.close()
                if runner is not None and runner.outcome is not None:
                    # Also if what comes after the end of the game was cancelled: its result counts.
                    await self._finish(game, runner.outcome, leases, recorder)
                else:
                    for lease in leases:
                        if lease is not None and isinstance(lease.connection, TracedConnection):
                            lease.connection.take_unreceived()  # what a bot has written that nobody has read

    async def _seat(self, game: ScheduledGame, leases: list[Lease | None], traces: Sequence[TraceFile | None]) -> None:
        """Get a process for each bot that needs one. What has been lent is in `leases` even if this is cancelled."""
        try:
            for seat, bot in enumerate(game.seating):
                if self._plan.bots[bot].policy is None:
                    stderr, trace = self._plan.stderr_file(game, seat), traces[seat]
                    lease = await self.pool.lend(bot, game.deal, game.rotation, stderr, table=game.table, trace=trace)
                    lease.game_id = game.game_id
                    leases[seat] = lease
            new = [lease for lease in leases if lease is not None and not lease.reused]
            if new:  # most games are played by processes that are there
                async with trio.open_nursery() as starting:
                    for lease in new:
                        starting.start_soon(self.pool.start, lease)
        finally:
            self.pool.seated(game.table)

    def _game_runner(self, game: ScheduledGame, leases: Sequence[Lease | None], recorder: Recorder) -> GameRunner:
        plan = self._plan
        names = [plan.bots[bot].name for bot in game.seating]
        if len(names) not in self._openers:
            self._openers[len(names)] = plan.opener(len(names))
        opener = self._openers[len(names)]
        setup = GameSetup(
            game_id=game.game_id,
            public_id=game.public_id,
            game=plan.game,
            config=plan.config_for(len(names)),
            seed=game.seed,
            names=[f"seat {seat}" for seat in range(len(names))] if plan.anonymous else names,
            bot_seeds=list(game.bot_seeds),
            control=plan.conditions.control,
            opened=None if opener is None else opener.begin(game.opening, game.seed),
            banks=plan.banks,
        )
        players = [self._player(game, seat, lease) for seat, lease in enumerate(leases)]
        infos = [
            PlayerInfo(name=name) if lease is None else lease.info for name, lease in zip(names, leases, strict=True)
        ]
        return GameRunner(setup, players, infos, recorder)

    def _player(self, game: ScheduledGame, seat: int, lease: Lease | None) -> Player | Fault:
        bot, banks = game.seating[seat], self._plan.banks
        spec = self._plan.bots[bot]
        policy = spec.policy
        if spec.is_person:
            assert self._callbacks.person is not None
            return self._callbacks.person(spec.name)
        if policy is not None:
            return BuiltinPlayer(POLICIES[policy])
        assert lease is not None
        if lease.fault is not None:
            return lease.fault
        replace = lease.replace if lease.reused else None
        clock = None if banks is None else SeatClock(lease.session.control, banks[seat])
        return BotPlayer(lease.session, self._plan.conditions.retries, replace, self._thinking[bot], clock)

    async def _finish(
        self, game: ScheduledGame, outcome: Outcome, leases: Sequence[Lease | None], recorder: Recorder
    ) -> None:
        # Before the release: the next game of a process overwrites the standard error that is excerpted.
        stderr = [None if lease is None else lease.stderr_excerpt() for lease in leases]
        needed = self._callbacks.needs_processes(game)
        for lease, fault in zip(leases, outcome.faults, strict=True):
            if lease is not None:
                self.pool.release(lease, failed=fault is not None, needed=needed)
        played = PlayedGame(
            game=game,
            outcome=outcome,
            record=recorder.path if isinstance(recorder, RecordFile) else None,
            stderr=stderr,
            startup=[None if lease is None else lease.startup for lease in leases],
        )
        await self._callbacks.store(played, recorder)

    async def _wait_for_stderr(self, failed: Iterable[Lease | None]) -> None:
        """Wait up to STDERR_TIMEOUT until failed processes have ended, so that their standard error is complete."""
        with trio.move_on_after(STDERR_TIMEOUT):
            for lease in failed:
                if lease is not None and lease.connection is not None:
                    await lease.connection.closed.wait()
