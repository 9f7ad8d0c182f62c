"""What `referee match` shows: progress while it runs, and the results at the end."""

import contextlib
import math
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import trio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from referee.cli.output import echo_json, ignore_broken_stderr, say
from referee.outcome import Outcome
from referee.players.clock import milliseconds
from referee.players.event_loop_lag import EventLoopLag
from referee.printable import printable
from tournaments.runner import Plan, Played
from tournaments.schedule import ScheduledGame
from tournaments.standings import Estimate, Row, standings, win_share

REFRESH = 0.2
FAULTS_SHOWN = 10
TAIL_LINES = 4


class Report:
    """Collects finished games; shows progress on stderr (on a terminal only) and results on stdout."""

    def __init__(self, plan: Plan, schedule: Sequence[ScheduledGame], seed: str, *, as_json: bool) -> None:
        self._plan = plan
        self._schedule = schedule
        self._seed = seed
        self._as_json = as_json
        self._names = [entrant.name for entrant in plan.entrants]
        self.delay = EventLoopLag(plan.control.margin)
        """To be measured by whoever plays the games."""
        self._played: list[Played] = []
        self._started = time.monotonic()
        self._console = Console(stderr=True)
        self._bar: Progress | None = None
        self._wins = [0.0] * len(plan.entrants)
        self._faulted = 0

    def add(self, played: Played) -> None:
        """A game is finished."""
        self._played.append(played)
        for seat, entrant in enumerate(played.game.seating):
            self._wins[entrant] += win_share(played.outcome, seat)
            self._faulted += played.outcome.faults[seat] is not None

    @property
    def faulted(self) -> bool:
        """Whether any bot committed a fault."""
        return self._faulted > 0

    # -- while it runs ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def progress(self) -> Iterator[None]:
        """Show a progress bar meanwhile."""
        self._started = time.monotonic()
        if not self._console.is_terminal:
            yield
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
        bar.add_task("", total=len(self._schedule))
        self._bar = bar
        with ignore_broken_stderr():
            bar.start()
        try:
            yield
        finally:
            with ignore_broken_stderr():
                bar.stop()

    async def refresh(self) -> None:
        """Keep the progress bar up to date until cancelled."""
        while self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=len(self._played), description=self._status())
            with ignore_broken_stderr():
                self._bar.refresh()
            await trio.sleep(REFRESH)

    def _status(self) -> str:
        """Rate, standing and faults in a line; costs the same however many games there are, for bots' clocks run."""
        games = len(self._played)
        parts = [f"{games / max(time.monotonic() - self._started, 1e-9):.1f}/s"]
        if games:
            standing = sorted(zip(self._wins, self._names, strict=True), key=lambda row: -row[0])
            parts += [f"{name} {wins / games:.0%}" for wins, name in standing]
        if self._faulted:
            parts.append(f"faults {self._faulted}")
        return "  ".join(parts)

    # -- at the end ---------------------------------------------------------------------------------------

    def _results(self) -> list[tuple[ScheduledGame, Outcome]]:
        return [(played.game, played.outcome) for played in self._played]

    def _rows(self) -> list[Row]:
        return standings(self._names, self._results())

    def show(self, *, interrupted: bool) -> None:
        """Print the results."""
        self._played.sort(key=lambda played: played.game.game_id)
        self._warn_of_delay()
        if self._as_json:
            echo_json(self._as_object(interrupted=interrupted))
            return
        out = Console(soft_wrap=True)
        total = f"{len(self._played)} of {len(self._schedule)}" if interrupted else f"{len(self._played)}"
        deals = in_number(self._deals(), "deal")
        out.print(shown(f"{self._plan.game.title}: {total} games, {deals}, seed {self._seed}"), style="bold")
        out.print(self._table())
        self._show_faults(out)
        if interrupted:
            out.print(shown("Interrupted; the games finished so far are counted and kept."))
        if self._plan.records is not None:
            out.print(shown(f"Records: {self._plan.records}"))

    def _warn_of_delay(self) -> None:
        """Say on stderr that the referee was later than its clocks can bear, where there were clocks."""
        delay, plan = self.delay, self._plan
        if not delay.over_margin or not plan.control.enforced or all(bot.policy is not None for bot in plan.entrants):
            return
        excused = sum(fault["referee_late_ms"] > 0 for fault in self._faults())
        timeouts = f" {in_number(excused, 'timeout')} happened while it was late." if excused else ""
        say(
            f"Warning: this machine was too busy to keep time. {in_number(delay.over_margin, 'time')} the referee was"
            f" late by more than the margin of {milliseconds(plan.control.margin)} ms, by"
            f" {milliseconds(delay.longest)} ms at most. Bots were charged for that time, and were probably held up"
            f" themselves.{timeouts} Lower --concurrency (now {plan.concurrency}), stop what else runs here, or stretch"
            f" the limits and their margin with --time-scale.",
            err=True,
        )

    def _deals(self) -> int:
        return len({played.game.deal for played in self._played})

    def _table(self) -> Table:
        table = Table(title_justify="left")
        table.add_column("bot")
        for heading in ("games", "mean score", "mean rank", "wins", "faults"):
            table.add_column(heading, justify="right", no_wrap=True)
        for row in self._rows():
            table.add_row(
                shown(row.name),
                str(row.games),
                in_words(row.score),
                in_words(row.rank, digits=2),
                in_words(row.wins, percent=True),
                str(row.faults),
            )
        table.caption = "± is the 95 % confidence interval over deals" if self._deals() > 1 else None
        return table

    def _show_faults(self, out: Console) -> None:
        """Each fault with its reason and where to look, the first ones in full."""
        faults = list(self._faults())
        for fault in faults[:FAULTS_SHOWN]:
            out.print(shown(f"{fault['game_id']}: {fault['bot']}: {fault['code']}: {fault['message']}"))
            if fault["referee_late_ms"]:
                out.print(shown(f"    the referee itself was {fault['referee_late_ms']:.0f} ms late meanwhile"))
            if fault["stderr"] is not None:
                out.print(shown(f"    its standard error: {fault['stderr']}"))
            elif fault["tail"]:
                out.print(shown("    the end of its standard error:"))
                for line in fault["tail"].strip().splitlines()[-TAIL_LINES:]:
                    out.print(shown(f"      {line}"))
        if len(faults) > FAULTS_SHOWN:
            out.print(shown(f"… and {len(faults) - FAULTS_SHOWN} more faults; --json lists them all"))

    def _faults(self) -> Iterator[dict[str, Any]]:
        for played in self._played:
            for seat, fault in enumerate(played.outcome.faults):
                if fault is not None:
                    evidence = played.evidence[seat]
                    yield {
                        "game_id": played.game.game_id,
                        "seat": seat,
                        "bot": self._names[played.game.seating[seat]],
                        "code": fault.code,
                        "message": fault.message,
                        "referee_late_ms": round(fault.referee_late * 1000, 1),
                        "record": named(played.record),
                        "stderr": None if evidence is None else named(evidence.stderr),
                        "tail": "" if evidence is None else evidence.tail,
                    }

    def _as_object(self, *, interrupted: bool) -> dict[str, Any]:
        return {
            "game": self._plan.game.name,
            "config": self._plan.config,
            "seed": self._seed,
            "interrupted": interrupted,
            "deals": self._deals(),
            "seconds": round(time.monotonic() - self._started, 3),
            "standings": self._rows(),
            "games": [
                {
                    "game_id": played.game.game_id,
                    "bots": [self._names[entrant] for entrant in played.game.seating],
                    "scores": played.outcome.scores,
                    "ranks": played.outcome.ranks,
                    "faults": [fault.code if fault else None for fault in played.outcome.faults],
                    "record": named(played.record),
                }
                for played in self._played
            ],
            "faults": list(self._faults()),
            "records": named(self._plan.records),
            "scheduling_delay": self.delay.summary(),
        }


def in_words(estimate: Estimate, *, digits: int = 1, percent: bool = False) -> str:
    """A mean and its margin."""
    scale, unit = (100, " %") if percent else (1, "")
    mean = f"{estimate.mean * scale:.{digits}f}"
    if estimate.margin is None or math.isnan(estimate.margin):
        return mean + unit
    return f"{mean} ± {estimate.margin * scale:.{digits}f}{unit}"


def in_number(number: int, thing: str) -> str:
    """So many things, in words."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def named(path: Path | None) -> str | None:
    """A path as text, whatever bytes it is made of."""
    return None if path is None else os.fsencode(path).decode(errors="replace")


def shown(text: str) -> Text:
    """A line for a terminal, as it is: no markup in it counts, and nothing in it that a terminal would obey."""
    return Text(printable(text))
