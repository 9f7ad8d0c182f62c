"""Plays the match of `referee match` with progress on stderr, and prints the results at the end."""

import contextlib
import shlex
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import trio
from msgspec import structs

from referee.bots.bot_spec import BROWSER, BotSpecError
from referee.bots.build import BuildError
from referee.cli.failure import INTERRUPTED, Failure, reported
from referee.cli.json_output import echo_json_object
from referee.cli.output import echo
from referee.cli.progress_bar import ProgressBar
from referee.cli.tables import echo_heading, echo_table
from referee.cli.watch import WatchOptions, every, live_pages, tell_once_begun
from referee.exception_groups import single_errors
from referee.games import OptionError
from referee.games.narrator import format_count
from referee.players.clock import TimeControl
from referee.players.player import Player
from referee.reports.comparison import format_llr
from referee.reports.match_results import MatchSummary
from referee.reports.match_tally import MatchTally
from tournaments.competition.formats.sprt import SprtState
from tournaments.play.events import LiveEvent, MatchBegun, MatchGameOver, Notice, Observer
from tournaments.play.executor import ExecutorError
from tournaments.play.interruption import Interruption, catch_signals
from tournaments.play.match import MatchFailed, MatchInterrupted, MatchResult, play_match
from tournaments.play.match_beginning import game_of
from tournaments.play.match_folders import RecordFolderError
from tournaments.play.match_preparation import check_deal
from tournaments.play.match_spec import LineUp, MatchError, MatchSpec
from tournaments.sequential import Hypotheses, SequentialTest, SprtEvaluated, sequential_match

if TYPE_CHECKING:
    from referee.players.human import ConsoleTerminal, HotSeat

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


def play(
    spec: MatchSpec,
    playing: LineUp,
    live: WatchOptions,
    terminal: "ConsoleTerminal | None",
    control: TimeControl | None,
    test: Mapping[str, Any],
    deals: int | None,
) -> tuple[MatchSpec, MatchSummary, str | None]:
    """Play a match. Returns what was played, with what result, and why it broke off, if it did. Raises Failure.

    `terminal`: where persons play. `control`: the time control for persons; None: no clock. `test`: the options of a
    sequential test. `deals`: if they are given as an option.
    """
    problem = None
    with reported(MatchError, BotSpecError, OptionError, ExecutorError):
        try:
            if spec.only is not None and deals is not None:
                check_deal(spec.only, spec.deals)
            spec, sprt = with_test(spec, playing, test, deals)
            with catch_signals(ignore_afterwards=True) as interruption:
                hot_seat = None
                if terminal is not None:
                    from referee.players.human import HotSeat

                    hot_seat = HotSeat(terminal, interruption.interrupt, control)
                result = trio.run(play_with_progress, spec, playing, interruption, live, hot_seat, control, sprt)
        except RecordFolderError as error:
            raise Failure(f"{error}; give another folder with --record, or use --no-record") from None
        except BuildError as error:
            raise Failure(str(error), details=error.output) from None
        except MatchInterrupted as error:
            raise Failure(str(error), INTERRUPTED) from None
        except MatchFailed as error:
            problem = str(error)
            result = structs.replace(error.result, notices=[*error.result.notices, problem])
    state = None if sprt is None or spec.only is not None else sprt.state
    broken_off = result.interrupted or problem is not None
    found = MatchSummary(result, broken_off=broken_off, state=state, elos=test["elos"], vary=spec.vary)
    return spec, found, problem


def with_test(
    spec: MatchSpec, playing: LineUp, test: Mapping[str, Any], games: int | None
) -> tuple[MatchSpec, SequentialTest | None]:
    """The match, and the test that ends it if options ask for one. Raises MatchError."""
    given = {name: value for name, value in test.items() if value is not None}
    if "elos" in given:
        return sequential_match(spec, Hypotheses(**given), games, playing)
    if given:
        raise MatchError("--alpha and --beta are for a test: give --sprt ELO0,ELO1, such as --sprt 0,20")
    return spec, None


async def play_with_progress(
    spec: MatchSpec,
    playing: LineUp,
    interruption: Interruption,
    live: WatchOptions,
    hot_seat: "HotSeat | None",
    control: TimeControl | None,
    test: SequentialTest | None,
) -> MatchResult:
    """Play the match, with a progress bar on stderr unless persons play, and with pages if they are asked for."""
    progress = MatchProgress(shown=not playing.persons)
    observers: list[Observer] = [progress.observe]
    with single_errors():
        async with contextlib.AsyncExitStack() as stack:
            browser = None
            names: set[str] = set()
            if spec.conditions.watched:
                from referee.live.person import BrowserPlayer, BrowserSeats
                from referee.reports.broadcast import MatchBroadcast

                names = {name for name, policy in playing.persons.items() if policy == BROWSER}
                game = game_of(spec)
                title = f"{game.title}: {', '.join(bot.name for bot in playing.bots)}"
                pages, tokens, addresses = await stack.enter_async_context(live_pages(live, title, sorted(names)))
                observers += [tell_once_begun(addresses), MatchBroadcast(pages, tokens).observe]
                browser = BrowserSeats(pages, interruption.interrupt, control)

            def person(name: str) -> Player:
                if browser is not None and name in names:
                    return BrowserPlayer(browser)
                assert hot_seat is not None
                return hot_seat.player(name)

            observer = every(observers)
            if test is not None:
                test.observer = observer
            async with trio.open_nursery() as nursery:
                nursery.start_soon(progress.refresh)
                try:
                    result = await play_match(
                        spec,
                        observer=observer,
                        interruption=interruption,
                        person=None if hot_seat is None and not names else person,
                        batches=test,
                        bots=playing,
                    )
                finally:
                    progress.stop()
                nursery.cancel_scope.cancel()
    return result


# -- at the end -----------------------------------------------------------------------------------------------


def show_result(found: MatchSummary, spec: MatchSpec, *, as_json: bool) -> None:
    """Print the results of a match to stdout, and warnings to stderr."""
    for warning in found.format_warnings():
        echo(warning, err=True)
    if as_json:
        from referee.reports.match_object import match_object

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
