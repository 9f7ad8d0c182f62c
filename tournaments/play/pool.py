"""The pool of bot processes: the one place that decides which process may play which game.

The rule: no process plays a deal twice, and no process that has played a deal is alive while another rotation of it is
played. A process that has seen a deal from one seat knows what is hidden from another seat, and even an idle one could
pass it on to the next process. So every process plays in one rotation only, and all processes end before the first game
of another rotation begins. The only exception is a bot that its author starts manually: it stays for all games.
"""

import contextlib
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import trio
from msgspec import UNSET, structs

from protocol.record import PlayerInfo
from referee.bots.bot_spec import BotSpec
from referee.bots.hashed_files import HashedFiles, changed_names, check_files
from referee.connections import ConnectError, Connection
from referee.connections.trace_file import TraceFile
from referee.connections.traced import TracedConnection
from referee.errors import RefereeError
from referee.outcome import Fault
from referee.players.clock import TimeControl
from referee.players.connect import QUIT_GRACE, Connect, session_over
from referee.players.event_loop_lag import EventLoopLag
from referee.players.player import PlayerFault
from referee.players.secrets import Secrets
from referee.players.session import MAX_MESSAGE, BotSession
from referee.printable import sanitise
from referee.processes.limits.machine import cores
from referee.processes.stderr_log import StderrExcerpt
from tournaments.play.conditions import START_SECONDS

MAX_FAILED_STARTS: Final = 3
"""Failed starts in a row after which a bot is no longer started. One may be due to a busy machine; three are due to the
bot, and every further game could cost as long as the limit for its start."""


class DoubtfulStartError(RefereeError):
    """A bot could not be started for a reason that was known before. The text says which."""


class PooledBot:
    """A bot process with its session, and the deals that it has played."""

    def __init__(self, session: BotSession, info: PlayerInfo) -> None:
        self.session = session
        self.info = info
        self.connection = session.connection
        self.deals: set[int] = set()
        self.last_game = ""
        """The id of the last game that it has finished."""


class Lease:
    """A bot process lent to one seat of one game, or the fault that prevented it."""

    def __init__(
        self, pool: "Pool", bot: int, deal: int, stderr: str | None, table: int, trace: TraceFile | None = None
    ) -> None:
        self.bot = bot
        self.table = table
        self.deal = deal
        self.stderr = stderr
        self.trace = trace
        self.game_id = ""
        """Of the game, for messages; set by its borrower."""
        self.pooled: PooledBot | None = None
        self.reused = False
        """Whether the process has played an earlier game."""
        self.fault: Fault | None = None
        """The fault of a bot that failed to start; then there is no session."""
        self.info: PlayerInfo
        """What the record says of it, once it has been lent or its start has been tried."""
        self.startup: float | None = None
        """Seconds from the start of the process to its `ready`; None if none was started for this lease."""
        self.connection: Connection | None = None
        """The latest connection, even if the bot failed to start."""
        self._replaced: Path | None = None
        """The file that a replaced process wrote its standard error to."""
        self._pool = pool

    @property
    def session(self) -> BotSession:
        """The session of the process. Only without a fault."""
        assert self.pooled is not None
        return self.pooled.session

    async def replace(self) -> BotSession:
        """Start a new process in place of one that has ended; its session. Raises PlayerFault if the start fails."""
        assert self.pooled is not None
        self._replaced = self.pooled.connection.stderr_excerpt().path
        self.pooled.connection.begin_game(None)  # from here on the file of this game belongs to the new process
        self._pool.discard(self.pooled, self.bot)
        self.pooled = None  # before the start, which may fail or be cancelled: `release` must not reuse the old process
        if self.trace is not None:
            self.trace.begin_again()
        await self._pool.start(self, at_once=True)
        if self.fault is not None:
            raise PlayerFault(self.fault)
        return self.session

    def stderr_excerpt(self) -> StderrExcerpt | None:
        """The bot's standard error in this game, for messages; None if its process could not be started."""
        if self.connection is None:
            return None
        found, hide = self.connection.stderr_excerpt(), self._pool.secrets[self.bot].hide_text
        path = found.path or self._replaced
        return structs.replace(found, path=path, head=hide(found.head), tail=hide(found.tail))


