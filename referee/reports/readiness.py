"""Whether the bots of a tournament are ready."""

from collections.abc import Iterator, Sequence

from referee.bots.crash import stderr_lines
from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.formatting import format_ms, format_startup
from referee.reports.table import Column, Table
from tournaments.event.check_results import Readiness


def readiness_table(results: Sequence[Readiness]) -> Table:
    """The bots that have been checked, with the times that they took."""
    times = [result.thinking_ms for result in results]
    return Table.of(
        "Readiness",
        Column("bot", [printable(result.bot) for result in results], "name"),
        Column("ready", ["yes" if result.ready else "no" for result in results]),
        Column("start-up", [format_startup(result.startup_ms) for result in results]),
        Column("thinking mean", ["" if time is None else f"{format_ms(time.mean)} ms" for time in times]),
        Column("99 %", ["" if time is None else f"{format_ms(time.p99)} ms" for time in times]),
        Column("worst", ["" if time is None else f"{format_ms(time.worst)} ms" for time in times]),
    )


def format_readiness(result: Readiness) -> str:
    """Whether a bot is ready; not yet printable."""
    startup = "" if result.startup_ms is None else f", {format_startup(result.startup_ms)} to start"
    return f"{result.bot}: {'ready' if result.ready else 'not ready'}{startup}"


def format_problem(result: Readiness) -> Iterator[str]:
    """The problem of a bot, and what to do; empty if there is none. Not yet printable."""
    if result.ready:
        if result.advice is not None:
            yield f"{result.bot} is ready, but {result.advice}"
        return
    yield f"{result.bot} is not ready: {result.problem}"
    if result.advice is not None:
        yield f"    what to do: {result.advice}"
    lines = stderr_lines(result.stderr)
    if lines:
        yield "    what it wrote:"
        yield from (f"      {line}" for line in lines)


def format_certainty(results: Sequence[Readiness]) -> str | None:
    """How much the check says about rare faults; None if no program is ready without one."""
    decisions = [
        result.thinking_ms.decisions
        for result in results
        if result.ready and result.games == 1 and result.thinking_ms is not None
    ]
    if not decisions:
        return None
    least = min(decisions)
    return (
        f"one game without a fault says little about rare ones: after {format_count(least, 'decisions')} a bot may"
        f" still fail in up to {100 - 100 * 0.05 ** (1 / least):.0f} % of them (95 % confidence)"
    )
