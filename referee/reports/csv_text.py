"""Tables as CSV (RFC 4180), safe to open with a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from referee.printable import printable
from referee.reports.model import Table, Value

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
                  "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip
"""Beginnings of cells that a spreadsheet may execute as a formula (OWASP, "CSV Injection")."""


def format_table(table: Table) -> Iterator[str]:
    columns = [column for column in table.columns if column.key]
    return format_csv([column.key for column in columns], zip(*(column.values for column in columns), strict=True))


def format_csv(headings: Sequence[str], rows: Iterable[Sequence[Value]]) -> Iterator[str]:
    """Lines of CSV: text in quotes, numbers without, empty for None.

    Text that a spreadsheet would execute is preceded by an apostrophe.
    """
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_MINIMAL).writerow(map(safe_cell, headings))
    yield line.getvalue()
    for row in rows:
        line = io.StringIO()
        csv.writer(line, quoting=csv.QUOTE_NONNUMERIC).writerow([safe_cell(cell) for cell in row])
        yield line.getvalue()


def safe_cell(cell: Value) -> str | float:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str):
        shown = printable(cell)
        return f"'{shown}" if cell.startswith(FORMULA) or shown.startswith(FORMULA) else shown
    return int(cell) if isinstance(cell, int) or cell.is_integer() else cell
