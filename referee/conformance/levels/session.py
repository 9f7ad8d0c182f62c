"""Level `session`: many questions and many games in one process, its memory and its times."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from statistics import median
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

from referee.conformance.candidate import Candidate
from referee.conformance.finding import Finding, passed, skipped
from referee.conformance.levels.level import Level, Run
from referee.conformance.players import UNASKED, OvertakenPlayer, RetriedPlayer, WaitingPlayer
from referee.conformance.started_bot import StartedBot, format_fault
from referee.conformance.variants import Variant
from referee.games.narrator import format_count
from referee.players.clock import TimeControl
from referee.processes.limits import process_tree
from referee.processes.limits.process_limits import MIB

WARM_UP: Final = 0.2
"""The share of the games after which caches are full and code has been compiled."""
GROWTH: Final = 16 * MIB
"""Bytes by which the memory of a process may grow after that in any case."""
GROWTH_SHARE: Final = 0.25
"""The additional growth that is allowed, as a share of the memory after the warm-up."""
SLOWER: Final = 2.0
"""The factor by which answers may be slower at the end than at the beginning."""
SLOWER_MS: Final = 2.0
"""Milliseconds by which answers may become slower in any case."""
MIN_GAMES: Final = 10
"""Minimum number of games to judge growth by."""
MAX_TIME_SHARE: Final = 0.8
"""The share of its time beyond which an answer was nearly too late."""
BANK: Final = TimeControl(move=None, bank=3.0, increment=0.05)
"""The clock of a game against the bank. A decision gets about 0.1 s on average."""

LEVEL: Final = Level("session", "it keeps playing")


# -- one question after another -------------------------------------------------------------------------------------


@LEVEL.check("retry", "After a `fault` it answers the next `act`, which asks for the same decision again.", section="4")
async def retry(candidate: Candidate) -> Finding:
    variant, bot = await candidate.start_plain()
    played = await candidate.play(bot, variant, seed="retry", player=RetriedPlayer)
    if played.fault is None:
        return passed("answered again after a `fault`, whenever it was asked to")
    advice = "continue after `fault`: if the organiser allows retries, an `act` with a new id follows"
    return bot.failed(
        f"{format_fault(played.fault, bot.stderr())}, when it was asked again after a `fault`", advice, status="warn"
    )


@LEVEL.check("late_answers", "A question that overtakes an answer gets an answer with its own id.", section="4")
async def late_answers(candidate: Candidate) -> Finding:
    variant, bot = await candidate.start_plain()
    ample = replace(candidate.control, margin=3 * (candidate.control.move or candidate.control.margin))
    played = await candidate.play(bot, variant, seed="late", player=OvertakenPlayer, control=ample)
    if played.fault is None:
        return passed("answered each question with its own id, also where two came at once")
    advice = "answer every `act` in the order in which they come, each with its own id"
    return bot.faulted(played, ", where two questions came at once", advice)


@LEVEL.check("early_end", "A game may end at any time, even before its first `act`, and the next begins.", section="2")
async def early_end(candidate: Candidate) -> Finding:
    variant, bot = await candidate.start_plain()
    two = candidate.variants_of(variant.game)
    small = next((each for each in two if each.config.players == 2), variant)
    where = ", after games that had ended early"
    for number, decisions in enumerate((0, 0, 4, 9)):
        seat = 1 if decisions == 0 else 0
        seed = f"early end {number}"
        await candidate.finish(bot, small, where, seat=seat, seed=seed, opponents_fail_after=decisions)
    advice = "forget the old game at `start`, whether it had come to its end or not"
    await candidate.finish(bot, variant, where, advice, seed="after early ends")
    return passed("played on after games that ended before its first decision, and in the middle")


# -- one game after another -----------------------------------------------------------------------------------------


class LongRun(Struct, kw_only=True):
    """Many games in one process."""

    wanted: int
    bot: StartedBot
    before: int
    """The number of games that it had played before these."""
    variants: list[Variant] = []
    """The variant of each game without a fault."""
    typical: list[float] = []
    """The median answer of each game in seconds."""
    memory: list[int] = []
    """Resident bytes of the process and its children after each game; 0 if not known."""
    seconds: float = 0.0
    finding: Finding | None = None
    """Why it ended early, if that is the bot's fault."""

    def format_games(self) -> str:
        number = self.before + len(self.variants)
        if self.finding is None and number < self.wanted:
            return f"{number} of {self.wanted} games, the last {len(self.variants)} in {self.seconds:.0f} s"
        return format_count(number, "games")


