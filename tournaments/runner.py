"""Playing scheduled games, several at a time, with a pool of bot processes."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import trio
from msgspec import UNSET, Struct

from protocol import codec
from protocol.messages import HelloLimits, Quit
from protocol.record import PlayerInfo
from referee.game_runner import GameRunner, GameSetup
from referee.games import Game
from referee.outcome import Fault, Outcome
from referee.players.bot import BotPlayer, clean
from referee.players.bot_spec import BotSpec
from referee.players.builtin import POLICIES, BuiltinPlayer
from referee.players.clock import TimeControl, milliseconds
from referee.players.event_loop_lag import EventLoopLag
from referee.players.player import Player, PlayerFault
from referee.processes.child import Child, SpawnError
from referee.processes.sandbox import Sandbox
from referee.processes.stderr_log import StderrLog
from referee.processes.supervisor import Supervisor, supervise
from referee.record.writer import NoRecord, Recorder, RecordFile
from tournaments.schedule import ScheduledGame
from tournaments.veteran import Veteran

QUIT_GRACE: Final = 1.0
"""Seconds that a bot has to exit after `quit`."""
STDERR_TIMEOUT: Final = 0.3
"""Seconds to wait for the standard error of a bot that failed."""


class Plan(Struct, frozen=True, kw_only=True):
    """What all games of a run have in common."""

    game: type[Game]
    config: Any
    entrants: list[BotSpec]
    control: TimeControl
    concurrency: int
    retries: int = 0
    records: Path | None = None
    sandbox: Sandbox | None = None
    environment: dict[str, str] = {}
    """Variables that bots get besides the usual few."""


class Evidence(Struct, frozen=True, kw_only=True):
    """Where to look after a fault: the file of the bot's standard error if there is one, and its end."""

    stderr: Path | None
    tail: str

    @classmethod
    def of(cls, log: StderrLog) -> "Evidence":
        """What a log has by now."""
        return cls(stderr=log.written, tail=log.tail.decode(errors="replace"))


class Played(Struct, frozen=True, kw_only=True):
    """A finished game."""

    game: ScheduledGame
    outcome: Outcome
    record: Path | None
    evidence: list[Evidence | None]
    """By seat; None for a built-in player."""


class Member(Struct):
    """A player that can take a seat, with its process if it has one."""

    player: Player
    says: PlayerInfo
    child: Child | None = None
    has_played: bool = False
    """Whether its process has played an earlier game."""


class Table(Struct, frozen=True, kw_only=True):
    """A game under way: by seat who plays, or why nobody does, and the process."""

    game: ScheduledGame
    supervisor: Supervisor
    seated: list[Member | Fault]
    children: list[Child | None]


