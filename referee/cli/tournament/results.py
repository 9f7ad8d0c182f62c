"""`referee tournament standings`, `games`, `pairings` and `export`: the commands that read a tournament."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec import UNSET
from rich.cells import cell_len
from rich.console import Console

from referee.cli.failure import USAGE, Failure, reported
from referee.cli.json_output import echo_json
from referee.cli.output import echo, echo_csv
from referee.cli.tournament.app import app
from referee.games import Game
from referee.games.narrator import format_count, format_score
from referee.reports.crosstable import CROSSTABLE_NOTE, crosstable_csv, crosstable_tables
from referee.reports.csv_text import Cell
from referee.reports.standings_text import (
    format_conditions,
    format_heading,
    format_notes,
    round_names,
    standings_tables,
)
from referee.reports.terminal import UNLIMITED, format_text
from tournaments.competition.game_list import GameRow, game_rows
from tournaments.competition.progress import Progress
from tournaments.competition.ratings import Rating
from tournaments.competition.results import Standings, tournament_standings
from tournaments.competition.trf import TrfError, trf
from tournaments.event.store.errors import NoTournament
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.manifest import Manifest

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a tournament.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV for spreadsheets.")]
OfRound = Annotated[int | None, typer.Option("--round", metavar="N", help="Only this round.", show_default=False)]
OfBot = Annotated[str | None, typer.Option("--bot", metavar="BOT", help="Only this bot.", show_default=False)]
INDENT: Final = "    "


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
    """Show the standings: places, points, tie-breaks, and ratings with their intervals.

    Also while the tournament runs: after the last round that is over, with the
    games of the current one that are finished.

    Exit status: 0 success, 1 the folder can't be read, 2 wrong usage, or no tournament there.
    """
    one_form(as_json, as_csv)
    if crosstable and as_json:
        raise Failure("--crosstable is for people and --csv; --json has these points in `pairs`", USAGE)
    manifest, progress = read_folder(folder)
    found = tournament_standings(progress, manifest.finished)
    if as_json:
        echo_json(found)
    elif as_csv:
        echo_csv(*(crosstable_csv(found) if crosstable else standings_csv(found)))
    elif crosstable:
        show_crosstable(found)
    else:
        show_standings(found, round_names(progress))
        for line in format_conditions(manifest):
            echo(line)


@app.command("games")
def games(
    folder: Folder,
    round_number: OfRound = None,
    bot: OfBot = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List every finished game in the order of play, even while the tournament runs.

    For example: referee tournament games cup --round 2 --bot dice

    Exit status: 0 success, 1 the folder can't be read, 2 wrong usage, or no tournament there.
    """
    one_form(as_json, as_csv)
    _, progress = read_folder(folder)
    known_bot(progress, bot)
    rows = [
        row for row in game_rows(progress) if round_number in (None, row.round) and (bot is None or bot in row.bots)
    ]
    if as_json:
        echo_json(rows)
    elif as_csv:
        echo_csv(*games_csv(rows, progress.regulations.seats))
    else:
        say_if_not_begun(progress, round_number)
        width = line_width()
        for row in rows:
            for line in format_game_row(row, progress.regulations.game_type, width):
                echo(line)


@app.command("export")
def export(
    folder: Folder,
    file: Annotated[Path, typer.Option("--trf", metavar="FILE", help="Write the report that FIDE's programs read.")],
) -> None:
    """Write the results as a FIDE tournament report (TRF). Two seats and points = "table" only.

    White is the bot in seat 0 of the first rotation.

    Exit status: 0 the file is written, 1 it can't be, 2 wrong usage, or a tournament that a report can't hold.
    """
    _, progress = read_folder(folder)
    try:
        file.write_text(trf(progress), encoding="utf-8")
    except TrfError as error:
        raise Failure(str(error), USAGE) from None
    except OSError as error:
        raise Failure(f"can't write {file}: {error.strerror}") from None
    echo(f"{file} is written")


def one_form(as_json: bool, as_csv: bool) -> None:
    """Raise Failure if both are asked for."""
    if as_json and as_csv:
        raise Failure("give --json or --csv, not both", USAGE)


def say_if_not_begun(progress: Progress, number: int | None) -> None:
    """Say on stderr why nothing is shown of a round, if one is asked for that has not begun."""
    begun = len(progress.begun)
    if number is not None and not 1 <= number <= begun:
        have = "has" if begun == 1 else "have"
        echo(f"round {number} has not begun; {format_count(begun, 'rounds')} {have}", err=True)


def known_bot(progress: Progress, name: str | None) -> None:
    """Raise Failure if a bot is named that doesn't exist."""
    if name is not None and progress.index(name) is None:
        names = ", ".join(entry.name for entry in progress.entries)
        raise Failure(f'unknown bot "{name}"; the bots are {names}', USAGE)


def read_folder(path: Path) -> tuple[Manifest, Progress]:
    """The tournament in a folder. Problems of the folder are reported on stderr."""
    with reported(NoTournament):
        loaded = load(TournamentFolder.open(path), repair=False)
    for line in loaded.repairs:
        echo(f"Note: {line}", err=True)
    return loaded.manifest, loaded.progress


