"""The output of `referee match`: progress while it runs, and the results at the end."""

import shlex
import time
from typing import Final

from referee.cli.json_output import echo_json_object
from referee.cli.output import echo
from referee.cli.progress_bar import ProgressBar
from referee.cli.tables import echo_heading, echo_table
from referee.games.narrator import format_count
from referee.reports.broadcast import MatchTally
from referee.reports.comparison import format_llr
from referee.reports.match_object import match_object
from referee.reports.match_results import MatchSummary
from tournaments.competition.formats.sprt import SprtState
from tournaments.play.events import LiveEvent, MatchBegun, MatchGameOver, Notice
from tournaments.play.match_spec import MatchSpec
from tournaments.sequential import SprtEvaluated

MAX_LEADERS: Final = 5
STATE_INTERVAL: Final = 10.0
"""Seconds between two lines about a test where there is no bar."""


# -- while it runs --------------------------------------------------------------------------------------------


class MatchProgress(ProgressBar):
    """The number of games, and the leaders. If it is not `shown`, there is no bar even on a terminal."""

    def __init__(self, *, shown: bool = True) -> None:
        super().__init__("games", shows_time=True)
        self._shown = shown
        self._tally: MatchTally | None = None
        self._started = 0.0
        self._state: SprtState | None = None
        self._told = 0.0

    def observe(self, event: LiveEvent) -> None:
        match event:
            case MatchBegun():
                self._tally = MatchTally(event)
                self._started = self._told = time.monotonic()
                if self._shown:
                    self.open(event.games)
            case MatchGameOver() if self._tally is not None:
                self.done += 1
                self._tally.add(event)
            case Notice(text=text):
                self.notice(text)
            case SprtEvaluated(state=state):
                self._evaluated(state)

    def _evaluated(self, state: SprtState) -> None:
        """Show how a test stands: on a terminal in the bar, otherwise as a line from time to time."""
        self._state = state
        now = time.monotonic()
        if self._bar is None and now - self._told >= STATE_INTERVAL:
            self._told = now
            self.notice(f"{format_llr(state)}, after {format_count(state.deals, 'deals')}")

    def status(self) -> str:
        """Games per second, shares of wins and number of faults."""
        parts = [f"{self.done / max(time.monotonic() - self._started, 1e-9):.1f}/s"]
        if self._state is not None:
            parts.append(f"LLR {self._state.llr:.2f} ({self._state.lower:.2f} to {self._state.upper:.2f})")
        if self._tally is not None and self.done:
            parts += [f"{name} {share:.0%}" for name, share in self._tally.leaders()[:MAX_LEADERS]]
            if self._tally.faults:
                parts.append(f"faults {self._tally.faults}")
        return "  ".join(parts)


# -- at the end -----------------------------------------------------------------------------------------------


def show_result(found: MatchSummary, spec: MatchSpec, *, as_json: bool) -> None:
    """Print the results of a match to stdout, and warnings to stderr."""
    for warning in found.format_warnings():
        echo(warning, err=True)
    if as_json:
        echo_json_object(match_object(found, spec))
        return
    echo_heading(found.format_heading())
    if found.result.games:
        echo_table(found.standings_table())
        echo_heading(found.format_interval_note(), "dim italic")
        for line in (*found.format_repeated_deals(), *found.format_seat_wins()):
            echo(line)
        for table in (found.seats_table(), found.pairs_table(), found.thinking_table()):
            if table is not None:
                echo("")
                echo_table(table, framed=False)
    for line in found.format_verdict():
        echo("")
        echo_heading(line)
    folders = {"Records": found.plan.records, "Traces": found.plan.traces}
    if any(folders.values()) or found.broken_off or found.faults:
        echo("")
    for line in (*found.format_fallbacks(), *found.format_faults()):
        echo(line)
    for what, folder in folders.items():
        if folder is not None:
            echo(f"{what}: {folder}")
    if found.record_to_show is not None:
        shown = shlex.quote(str(found.record_to_show))
        echo(f"To read a game: referee record show {shown}")
        echo(f"To look at it:  referee record view {shown} --open")
