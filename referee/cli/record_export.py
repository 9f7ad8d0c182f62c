"""`referee record export`: the decisions of games as a table, or chess and Go as their players exchange games."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import FAILED, USAGE, Failure, reported, writing
from referee.cli.output import STDOUT, echo
from referee.games.narrator import format_count
from referee.reports.decisions import Records, csv_lines, write_parquet
from referee.reports.pgn import PGN
from referee.reports.played_game import game_texts
from referee.reports.sgf import SGF

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
    as_pgn: Annotated[bool, typer.Option("--pgn", help="Write games of open_spiel:chess as PGN.")] = False,
    as_sgf: Annotated[bool, typer.Option("--sgf", help="Write games of open_spiel:go as SGF.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write it, by default to stdout (-).")
    ] = None,
) -> None:
    """A table has a row for each decision, with what the seat saw and could do. Its observations, legal actions and
    actions are JSON, as bots get and send them. Every row has the score and the rank of its seat at the end of the
    game; they are empty in a game that is not finished.

    Of a record that is wrong or unfinished the part before is written.
    """
    if [as_csv, as_parquet, as_pgn, as_sgf].count(True) != 1:
        raise Failure("give one of --csv, --parquet, --pgn and --sgf", USAGE)
    output = None if output == STDOUT else output
    form = "csv" if as_csv else "parquet" if as_parquet else "pgn" if as_pgn else "sgf"
    for path in paths:
        if output is None and path.suffix == f".{form}" and not path.exists():
            raise Failure(f"--{form} takes no file: -o {path}", USAGE)
    if as_parquet and output is None:
        raise Failure("--parquet needs a file: -o decisions.parquet", USAGE)
    records = Records(paths, lambda problem: echo(problem, err=True))
    with contextlib.suppress(OSError):  # there is no such file yet
        if output is not None and any(output.samefile(file) for file in records.files if file.exists()):
            raise Failure(f"{output} is one of the records: write to another file", USAGE)
    texts = game_texts(records, PGN if as_pgn else SGF) if as_pgn or as_sgf else csv_lines(records)
    if output is None:
        for text in texts:
            typer.echo(text, nl=False)
    else:
        with reported(), writing(output):
            if as_parquet:
                write_parquet(records, output)
            else:
                with output.open("w", encoding="utf-8", newline="") as file:
                    file.writelines(texts)
        rows = f"{format_count(records.decisions, 'decisions')} of " if as_csv or as_parquet else ""
        echo(f"{output}: {rows}{format_count(records.games, 'games')}")
    if records.failed:
        raise typer.Exit(FAILED)
