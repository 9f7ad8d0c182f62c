"""`referee season`: bots that come in versions, and events that are played when they are due."""

import shlex
from contextlib import nullcontext
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import FAILED, INTERRUPTED, USAGE, Failure, reported, writing
from referee.cli.json_output import echo_json
from referee.cli.lazy import command_group, import_quickly
from referee.cli.output import echo
from referee.cli.tables import echo_csv, echo_table
from referee.printable import printable
from referee.reports.needed import check_installed
from referee.reports.ratings import format_ratings_heading, format_ratings_notes, ratings_table
from tournaments.competition.pooled import PooledRatings, RankingOverGames, rank_over_games
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.store.errors import NoTournament
from tournaments.season.folder import Season, this_day
from tournaments.season.season_file import EXAMPLE, SEASON_FILE

app = command_group()
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a season.")]
PAGES = "referee.reports.season_pages"


@app.command("init")
def init(folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")]) -> None:
    """Make the folder of a season, with a commented season.toml and an empty folder for the entrants.

    For example: referee season init course
    """
    if (folder / SEASON_FILE).exists():
        raise Failure(f"{folder / SEASON_FILE} already exists and is left unchanged", USAGE)
    with writing(folder):
        (folder / "entrants").mkdir(parents=True, exist_ok=True)
        (folder / SEASON_FILE).write_text(EXAMPLE, encoding="utf-8")
    echo(f"{folder / SEASON_FILE} is written")
    echo(
        f"put a folder for each entrant into {folder / 'entrants'}, then: "
        f"referee season play {shlex.quote(str(folder))}"
    )


@app.command("play")
def play(
    folder: Folder,
    recheck: Annotated[
        bool, typer.Option("--recheck", help="Check versions again that were not ready or were set aside.")
    ] = False,
    today: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Play as on this day, for rehearsals.", show_default="the date"),
    ] = None,
) -> None:
    """Take in new versions of the bots, check them, play the events that are due, write pages and feedback.

    From cron, in CI or by hand. What an earlier one has not finished is played first.

    For example: referee season play course
    """
    from referee.cli.tournament.live_view import supervised
    from tournaments.season.play import play_season

    day = this_day() if today is None else today.date()
    with reported():
        check_installed()
    season = opened(folder, day)

    with reported(), season.lock():
        result = supervised(partial(play_season, season, today=day, recheck=recheck))
        write_pages(season)
    if result.interrupted:
        raise Failure(
            "interrupted; what was finished is kept; the next one goes on: "
            f"referee season play {shlex.quote(str(folder))}",
            INTERRUPTED,
        )
    for problem in result.failed:
        echo(f"referee: {problem}", err=True)
    if result.failed:
        raise typer.Exit(FAILED)


@app.command("standings")
def standings(
    folder: Folder,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the ranking as CSV for spreadsheets.")] = False,
) -> None:
    """Show the ranking of a season, and of each entrant which version plays. For the organiser: it tells pseudonyms."""
    from referee.reports.season import entrant_rows, entrants_table

    if as_json and as_csv:
        raise Failure("give --json or --csv, not both", USAGE)
    season = opened(folder)
    with reported():
        fits = season.ratings()
    tables: list[PooledRatings | RankingOverGames] = [
        *([rank_over_games(fits)] if len(fits) > 1 else []),
        *(fit.table for fit in fits),
    ]
    if as_json:
        echo_json({"ratings": tables[0] if tables else None, "entrants": entrant_rows(season.state)})
        return
    if as_csv:
        if tables:
            echo_csv(ratings_table(tables[0]))
        return
    for table in tables:
        echo(format_ratings_heading(table))
        echo_table(ratings_table(table))
        for line in format_ratings_notes(table):
            echo(line)
    if not season.state.entrants:
        echo(f"no entrants yet: `referee season play {shlex.quote(str(folder))}` takes in {season.file.entrants}")
        return
    echo_table(entrants_table(season.state, anonymous=season.file.keys.anonymous))


@app.command("report")
def report(
    folder: Folder,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="A folder for the pages.", show_default="DIR/site"),
    ] = None,
) -> None:
    """Write the ranking and the report of each event as pages for browsers, and the feedback for each entrant.

    `play` does the same at its end. With -o only the pages are written, there.
    """
    with reported():
        check_installed()
    season = opened(folder)
    with reported(), season.lock() if output is None else nullcontext():
        write_pages(season, output)


def opened(folder: Path, today: date | None = None) -> Season:
    with reported(NoTournament, TournamentFileError):
        return Season.open(folder, today)


def write_pages(season: Season, output: Path | None = None) -> None:
    with reported():
        path = import_quickly(PAGES).report_of_season(season, output, partial(echo, err=True))
    echo(printable(str(path)))
