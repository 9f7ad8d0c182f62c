"""`referee match`: parses the options, plays the match, prints the results."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import trio
import typer
from msgspec import structs
from typer.core import TyperCommand

from referee.bots.bot_spec import BROWSER, HUMAN, BotSpecError
from referee.bots.build import BuildError
from referee.bots.languages import is_interpreter
from referee.cli.failure import FAULTED, INTERRUPTED, REJECTED, UNDECIDED, USAGE, Failure, reported
from referee.cli.lazy import import_quickly
from referee.cli.match_report import MatchProgress, show_result
from referee.cli.options import OptionsOf, WithPaths, time_control, with_groups
from referee.cli.progress_bar import drawing
from referee.cli.watch import WatchOptions, every, live_pages, tell_once_begun
from referee.exception_groups import single_errors
from referee.games import OptionError
from referee.live.person import BrowserSeats
from referee.players.clock import TimeControl
from referee.players.human import ConsoleTerminal, HotSeat, NoTerminalError
from referee.players.player import Player
from referee.reports.broadcast import MatchBroadcast
from referee.reports.match_results import MatchSummary
from referee.reports.needed import MAKER, ReportError, check_report_file
from tournaments.competition.formats.sprt import Decision
from tournaments.play.conditions import ClockLimits, Conditions
from tournaments.play.events import Observer
from tournaments.play.executor import ExecutorError
from tournaments.play.interruption import Interruption, catch_signals
from tournaments.play.match import MatchFailed, MatchInterrupted, MatchResult, play_match
from tournaments.play.match_beginning import game_of
from tournaments.play.match_folders import RecordFolderError
from tournaments.play.match_preparation import check_deal
from tournaments.play.match_spec import LineUp, MatchError, MatchSpec
from tournaments.sequential import Hypotheses, SequentialTest, sequential_match

app = typer.Typer(add_completion=False)
STATUS_OF: Final[dict[Decision, int]] = {"accept": 0, "reject": REJECTED, "undecided": UNDECIDED}


class MatchCommand(TyperCommand):
    """The command; its errors explain that an option may belong to the command of a bot."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # of Typer; it exports no class for it
            message = vars(error).get("message")
            if isinstance(message, str) and "option_name" in vars(error) and any(map(is_interpreter, words)):
                vars(error).update(message=f"{message}. The command of a bot goes in quotes, as one BOT")
            raise


