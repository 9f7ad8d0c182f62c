"""Tables on standard output, which fit a terminal, and as CSV."""

import typer
from rich.console import Console

from referee.reports.csv_text import format_table
from referee.reports.table import Table
from referee.reports.terminal import UNLIMITED, fitting_tables, format_text


def echo_heading(line: str, style: str = "bold") -> None:
    """Write a line that stands out on a terminal. Raises OSError."""
    Console(soft_wrap=True, highlight=False).print(format_text(line), style=style)


def echo_table(table: Table, *, framed: bool = True) -> None:
    """Write a table; on a narrow terminal several, with its columns in their order. Raises OSError."""
    out = Console(soft_wrap=True)
    width = line_width()
    out.width = UNLIMITED
    for part in fitting_tables(table, width, framed=framed):
        out.print(part)


def echo_csv(table: Table) -> None:
    """Write a table with its values for programs. Raises OSError."""
    typer.echo("".join(format_table(table)), nl=False)


def line_width() -> int | None:
    """The width of the terminal; None if stdout is not a terminal: lines are not broken then."""
    console = Console()
    return console.width if console.is_terminal else None
