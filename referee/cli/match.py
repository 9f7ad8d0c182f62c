"""`referee match`: parses the options, plays the match, prints the results."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer
from msgspec import structs
from typer.core import TyperCommand

from referee.bots.bot_spec import BROWSER, HUMAN, BotSpecError
from referee.bots.languages import is_interpreter
from referee.cli.failure import FAULTED, INTERRUPTED, REJECTED, UNDECIDED, USAGE, Failure, exit_statuses, reported
from referee.cli.lazy import import_quickly
from referee.cli.options import OptionsOf, WithPaths, time_control, with_groups
from referee.cli.progress_bar import drawing
from referee.cli.watch import WatchOptions
from referee.reports.match_results import MatchSummary
from referee.reports.needed import MAKER, ReportError, check_report_file
from tournaments.competition.formats.sprt import Decision
from tournaments.play.conditions import ClockLimits, Conditions
from tournaments.play.match_spec import MatchError, MatchSpec
from tournaments.sequential import Hypotheses

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


@app.command("match", epilog=exit_statuses(FAULTED, REJECTED, UNDECIDED), cls=MatchCommand)
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
    """For example:

    referee match bots/steady-python "python3 first.py" builtin:random

    referee match "python3 bot.py" builtin:first --games 1 --no-timeout

    referee match old=bots/mine new="python3 bot.py" --game forbidden_city --seed x

    referee match new old --sprt 0,20 --field bots/steady-python

    referee match mine bots/steady-python --vary depth=1,2,4
    """
    from referee.cli.match_report import play, show_result

    if what["records"] is not None and not what["keep_records"]:
        raise Failure("--record and --no-record can't be combined", USAGE)
    if with_paths and report is None:
        raise Failure("--with-paths is for --report", USAGE)
    control = time_control(clock, "; use --no-timeout to lift the limits")
    given = {name: value for name, value in what.items() if value is not None}
    spec = MatchSpec(bots=bots, conditions=Conditions(**how, control=control), **given)
    with reported(MatchError, BotSpecError):
        playing = spec.line_up()
    if playing.persons:
        spec = structs.replace(spec, **{"deals": 1, "rotate": spec.only is not None} | given)
    terminal = None
    if HUMAN in playing.persons.values():
        from referee.players.human import ConsoleTerminal, NoTerminalError

        if as_json:
            raise Failure("--json and human can't be combined: both need standard output", USAGE)
        with reported(NoTerminalError):
            terminal = ConsoleTerminal()
    watched = live.watch or BROWSER in playing.persons.values()
    spec = spec.with_conditions(watched=watched)
    live.check(needed=watched)
    if report is not None:
        with reported(ReportError):
            check_report_file(report)
    of_persons = None if clock["move"] is clock["bank"] is None else control
    spec, found, problem = play(spec, playing, live, terminal, of_persons, test, what["deals"])
    show_result(found, spec, as_json=as_json)
    if report is not None:
        with reported(), drawing() as progress:
            maker = import_quickly(MAKER)
            maker.report_of_match(found, report, progress.notice, progress.drawn, with_paths=with_paths)
    if problem is not None:
        raise Failure(problem, details=[format_kept(found)])
    if found.result.interrupted:
        raise Failure(f"interrupted; {format_kept(found)}", INTERRUPTED)
    if any(True for _ in found.result.games.with_faults()):
        raise typer.Exit(FAULTED)
    if found.state is not None and found.state.result is not None:
        raise typer.Exit(STATUS_OF[found.state.result])


def format_kept(found: MatchSummary) -> str:
    if not found.result.games:
        return "no game has finished"
    records = found.plan.records
    return "the games finished so far are counted" + ("" if records is None else f" and kept in {records}")
