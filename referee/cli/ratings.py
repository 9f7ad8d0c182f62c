"""`referee ratings`: one fit over the games of any number of tournaments and matches."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import USAGE, Failure, reported
from referee.cli.json_output import echo_json
from referee.cli.lazy import import_quickly
from referee.cli.output import echo
from referee.cli.tables import echo_csv, echo_table
from referee.reports.needed import MAKER, ReportError, check_report_file
from referee.reports.ratings import format_ratings_heading, format_ratings_notes, ratings_table
from tournaments.competition.pooled import rank_over_games
from tournaments.event.rated_games import NoEvent, pool_events
from tournaments.event.store.errors import NoTournament
from tournaments.season.folder import tournaments_in

app = typer.Typer(add_completion=False)


@app.command("ratings")
def ratings(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Folders of tournaments, of seasons, and of matches with their records."),
    ],
    join: Annotated[bool, typer.Option("--join", help="Count all versions of a name as one bot.")] = False,
    latest: Annotated[
        bool,
        typer.Option(
            "--latest",
            help="Rank only the newest version of each name, by the order of the folders. Others stay in the fit.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, which `ratings` of a tournament file reads.")] = (
        False
    ),
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV for spreadsheets.")] = False,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Also write the ratings as a page for browsers.")
    ] = None,
) -> None:
    """For example: referee ratings spring autumn records/latest --json > ratings.json

    Bots are told apart by their names and the hashes of their files; over several games, by their names.
    """
    for one, given, other, also in (("--json", as_json, "--csv", as_csv), ("--join", join, "--latest", latest)):
        if given and also:
            raise Failure(f"give {one} or {other}, not both", USAGE)
    if report is not None:
        with reported(ReportError):
            check_report_file(report)
    with reported(NoEvent, NoTournament):
        events = [event for folder in folders for event in tournaments_in(folder)]
        fits = pool_events(events, join=join, latest=latest, on_notice=partial(echo, err=True))
    if not fits:
        raise Failure("no game there can be rated: that takes two bots that were started in the same game", USAGE)
    ranked = rank_over_games(fits) if len(fits) > 1 else fits[0].table
    if as_json:
        echo_json(ranked)
    elif as_csv:
        echo_csv(ratings_table(ranked))
    else:
        for table in (ranked, *(fit.table for fit in fits if len(fits) > 1)):
            echo(format_ratings_heading(table))
            echo_table(ratings_table(table))
            for line in format_ratings_notes(table):
                echo(line)
    if report is not None:
        with reported():
            import_quickly(MAKER).report_of_ratings(ranked, report, partial(echo, err=True))
