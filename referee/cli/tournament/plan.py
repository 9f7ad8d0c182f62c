"""`referee tournament init` and `plan`: the commands before the first game."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from referee.cli.failure import USAGE, Failure
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.cli.tournament.app import app
from referee.games.narrator import format_count
from referee.reports.formatting import format_duration
from referee.reports.terminal import format_text
from tournaments.competition.formats import FORMATS
from tournaments.competition.rounds import DealsOf
from tournaments.event.file.example_files import ExampleExists, NoExample, write_example
from tournaments.event.file.toml_source import TournamentFileError, format_unknown
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.forecast import forecast, kept_results
from tournaments.event.plan import Duration, TournamentPlan, plan_tournament

DEALS: Final[dict[DealsOf, str]] = {
    "table": "each table has deals of its own",
    "round": "all full tables of a round play the same deals",
}


@app.command("init")
def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="The file to write, which must not exist.")] = Path(
        "tournament.toml"
    ),
    format_: Annotated[
        str, typer.Option("--format", metavar="F", help=f"The format: {', '.join(FORMATS)}.")
    ] = "round_robin",
) -> None:
    """Write an example tournament file with comments, which can be played as it is.

    For example: referee tournament init cup.toml --format swiss

    Exit status: 0 the file is written, 1 it can't be, 2 wrong usage, or the file already exists.
    """
    if format_ not in FORMATS:
        raise Failure(f"--format: {format_unknown('unknown format', format_, FORMATS)}", USAGE)
    try:
        write_example(format_, file)
    except ExampleExists as error:
        raise Failure(str(error), USAGE) from None
    except NoExample as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"can't write {file}: {error.strerror}") from None
    echo(f"{file} is written. Name your bots in it, then look at what will be played: referee tournament plan {file}")


@app.command("plan")
def plan(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A tournament file (TOML).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, with every round if known.")] = False,
) -> None:
    """Show what a tournament will play: rounds, tables, games, how often bots meet. Nothing is started.

    For example: referee tournament plan cup.toml

    Exit status: 0 the file is valid, 2 it is not, and the message names the line.
    """
    try:
        spec = read_tournament(file)
        planned = plan_tournament(spec, lambda plan: forecast(spec, plan, kept_results(spec)))
    except TournamentFileError as error:
        raise Failure(str(error), USAGE) from None
    if as_json:
        echo_json(planned)
    else:
        show_plan(spec, planned)


def show_plan(spec: TournamentSpec, planned: TournamentPlan) -> None:
    """Print a plan for people."""
    echo(f"{planned.tournament}: {planned.format}, {len(planned.bots)} bots at tables of {planned.seats}")
    echo(f"{spec.game.title}; {planned.rule}")
    most = "at most " if planned.upper_bound else ""
    for name, number in (("rounds", planned.rounds), ("tables", planned.tables), ("games", planned.games)):
        echo(f"  {name:<9} {'not known beforehand' if number is None else f'{most}{number}'}")
    if planned.meetings is None:
        echo("  meetings  results decide who meets whom")
    else:
        low, high = planned.meetings.min, planned.meetings.max
        echo(f"  meetings  any two bots meet at {'' if low == high else f'{low} to '}{format_count(high, 'tables')}")
        echo(f"  repeats   {planned.repeats}")
    if planned.even_rounds is not None:
        echo(f"  even      after {planned.even_rounds} rounds any two bots would have met equally often")
    echo(f"  deals     {DEALS[planned.deals_of]}")
    if spec.start_at is not None:
        past = " (past: `run` refuses it)" if spec.start_at <= datetime.now(UTC) else ""
        echo(f"  start     {spec.start_at:%Y-%m-%d %H:%M} by the clock of this machine{past}")
    if planned.forecast_seconds is not None:
        about = format_duration(planned.forecast_seconds)
        echo(f"  forecast  about {about}, by the times of the bots in the last check")
    echo(f"  duration  {format_plan_duration(spec, planned.duration)}")
    if planned.pairing_seconds >= 1:
        echo(f"  pairing   {format_pairing(planned)}")
    if planned.meetings is not None:
        Console(soft_wrap=True).print(bots_table(planned))
    if planned.shared_deals is not None:
        echo(planned.shared_deals)
    if spec.seed is None:
        echo("Without a seed in the file one is drawn at the start; it may decide who meets whom when.")


def format_plan_duration(spec: TournamentSpec, duration: Duration | None) -> str:
    """The maximum duration, and how it is computed."""
    if duration is None:
        return "not known beforehand"
    cores = "" if spec.conditions.concurrency is not None else ", one per core of this machine"
    worst, game, startup = (
        format_duration(seconds, upper_bound=True)
        for seconds in (duration.at_most_seconds, duration.game_seconds, spec.conditions.control.startup)
    )
    batches, games = format_count(duration.batches, "batches"), format_count(duration.concurrency, "games")
    return (
        f"worst case about {worst} without builds: {batches} of {game}, {games} at a time{cores}."
        f" A game: {startup} to start, and {duration.decisions} decisions that use up the clock, the maximum"
        f" in {duration.sample_games} games of random players"
    )


def format_pairing(planned: TournamentPlan) -> str:
    """How long it takes to pair the rounds."""
    each = f"up to about {format_duration(planned.pairing_seconds, upper_bound=True)} a round"
    if planned.rounds is None:
        return each
    total = format_duration(planned.pairing_seconds * planned.rounds, upper_bound=True)
    return f"{each}, {total} in all; the bots wait meanwhile, and `verify` takes as long"


def bots_table(planned: TournamentPlan) -> Table:
    """The plan of each bot, as a table."""
    table = Table()
    table.add_column("bot")
    for heading in ("tables", "byes", *(f"in seat {seat}" for seat in range(planned.seats))):
        table.add_column(heading, justify="right", no_wrap=True)
    for bot in planned.bots:
        table.add_row(format_text(bot.name), str(bot.tables), str(bot.byes), *map(str, bot.seat_counts or ()))
    return table