class StartLimiter:
    """Lets at most `limit` processes be starting at a time; all others wait until one is ready or its time is over.

    Programs use most CPU time when they start. Many at once would take it from the bots that are on turn, whose clocks
    run, and from the referee, which reads their answers. Where starts keep the cores busy, all of them together take as
    long as without a limit.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._began: dict[object, float] = {}
        """When the starts began that still count, the earliest first."""
        self._next = trio.Lock()
        """Held by the start that is the next one to begin."""
        self._room = trio.Event()
        """Set when one no longer counts."""

    @contextlib.asynccontextmanager
    async def start(self) -> AsyncIterator[None]:
        """A start, from when there is room for it to the end of the block."""
        async with self._next:
            # Others run between two starts: many in a row would block the event loop for longer than a margin.
            await trio.lowlevel.checkpoint()
            while len(self._began) >= self._limit:
                first = next(iter(self._began))
                with trio.move_on_at(self._began[first] + START_SECONDS) as waiting:
                    await self._room.wait()
                if waiting.cancelled_caught:
                    self._end(first)
            start = object()
            self._began[start] = trio.current_time()
        try:
            yield
        finally:
            self._end(start)

    def _end(self, start: object) -> None:
        if self._began.pop(start, None) is not None:
            self._room.set()
            self._room = trio.Event()


class Pool:
    """Starts bot processes, lends them to games, and replaces those that failed or are exhausted."""

    def __init__(
        self,
        bots: Sequence[BotSpec],
        connect: Connect,
        control: TimeControl,
        lag: EventLoopLag | None = None,
        on_notice: Callable[[str], None] = lambda text: None,
        between_phases: Callable[[], Awaitable[None]] | None = None,
        starts: int | None = None,
        doubts: Mapping[str, str] = {},
        files: Mapping[str, HashedFiles] = {},
    ) -> None:
        """`between_phases` is run after all processes of a rotation have ended, before any of the next is started.

        `starts`: how many may be starting at a time (see StartLimiter). `doubts` and `files` as in GamePlan."""
        self._bots = bots
        self.secrets = [Secrets(bot.environment.values()) for bot in bots]
        """By bot, what messages about it don't quote."""
        self._doubts = dict(doubts)
        self._files = dict(files)
        self._connect = connect
        self._control = control
        self._lag = lag or EventLoopLag(control.margin)
        self._on_notice = on_notice
        self._between_phases = between_phases
        self._rotation: int | None = None
        """The rotation in which all running processes play; None while it changes."""
        self._has_begun = False
        self._changing = trio.Lock()
        self._starts = StartLimiter(starts or cores())
        self._idle: dict[tuple[int, int], list[PooledBot]] = defaultdict(list)
        """Processes available for another game, by bot and table."""
        self._beginning = Counter[int]()
        """By table, the games that are about to take processes."""
        self._lent = 0
        """Number of leases that have not been released."""
        self._ending: dict[Connection, tuple[PooledBot, int] | None] = {}
        """Connections that are being closed, with the bots that end because they are no longer needed; None: the bot
        has failed, and may well not be able to exit."""
        self._stray = Counter[int]()
        """By bot, the games after which it has written something that belongs to no game."""
        self._altered: set[int] = set()
        """Bots of which files have changed that are not of their program."""
        self._outstayed: set[int] = set()
        """Bots that have not exited in the time that they have after `quit`."""
        self._failed_starts = [0] * len(bots)
        """Number of failed starts of each bot since its last successful one."""
        self._given_up: dict[int, Fault] = {}
        """By bot that is no longer started: the fault of its further games."""

    async def lend(
        self, bot: int, deal: int, rotation: int, stderr: str | None, *, table: int, trace: TraceFile | None
    ) -> Lease:
        """An idle process of the bot with the index `bot` that may play this deal in this rotation, `reused`; if there
        is none, the caller has to `start` one for the lease.

        A process plays at one table only. Its standard error is logged to the file `stderr`, if given, and its lines to
        `trace`; a pool traces all games or none. If the bot fails to start, the lease has a fault.
        Raises RuntimeError while a process is lent to a game of another rotation.
        """
        await self._enter(rotation)
        # No checkpoint since the rotation was checked. Counted before the start, which takes long: from now on no game
        # of another rotation may begin.
        self._lent += 1
        lease = Lease(self, bot, deal, stderr, table, trace)
        self._reuse(lease)
        return lease

    def announce(self, table: int) -> None:
        """A game is about to take processes: those that are idle at its table are kept for it until `seated`."""
        # Between here and its `lend` other tasks run. One of them may end the last game that the schedule knows of
        # at this table, and must not end its processes then.
        self._beginning[table] += 1

    def seated(self, table: int) -> None:
        """A game that was announced has its processes."""
        self._beginning[table] -= 1

    def release(self, lease: Lease, *, failed: bool, needed: bool = True) -> None:
        """Take a process back after a game, and end it if it `failed` in the game or is not `needed` at its table."""
        self._lent -= 1
        # Not async, so that it works in a game that has been cancelled, too. Processes end in the background (`_end`).
        needed = needed or self._beginning[lease.table] > 0 or self._stays(lease.bot)
        if lease.pooled is not None:
            self._note_stray(lease.pooled, lease.bot)
            lease.pooled.last_game = lease.game_id
            if failed:
                self._end(lease.pooled.connection)
            elif not needed:
                self.discard(lease.pooled, lease.bot)
            else:
                self._idle[lease.bot, lease.table].append(lease.pooled)
                lease.pooled.connection.suspend()
        if not needed:
            for pooled in self._idle.pop((lease.bot, lease.table), ()):
                self.discard(pooled, lease.bot)

    def end_idle(self, table: int) -> None:
        """End the idle processes of a table, unless a game is about to take them."""
        if self._beginning[table]:
            return
        for bot, at in [key for key in self._idle if key[1] == table and not self._stays(key[0])]:
            for pooled in self._idle.pop((bot, at)):
                self.discard(pooled, bot)

    async def close(self) -> None:
        """End all idle processes, and wait until they and their connections are closed."""
        await self._close(self._idle)

    async def _close(self, which: Iterable[tuple[int, int]]) -> None:
        for bot, idle in [(key[0], self._idle[key]) for key in which]:
            while idle:
                self.discard(idle.pop(), bot)
        # This may wait for long. But `_end` is called for processes of games, and none is played meanwhile.
        for connection in [*self._ending]:
            await connection.closed.wait()
        self._forget_ended()

    async def _enter(self, rotation: int) -> None:
        """End all processes of another rotation before a game of this one begins."""
        if rotation == self._rotation:
            return
        # The first games of a rotation begin at the same time, and each of their seats comes here. One of them ends the
        # processes; the others wait for it at the lock, and find the rotation changed when they get it.
        async with self._changing:
            if rotation == self._rotation:
                return
            if self._lent:
                raise RuntimeError(f"games of another rotation than {rotation} are still being played")
            # None while others may run: if this is cancelled while processes end, the next one has to wait for them,
            # whatever its rotation.
            self._rotation = None
            await self._close([key for key in self._idle if not self._stays(key[0])])
            if self._between_phases is not None and self._has_begun:
                await self._between_phases()
            self._rotation, self._has_begun = rotation, True

    def _stays(self, bot: int) -> bool:
        """Whether the process of a bot stays for all games, because its author starts it manually."""
        return self._bots[bot].port is not None

    def _reuse(self, lease: Lease) -> None:
        """Lend an idle process that has not played the deal, if there is one."""
        idle = self._idle[lease.bot, lease.table]
        for pooled in [pooled for pooled in idle if lease.deal not in pooled.deals or self._stays(lease.bot)]:
            # There is no checkpoint from here to the end, so no other game is lent the same process.
            idle.remove(pooled)
            # It may have ended since its last game: nobody watches idle processes.
            if pooled.connection.ended.is_set() or pooled.connection.is_exhausted():
                self.discard(pooled, lease.bot)
                continue
            lease.reused = True
            lease.info = pooled.info
            lease.connection = pooled.connection
            lease.connection.begin_game(lease.stderr)
            if lease.trace is not None and isinstance(lease.connection, TracedConnection):
                lease.connection.trace_to(lease.trace.add)
            pooled.deals.add(lease.deal)
            lease.pooled = pooled
            return

    async def start(self, lease: Lease, *, at_once: bool = False) -> None:
        """Start a process and lend it; if that fails, set the fault of the lease.

        `at_once`: without waiting for others that are starting, as a game that has begun waits for it.

        After MAX_FAILED_STARTS failures in a row nothing is started, and the fault says so. Raises DoubtfulStartError,
        and FilesChangedError if it was started from other files than those of the plan.
        """
        async with contextlib.nullcontext() if at_once else self._starts.start():
            # Looked up after the wait: the bot may have been given up meanwhile.
            name = self._bots[lease.bot].name
            known = self._files.get(name)
            lease.info = PlayerInfo(name=name, files_sha256=(known and known.recorded) or UNSET)
            lease.fault = self._given_up.get(lease.bot)
            if lease.fault is not None:
                return
            await self._try_start(lease)
            # Only now: a change before this is noticed, even if the start has failed because of it.
            await self._check_files(lease)
        if lease.fault is None:
            self._failed_starts[lease.bot] = 0
            self._doubts.pop(name, None)
            # Starts of a bot for several games overlap: it may have been given up while this one was under way.
            self._given_up.pop(lease.bot, None)
        elif name in self._doubts:
            raise DoubtfulStartError(f"{name} can't be started: {lease.fault}; {self._doubts[name]}")
        else:
            self._count_failed_start(lease.bot, lease.fault)

    async def _try_start(self, lease: Lease) -> None:
        bot = self._bots[lease.bot]
        began = trio.current_time()
        try:
            connection = await self._connect(bot)
        except ConnectError as error:
            lease.fault = Fault("crash", sanitise(error, MAX_MESSAGE - 3))
            return
        if lease.trace is not None:
            connection = TracedConnection(connection, lease.trace.add)
        lease.connection = connection
        connection.begin_game(lease.stderr)
        session = session_over(bot, connection, self._control, self._lag)
        try:
            await session.greet()
        except PlayerFault as error:
            await session.dismiss(error.fault)
            self._end(connection)
            lease.fault = error.fault
        else:
            lease.startup = trio.current_time() - began
            lease.info = structs.replace(session.player_info(bot.name), files_sha256=lease.info.files_sha256)
            lease.pooled = PooledBot(session, lease.info)
            lease.pooled.deals.add(lease.deal)

    async def _check_files(self, lease: Lease) -> None:
        """Check that a bot was started from the files of the plan. Raises FilesChangedError."""
        bot = self._bots[lease.bot]
        known = self._files.get(bot.name)
        if known is None:
            return
        self._files[bot.name] = now = await trio.to_thread.run_sync(check_files, bot, known, abandon_on_cancel=True)
        lease.info = structs.replace(lease.info, files_sha256=now.recorded or UNSET)
        if lease.pooled is not None:
            lease.pooled.info = lease.info
        if now.others != known.others and now.sha256 is None and lease.bot not in self._altered:
            self._altered.add(lease.bot)
            names = await trio.to_thread.run_sync(changed_names, bot, known, abandon_on_cancel=True)
            self._on_notice(
                f"{bot.name}: {names or 'files'} in its folder changed after its files were hashed. They are not part"
                " of its program, and it may have written them itself: the games continue, but further records don't"
                " say which files it played with"
            )

    def _count_failed_start(self, bot: int, fault: Fault) -> None:
        """Give a bot up that has failed too often, and let the organiser know."""
        self._failed_starts[bot] += 1
        if self._failed_starts[bot] != MAX_FAILED_STARTS:
            return
        failures = f"after {MAX_FAILED_STARTS} failures in a row"
        message = sanitise(f"no longer started {failures}: {fault.message}", MAX_MESSAGE - 3)
        self._given_up[bot] = Fault(fault.code, message)
        name = self._bots[bot].name
        self._on_notice(
            f"{name} is no longer started {failures}; its further games count as faults. The last failure: {fault}"
        )

    def discard(self, pooled: PooledBot, bot: int) -> None:
        pooled.session.clear_output()
        self._end(pooled.connection, (pooled, bot))

    def _note_stray(self, pooled: PooledBot, bot: int) -> None:
        """Let the organiser know of output after the last game of a process, the first time and with each further
        digit of the count."""
        text, pooled.session.stray = pooled.session.stray, ""
        if not text:
            return
        self._stray[bot] += 1
        count = str(self._stray[bot])
        if count.strip("0") == "1":
            after = f"game {pooled.last_game}" if pooled.last_game else "the game"
            so_far = f" ({count} times so far)" if count != "1" else ""
            self._on_notice(
                f"{self._bots[bot].name} wrote {text} to standard output after the end of {after}{so_far}. It is not"
                " charged for that, but had it come after the next start, it would be a bad_message of that game: use"
                " standard error"
            )

    def _end(self, connection: Connection, owner: tuple[PooledBot, int] | None = None) -> None:
        """Close a connection, and remember it until nothing of it is left. `owner`: whose it is, if it has not
        failed."""
        connection.close()
        self._forget_ended()
        self._ending[connection] = owner

    def _forget_ended(self) -> None:
        """Forget connections of which nothing is left; let the organiser know, once, of a bot that ignores `quit`, and
        of one that has written after its last game."""
        ended = [(connection, owner) for connection, owner in self._ending.items() if connection.closed.is_set()]
        for connection, owner in ended:
            del self._ending[connection]
            if owner is None:
                continue
            pooled, bot = owner
            pooled.session.clear_output()
            self._note_stray(pooled, bot)
            if bot in self._outstayed or not connection.outstayed:
                continue
            self._outstayed.add(bot)
            self._on_notice(
                f"{self._bots[bot].name} was still running {QUIT_GRACE:g} s after quit, and was killed: whenever "
                "its processes end, the games wait that long. A bot exits at quit, or at the end of its input"
            )
