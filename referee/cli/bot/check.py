"""`referee bot check`: plays a deliberately difficult referee, and shows how the bot copes."""

import math
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from msgspec.structs import asdict

from referee.bots.bot_spec import BotSpecError, check_game, parse_bots
from referee.bots.shown import show_to
from referee.cli.bot import app
from referee.cli.failure import FAULTED, INTERRUPTED, USAGE, Failure, exit_statuses, reported, writing
from referee.cli.json_output import echo_json
from referee.cli.options import OptionGroup, OptionsOf, time_control, with_groups
from referee.games import OptionError, find_game, game_names
from tournaments.play.conditions import ClockLimits, Conditions

GAMES_IN_A_ROW: Final = 200
QUICK_GAMES: Final = 20
LONG_RUN_SECONDS: Final = 30.0
"""No further game of the long run begins after this time, unless its length was given."""


class CheckOptions(OptionGroup, frozen=True):
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="Only this level or check, such as play or ending.quit; may be repeated."),
    ] = None
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer configurations of each game, and 20 games in a row.")
    ] = False
    strict: Annotated[bool, typer.Option("--strict", help="Exit with status 3 for a warning, too.")] = False
    list_only: Annotated[bool, typer.Option("--list", help="List the checks without running them.")] = False
    game: Annotated[str | None, typer.Option(help="Only this game.", show_default="those in bot.toml, or else all")] = (
        None
    )
    games: Annotated[
        int | None,
        typer.Option(
            min=1, help="Games that one process plays in a row.", show_default="200, or those that fit into 30 s"
        ),
    ] = None
    seed: Annotated[str, typer.Option(metavar="TEXT", help="Seed of the deals.")] = "check"


@app.command("check", epilog=exit_statuses(FAULTED))
@with_groups
def check(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT", help="A folder with a bot.toml, or a command line in quotes.", show_default=False
        ),
    ],
    what: CheckOptions,
    clock: Annotated[dict[str, Any], OptionsOf(ClockLimits, "bot check")],
    how: Annotated[dict[str, Any], OptionsOf(Conditions, "bot check")],
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the results to this file too, as JUnit XML.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """For example:

    referee bot check ./my-bot

    referee bot check "python3 bot.py" --only ending --only play.forbidden_city
    """
    from referee.cli.bot.check_report import check_all, list_checks, show_report
    from referee.conformance.candidate import Candidate
    from referee.conformance.suite import UnknownCheck, select, suite

    with reported(BotSpecError, OptionError, UnknownCheck):
        conditions = Conditions(**how)
        [spec] = show_to(parse_bots([bot], conditions.limits), conditions.show_to)
        if not spec.argv:
            raise Failure(f"{bot} is not a program, so there is nothing to check", USAGE)
        names = spec.games or game_names() if what.game is None else [what.game]
        wanted = [find_game(name) for name in names]
        if what.game is not None:
            check_game(spec, wanted[0])
        checks = select(suite(wanted, quick=what.quick), what.only or [])
    if not (what.seed and what.seed.isprintable()):
        raise Failure("--seed: the seed must be printable text, and not empty", USAGE)
    if junit is not None and (junit.is_dir() or not junit.absolute().parent.is_dir()):
        raise Failure(f"--junit {junit}: give the name of a file in a folder that exists", USAGE)
    if what.list_only:
        list_checks(checks)
        return
    number = QUICK_GAMES if what.quick else GAMES_IN_A_ROW
    candidate = partial(
        Candidate,
        spec,
        games=wanted,
        control=time_control(clock),
        seed=what.seed,
        quick=what.quick,
        long_run=(number, LONG_RUN_SECONDS * clock["scale"]) if what.games is None else (what.games, math.inf),
    )
    report = check_all(spec, wanted, checks, conditions, candidate)
    if junit is not None:
        from referee.conformance.junit import write_junit

        with writing(junit):
            write_junit(report, junit)
    if as_json:
        from referee.reports.next_steps import CheckedBot, after_check

        echo_json(CheckedBot(**asdict(report), next=list(after_check(report, bot))))
    else:
        show_report(report)
    if report.interrupted:
        raise Failure("interrupted before all checks were done", INTERRUPTED)
    if not report.passed or (what.strict and report.counts.warned):
        raise typer.Exit(FAULTED)
