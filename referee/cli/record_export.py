"""`referee record export`: the decisions of games as a table, for learners and statistics."""

import contextlib
import importlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from referee.cli.failure import FAILED, USAGE, Failure
from referee.cli.output import echo
from referee.files import is_folder
from referee.games.narrator import format_count
from referee.record.decisions import DecisionRow, decision_rows
from referee.record.reader import InvalidRecord, find_records
from referee.record.replay import Replay
from referee.reports.csv_text import format_csv

EXPORTED_COLUMNS: Final = tuple(field.name for field in msgspec.structs.fields(DecisionRow))
PARQUET_TYPES: Final = {str: "string", int: "int64", bool: "bool_", float: "float64"}
"""By type of a column, the name of the type of pyarrow."""

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
    games = Games(paths)
    if output is not None and any(is_same(output, file) for file in games.files):
        raise Failure(f"{output} is one of the records: write to another file", USAGE)
    try:
        if as_parquet:
            assert output is not None
            write_parquet(games, output)
        elif output is None:
            for line in csv_lines(games):
                typer.echo(line, nl=False)
        else:
            with output.open("w", encoding="utf-8", newline="") as file:
                file.writelines(csv_lines(games))
    except OSError as error:
        if output is None:
            raise
        raise Failure(f"can't write {output}: {error.strerror}") from None
    if output is not None:
        echo(f"{output}: {format_count(games.rows, 'decisions')} of {format_count(games.count, 'games')}")
    if games.failed:
        raise typer.Exit(FAILED)


class Games:
    """The rows of all records, game by game; problems go to stderr."""

    def __init__(self, paths: list[Path]) -> None:
        self.files: list[Path] = []
        self.rows = self.count = 0
        self.failed = False
        for path in paths:
            try:
                self.files += find_records(path) if is_folder(path) else [path]
            except InvalidRecord as error:
                self._report(path, error)

    def __iter__(self) -> Iterator[list[DecisionRow]]:
        for file in self.files:
            try:
                rows, error = decision_rows(str(file), Replay(file))
            except InvalidRecord as wrong:
                rows, error = [], wrong
            if error is not None:
                self._report(file, error)
            self.rows += len(rows)
            self.count += bool(rows)
            yield rows

    def _report(self, path: Path, error: InvalidRecord) -> None:
        self.failed = True
        echo(f"{path}: {error}", err=True)


def csv_lines(games: Games) -> Iterator[str]:
    """The lines of the CSV file."""
    return format_csv(EXPORTED_COLUMNS, (msgspec.structs.astuple(row) for row in chain.from_iterable(games)))


def write_parquet(games: Games, output: Path) -> None:
    """Write a Parquet file with a group of rows for each game. Raises OSError."""
    try:
        arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise Failure("--parquet needs the extra `parquet`: pip install 'referee[parquet]'") from None
    schema = arrow.schema(
        [(field.name, getattr(arrow, arrow_type(field.type))()) for field in msgspec.structs.fields(DecisionRow)]
    )
    with output.open("wb") as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in games:
            if rows:
                writer.write_table(arrow.Table.from_pylist([msgspec.structs.asdict(row) for row in rows], schema))


def arrow_type(kind: Any) -> str:
    """The name of the type of pyarrow for the type of a field, which may be optional."""
    return next(name for type_, name in PARQUET_TYPES.items() if kind in (type_, type_ | None))


def is_same(path: Path, other: Path) -> bool:
    """Whether two paths are the same file."""
    with contextlib.suppress(OSError):
        return path.samefile(other)
    return False