async def play_many(candidate: Candidate) -> LongRun:
    """Play many games in the process that has played those of the level `play`, alternating between the fewest and the
    most players of each game. Raises NotPassed."""
    cycle: list[Variant] = []
    for plain in await candidate.playable():
        numbers = [each for each in candidate.variants_of(plain.game) if each.name.startswith("players=")]
        cycle += [pick(numbers, key=lambda each: int(each.config.players)) for pick in (min, max)]
    wanted, limit = candidate.long_run
    bot = await candidate.shared()
    run = LongRun(wanted=wanted, bot=bot, before=bot.games)
    began = trio.current_time()
    for number in range(max(wanted - bot.games, min(wanted, MIN_GAMES))):
        variant = cycle[number % len(cycle)]
        seat = number // len(cycle) % variant.config.players
        played = await candidate.play(bot, variant, seat=seat, seed=f"long run {number}")
        run.seconds = trio.current_time() - began
        if played.fault is not None:
            run.finding, _ = await candidate.explain_fault(bot, played, seed=f"long run {number}")
            break
        run.variants.append(variant)
        run.typical.append(median(decision.seconds for decision in played.decisions) if played.decisions else 0.0)
        pid = None if bot.pipe is None or not process_tree.HAS_PROC else bot.pipe.process.pid
        run.memory.append(0 if pid is None else process_tree.usage(pid, candidate.spec.limits.processes).memory)
        if run.seconds > limit or bot.connection.is_exhausted():
            break
    return run


@LEVEL.check("games", "One process plays many games, of any kind and in any seat, one after another.", section="2")
async def games(candidate: Candidate) -> Finding:
    run = await candidate.once(play_many)
    return run.finding or passed(f"{run.format_games()} in one process")


