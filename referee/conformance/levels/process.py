"""Level `process`: the bot is built and started, becomes ready in time, and waits."""

from operator import sub
from typing import Final

import trio
from msgspec.structs import replace

from referee.conformance.candidate import Candidate, make_ready_to_start
from referee.conformance.finding import Finding, NotPassed, passed, skipped
from referee.conformance.levels.level import Level
from referee.conformance.started_bot import StartedBot
from referee.processes.limits import process_tree

MAX_STARTUP_SHARE: Final = 0.5
"""The share of the start-up limit beyond which a bot gets a warning: the machine may be busier in a match."""
SIDE_BY_SIDE: Final = 3
IDLE_TIME: Final = 0.5
"""Seconds for which an idle process is watched."""
MAX_IDLE_CPU_SHARE: Final = 0.15
"""The share of a core beyond which a process that waits counts as busy."""

LEVEL: Final = Level("process", "it starts and becomes ready")


@LEVEL.check(
    "builds",
    "Its build command succeeds, and its program exists.",
    source="docs/matches.md, What a BOT is",
)
async def builds(candidate: Candidate) -> Finding:
    await candidate.once(make_ready_to_start)
    return passed("built") if candidate.spec.build else skipped("its bot.toml has no build command")


@LEVEL.check(
    "ready",
    "It answers `hello` with `ready` within the start-up limit, and writes nothing before.",
    section="2",
)
async def ready(candidate: Candidate) -> Finding:
    bot = await candidate.start()
    return in_time(candidate, bot, "ready")


@LEVEL.check(
    "side_by_side",
    "Several processes of it run side by side: they start and play at the same time.",
    section="2",
)
async def side_by_side(candidate: Candidate) -> Finding:
    variant = (await candidate.playable())[0]
    started: list[StartedBot] = []
    findings: list[Finding] = []

    async def play(number: int) -> None:
        try:
            bot = await candidate.start()
            started.append(bot)
            await candidate.finish(bot, variant, seed=f"side by side {number}", control=candidate.control)
        except NotPassed as error:
            findings.append(error.finding)

    async with trio.open_nursery() as nursery:
        for number in range(SIDE_BY_SIDE):
            nursery.start_soon(play, number)
    if findings:
        return replace(
            findings[0],
            status="fail",
            message=f"{len(findings)} of {SIDE_BY_SIDE} processes at the same time failed: {findings[0].message}",
            advice="a bot's processes must not share a fixed port, lock file or file name; or, if it was only late, "
            "let it use fewer threads",
        )
    slowest = max(started, key=lambda bot: bot.startup)
    return in_time(candidate, slowest, f"{SIDE_BY_SIDE} at the same time: the last was ready")


@LEVEL.check("idle", "It waits for its input without using the processor.", section="2")
async def idle(candidate: Candidate) -> Finding:
    bot = await candidate.start()
    await trio.sleep(IDLE_TIME / 2)  # the runtimes of some languages stay busy for a moment
    began, before = trio.current_time(), {} if bot.pipe is None else process_tree.core_times(bot.pipe.process.pid)
    if bot.pipe is None or not before:
        return skipped("this system doesn't say how much of the processor a process uses")
    await trio.sleep(IDLE_TIME)
    seconds, share = trio.current_time() - began, 0.0
    for thread, now in process_tree.core_times(bot.pipe.process.pid).items():
        ran, waited = map(sub, now, before.get(thread, (0.0, 0.0)))
        share += ran / max(ran, seconds - waited, 1e-9)  # as if the machine were not busy with something else
    if share > MAX_IDLE_CPU_SHARE:
        return bot.failed(
            f"used {share * 100:.0f} % of a core while no game had begun",
            "read standard input with a call that blocks until a line is there; in a match other bots need the cores",
            status="warn",
        )
    return passed(f"used {share * 100:.0f} % of a core while it waited")


def in_time(candidate: Candidate, bot: StartedBot, what: str) -> Finding:
    """Check that a start was well within the limit."""
    limit = candidate.control.startup
    message = f"{what} after {bot.startup * 1000:.0f} ms; {limit:g} s are allowed"
    if bot.startup > MAX_STARTUP_SHARE * limit:
        return bot.failed(message, "load less before `ready`, as the machine may be busier in a match", status="warn")
    return passed(message)
