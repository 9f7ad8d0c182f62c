"""The decisions of recorded games as a table: CSV, or Parquet with the extra of that name."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, structs

from protocol.record import DecisionLine
from referee.files import is_folder
from referee.record.reader import InvalidRecord, find_records
from referee.record.replay import Replay, as_json
from referee.reports.csv_text import format_csv
from referee.reports.needed import ReportError
from referee.version import install_extra


class DecisionRow(Struct, kw_only=True):
    """A decision. The names and types of the fields are those of the columns."""

    record: str
    game: str
    config: str
    """The options of the game as bots were told them, as JSON."""
    number: int
    """The place of the decision in its game, from 1."""
    seat: int
    player: str
    decision: str
    observation: str
    """What the seat was sent or, for a decision that nobody was asked for, would have been: as JSON."""
    legal: str
    """The legal actions, as JSON."""
    choices: int
    """The number of legal actions."""
    index: int | None
    """The place of the action among the legal ones; None if it is another form of one of them."""
    action: str
    """As JSON."""
    forced: bool
    """Whether the referee took the decision, because there was only one legal action."""
    opening: bool
    """Whether it belongs to the opening, of which nobody is asked anything."""
    substitute: bool
    """Whether it was taken in place of a bot that was out of the game."""
    ms: float | None
    """The milliseconds that the player took, if one was asked."""
    score: int | None = None
    """The score of the seat at the end of the game. This and the next ones are None in an unfinished game."""
    rank: int | None = None
    fault: str | None = None


FIELDS: Final = structs.fields(DecisionRow)
PARQUET_TYPES: Final = {str: "string", int: "int64", bool: "bool_", float: "float64"}
"""By type of a column, the name of the type of pyarrow."""


class Records:
    """Records to be exported, read game by game."""

    def __init__(self, paths: Sequence[Path], on_problem: Callable[[str], None]) -> None:
        """`paths`: records, and folders with records. `on_problem`: is told what is wrong with a record."""
        self.files: list[Path] = []
        self.games = self.decisions = 0
        """The numbers of games and decisions that have been written."""
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


def rows_by_game(records: Records) -> Iterator[list[DecisionRow]]:
    """The decisions of each game, read while they are written."""
    for file, replay in records.replays():
        rows, error = decision_rows(str(file), replay)
        if error is not None:
            records.problem(file, error)
        records.decisions += len(rows)
        records.games += bool(rows)
        yield rows


def csv_lines(records: Records) -> Iterator[str]:
    return format_csv(
        [field.name for field in FIELDS], map(structs.astuple, chain.from_iterable(rows_by_game(records)))
    )


def write_parquet(records: Records, output: Path) -> None:
    """Write a Parquet file with a group of rows for each game. Raises ReportError and OSError."""
    try:
        arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise ReportError(f"--parquet needs an extra: {install_extra('parquet')}") from None
    schema = arrow.schema([(field.name, getattr(arrow, arrow_type(field.type))()) for field in FIELDS])
    with output.open("wb") as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in rows_by_game(records):
            if rows:
                writer.write_table(arrow.Table.from_pylist([structs.asdict(row) for row in rows], schema))


def arrow_type(kind: Any) -> str:
    """The name of the type of pyarrow for the type of a field, which may be optional."""
    return next(name for type_, name in PARQUET_TYPES.items() if kind in (type_, type_ | None))


def decision_rows(record: str, replay: Replay) -> tuple[list[DecisionRow], InvalidRecord | None]:
    """The rows of a record that has not been replayed yet, and why they end early, if they do."""
    rows: list[DecisionRow] = []
    try:
        for numbered in replay.rest:
            row = row_of(numbered.line, record, replay, len(rows) + 1)
            replay.step()
            rows += [] if row is None else [row]
        replay.check_end()
    except InvalidRecord as error:
        return rows, error
    result = replay.result
    assert result is not None  # otherwise the record is not finished, which is an error
    for row in rows:
        row.score = result.scores[row.seat]
        row.rank = result.ranks[row.seat]
        row.fault = result.faults[row.seat]
    return rows, None


def row_of(line: object, record: str, replay: Replay, number: int) -> DecisionRow | None:
    """The row of the line that is replayed next; None if it is not a decision that is due."""
    if not isinstance(line, DecisionLine) or replay.game.turn is None or line.seat != replay.game.turn.seat:
        return None
    game = replay.game
    legal = msgspec.json.decode(msgspec.json.encode(game.legal_actions()))
    return DecisionRow(
        record=record,
        game=replay.header.game,
        config=as_json(game.public_config()),
        number=number,
        seat=line.seat,
        player=replay.header.players[line.seat].name,
        decision=line.decision,
        observation=as_json(game.observe(line.seat)),
        legal=as_json(legal),
        choices=len(legal),
        index=legal.index(line.action) if line.action in legal else None,
        action=as_json(line.action),
        forced=line.forced,
        opening=line.opening,
        substitute=line.substitute,
        ms=None if line.ms is UNSET else line.ms,
    )
