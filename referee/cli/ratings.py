"""`referee ratings`: one fit over the games of any number of tournaments and matches."""

from pathlib import Path
from typing import Annotated

import typer
from rich.box import HEAVY_HEAD
from rich.console import Console

from referee.cli.failure import USAGE, Failure, reported
from referee.cli.json_output import echo_json
from referee.cli.output import echo, echo_csv
from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.formatting import format_confidence, format_interval
from referee.reports.terminal import UNLIMITED, Column, fitting_tables
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.pooled import PooledRatings, RatingRow, pool
from tournaments.event.rated_games import NoEvent, rated_games
from tournaments.event.store.errors import NoTournament

app = typer.Typer(add_completion=False)


@app.command("ratings")
def ratings(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of tournaments, and of matches with their records.")
    ],
    join: Annotated[bool, typer.Option("--join", help="Count all versions of a name as one bot.")] = False,
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
    if as_json and as_csv:
        raise Failure("give --json or --csv, not both", USAGE)
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
    )
    if not pooled.ratings:
        raise Failure("no game there can be rated: that takes two bots that were started in the same game", USAGE)
    if as_json:
        echo_json(pooled)
    elif as_csv:
        headings = ["place", "name", "files_sha256", "versions", "events", "games", "deals", "elo", "low", "high"]
        echo_csv([*headings, "better_than_next", "only"], map(csv_row, pooled.ratings))
    else:
        show_ratings(pooled)


def csv_row(row: RatingRow) -> list[str | float | None]:
    """A row for a spreadsheet."""
    rating = row.rating
    return [
        *(row.place, row.name, row.files_sha256, row.versions, row.events, row.games, row.deals),
        *(rating.elo, rating.low, rating.high, row.better_than_next, row.only),
    ]


def show_ratings(pooled: PooledRatings) -> None:
    """Print the ratings for people."""
    out = Console(soft_wrap=True, highlight=False)
    width = out.width if out.is_terminal else None
    out.width = UNLIMITED
    rows = pooled.ratings
    deals, events = format_count(pooled.deals, "deals"), format_count(len(pooled.events), "events")
    echo(f"{pooled.game}: {format_count(pooled.games, 'rated games')} of {deals} in {events}")
    values = [
        Column("rating", [f"{row.rating.elo:.0f}" for row in rows]),
        Column(
            "95 %*" if pooled.conditional else "95 %",
            [format_interval(row.rating, too_few_deals=row.deals < MIN_DEALS) for row in rows],
        ),
        Column(
            "above next",
            ["" if row.better_than_next is None else format_confidence(row.better_than_next) for row in rows],
        ),
        Column("games", [str(row.games) for row in rows]),
        Column("deals", [str(row.deals) for row in rows]),
        Column("events", [str(row.events) for row in rows]),
    ]
    versions = [str(row.versions) if pooled.joined else (row.files_sha256 or "")[:8] for row in rows]
    values.append(Column("versions" if pooled.joined else "files", versions))
    names = Column("bot", [printable(row.name) for row in rows])
    for table in fitting_tables([names], values, width, HEAVY_HEAD, [Column("", [str(row.place) for row in rows])]):
        out.print(table)
    if pooled.unconnected:
        groups = " | ".join(", ".join(group) for group in pooled.unconnected)
        echo(f"Not connected by any chain of games, so their ratings can't be compared: {groups}")
    if pooled.conditional:
        echo("* in some events pairings depended on results: intervals are somewhat too narrow")