def line_width() -> int | None:
    """The width of the terminal; None if stdout is not a terminal: lines are not broken then."""
    console = Console()
    return console.width if console.is_terminal else None


# -- for people -----------------------------------------------------------------------------------------------


def show_standings(standings: Standings, names: Sequence[str | None]) -> None:
    """Print the standings to stdout, with notes below. `names`: of the rounds that have begun."""
    out = Console(soft_wrap=True, highlight=False)
    width = out.width if out.is_terminal else None
    out.width = UNLIMITED
    out.print(format_text(format_heading(standings, names)), style="bold")
    for table in standings_tables(standings, width, names):
        out.print(table)
    for line in format_notes(standings):
        out.print(format_text(line))


def show_crosstable(standings: Standings) -> None:
    """Print the cross table to stdout."""
    out = Console(soft_wrap=True, highlight=False)
    width = out.width if out.is_terminal else None
    out.width = UNLIMITED
    for table in crosstable_tables(standings, width):
        out.print(table)
    echo(CROSSTABLE_NOTE)


def format_game_row(row: GameRow, of: type[Game], width: int | None) -> Iterator[str]:
    """A game: scores with ranks by seat, and faults."""
    items = [
        f"{name} {format_score(of, score)} ({'' if fault is None else f'{fault}, '}{rank})"
        for name, score, rank, fault in zip(row.bots, row.scores, row.ranks, row.faults, strict=True)
    ]
    if row.replayed is not None:
        items.append(f"struck out, played again as {row.replayed}" + (f": {row.reason}" if row.reason else ""))
    if row.ruling is not UNSET:
        items.append(
            {"set": "ranks set by a ruling", "void": "void by a ruling"}[row.ruling]
            + (f": {row.reason}" if row.reason else "")
        )
    return format_items(f"{row.game_id}  ", items, width)


def format_items(begin: str, items: Sequence[str], width: int | None) -> Iterator[str]:
    """The items on a line, or on several where the terminal is narrow, broken between items."""
    line = begin
    for number, item in enumerate(items):
        text = item if number == len(items) - 1 else f"{item}, "
        if width is not None and line != INDENT and cell_len(line + text.rstrip()) > width:
            yield line.rstrip()
            line = INDENT
        line += text
    yield line


# -- for spreadsheets -----------------------------------------------------------------------------------------

Csv = tuple[list[str], Iterator[Sequence[Cell]]]


def standings_csv(found: Standings) -> Csv:
    """Headings and rows of the standings."""
    tiebreaks = list(found.standings[0].tiebreaks) if found.standings else []
    headings = ["place", "name", "tables", "games", "deals", "points", "points_per_table", "game_points", "faults"]
    headings += ["byes", *(f"seat_{seat}" for seat in range(found.seats)), *tiebreaks, "elo", "low", "high"]
    headings += ["better_than_next", "joined", "withdrawn_before", "withdrawn_reason", "eliminated"]
    headings += ["rated_deals", "only", "above_next", "above_next_low", "above_next_high"]
    ruled = found.rulings is not UNSET
    if ruled:
        headings += ["adjustment", "disqualified"]

    def rows() -> Iterator[Sequence[Cell]]:
        for row in found.standings:
            yield [
                *(row.place, row.name, row.tables, row.games, row.deals, row.points, row.points_per_table),
                *(row.game_points, row.faults, row.byes, *row.seat_counts),
                *(row.tiebreaks[name] for name in tiebreaks),
                *rating_cells(row.rating),
                *(row.better_than_next, row.joined, row.withdrawn_before, row.withdrawn_reason, row.eliminated),
                *(row.rated_deals, row.only, *rating_cells(row.difference_to_next)),
                *((row.adjustment or 0.0, row.disqualified is True) if ruled else ()),
            ]

    return headings, rows()


def rating_cells(rating: Rating | None) -> tuple[float | None, float | None, float | None]:
    """A rating or a difference of two, with its bounds."""
    return (None, None, None) if rating is None else (rating.elo, rating.low, rating.high)


def games_csv(games: Sequence[GameRow], seats: int) -> Csv:
    """Headings and rows of the games; where a table was small, its last columns are empty."""
    headings = ["game_id", "round", "table", "deal", "rotation"]
    headings += [f"{name}_{seat}" for name in ("bot", "score", "rank", "points", "fault") for seat in range(seats)]
    headings += ["record", "replayed", "reason"]

    def rows() -> Iterator[Sequence[Cell]]:
        for row in games:
            by_seat: list[Sequence[Cell]] = [row.bots, row.scores, row.ranks, row.points, row.faults]
            yield [
                *(row.game_id, row.round, row.table, row.deal, row.rotation),
                *(cell for cells in by_seat for cell in filled(cells, seats)),
                *(row.record, row.replayed, row.reason),
            ]

    return headings, rows()


def filled(cells: Sequence[Cell], length: int) -> list[Cell]:
    """The cells, padded with empty ones to a length."""
    return [*cells, *[None] * (length - len(cells))]
