"""`referee ratings`: one fit over the games of any number of tournaments and matches."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import USAGE, Failure, reported
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.cli.tables import echo_csv, echo_table
from referee.games.narrator import format_count
from referee.reports.ratings import format_ratings_heading, format_ratings_notes, ratings_table
from tournaments.competition.pooled import pool
from tournaments.event.rated_games import NoEvent, rated_games
from tournaments.event.store.errors import NoTournament

app = typer.Typer(add_completion=False)


@app.command("ratings")
def ratings(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of tournaments, and of matches with their records.")
    ],
    join: Annotated[bool, typer.Option("--join", help="Count all versions of a name as one bot.")] = False,
    latest: Annotated[
        bool,
        typer.Option(
            "--latest",
            help="Rank only the newest version of each name, by the order of the folders. Older ones stay in the fit.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, which `ratings` of a tournament file reads.")] = (
        False
    ),
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV for spreadsheets.")] = False,
) -> None:
    """Rate bots in one fit over the games of several tournaments and matches.

    For example: referee ratings spring autumn records/latest --json > ratings.json

    Bots are told apart by their names and the hashes of their files.

    Exit status: 0 success, 1 a folder can't be read, 2 wrong usage, nothing to rate, or more than one game.
    """
    for one, given, other, also in (("--json", as_json, "--csv", as_csv), ("--join", join, "--latest", latest)):
        if given and also:
            raise Failure(f"give {one} or {other}, not both", USAGE)
    unique = list({folder.resolve(): folder for folder in folders}.values())
    with reported(NoEvent, NoTournament):
        found = [rated_games(folder) for folder in unique]
    known: dict[str, Path] = {}
    for folder, event in zip(unique, found, strict=True):
        if event.event_id is not None and known.setdefault(event.event_id, folder) is not folder:
            raise Failure(
                f"{known[event.event_id]} and {folder} are copies of one tournament, whose games would count twice:"
                " leave one of them out",
                USAGE,
            )
        if event.game != found[0].game:
            raise Failure(
                f"{unique[0]} has games of {found[0].game}, and {folder} of {event.game}: rate one game at a time",
                USAGE,
            )
        if event.skipped:
            echo(f"{folder}: {format_count(event.skipped, 'records')} left out: unfinished or unreadable", err=True)
    pooled = pool(
        [game for event in found for game in event.games],
        game=found[0].game,
        events=map(str, unique),
        conditional=any(event.conditional for event in found),
        join=join,
        latest=latest,
    )
    if not pooled.ratings:
        raise Failure("no game there can be rated: that takes two bots that were started in the same game", USAGE)
    if as_json:
        echo_json(pooled)
    elif as_csv:
        echo_csv(ratings_table(pooled))
    else:
        echo(format_ratings_heading(pooled))
        echo_table(ratings_table(pooled))
        for line in format_ratings_notes(pooled):
            echo(line)
