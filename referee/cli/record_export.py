"""`referee record export`: the decisions of games as a table, for learners and statistics."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import FAILED, USAGE, Failure, reported, writing
from referee.cli.output import echo
from referee.games.narrator import format_count
from referee.reports.decisions import DecisionTable

app = typer.Typer(add_completion=False)


@app.command("export")
def export(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE|FOLDER...", help="Game records (.jsonl, also gzipped), or folders with records."),
    ],
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV.")] = False,
    as_parquet: Annotated[
        bool, typer.Option("--parquet", help="Write Parquet; needs the extra parquet, and -o FILE.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write it, by default to stdout.")
    ] = None,
) -> None:
    """Write the decisions of games as a table: a row for each, with what the seat saw and could do.

    Observations, legal actions and actions are JSON, as bots get and send them. Every row has the score and the rank of
    its seat at the end of the game; they are empty in a game that is not finished.

    Exit status: 0 all games were written, 1 a record is wrong or unfinished, and was written up to there.
    """
    if as_csv == as_parquet:
        raise Failure("give --csv or --parquet", USAGE)
    if as_parquet and output is None:
        raise Failure("--parquet needs a file: -o decisions.parquet", USAGE)
    games = DecisionTable(paths, lambda problem: echo(problem, err=True))
    if output is not None and any(is_same(output, file) for file in games.files):
        raise Failure(f"{output} is one of the records: write to another file", USAGE)
    if output is None:
        for line in games.csv_lines():
            typer.echo(line, nl=False)
    else:
        with reported(), writing(output):
            if as_parquet:
                games.write_parquet(output)
            else:
                with output.open("w", encoding="utf-8", newline="") as file:
                    file.writelines(games.csv_lines())
    if output is not None:
        echo(f"{output}: {format_count(games.rows, 'decisions')} of {format_count(games.games, 'games')}")
    if games.failed:
        raise typer.Exit(FAILED)


def is_same(path: Path, other: Path) -> bool:
    with contextlib.suppress(OSError):
        return path.samefile(other)
    return False
