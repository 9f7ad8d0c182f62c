"""The candidate, the bot that is checked: starts its processes, and plays games with them."""

import contextlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, Final, TypeVar

import msgspec
import trio
from msgspec import Struct

from referee.bots.advice import format_start
from referee.bots.bot_spec import BotSpec, BotSpecError
from referee.bots.build import BuildError
from referee.bots.hashed_files import HashedFiles, check_files, readable_files
from referee.bots.preflight import Problem
from referee.conformance.alterations import Alteration, AlteredConnection, unaltered
from referee.conformance.finding import AnswerTimes, Finding, NotPassed, passed, skipped
from referee.conformance.players import LongestAnswer, ObservedPlayer
from referee.conformance.started_bot import Played, StartedBot, format_fault
from referee.conformance.variants import Variant, variants
from referee.conformance.wire import Wire
from referee.connections import ConnectError
from referee.connections.pipe import PipeConnection
from referee.games import Game
from referee.games.narrator import format_count
from referee.players.clock import TimeControl
from referee.players.connect import Connect, session_over
from referee.players.event_loop_lag import EventLoopLag
from referee.players.player import PlayerFault
from referee.players.thinking_time import ThinkingTime

T = TypeVar("T")


class Processes(Struct):
    """The processes of the bot that a check uses, see `Candidate.processes`."""

    bots: list[StartedBot] = []
    reused: bool = False
    """Whether another check has used one of them."""
    only_new: bool = False
    """Whether the check gets only processes that no other one has used."""


_processes: ContextVar[Processes] = ContextVar("processes")


BUILD_CHECK: Final = "process.builds"
READY: Final = "process.ready"
"""Checks that all others depend on."""
NEVER_READY: Final = "not tried, as it never becomes ready"
USES_ITS_TIME: Final = 0.2
"""A bot whose median answer takes more than this share of its time is one that uses the time it is given."""
FASTER: Final = 0.2
"""The share of the usual limit that such a bot gets in most games: otherwise the checks would take a quarter of an
hour."""


