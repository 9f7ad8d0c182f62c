"""The decisions of recorded games as a table: CSV, or Parquet with the extra of that name."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from referee.files import is_folder
from referee.record.decisions import DecisionRow, decision_rows
from referee.record.reader import InvalidRecord, find_records
from referee.record.replay import Replay
from referee.reports.csv_text import format_csv
from referee.reports.needed import ReportError
from referee.version import install_extra

FIELDS: Final = structs.fields(DecisionRow)
PARQUET_TYPES: Final = {str: "string", int: "int64", bool: "bool_", float: "float64"}
"""By type of a column, the name of the type of pyarrow."""


class Records:
    """Records to be exported, read game by game."""

    def __init__(self, paths: Sequence[Path], on_problem: Callable[[str], None]) -> None:
        """`paths`: records, and folders with records. `on_problem`: is told what is wrong with a record."""
        self.files: list[Path] = []
        self.games = 0
        """The number of games that have been written."""
        self.failed = False
        self._on_problem = on_problem
        for path in paths:
            try:
                self.files += find_records(path) if is_folder(path) else [path]
            except InvalidRecord as error:
                self.problem(path, error)

    def replays(self) -> Iterator[tuple[Path, Replay]]:
        """The records that can be replayed."""
        for file in self.files:
            try:
                replay = Replay(file)
            except InvalidRecord as error:
                self.problem(file, error)
            else:
                yield file, replay

    def problem(self, path: Path, problem: InvalidRecord | str) -> None:
        self.failed = True
        self._on_problem(f"{path}: {problem}")


class DecisionTable:
    """The decisions of all games, read game by game while they are written."""

    def __init__(self, records: Records) -> None:
        self.rows = 0
        """The number of decisions that have been written."""
        self._records = records

    def _rows(self) -> Iterator[list[DecisionRow]]:
        for file, replay in self._records.replays():
            rows, error = decision_rows(str(file), replay)
            if error is not None:
                self._records.problem(file, error)
            self.rows += len(rows)
            self._records.games += bool(rows)
            yield rows

    def csv_lines(self) -> Iterator[str]:
        return format_csv([field.name for field in FIELDS], map(structs.astuple, chain.from_iterable(self._rows())))

    def write_parquet(self, output: Path) -> None:
        """Write a Parquet file with a group of rows for each game. Raises ReportError and OSError."""
        try:
            arrow: Any = importlib.import_module("pyarrow")
            parquet: Any = importlib.import_module("pyarrow.parquet")
        except ModuleNotFoundError:
            raise ReportError(f"--parquet needs an extra: {install_extra('parquet')}") from None
        schema = arrow.schema([(field.name, getattr(arrow, arrow_type(field.type))()) for field in FIELDS])
        with output.open("wb") as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            for rows in self._rows():
                if rows:
                    writer.write_table(arrow.Table.from_pylist([structs.asdict(row) for row in rows], schema))


def arrow_type(kind: Any) -> str:
    """The name of the type of pyarrow for the type of a field, which may be optional."""
    return next(name for type_, name in PARQUET_TYPES.items() if kind in (type_, type_ | None))
