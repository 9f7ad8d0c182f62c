"""Plays the games of a schedule concurrently, with bots in processes."""

import contextlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import trio
from msgspec import Struct

from protocol.record import PlayerInfo
from referee.bots.bot_spec import BotSpec
from referee.bots.policies import POLICIES
from referee.connections.trace_file import TraceFile
from referee.connections.traced import TracedConnection
from referee.game_runner import GameRunner, GameSetup
from referee.games import Game
from referee.outcome import Fault, Outcome
from referee.players.bot import BotPlayer
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import TimeControl
from referee.players.connect import listen_for, process_connector
from referee.players.event_loop_lag import EventLoopLag
from referee.players.player import Player
from referee.players.thinking_time import ThinkingTime
from referee.processes.sandbox import Sandbox
from referee.processes.stderr_log import StderrExcerpt
from referee.processes.supervisor import supervise
from referee.record.writer import NoRecord, Recorder, RecordFile
from tournaments.play.pool import Lease, Pool
from tournaments.play.schedule import Schedule, ScheduledGame

STDERR_TIMEOUT: Final = 0.3
"""Seconds to wait until the standard error of a bot that failed has been read."""


class Plan(Struct, frozen=True, kw_only=True):
    """What all games of a match have in common."""

    game: type[Game]
    config: Any
    """That of a full table."""
    smaller: dict[int, Any] = {}
    """The configurations of smaller tables, by their size."""
    anonymous: bool = False
    """Whether bots see `seat 0`, `seat 1` … instead of names."""
    bots: list[BotSpec]
    control: TimeControl
    concurrency: int
    """Maximum number of games at the same time."""
    retries: int = 0
    ponder: bool = True
    """Whether bots may go on while they are not on turn; otherwise they stand still."""
    records: Path | None = None
    """The folder for records and standard error; None: they are not written."""
    stderr: Path | None = None
    """The folder for standard error, if it is another one."""
    traces: Path | None = None
    """The folder for traces; None: they are not written."""
    sandbox: Sandbox | None = None
    environment: dict[str, str] = {}
    """Additional environment variables for all bots."""
    person: Callable[[str], Player] | None = None
    """Makes the player for a person of that name; needed where one plays."""

    def config_for(self, seats: int) -> Any:
        """The configuration of a table of this size."""
        return self.smaller.get(seats, self.config)

    def recorder(self, game: ScheduledGame) -> Recorder:
        """A new record in `records`, if there is such a folder."""
        return NoRecord() if self.records is None else RecordFile(self.records / f"{game.game_id}.jsonl")

    def trace(self, game: ScheduledGame, seat: int) -> TraceFile | None:
        """A new trace in `traces`, if there is such a folder."""
        if self.traces is None:
            return None
        stem = self.traces / f"{game.game_id}.seat{seat}"
        return TraceFile(stem, game_id=game.game_id, seat=seat, bot=self.bots[game.seating[seat]].name)


class PlayedGame(Struct, frozen=True, kw_only=True):
    """A finished game."""

    game: ScheduledGame
    outcome: Outcome
    record: Path | None
    stderr: list[StderrExcerpt | None]
    """By seat; None for built-in players and for bots whose process could not be started."""
    startup: list[float | None] = []
    """By seat, the seconds until a process that was started for this game was ready."""


Store = Callable[[PlayedGame, Recorder], Awaitable[None]]
"""Makes a finished game and what has recorded it durable. It is not cancelled."""


async def play_games(
    plan: Plan,
    schedule: Schedule,
    on_game: Callable[[PlayedGame], None],
    lag: EventLoopLag | None = None,
    *,
    thinking: Sequence[ThinkingTime] | None = None,
    on_notice: Callable[[str], None] | None = None,
    recorder: Callable[[ScheduledGame], Recorder] | None = None,
    store: Store | None = None,
) -> None:
    """Play the games of a schedule with bots in processes, and measure the event loop lag at the same time.

    `on_game` is called with each game as it finishes, after `store`; `on_notice` with lines for the organiser. The
    times of all decisions that bots take are added to `thinking`, by bot. `recorder` records a game; by default it is
    written to the records of the plan. All processes have ended when this returns or is cancelled. Raises, in an
    exception group: RecordWriteError, TraceWriteError, ListenError, what `store` raises, and MachineError if processes
    can't be started for a reason that is not a bot's.
    """
    lag = lag or EventLoopLag(plan.control.margin)
    async with trio.open_nursery() as measuring:
        measuring.start_soon(lag.measure)
        with listen_for(plan.bots, on_notice or (lambda notice: None)) as listeners:
            async with supervise(plan.sandbox, plan.environment) as supervisor:
                pool = Pool(
                    plan.bots,
                    process_connector(supervisor, listeners, ponder=plan.ponder),
                    plan.control,
                    lag,
                    on_notice,
                )
                await Runner(plan, pool, on_game, thinking, recorder, store).run(schedule)
                await pool.close()
        measuring.cancel_scope.cancel()


async def run_schedule(
    schedule: Schedule,
    concurrency: int,
    play: Callable[[ScheduledGame], Awaitable[None]],
    announce: Callable[[ScheduledGame], None] = lambda game: None,
) -> None:
    """Play all games of a schedule with `play`, at most so many at a time; each is announced before."""
    running = 0
    room = trio.Event()

    async def play_next(game: ScheduledGame) -> None:
        nonlocal running
        await play(game)
        schedule.finished(game)
        running -= 1
        room.set()

    async with trio.open_nursery() as games:
        while True:
            while running < concurrency and (game := schedule.next_game()) is not None:
                running += 1
                announce(game)
                games.start_soon(play_next, game)
            if not running:
                return
            await room.wait()
            room = trio.Event()


