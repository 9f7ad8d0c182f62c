"""Runs the checks of `referee bot check` with progress on stderr, and prints the results at the end."""

import time
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

import trio

from protocol.messages import PROTOCOL
from referee.bots.bot_spec import BotSpec
from referee.bots.preflight import Preflight
from referee.cli.failure import reported
from referee.cli.output import echo, styled
from referee.cli.progress_bar import ProgressBar
from referee.cli.tables import echo_heading, echo_styled
from referee.conformance.candidate import Candidate
from referee.conformance.finding import CheckResult, Report, count, format_details
from referee.conformance.levels.level import Check
from referee.conformance.suite import LEVELS, check_bot, suite
from referee.exception_groups import single_errors
from referee.games import Game
from referee.games.narrator import format_count
from referee.players.connect import process_connector
from referee.printable import printable
from referee.processes.limits.machine import provide_for
from referee.processes.supervisor import supervise
from referee.reports.formatting import format_ms
from referee.version import __version__
from tournaments.play.conditions import Conditions
from tournaments.play.interruption import catch_signals

STATUS_STYLES: Final = {"pass": "green", "warn": "yellow", "fail": "bold red", "skipped": "dim"}
TITLES: Final = {level.name: level.title for level in LEVELS}
AT_A_TIME: Final = 6


class CheckProgress(ProgressBar):
    """The number of checks, the current one, and how many did not pass."""

    def __init__(self) -> None:
        super().__init__("checks", shows_time=False)
        self._bad: dict[str, int] = {"fail": 0, "warn": 0}
        self._current = ""

    def begin(self, check: Check) -> None:
        self._current = check.id

    def add(self, result: CheckResult) -> None:
        self.done += 1
        if result.status in self._bad:
            self._bad[result.status] += 1

    def status(self) -> str:
        """The current check, and how many have not passed."""
        return self._current + "".join(f"  {number} {status}" for status, number in self._bad.items() if number)


def check_all(
    bot: BotSpec,
    games: Sequence[type[Game]],
    checks: Sequence[Check],
    conditions: Conditions,
    make: Callable[..., Candidate],
) -> Report:
    """Run the checks, with progress on stderr. Raises Failure."""
    results: list[CheckResult] = []
    candidate: Candidate | None = None
    progress = CheckProgress()
    preflight = Preflight([bot], **conditions.isolation, on_notice=progress.notice)
    began = time.monotonic()

    def add(result: CheckResult) -> None:
        results.append(result)
        progress.add(result)

    async def check() -> None:
        nonlocal candidate
        provide_for(AT_A_TIME, 1)
        preflight.choose_sandbox()
        with interruption.scope(), single_errors():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(progress.refresh)
                try:
                    async with supervise(preflight.sandbox, conditions.environment) as supervisor:
                        sandboxed = preflight.sandbox is not None
                        connect = process_connector(supervisor)
                        candidate = make(connect, build=preflight.build, sandboxed=sandboxed)
                        progress.open(len(checks))
                        await check_bot(candidate, checks, add, progress.begin)
                finally:
                    progress.stop()
                nursery.cancel_scope.cancel()

    with reported(), catch_signals(ignore_afterwards=True) as interruption:
        trio.run(check)
    if candidate is not None:
        order = [each.id for each in suite(games, quick=candidate.quick)]
        results.sort(key=lambda result: order.index(result.id))
    counts = count(results)
    return Report(
        bot=bot.name,
        protocol=PROTOCOL,
        referee=__version__,
        games=[game.name for game in games],
        sandboxed=preflight.sandbox is not None,
        passed=counts.failed == 0 and not interruption.requested,
        interrupted=interruption.requested,
        seconds=round(time.monotonic() - began, 3),
        counts=counts,
        answer_ms=None if candidate is None else candidate.answer_times(),
        checks=results,
    )


def list_checks(checks: Sequence[Check]) -> None:
    """Print the requirement of each check, and its source."""
    for level, group in groupby(checks, key=lambda check: check.level):
        echo(f"{level}: {TITLES[level]}")
        for each in group:
            echo(f"  {each.id}: {each.requirement} ({each.source})")


def show_report(report: Report) -> None:
    """Print the results for people: a line for each check, with the reason and what to do if it has not passed."""
    where = "in the sandbox" if report.sandboxed else "without a sandbox"
    echo_heading(f"{report.bot}: protocol {report.protocol}, {' and '.join(report.games)}, {where}")
    for level, group in groupby(report.checks, key=lambda result: result.level):
        echo(f"{level}: {TITLES[level]}")
        for reason, alike in groupby(group, key=not_tried):
            results = list(alike)
            if reason is not None and len(results) > 1:
                echo_heading(f"  skipped {len(results)} checks: {reason}", STATUS_STYLES["skipped"])
                continue
            for result in results:
                echo_styled(format_check(result))
                for line in format_details(result):
                    echo(line)
    echo_heading(format_summary(report))
    first = next((result for result in report.checks if result.status == "fail"), None)
    if first is not None:
        echo(f"to run one of them again: --only {first.id}")


def not_tried(result: CheckResult) -> str | None:
    """Why a check was not run, if that may be the same for many."""
    return result.message if result.status == "skipped" and result.message.startswith("not tried") else None


def format_check(result: CheckResult) -> str:
    text = printable(f"{result.id.removeprefix(f'{result.level}.')}: {result.message}")
    verdict = styled(f"  {result.status:8}", STATUS_STYLES[result.status])
    return verdict + styled(text, "dim" if result.status == "skipped" else "")


def format_summary(report: Report) -> str:
    counts = report.counts
    parts = [f"{counts.passed} passed", format_count(counts.warned, "warnings"), f"{counts.failed} failed"]
    if counts.skipped:
        parts.append(f"{counts.skipped} skipped")
    times, thinking = report.answer_ms, ""
    if times is not None:
        shown = (format_ms(each) for each in (times.median, times.p99, times.worst))
        thinking = "; answers in ms: median {}, 99 % {}, worst {}".format(*shown)
    unfinished = "; interrupted" if report.interrupted else ""
    return f"{', '.join(parts)} in {report.seconds:.0f} s{thinking}{unfinished}"