@LEVEL.check("memory", "Its memory does not grow from game to game.", section="7")
async def memory(candidate: Candidate) -> Finding:
    run = await candidate.once(play_many)
    if len(run.memory) < MIN_GAMES:
        return skipped(f"games played without a fault: only {len(run.memory)}")
    if not all(run.memory):
        return skipped("this system doesn't say how much memory a process uses")
    number = run.before + len(run.memory)
    tenth = max(1, number // 10)
    early = max(int(number * WARM_UP), run.before)
    before, middle, after = (
        median(run.memory[place : place + tenth])
        for place in (early - run.before, max(number // 2, early) - run.before, len(run.memory) - tenth)
    )
    grown = after - before
    words = f"{before / MIB:.0f} MiB after {format_count(early, 'games')}, {after / MIB:.0f} MiB after {number}"
    if grown < max(GROWTH, GROWTH_SHARE * before) or after - middle < grown / 4:
        return passed(words)
    limit = candidate.spec.limits.memory_mb
    per_game = grown / (number - early - tenth / 2)
    left = int((limit * MIB - after) / per_game)
    return Finding(
        status="warn",
        message=f"{words}: at this rate it exceeds its {limit} MiB (memory_mb) in {left} further games",
        advice="free what belongs to a game at the next `start`; a cache needs an upper limit",
    )


@LEVEL.check("speed", "It does not become slower from game to game.", section="6")
async def speed(candidate: Candidate) -> Finding:
    run = await candidate.once(play_many)
    times = [(variant.id, seconds) for variant, seconds in zip(run.variants, run.typical, strict=True)]
    third = len(times) // 3
    early, late = least(times[:third]), least(times[-third:])
    compared = early.keys() & late.keys()
    if len(run.typical) < MIN_GAMES or not compared:
        return skipped(f"games played without a fault: only {len(run.typical)}")
    before, after = mean_ms(early, compared), mean_ms(late, compared)
    if after > SLOWER_MS:
        # Other checks or programs may have slowed either; now a fresh process and this one play when nothing else runs.
        fresh = mean_ms(await typical_now(candidate, await candidate.start(), run), compared)
        now = after if run.finding else mean_ms(await typical_now(candidate, run.bot, run), compared)
        if is_slower(before, after):
            before, after = max(before, fresh), min(after, now)
        elif is_slower(fresh, now):
            before, after = fresh, now
    words = (
        f"{before:.2f} ms for a typical answer in the first games, {after:.2f} ms in the last ({run.format_games()})"
    )
    if is_slower(before, after):
        advice = "look for what grows with every game: a list that is searched, a log that is read again"
        return Finding(status="warn", message=words, advice=advice)
    return passed(words)


async def typical_now(candidate: Candidate, bot: StartedBot, run: LongRun) -> dict[str, float]:
    """The seconds of a typical answer of a process now, in the faster of two games, by variant. Raises NotPassed."""
    games = [
        await candidate.finish(bot, variant, seed="speed")
        for variant in 2 * [*{each.id: each for each in run.variants}.values()]
    ]
    return least((game.variant.id, median(each.seconds for each in game.decisions)) for game in games)


def least(times: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The least of the times of each variant: other programs only ever make a game slower."""
    return dict(sorted(times, key=lambda each: each[1], reverse=True))


def mean_ms(times: Mapping[str, float], variants: Collection[str]) -> float:
    return sum(times[variant] for variant in variants) / len(variants) * 1000


def is_slower(before: float, after: float) -> bool:
    return after > SLOWER * before and after - before > SLOWER_MS


# -- the clock ------------------------------------------------------------------------------------------------------


@LEVEL.check("clock", "Its answers come well within the time that it is told it has.", section="6")
async def clock(candidate: Candidate) -> Finding:
    await candidate.once(play_many)
    times, longest = candidate.answer_times(), candidate.longest_answer
    if times is None or longest is None:
        return skipped("it has taken no decision")
    allowed = longest.decision.allowed * 1000
    words = (
        f"median {times.median:.2f} ms, 99 % within {times.p99:.2f} ms, worst {times.worst:.2f} ms "
        f"in {format_count(times.decisions, 'answers')}"
    )
    if longest.decision.share <= MAX_TIME_SHARE:
        return passed(f"{words}; {allowed:.0f} ms are allowed")
    late = candidate.lag.longest * 1000
    busy = f"; the referee itself was up to {late:.0f} ms late" if late > candidate.control.margin * 1000 else ""
    return Finding(
        status="warn",
        message=f"{words}; one took {longest.decision.seconds * 1000:.0f} of {allowed:.0f} ms{busy}",
        advice="leave more of time_ms unused: in a match other programs may use the machine at the same time",
        wire=longest.wire(),
    )


@LEVEL.check("bank", "It stays within a bank: time_ms is what is left of it for the whole game.", section="6")
async def bank(candidate: Candidate) -> Finding:
    variant, bot = await candidate.start_plain()
    scale = candidate.control.margin / TimeControl().margin
    control = replace(BANK.scaled(scale), startup=candidate.control.startup)
    assert control.bank is not None
    played = await candidate.play(bot, variant, seed="bank", control=control)
    given = f"{control.bank:g} s for the game and {control.increment * 1000:g} ms for each decision"
    if played.fault is None:
        used = sum(decision.seconds for decision in played.decisions)
        return passed(f"used {used:.2f} s; it had {given}")
    if played.fault.code != "timeout":
        return bot.faulted(played, f", with {given}")
    return bot.failed(
        f"{format_fault(played.fault, bot.stderr())}, with {given}",
        "share what is left (time_ms) among the decisions to come; a bank is for all of a game",
        status="warn",
    )


async def play_and_wait(candidate: Candidate) -> Finding:
    """Give the bot time to write something before it is asked. Raises NotPassed."""
    variant = (await candidate.playable())[0]
    bot = await candidate.start()
    waited = await candidate.play(bot, variant, seed="waited", player=WaitingPlayer)
    if waited.fault is None:
        return passed("no line came that was not asked for")
    if waited.fault != UNASKED:
        return bot.faulted(waited)
    advice = "answer an `act` when it has come: only then is it known what is legal, and which id it has"
    return bot.failed("it answered a question before it was asked", advice, status="warn")


@LEVEL.check("one_answer", "It answers each question once, and none before it has come.", section="4")
async def one_answer(candidate: Candidate) -> Finding:
    played = candidate.surplus
    if played is None:
        return await candidate.once(play_and_wait)
    return Finding(
        status="warn",
        message=f"{played.surplus} more lines than questions in one game ({played.variant.format_options()})",
        advice="write one `action` for each `act`, and nothing else: further answers are dropped, but cost time",
        wire=played.wire(),
    )


JUDGED_LAST: Final[dict[Run, Callable[[Candidate], Awaitable[object]]]] = {
    **dict.fromkeys((games, memory, speed, clock), play_many),
    one_answer: play_and_wait,
}
"""Checks that judge what `Candidate.once` finds while others run."""