class Runner:
    """Plays games concurrently; `on_game` is called with each game as it finishes.

    The times of all decisions that bots take are added to `thinking`, by bot.
    """

    def __init__(
        self,
        plan: Plan,
        pool: Pool,
        on_game: Callable[[PlayedGame], None],
        thinking: Sequence[ThinkingTime] | None = None,
        recorder: Callable[[ScheduledGame], Recorder] | None = None,
        store: Store | None = None,
    ) -> None:
        self._recorder = recorder or plan.recorder
        self._store = store
        self._plan = plan
        self._pool = pool
        self._on_game = on_game
        self._thinking = thinking or [ThinkingTime() for _ in plan.bots]

    async def run(self, schedule: Schedule) -> None:
        """Play all games of the schedule, at most `plan.concurrency` at a time. Raises RecordWriteError and
        TraceWriteError."""

        async def play(game: ScheduledGame) -> None:
            await self.play(game, lambda: schedule.needs_processes(game))

        await run_schedule(schedule, self._plan.concurrency, play, self.announce)

    def announce(self, game: ScheduledGame) -> None:
        """Keep idle processes for a game that `play` is about to begin."""
        self._pool.announce(game.table)

    async def play(self, game: ScheduledGame, needs_processes: Callable[[], bool]) -> None:
        """Get processes from the pool, play the game, and release them; `needs_processes` as in Schedule.

        The game has been announced.
        """
        traces = [self._plan.trace(game, seat) for seat in range(len(game.seating))]
        with contextlib.ExitStack() as stack:
            for trace in traces:
                if trace is not None:
                    stack.callback(trace.close)
            await self._play(game, needs_processes, traces)

    async def _play(
        self, game: ScheduledGame, needs_processes: Callable[[], bool], traces: Sequence[TraceFile | None]
    ) -> None:
        plan = self._plan
        names = [plan.bots[bot].name for bot in game.seating]
        recorder = self._recorder(game)
        leases: list[Lease | None] = [None] * len(names)
        game_runner: GameRunner | None = None
        try:
            try:
                async with trio.open_nursery() as seating:
                    for seat, bot in enumerate(game.seating):
                        if plan.bots[bot].policy is None:
                            seating.start_soon(self._acquire, game, seat, leases, traces[seat])
            finally:
                self._pool.seated(game.table)
            setup = GameSetup(
                game_id=game.game_id,
                public_id=game.public_id,
                game=plan.game,
                config=plan.config_for(len(names)),
                seed=game.seed,
                names=[f"seat {seat}" for seat in range(len(names))] if plan.anonymous else names,
                bot_seeds=list(game.bot_seeds),
                control=plan.control,
            )
            players = [self._player(bot, lease) for bot, lease in zip(game.seating, leases, strict=True)]
            infos = [player_info(name, lease) for name, lease in zip(names, leases, strict=True)]
            game_runner = GameRunner(setup, players, infos, recorder)
            outcome = await game_runner.play()
            await self._wait_for_stderr(lease for lease, fault in zip(leases, outcome.faults, strict=True) if fault)
        finally:
            recorder.close()
            if game_runner is not None and game_runner.outcome is not None:  # also if what comes after it is cancelled
                stderr = [None if lease is None else lease.stderr_excerpt() for lease in leases]
                self._release(leases, game_runner.outcome, needed=needs_processes())
                path = recorder.path if isinstance(recorder, RecordFile) else None
                played = PlayedGame(
                    game=game,
                    outcome=game_runner.outcome,
                    record=path,
                    stderr=stderr,
                    startup=[None if lease is None else lease.startup for lease in leases],
                )
                if self._store is not None:
                    with trio.CancelScope(shield=True):
                        await self._store(played, recorder)
                self._on_game(played)
            else:
                for lease in leases:
                    if lease is not None and isinstance(lease.connection, TracedConnection):
                        lease.connection.hand_over_unreceived()  # what a bot wrote that is stuck

    def _release(self, leases: Iterable[Lease | None], outcome: Outcome, *, needed: bool) -> None:
        """Give the processes back."""
        for lease, fault in zip(leases, outcome.faults, strict=True):
            if lease is not None:
                self._pool.release(lease, failed=fault is not None, needed=needed)

    async def _acquire(
        self, game: ScheduledGame, seat: int, leases: list[Lease | None], trace: TraceFile | None
    ) -> None:
        folder = self._plan.stderr or self._plan.records
        stderr = None if folder is None else folder / f"{game.game_id}.seat{seat}.stderr"
        leases[seat] = await self._pool.acquire(
            game.seating[seat], game.deal, game.rotation, stderr, table=game.table, trace=trace
        )

    def _player(self, bot: int, lease: Lease | None) -> Player | Fault:
        """The player of a seat, or the fault of a bot that failed to start."""
        spec = self._plan.bots[bot]
        policy = spec.policy
        if spec.is_person:
            assert self._plan.person is not None
            return self._plan.person(spec.name)
        if policy is not None:
            return BuiltinPlayer(POLICIES[policy])
        assert lease is not None
        if lease.fault is not None:
            return lease.fault
        replace = lease.replace if lease.reused else None
        return BotPlayer(lease.session, self._plan.retries, replace, self._thinking[bot])

    async def _wait_for_stderr(self, failed: Iterable[Lease | None]) -> None:
        """Wait up to STDERR_TIMEOUT until failed processes have ended, so that their standard error is complete."""
        with trio.move_on_after(STDERR_TIMEOUT):
            for lease in failed:
                if lease is not None and lease.connection is not None:
                    await lease.connection.closed.wait()


def player_info(name: str, lease: Lease | None) -> PlayerInfo:
    """The description of a player in the record."""
    return PlayerInfo(name=name) if lease is None or lease.fault is not None else lease.session.player_info(name)
