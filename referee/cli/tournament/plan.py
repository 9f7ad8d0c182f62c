"""`referee tournament init` and `plan`: the commands before the first game."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import USAGE, Failure, reported, writing
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.cli.tables import echo_table
from referee.cli.tournament import app
from referee.reports.plan import format_plan, format_plan_notes, plan_table
from tournaments.competition.formats.registry import FORMATS
from tournaments.event.check_results import kept_results
from tournaments.event.file.example_files import ExampleExists, write_example
from tournaments.event.file.toml_source import TournamentFileError, format_unknown
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.plan import plan_tournament


@app.command("init")
def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="The file to write, which must not exist.")] = Path(
        "tournament.toml"
    ),
    format_: Annotated[
        str, typer.Option("--format", metavar="F", help=f"The format: {', '.join(FORMATS)}.")
    ] = "round_robin",
) -> None:
    """For example: referee tournament init cup.toml --format swiss"""
    if format_ not in FORMATS:
        raise Failure(f"--format: {format_unknown('unknown format', format_, FORMATS)}", USAGE)
    with reported(ExampleExists), writing(file):
        write_example(format_, file)
    echo(
        f"{file} is written. Name your bots in it, then look at what will be played: "
        f"referee tournament plan {shlex.quote(str(file))}"
    )


@app.command("plan")
def plan(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A tournament file (TOML).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, with every round if known.")] = False,
) -> None:
    """For example: referee tournament plan cup.toml"""
    with reported(TournamentFileError):
        spec = read_tournament(file)
        planned = plan_tournament(spec, kept_results(spec))
    if as_json:
        echo_json(planned)
    else:
        for line in format_plan(spec, planned):
            echo(line)
        if planned.meetings is not None:
            echo_table(plan_table(planned))
        for line in format_plan_notes(spec, planned):
            echo(line)
