"""What `referee match` shows: progress while it runs, and the results at the end."""

import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import trio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from referee.cli.json_output import echo_json
from referee.cli.output import echo, ignore_broken_stderr
from referee.players.clock import milliseconds
from referee.printable import printable
from tournaments.match import Match, MatchResult
from tournaments.runner import PlayedGame
from tournaments.standings import Estimate, Standing, standings, win_share

REFRESH_INTERVAL: Final = 0.2
MAX_FAULTS: Final = 10
"""Number of faults that are shown in full."""
STDERR_LINES: Final = 4


# -- while it runs --------------------------------------------------------------------------------------------


class MatchProgress:
    """A progress bar on stderr, if that is a terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bar: Progress | None = None
        self._names: list[str] = []
        self._wins: list[float] = []
        self._games = 0
        self._faults = 0
        self._started = 0.0

    def start(self, match: Match) -> None:
        """Show the bar. Called before the first game."""
        self._names = [bot.name for bot in match.plan.bots]
        self._wins = [0.0] * len(self._names)
        self._started = time.monotonic()
        if not self._console.is_terminal:
            return
        bar = Progress(
            MofNCompleteColumn(),
            TextColumn("games"),
            BarColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            auto_refresh=False,
            transient=True,
        )
        bar.add_task("", total=match.games)
        with ignore_broken_stderr():
            bar.start()
        self._bar = bar

    def add(self, played: PlayedGame) -> None:
        """Count a finished game."""
        self._games += 1
        for seat, bot in enumerate(played.game.seating):
            self._wins[bot] += win_share(played.outcome, seat)
            self._faults += played.outcome.faults[seat] is not None

    async def refresh(self) -> None:
        """Keep the bar up to date until cancelled."""
        while True:
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], completed=self._games, description=self._status())
                with ignore_broken_stderr():
                    self._bar.refresh()
            await trio.sleep(REFRESH_INTERVAL)

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            with ignore_broken_stderr():
                self._bar.stop()

    def _status(self) -> str:
        """Games per second, shares of wins and number of faults, in constant time."""
        parts = [f"{self._games / max(time.monotonic() - self._started, 1e-9):.1f}/s"]
        if self._games:
            leaders = sorted(zip(self._wins, self._names, strict=True), key=lambda row: -row[0])
            parts += [f"{name} {wins / self._games:.0%}" for wins, name in leaders]
        if self._faults:
            parts.append(f"faults {self._faults}")
        return "  ".join(parts)


# -- at the end -----------------------------------------------------------------------------------------------


def show_result(result: MatchResult, *, as_json: bool, broken_off: bool) -> None:
    """Print the results of a match to stdout, and warnings to stderr. `broken_off`: the match ended early."""
    warn_of_lag(result)
    if as_json:
        echo_json(result_object(result, broken_off=broken_off))
        return
    match = result.match
    out = Console(soft_wrap=True)
    total = f"{len(result.games)} of {match.games}" if broken_off else f"{len(result.games)}"
    deals = counted(finished_deals(result), "deal")
    out.print(safe_text(f"{match.plan.game.title}: {total} games, {deals}, seed {match.seed}"), style="bold")
    out.print(standings_table(result))
    show_faults(result, out)
    if broken_off:
        out.print(safe_text("Interrupted; the games finished so far are counted and kept."))
    if match.plan.records is not None:
        out.print(safe_text(f"Records: {match.plan.records}"))


def warn_of_lag(result: MatchResult) -> None:
    """Warn if the event loop lag was over the margin while bots played with enforced clocks."""
    lag, plan = result.lag, result.match.plan
    if not lag.over_margin or not plan.control.enforced or all(bot.policy is not None for bot in plan.bots):
        return
    late = sum(fault["referee_late_ms"] > 0 for fault in faults(result))
    timeouts = f" {counted(late, 'timeout')} happened while it was late." if late else ""
    echo(
        f"Warning: this machine was too busy to keep time. {counted(lag.over_margin, 'time')} the referee was"
        f" late by more than the margin of {milliseconds(plan.control.margin)} ms, by"
        f" {round(lag.max_ms)} ms at most. Bots were charged for that time, and were probably held up"
        f" themselves.{timeouts} Lower --concurrency (now {plan.concurrency}), stop what else runs here, or stretch"
        f" the limits and their margin with --time-scale.",
        err=True,
    )


def finished_deals(result: MatchResult) -> int:
    """The number of deals that were played in at least one rotation."""
    return len({played.game.deal for played in result.games})


def standings_of(result: MatchResult) -> list[Standing]:
    names = [bot.name for bot in result.match.plan.bots]
    return standings(names, [(played.game, played.outcome) for played in result.games])


def standings_table(result: MatchResult) -> Table:
    table = Table(title_justify="left")
    table.add_column("bot")
    for heading in ("games", "mean score", "mean rank", "wins", "faults"):
        table.add_column(heading, justify="right", no_wrap=True)
    for standing in standings_of(result):
        table.add_row(
            safe_text(standing.name),
            str(standing.games),
            format_estimate(standing.score),
            format_estimate(standing.rank, digits=2),
            format_estimate(standing.wins, percent=True),
            str(standing.faults),
        )
    table.caption = "± is the 95 % confidence interval over deals" if finished_deals(result) > 1 else None
    return table


def show_faults(result: MatchResult, out: Console) -> None:
    """Print the first MAX_FAULTS faults with their messages and standard error, and the number of the others."""
    found = list(faults(result))
    for fault in found[:MAX_FAULTS]:
        out.print(safe_text(f"{fault['game_id']}: {fault['bot']}: {fault['code']}: {fault['message']}"))
        if fault["referee_late_ms"]:
            out.print(safe_text(f"    the referee itself was {fault['referee_late_ms']:.0f} ms late meanwhile"))
        if fault["stderr"] is not None:
            out.print(safe_text(f"    its standard error: {fault['stderr']}"))
        elif fault["tail"]:
            out.print(safe_text("    the end of its standard error:"))
            for line in fault["tail"].strip().splitlines()[-STDERR_LINES:]:
                out.print(safe_text(f"      {line}"))
    if len(found) > MAX_FAULTS:
        out.print(safe_text(f"… and {len(found) - MAX_FAULTS} more faults; --json lists them all"))


def faults(result: MatchResult) -> Iterator[dict[str, Any]]:
    """Every fault as an object of the JSON output (docs/matches.md, "Results")."""
    for played in result.games:
        for seat, fault in enumerate(played.outcome.faults):
            if fault is not None:
                excerpt = played.stderr[seat]
                yield {
                    "game_id": played.game.game_id,
                    "seat": seat,
                    "bot": result.match.plan.bots[played.game.seating[seat]].name,
                    "code": fault.code,
                    "message": fault.message,
                    "referee_late_ms": round(fault.referee_late * 1000, 1),
                    "record": path_text(played.record),
                    "stderr": None if excerpt is None else path_text(excerpt.path),
                    "tail": "" if excerpt is None else excerpt.tail,
                }


def result_object(result: MatchResult, *, broken_off: bool) -> dict[str, Any]:
    """The JSON output (docs/matches.md, "Results")."""
    match = result.match
    return {
        "game": match.plan.game.name,
        "config": match.plan.config,
        "seed": match.seed,
        "interrupted": broken_off,
        "deals": finished_deals(result),
        "seconds": round(result.seconds, 3),
        "standings": standings_of(result),
        "games": [
            {
                "game_id": played.game.game_id,
                "bots": [match.plan.bots[bot].name for bot in played.game.seating],
                "scores": played.outcome.scores,
                "ranks": played.outcome.ranks,
                "faults": played.outcome.result().faults,
                "record": path_text(played.record),
            }
            for played in result.games
        ],
        "faults": list(faults(result)),
        "records": path_text(match.plan.records),
        "scheduling_delay": result.lag,
    }


# -- text -----------------------------------------------------------------------------------------------------


def format_estimate(estimate: Estimate, *, digits: int = 1, percent: bool = False) -> str:
    """A mean with its margin, if it has one."""
    scale, unit = (100, " %") if percent else (1, "")
    mean = f"{estimate.mean * scale:.{digits}f}"
    if estimate.margin is None or math.isnan(estimate.margin):
        return mean + unit
    return f"{mean} ± {estimate.margin * scale:.{digits}f}{unit}"


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where needed."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def path_text(path: Path | None) -> str | None:
    """A path as valid UTF-8, with replacement characters for bytes that are not."""
    return None if path is None else os.fsencode(path).decode(errors="replace")


def safe_text(text: str) -> Text:
    """Text without Rich markup in which a terminal interprets nothing."""
    return Text(printable(text))