class Runner:
    """Plays games concurrently; `on_played` hears of each finished one.

    Processes are used again, for other deals in the same rotation only: a bot that meets a deal a second time must
    not be the process that saw its shuffles the first time.
    """

    def __init__(self, plan: Plan, on_played: Callable[[Played], None], delay: EventLoopLag | None = None) -> None:
        self.delay = delay or EventLoopLag(plan.control.margin)
        """How late the referee is, measured while it plays."""
        self._plan = plan
        self._on_played = on_played
        self._idle: dict[tuple[int, int], list[Member]] = defaultdict(list)
        """Players free for another game, by entrant and rotation."""
        self._starting = trio.Lock()
        self._limits = [self._limits_of(entrant) for entrant in plan.entrants]

    def _limits_of(self, entrant: BotSpec) -> HelloLimits:
        control = self._plan.control
        return HelloLimits(
            line_bytes=entrant.limits.line_bytes,
            info_bytes=codec.MAX_INFO,
            startup_ms=milliseconds(control.startup),
            margin_ms=milliseconds(control.margin),
            quit_ms=milliseconds(QUIT_GRACE),
            memory_mb=entrant.limits.memory_mb,
        )

    async def run(self, schedule: Iterable[ScheduledGame]) -> None:
        """Play all games. Every process has ended when this returns or is cancelled. Raises RecordWriteError."""
        async with trio.open_nursery() as measuring:
            measuring.start_soon(self.delay.measure)
            await self._play_all(deque(schedule))
            measuring.cancel_scope.cancel()

    async def _play_all(self, games: deque[ScheduledGame]) -> None:
        async with supervise(self._plan.sandbox, self._plan.environment) as supervisor:
            async with trio.open_nursery() as workers:
                for _ in range(min(self._plan.concurrency, len(games))):
                    workers.start_soon(self._work, games, supervisor)
            for member in [member for idle in self._idle.values() for member in idle]:
                self._let_go(member)

    async def _work(self, games: deque[ScheduledGame], supervisor: Supervisor) -> None:
        while games:
            await self._play(games.popleft(), supervisor)

    async def _play(self, game: ScheduledGame, supervisor: Supervisor) -> None:
        """Play a game: seat everyone, referee, and give back the processes that may be used again."""
        plan = self._plan
        names = [plan.entrants[entrant].name for entrant in game.seating]
        path = None if plan.records is None else plan.records / f"{game.game_id}.jsonl"
        recorder: Recorder = NoRecord() if path is None else RecordFile(path)
        seated: list[Member | Fault] = [Fault("crash", "was not started")] * len(names)
        children: list[Child | None] = [None] * len(names)
        table = Table(game=game, supervisor=supervisor, seated=seated, children=children)
        try:
            async with trio.open_nursery() as starting:
                for seat in range(len(names)):
                    starting.start_soon(self._seat, table, seat)
            match = GameRunner(
                GameSetup(
                    game_id=game.game_id,
                    game=plan.game,
                    config=plan.config,
                    seed=game.seed,
                    names=names,
                    bot_seeds=list(game.bot_seeds),
                    control=plan.control,
                ),
                [
                    member if isinstance(member, Fault) else self._player(table, seat)
                    for seat, member in enumerate(seated)
                ],
                [
                    PlayerInfo(name=name) if isinstance(member, Fault) else member.says
                    for name, member in zip(names, seated, strict=True)
                ],
                recorder,
            )
            outcome = await match.play()
        finally:
            recorder.close()
        for seat, member in enumerate(seated):
            if not isinstance(member, Fault) and member.child is not None and outcome.faults[seat] is None:
                self._idle[game.seating[seat], game.rotation].append(member)
        await self._last_words([child for child, fault in zip(children, outcome.faults, strict=True) if fault])
        evidence = [None if child is None else Evidence.of(child.stderr) for child in children]
        self._on_played(Played(game=game, outcome=outcome, record=path, evidence=evidence))

    async def _last_words(self, failed: list[Child | None]) -> None:
        """Wait a little for processes that failed to end, so that the evidence is complete."""
        with trio.move_on_after(STDERR_TIMEOUT):
            for child in failed:
                if child is not None:
                    await child.closed.wait()

    async def _seat(self, table: Table, seat: int) -> None:
        """Find an idle player for a seat or start one."""
        index = table.game.seating[seat]
        entrant = self._plan.entrants[index]
        idle = self._idle[index, table.game.rotation]
        if entrant.policy is not None:
            table.seated[seat] = Member(BuiltinPlayer(POLICIES[entrant.policy]), PlayerInfo(name=entrant.name))
            return
        while idle:
            member = idle.pop()
            assert member.child is not None
            if not (member.child.exited.is_set() or is_worn(member.child, entrant)):
                member.child.begin_game(self._stderr_path(table.game, seat))
                member.has_played = True
                table.children[seat] = member.child
                table.seated[seat] = member
                return
            self._let_go(member)
        await self._start(table, seat)

    async def _start(self, table: Table, seat: int) -> None:
        """Start a process for a seat."""
        index = table.game.seating[seat]
        entrant = self._plan.entrants[index]
        await self._take_turns()
        try:
            child = await table.supervisor.start(
                entrant.argv,
                entrant.folder,
                entrant.limits,
                quit_line=codec.encode(Quit()),
                quit_grace=QUIT_GRACE,
                typed=entrant.typed,
            )
        except SpawnError as error:
            table.seated[seat] = Fault("crash", str(error))
            return
        child.begin_game(self._stderr_path(table.game, seat))
        table.children[seat] = child
        player = BotPlayer(child, self._plan.control, self._limits[index], self._plan.retries, self.delay)
        try:
            await player.greet()
        except PlayerFault as error:
            await player.dismiss(error.fault)
            table.seated[seat] = error.fault
            return
        table.seated[seat] = Member(player, self._says(entrant, player), child)

    async def _take_turns(self) -> None:
        """Let others that want to start a process do so first, and all games that can go on do so in between.

        A start holds up everyone for milliseconds, and many would add up to more than the margin of a clock.
        """
        async with self._starting:
            await trio.lowlevel.checkpoint()

    def _player(self, table: Table, seat: int) -> Player:
        """Who answers for a seat; if its process has played before, a fresh one takes over where that has left."""
        member = table.seated[seat]
        assert isinstance(member, Member)
        if member.child is None or not member.has_played:
            return member.player

        async def relieve() -> Player:
            assert member.child is not None
            member.child.begin_game(None)
            self._let_go(member)
            await self._start(table, seat)
            fresh = table.seated[seat]
            if isinstance(fresh, Fault):
                raise PlayerFault(fresh)
            return fresh.player

        return Veteran(member.player, member.child, relieve)

    def _stderr_path(self, game: ScheduledGame, seat: int) -> Path | None:
        """Where the standard error of a seat is kept."""
        return None if self._plan.records is None else self._plan.records / f"{game.game_id}.seat{seat}.stderr"

    def _says(self, entrant: BotSpec, player: BotPlayer) -> PlayerInfo:
        """What the record says of the bot in a seat."""
        ready = player.ready
        bot = clean(ready.name)
        return PlayerInfo(
            name=entrant.name,
            bot=UNSET if bot == entrant.name else bot,
            version=clean(ready.version),
            author=clean(ready.author),
        )

    def _let_go(self, member: Member) -> None:
        """End a process that is no longer needed."""
        if member.child is not None:
            member.child.stop()


def is_worn(child: Child, entrant: BotSpec) -> bool:
    """Whether a process has used so much of its CPU time that another game might use it up: a fresh one is fairer."""
    return child.cpu_seconds > entrant.limits.cpu_seconds / 2
