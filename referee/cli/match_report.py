"""The output of `referee match`: progress while it runs, and the results at the end."""

import shlex
import time
from collections.abc import Sequence
from typing import Final

from rich.console import Console

from referee.cli.json_output import echo_json_object
from referee.cli.output import echo
from referee.cli.progress_bar import ProgressBar
from referee.games.narrator import format_count
from referee.reports.comparison import format_llr
from referee.reports.match_results import (
    finished_deals,
    format_fallbacks,
    format_faults,
    format_idle_settings,
    format_interval_note,
    format_lag_warning,
    format_verdict,
    pair_tables,
    record_to_show,
    result_object,
    standings_of,
    standings_tables,
    thinking_tables,
)
from referee.reports.terminal import UNLIMITED, format_text
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.match_standings import win_share
from tournaments.play.events import LiveEvent, MatchBegun, MatchGameOver, Notice
from tournaments.play.match import MatchResult
from tournaments.sequential import SprtEvaluated

MAX_LEADERS: Final = 5
"""Bots beside the progress bar."""
STATE_INTERVAL: Final = 10.0
"""Seconds between two lines about a test where there is no bar."""


# -- while it runs --------------------------------------------------------------------------------------------


class MatchProgress(ProgressBar):
    """The number of games, and the leaders. If it is not `shown`, there is no bar even on a terminal."""

    def __init__(self, *, shown: bool = True) -> None:
        super().__init__("games", shows_time=True)
        self._shown = shown
        self._names: list[str] = []
        self._wins: list[float] = []
        self._games: list[int] = []
        self._faults = 0
        self._started = 0.0
        self._state: SprtState | None = None
        self._told = 0.0

    def tell(self, event: LiveEvent) -> None:
        """Update the progress: an observer of the match."""
        match event:
            case MatchBegun():
                self._begin(event)
            case MatchGameOver():
                self._count(event)
            case Notice(text=text):
                self.notice(text)
            case SprtEvaluated(state=state):
                self._evaluated(state)

    def _begin(self, event: MatchBegun) -> None:
        """Show the bar."""
        self._names = list(event.bots)
        self._wins = [0.0] * len(self._names)
        self._games = [0] * len(self._names)
        self._started = self._told = time.monotonic()
        if self._shown:
            self.open(event.games)

    def _count(self, event: MatchGameOver) -> None:
        """Count a finished game."""
        self.done += 1
        for seat, bot in enumerate(event.seating):
            self._wins[bot] += win_share(event.outcome, seat)
            self._games[bot] += 1
            self._faults += event.outcome.faults[seat] is not None

    def _evaluated(self, state: SprtState) -> None:
        """Show how a test stands: on a terminal in the bar, otherwise as a line from time to time."""
        self._state = state
        now = time.monotonic()
        if not self.is_open and now - self._told >= STATE_INTERVAL:
            self._told = now
            self.notice(f"{format_llr(state)}, after {format_count(state.deals, 'deals')}")

    def status(self) -> str:
        """Games per second, shares of wins and number of faults."""
        parts = [f"{self.done / max(time.monotonic() - self._started, 1e-9):.1f}/s"]
        if self._state is not None:
            parts.append(f"LLR {self._state.llr:.2f} ({self._state.lower:.2f} to {self._state.upper:.2f})")
        shares = [wins / games if games else 0 for wins, games in zip(self._wins, self._games, strict=True)]
        if self.done:
            leaders = sorted(zip(shares, self._names, strict=True), key=lambda row: -row[0])[:MAX_LEADERS]
            parts += [f"{name} {share:.0%}" for share, name in leaders]
        if self._faults:
            parts.append(f"faults {self._faults}")
        return "  ".join(parts)


# -- at the end -----------------------------------------------------------------------------------------------


def show_result(
    result: MatchResult, *, as_json: bool, broken_off: bool, state: SprtState | None = None, vary: Sequence[str] = ()
) -> None:
    """Print the results of a match to stdout, and warnings to stderr. `broken_off`: the match ended early. `state`:
    that of its sequential test. `vary`: the settings that its bots are variants of."""
    for warning in (format_lag_warning(result), *format_idle_settings(result, vary)):
        if warning is not None:
            echo(warning, err=True)
    if as_json:
        echo_json_object(result_object(result, broken_off=broken_off, state=state))
        return
    match = result.match
    out = Console(soft_wrap=True)
    width = out.width if out.is_terminal else None
    out.width = UNLIMITED
    of = f"{len(result.games)} of " if broken_off else ""
    games = f"{of}{format_count(match.games if broken_off else len(result.games), 'games')}"
    deals = finished_deals(result)
    heading = f"{match.plan.game.title}: {games}, {format_count(deals, 'deals')}, seed {match.seed}"
    out.print(format_text(heading), style="bold")
    if result.games:
        show_tables(result, out, width)
    for line in format_verdict(result, state):
        out.print()
        out.print(format_text(line), style="bold")
    folders = {"Records": match.plan.records, "Traces": match.plan.traces}
    if any(folders.values()) or broken_off or any(row.faults for row in standings_of(result)):
        out.print()
    for line in (*format_fallbacks(result), *format_faults(result)):
        out.print(format_text(line))
    for what, folder in folders.items():
        if folder is not None:
            out.print(format_text(f"{what}: {folder}"))
    record = record_to_show(result)
    if record is not None:
        shown = shlex.quote(str(record))
        out.print(format_text(f"To read a game: referee record show {shown}"))
        out.print(format_text(f"To look at it:  referee record view {shown} --open"))


def show_tables(result: MatchResult, out: Console, width: int | None) -> None:
    """Print the tables of a match with at least one finished game."""
    for table in standings_tables(result, width):
        out.print(table)
    out.print(format_text(format_interval_note(finished_deals(result))), style="dim italic")
    for tables in (pair_tables(result, width), thinking_tables(result, width)):
        for number, table in enumerate(tables):
            if not number:
                out.print()
            out.print(table)