@app.command("match", cls=MatchCommand)
@with_groups
def match(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="A folder with a bot.toml, a command line in quotes, NAME= before either, "
            "builtin:random or builtin:first, tcp:PORT for a bot you start yourself; human plays at this terminal, "
            "human@web in a browser.",
            show_default=False,
        ),
    ],
    what: Annotated[dict[str, Any], OptionsOf(MatchSpec, "match")],
    test: Annotated[dict[str, Any], OptionsOf(Hypotheses, "match")],
    clock: Annotated[dict[str, Any], OptionsOf(ClockLimits, "match")],
    how: Annotated[dict[str, Any], OptionsOf(Conditions, "match")],
    live: WatchOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Also write the results and the games as one page for a browser."),
    ] = None,
    with_paths: WithPaths = False,
) -> None:
    """Play a match between bots and show the standings.

    For example:

    referee match bots/steady-python "node first.js" builtin:random

    referee match "python3 bot.py" builtin:first --games 1 --no-timeout

    referee match old=bots/mine new="python3 bot.py" --game forbidden_city --seed x

    referee match new old --sprt 0,20 --field bots/steady-python

    referee match mine bots/steady-python --vary depth=1,2,4

    Exit status: 0 success (with --sprt: accept), 1 something failed, 2 wrong usage, 3 a bot committed a fault, 4
    reject, 5 undecided, 130 interrupted.
    """
    if what["records"] is not None and not what["keep_records"]:
        raise Failure("--record and --no-record can't be combined", USAGE)
    control = time_control(clock, "; use --no-timeout to lift the limits")
    given = {name: value for name, value in what.items() if value is not None}
    spec = MatchSpec(bots=bots, conditions=Conditions(**how, control=control), **given)
    with reported(MatchError, BotSpecError):
        playing = spec.line_up()
    if playing.persons:
        spec = structs.replace(spec, **{"deals": 1, "rotate": spec.only is not None} | given)
    terminal = terminal_for_persons(as_json=as_json) if HUMAN in playing.persons.values() else None
    watched = live.watch or BROWSER in playing.persons.values()
    spec = spec.with_conditions(watched=watched)
    live.check(needed=watched)
    if report is not None:
        with reported(ReportError):
            check_report_file(report)
    broken_off = None
    with reported(MatchError, BotSpecError, OptionError, ExecutorError):
        try:
            if spec.only is not None and what["deals"] is not None:
                check_deal(spec.only, spec.deals)
            spec, sprt = with_test(spec, playing, test, what["deals"])
            with catch_signals(ignore_afterwards=True) as interruption:
                of_persons = None if clock["move"] is clock["bank"] is None else control
                hot_seat = None if terminal is None else HotSeat(terminal, interruption.interrupt, of_persons)
                result = trio.run(play_with_progress, spec, playing, interruption, live, hot_seat, of_persons, sprt)
        except RecordFolderError as error:
            raise Failure(f"{error}; give another folder with --record, or use --no-record") from None
        except BuildError as error:
            raise Failure(str(error), details=error.output) from None
        except MatchInterrupted as error:
            raise Failure(str(error), INTERRUPTED) from None
        except MatchFailed as error:
            broken_off, notices = error, [*error.result.notices, str(error)]
            result = structs.replace(error.result, notices=notices)
    state = None if sprt is None or spec.only is not None else sprt.state
    found = MatchSummary(result, broken_off=result.interrupted or broken_off is not None, state=state, vary=spec.vary)
    show_result(found, spec, as_json=as_json)
    if report is not None:
        write_report(found, report, with_paths=with_paths)
    if broken_off is not None:
        raise Failure(str(broken_off), details=[format_kept(result)])
    if result.interrupted:
        raise Failure(f"interrupted; {format_kept(result)}", INTERRUPTED)
    if any(True for _ in result.games.with_faults()):
        raise typer.Exit(FAULTED)
    if state is not None and state.result is not None:
        raise typer.Exit(STATUS_OF[state.result])


def write_report(found: MatchSummary, file: Path, *, with_paths: bool) -> None:
    with reported(), drawing() as progress:
        maker = import_quickly(MAKER)
        maker.report_of_match(found, file, progress.notice, progress.drawn, with_paths=with_paths)


def format_kept(result: MatchResult) -> str:
    if not result.games:
        return "no game has finished"
    records = result.match.plan.records
    return "the games finished so far are counted" + ("" if records is None else f" and kept in {records}")


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


def terminal_for_persons(*, as_json: bool) -> ConsoleTerminal:
    """The terminal at which persons play. Raises Failure."""
    if as_json:
        raise Failure("--json and human can't be combined: both need standard output", USAGE)
    try:
        return ConsoleTerminal()
    except NoTerminalError as error:
        raise Failure(str(error), USAGE) from None


async def play_with_progress(
    spec: MatchSpec,
    playing: LineUp,
    interruption: Interruption,
    live: WatchOptions,
    hot_seat: HotSeat | None,
    control: TimeControl | None,
    test: SequentialTest | None,
) -> MatchResult:
    """Play the match, with a progress bar on stderr unless persons play, and with pages if they are asked for.

    `control` is the time control for persons in browsers; None: no clock.
    """
    progress = MatchProgress(shown=not playing.persons)
    observers: list[Observer] = [progress.observe]
    with single_errors():
        async with contextlib.AsyncExitStack() as stack:
            browser: BrowserSeats | None = None
            names: set[str] = set()
            if spec.conditions.watched:
                names = {name for name, policy in playing.persons.items() if policy == BROWSER}
                game = game_of(spec)
                title = f"{game.title}: {', '.join(bot.name for bot in playing.bots)}"
                pages, tokens, addresses = await stack.enter_async_context(live_pages(live, title, sorted(names)))
                observers += [tell_once_begun(addresses), MatchBroadcast(pages, tokens).observe]
                browser = BrowserSeats(pages, interruption.interrupt, control)

            def person(name: str) -> Player:
                if browser is not None and name in names:
                    return browser.player(name)
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