class Candidate:
    """The bot that is checked, and what the checks have found out about it so far.

    `connect` starts a process of it, `build` runs its build command and checks that its program exists; `games` are
    the games to be played; the first is used if one is enough. `long_run`: games that one process plays in a row, and
    the seconds after which no further one begins.
    """

    def __init__(
        self,
        spec: BotSpec,
        connect: Connect,
        *,
        games: Sequence[type[Game]],
        control: TimeControl,
        build: Callable[[], Awaitable[None]] | None = None,
        seed: str = "check",
        quick: bool = False,
        sandboxed: bool = False,
        long_run: tuple[int, float] = (200, 30.0),
    ) -> None:
        self.spec = spec
        self.games = games
        self.control = control
        self.build = build
        self.seed = seed
        self.quick = quick
        self.sandboxed = sandboxed
        self.long_run = long_run
        self.lag = EventLoopLag(control.margin)
        self.thinking = ThinkingTime()
        """All answers under the usual clock."""
        self.longest_answer: LongestAnswer | None = None
        """The answer that took the largest share of its time."""
        self.surplus: Played | None = None
        """The first game in which it wrote more lines than it was asked for."""
        self.failures: dict[str, Finding] = {}
        """Failures that other checks depend on, by the id of the check."""
        self.played: dict[str, Played] = {}
        self._findings: dict[str, Finding] = {}
        self._found: dict[Any, Any] = {}
        self._connect = connect
        self._finding: dict[Any, trio.Lock] = defaultdict(trio.Lock)
        """By what `once` finds."""
        self._shared: StartedBot | None = None
        """The process that plays the games of the level `play`, and then many others."""
        self._spares: list[StartedBot] = []
        """A process that a check has left without a game, if there is one: what has played could hide mistakes."""
        self._paces: dict[str, TimeControl] = {}
        """By game, a clock faster than the usual one."""
        self._share = True
        self._was_ready = False
        self._files: HashedFiles | None = None
        """Since the first start."""
        self._advising = False
        """Whether another game is being tried, for advice."""

    # -- processes ----------------------------------------------------------------------------------------

    async def start(self, alter: Alteration = unaltered) -> StartedBot:
        """A process that is ready and has not played: one that another check has left, or else a new one. Raises
        NotPassed, and FilesChangedError if files of the bot have changed since the first start."""
        used = _processes.get()
        wants_new = alter is not unaltered or used.only_new
        if self._spares and not wants_new and self._spares[0].can_go_on():
            spare = self._spares.pop()
            used.bots.append(spare)
            used.reused = True
            return spare
        try:
            bot = await self._start(alter)
        except NotPassed as error:
            await self._check_files()
            if alter is unaltered and not self._was_ready and BUILD_CHECK not in self.failures:
                self.failures[READY] = error.finding
            raise
        self._was_ready = True
        await self._check_files()
        return bot

    async def _check_files(self) -> None:
        if self._files is not None:
            self._files = await trio.to_thread.run_sync(check_files, self.spec, self._files, abandon_on_cancel=True)

    async def _start(self, alter: Alteration) -> StartedBot:
        await self.once(make_ready_to_start)
        if self._files is None:
            found = await trio.to_thread.run_sync(readable_files, [self.spec], abandon_on_cancel=True)
            self._files = found.get(self.spec.name)
        wire = Wire()
        began = trio.current_time()
        try:
            inner = await self._connect(self.spec)
        except ConnectError as error:
            advice = f"start it yourself with `{format_start(self.spec)}`"
            raise NotPassed(Finding(status="fail", message=str(error), advice=advice)) from None
        connection = AlteredConnection(inner, wire.add, alter)
        connection.begin_game(None)
        session = session_over(self.spec, connection, self.control, self.lag)
        pipe = inner if isinstance(inner, PipeConnection) else None
        bot = StartedBot(self.spec, session, connection, wire, pipe, sandboxed=self.sandboxed)
        _processes.get().bots.append(bot)
        try:
            await session.greet()
        except PlayerFault as error:
            await session.dismiss(error.fault)
            await bot.wait_for_stderr()
            raise NotPassed(bot.failed(format_fault(error.fault, bot.stderr()), bot.advice_on(error.fault))) from None
        bot.startup = trio.current_time() - began
        return bot

    @contextlib.contextmanager
    def processes(self, nursery: trio.Nursery) -> Iterator[Processes]:
        """End the processes that this task and its children use in the block, except the one that several checks share,
        and one that the next check can use. Nobody waits for that."""
        used = Processes()
        before = _processes.set(used)
        try:
            yield used
        finally:
            _processes.reset(before)
            left = [bot for bot in (*self._spares, *used.bots) if bot is not self._shared]
            self._spares = [bot for bot in left if not bot.games and bot.can_go_on()][-1:]
            for bot in {*left}.difference(self._spares):
                nursery.start_soon(bot.end)

    def end_kept(self, nursery: trio.Nursery) -> None:
        """End the processes that are kept for further checks."""
        for bot in (self._shared, *self._spares):
            if bot is not None:
                nursery.start_soon(bot.end)

    def _release_shared(self) -> None:
        """Let the shared process, which another check may have started, end with this one."""
        if self._shared is not None:
            self._shared.spent = True
            _processes.get().bots.append(self._shared)
        self._shared = None

    async def judge(self, run: Callable[["Candidate"], Awaitable[Finding]]) -> Finding:
        """The finding of a check. What doesn't pass in a process that another check has left is tried again in one of
        its own."""
        used = _processes.get()
        while not self.never_ready:
            try:
                finding = await run(self)
            except NotPassed as error:
                finding = error.finding
            if finding.status in ("pass", "skipped") or not used.reused:
                return finding
            used.reused, used.only_new = False, True
        return skipped(NEVER_READY)

    # -- games --------------------------------------------------------------------------------------------

    def variants_of(self, game: type[Game]) -> list[Variant]:
        """The configurations of a game that are tried, the plain one first."""
        return variants(game, quick=self.quick)

    async def play(
        self,
        bot: StartedBot,
        variant: Variant,
        *,
        seed: str = "",
        player: type[ObservedPlayer] = ObservedPlayer,
        control: TimeControl | None = None,
        **how: Any,
    ) -> Played:
        """Play a game; see StartedBot.play.

        The clock is the usual one, or a faster one for a bot that uses all its time. Its answers are counted under the
        usual clock, unless the bot is asked in a different way than in a match.
        """
        seed = f"{self.seed}/{seed or variant.id}"
        control = control or self._paces.get(variant.game.name, self.control)
        played = await bot.play(variant, seed, player, control, **how)
        if player is not ObservedPlayer or control != self.control:
            return played
        for decision in played.decisions:
            self.thinking.add(decision.seconds, decision.fallback)
        known, found = self.longest_answer, played.longest_answer
        if found is not None and (known is None or found.decision.share > known.decision.share):
            self.longest_answer = found
        if played.surplus > 0 and self.surplus is None:
            self.surplus = played
        return played

    async def finish(self, bot: StartedBot, variant: Variant, where: str = "", advice: str = "", **how: Any) -> Played:
        """As `play`, but a fault, which came `where`, ends the check. Raises NotPassed."""
        played = await self.play(bot, variant, **how)
        if played.fault is not None:
            raise NotPassed(bot.faulted(played, where, advice))
        return played

    async def try_variant(self, variant: Variant) -> Finding:
        """Play one game of a variant in the shared process. The finding is cached."""
        if variant.id not in self._findings:
            try:
                self._findings[variant.id] = await self._try(variant)
            except NotPassed as error:
                self._findings[variant.id] = error.finding
            if self._findings[variant.id].status == "fail" and not self.never_ready:
                self.failures[f"play.{variant.id}"] = self._findings[variant.id]
        return self._findings[variant.id]

    async def _try(self, variant: Variant) -> Finding:
        plain = self.variants_of(variant.game)[0]
        if not variant.plain and (await self.try_variant(plain)).status == "fail":
            return skipped(f"not tried, as it can't play the plain game yet (play.{plain.id})")
        number = [each.id for each in self.variants_of(variant.game)].index(variant.id)
        seat = number % variant.config.players
        bot = await self.shared()
        played = await self.play(bot, variant, seat=seat)
        self.played[variant.id] = played
        if played.fault is None:
            if variant.plain:
                await self._find_pace(bot, variant, played)
            answers = format_count(len(played.decisions), "answers")
            return passed(f"{answers} in seat {seat} ({variant.format_options()})")
        self._release_shared()
        finding, again = await self.explain_fault(bot, played, advice=await self._advice_for_game(bot, played))
        if again is not None:
            self._share = False  # so that this mistake doesn't affect what follows
            self.played[variant.id] = again
        return finding

    async def explain_fault(
        self, bot: StartedBot, played: Played, *, seed: str = "", advice: str = ""
    ) -> tuple[Finding, Played | None]:
        """The finding of a fault, and the same game in a fresh process, if that plays it without one. Raises
        NotPassed."""
        assert played.fault is not None
        game = f"in game {bot.games} of one process, " if bot.games > 1 else ""
        finding = bot.faulted(played, f", {game}in seat {played.seat} ({played.variant.format_options()})", advice)
        if not game:
            return finding, None
        fresh = await self.start()
        again = await self.play(fresh, played.variant, seat=played.seat, seed=seed)
        if again.fault is not None:
            return finding, None
        advice = "a process plays many games: wait for the next `start` after `end`, and forget the old game there"
        if played.fault.code == "timeout":
            advice = "it was late only once: leave more of time_ms unused, for a machine that is busy"
        message = f"{finding.message}; a fresh process plays the same game without a fault"
        return msgspec.structs.replace(finding, message=message, advice=advice), again

    async def shared(self) -> StartedBot:
        """The process that plays one game after another. Raises NotPassed."""
        bot = self._shared
        if bot is None or not self._share or bot.is_over():
            self._release_shared()
            bot = self._shared = await self.start()
        return bot

    async def _find_pace(self, bot: StartedBot, variant: Variant, played: Played) -> None:
        """Give a bot that uses all its time less of it in further games, if it copes with that."""
        shares = sorted(decision.share for decision in played.decisions)
        if not shares or shares[len(shares) // 2] < USES_ITS_TIME:
            return
        assert self.control.move is not None
        usual = self.control.move
        faster = msgspec.structs.replace(self.control, move=usual * FASTER, margin=self.control.margin + usual)
        again = await self.play(bot, variant, seed="faster", control=faster)
        if again.fault is None:
            self._paces[variant.game.name] = faster
        else:
            self._release_shared()

    async def _advice_for_game(self, bot: StartedBot, played: Played) -> str:
        """What to do about a plain game that fails, if the bot can play another game."""
        game = played.variant.game
        if self.spec.games or not played.variant.plain or self._advising:
            return ""
        self._advising = True
        plain = [self.variants_of(other)[0] for other in self.games if other is not game]
        able = [variant.game.name for variant in plain if (await self.try_variant(variant)).status == "pass"]
        self._advising = False
        assert played.fault is not None
        listed = ", ".join(f'"{name}"' for name in able)
        advice = f"; or, if it is not meant to play it, say so in bot.toml: games = [{listed}]"
        return bot.advice_on(played.fault) + (advice if able else "")

    @property
    def never_ready(self) -> bool:
        """Whether the candidate can't be checked any further: none of its processes has become ready yet."""
        return not self._was_ready and (READY in self.failures or BUILD_CHECK in self.failures)

    async def once(self, find: Callable[["Candidate"], Awaitable[T]]) -> T:
        """The cached result of `find`, for several checks that need the same games. Raises NotPassed; with a process
        that another check has used this is not cached, as `judge` tries again then."""
        async with self._finding[find]:
            if find not in self._found:
                try:
                    self._found[find] = await find(self)
                except NotPassed as error:
                    if _processes.get().reused:
                        raise
                    self._found[find] = error
        result: T | NotPassed = self._found[find]
        if isinstance(result, NotPassed):
            raise NotPassed(result.finding)
        return result

    async def playable(self) -> list[Variant]:
        """The plain variants of the games that the candidate can play. Raises NotPassed if there is none."""
        found = [self.variants_of(game)[0] for game in self.games]
        able = [variant for variant in found if (await self.try_variant(variant)).status == "pass"]
        if self.never_ready:
            raise NotPassed(skipped(NEVER_READY))
        if not able:
            raise NotPassed(skipped(f"not tried, as it can't play a plain game yet (play.{found[0].id})"))
        return able

    async def start_plain(self) -> tuple[Variant, StartedBot]:
        """The first plain variant that the candidate can play, and a process for it. Raises NotPassed."""
        return (await self.playable())[0], await self.start()

    # -- the end ------------------------------------------------------------------------------------------

    def answer_times(self) -> AnswerTimes | None:
        """Median, 99th percentile and worst of all answers under the usual clock."""
        times = self.thinking
        if not times.decisions:
            return None
        seconds = (times.percentile(50), times.percentile(99), times.worst)
        median, p99, worst = (round(each * 1000, 3) for each in seconds)
        return AnswerTimes(decisions=times.decisions, median=median, p99=p99, worst=worst)


async def make_ready_to_start(candidate: Candidate) -> None:
    """Build the bot, if it has a build command, and make sure that its program exists. Raises NotPassed."""
    if candidate.build is None:
        return
    try:
        await candidate.build()
    except (BotSpecError, BuildError) as error:
        problem = Problem.of(candidate.spec, error)
        finding = Finding(status="fail", message=problem.text, advice=problem.advice or "", stderr=problem.output)
        candidate.failures[BUILD_CHECK] = finding
        raise NotPassed(finding) from None
