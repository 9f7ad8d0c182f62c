"""Tables on standard output, which fit a terminal, and as CSV."""

import shutil
import sys
from itertools import chain
from typing import Final

import typer

from referee.cli.output import encodable, styled
from referee.printable import printable
from referee.reports.csv_text import format_table
from referee.reports.model import Table
from referee.reports.terminal import fitting_tables

FRAME: Final = "┏━┳┓┃┡╇┩│└─┴┘"
IN_ASCII: Final = str.maketrans(FRAME, "+-++|+++|+-++")


def echo_heading(line: str, style: str = "bold") -> None:
    """Write a line that stands out on a terminal. Raises OSError."""
    echo_styled(styled(printable(line), style))


def echo_styled(line: str) -> None:
    """Write a line in the encoding of standard output, for which Typer would take UTF-8 in place of ASCII."""
    typer.echo(line, file=sys.stdout)


def echo_table(table: Table, *, framed: bool = True) -> None:
    """Write a table; on a narrow terminal several, with its columns in their order. Raises OSError."""
    frame = {} if encodable(FRAME) else IN_ASCII
    for line in chain.from_iterable(fitting_tables(table, line_width(), styled, framed=framed)):
        echo_styled(line.translate(frame))


def echo_csv(table: Table) -> None:
    """Write a table with its values for programs. Raises OSError."""
    typer.echo("".join(format_table(table)), nl=False)


def line_width() -> int | None:
    """The width of the terminal; None if stdout is not a terminal: lines are not broken then."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
