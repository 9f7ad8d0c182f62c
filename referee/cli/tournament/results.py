"""`referee tournament standings`, `games`, `pairings` and `export`: the commands that read a tournament."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec import structs

from referee.cli.failure import USAGE, Failure, reported, writing
from referee.cli.json_output import echo_json
from referee.cli.output import STDOUT, echo
from referee.cli.tables import echo_csv, echo_heading, echo_table, line_width
from referee.cli.tournament import app
from referee.games.narrator import format_count
from referee.reports.game_list import format_games, games_table
from referee.reports.ratings import extension_lines, ratings_table
from referee.reports.standings import CROSS_NOTE, cross_table, format_conditions, format_notes, standings_table
from referee.reports.state import RoundNames, format_heading, round_names
from tournaments.competition.game_list import GameRow, game_rows
from tournaments.competition.progress import Progress
from tournaments.competition.results import Standings, tournament_standings
from tournaments.competition.ruling_checks import InvalidValue, check_round, find_bot
from tournaments.competition.trf import TrfError, trf, trf_limits
from tournaments.event.extensions import read_extensions
from tournaments.event.store.errors import NoTournament
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.manifest import Manifest
from tournaments.season.folder import tournaments_in

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a tournament.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV for spreadsheets.")]
OfRound = Annotated[int | None, typer.Option("--round", metavar="N", help="Only this round.", show_default=False)]
OfBot = Annotated[str | None, typer.Option("--bot", metavar="BOT", help="Only this bot.", show_default=False)]


@app.command("standings")
def standings(
    folder: Folder,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    crosstable: Annotated[
        bool,
        typer.Option("--crosstable", help="Show the points that the bots of each pair took from each other instead."),
    ] = False,
) -> None:
    """Also while the tournament runs: after the last round that is over, with the
    games of the current one that are finished.
    """
    one_form(as_json, as_csv)
    if crosstable and as_json:
        raise Failure("--crosstable is for people and --csv; --json has these points in `pairs`", USAGE)
    manifest, progress = read_folder(folder)
    found = tournament_standings(progress, manifest.finished)
    with reported():
        extensions = read_extensions(folder, progress)
    if as_json:
        echo_json(found if extensions is None else {**structs.asdict(found), "extensions": extensions})
    elif as_csv:
        echo_csv(cross_table(found) if crosstable else standings_table(found, {}))
    elif crosstable:
        echo_table(cross_table(found))
        echo(CROSS_NOTE)
    else:
        show_standings(found, round_names(progress))
        for line in format_conditions(manifest):
            echo(line)
        if extensions is not None:
            echo("")
            echo_heading("Ratings over all games, with the bots that were added after the end")
            if extensions.ratings is not None:
                echo_table(ratings_table(extensions.ratings))
            for line in extension_lines(extensions):
                echo(line)


@app.command("games")
def games(
    folder: Folder,
    round_number: OfRound = None,
    bot: OfBot = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """DIR may also be the folder of a season: then of all its events, with the paths of records from there.

    For example: referee tournament games cup --round 2 --bot dice
    """
    one_form(as_json, as_csv)
    found: list[tuple[Path, list[GameRow], Progress]] = []
    for path in tournaments_in(folder):
        _, progress = read_folder(path)
        if path == folder:
            check_asked(progress, round_number, bot)
        rows = [
            structs.replace(row, record=str(path.relative_to(folder) / row.record))
            for row in game_rows(progress)
            if round_number in (None, row.round) and (bot is None or bot in row.bots)
        ]
        found.append((path, rows, progress))
    every = [row for _, rows, _ in found for row in rows]
    if as_json:
        echo_json(every)
    elif as_csv:
        echo_csv(games_table(every, max((progress.regulations.seats for *_, progress in found), default=0)))
    else:
        width = line_width()
        for path, rows, progress in found:
            if path != folder:
                echo(f"{path.name}:")
            for line in format_games(rows, progress.regulations.game_type, width):
                echo(line)


@app.command("export")
def export(
    folder: Folder,
    file: Annotated[Path, typer.Option("--trf", metavar="FILE", help="Where to write it; - for stdout.")],
) -> None:
    """White is the bot in seat 0 of the first rotation."""
    _, progress = read_folder(folder)
    with reported(TrfError):
        text = trf(progress)
    if file == STDOUT:
        typer.echo(text, nl=False)
    else:
        with writing(file):
            file.write_text(text, encoding="utf-8")
        echo(f"{file} is written")
    for limit in trf_limits(progress):
        echo(f"note: {limit}", err=True)


def one_form(as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise Failure("give --json or --csv, not both", USAGE)


def check_asked(progress: Progress, number: int | None, bot: str | None) -> None:
    """Raise Failure if a bot or a round is asked for that the tournament doesn't have; say on stderr why nothing is
    shown of a round that has not begun."""
    with reported(InvalidValue):
        if bot is not None:
            find_bot(progress, bot)
        if number is not None:
            check_round(progress, number)
    begun = len(progress.begun)
    if number is not None and number > begun:
        have = "has" if begun == 1 else "have"
        echo(f"round {number} has not begun; {format_count(begun, 'rounds')} {have}", err=True)


def read_folder(path: Path) -> tuple[Manifest, Progress]:
    """The tournament in a folder. Problems of the folder are reported on stderr."""
    with reported(NoTournament):
        loaded = load(TournamentFolder.open(path), repair=False)
    for line in loaded.repairs:
        echo(f"Note: {line}", err=True)
    return loaded.manifest, loaded.progress


def show_standings(standings: Standings, names: RoundNames) -> None:
    """Print the standings to stdout, with notes below. `names`: of the rounds that have begun."""
    echo_heading(format_heading(standings, names))
    echo_table(standings_table(standings, names))
    for line in format_notes(standings):
        echo(line)
