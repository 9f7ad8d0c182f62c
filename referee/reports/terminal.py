"""Tables that fit a terminal: long names lose their middle, and columns that don't fit are moved to a further table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import structs
from rich.cells import cell_len

from referee.reports.model import Cell, Column, Table

NAME_CELLS: Final = 12
"""Minimum number of cells of a name before columns are moved to a further table."""
MIN_NAME_CELLS: Final = 5
"""Minimum number of cells of a name on any terminal: two letters, an ellipsis, and two more."""
COLUMN_GAP: Final = "  "
"""Between the columns of a table without a frame."""
ELLIPSIS: Final = "…"
STYLES: Final = {"up": "green", "down": "red", "gone": "dim", "decides": "bold"}
"""By the class of a cell."""


def fitting_tables(
    table: Table, width: int | None, style: Callable[[str, str], str], *, framed: bool = True
) -> list[list[str]]:
    """The lines of one table, or of several with the same rows, none of them wider than `width` if possible; None:
    unlimited. `style` gives a text one of STYLES, or none."""
    return [list(_lines(columns, style, framed=framed)) for columns in fitted_columns(table, width, framed=framed)]


def _lines(columns: Sequence[Column], style: Callable[[str, str], str], *, framed: bool) -> Iterator[str]:
    widths = list(map(cells_of, columns))

    def rule(left: str, stroke: str, crossing: str, right: str) -> Iterator[str]:
        if framed:
            yield left + crossing.join(stroke * (size + 2) for size in widths) + right

    def line(cells: Iterable[Cell | str], edge: str, own: str = "") -> str:
        padded = []
        for cell, column, size in zip(cells, columns, widths, strict=True):
            text, name = (cell, own) if isinstance(cell, str) else (cell.text, STYLES.get(cell.css, ""))
            gap, shown = " " * (size - cell_len(text)), style(text, name)
            padded.append(gap + shown if column.kind == "number" else shown + gap)
        return f"{edge} {f' {edge} '.join(padded)} {edge}" if framed else COLUMN_GAP.join(padded)

    yield from rule(*"┏━┳┓")
    yield line((column.heading for column in columns), "┃", "bold")
    yield from rule(*"┡━╇┩")
    for row in zip(*(column.cells or () for column in columns), strict=True):
        yield line(row, "│")
    yield from rule(*"└─┴┘")


def fitted_columns(table: Table, width: int | None, *, framed: bool) -> list[list[Column]]:
    """The columns that terminals show, in groups none of which is wider than `width`, if possible.

    Each group has the columns up to the names, whose cells are shortened if necessary but stay distinct, and as many of
    the others as fit.
    """
    columns = [column for column in table.shown if column.kind != "drawing"]
    if width is None:
        return [columns]
    padding, edge = (3, 1) if framed else (2, -2)
    last = max(number for number, column in enumerate(columns, 1) if column.kind == "name")
    first, others = columns[:last], columns[last:]
    names = [column for column in first if column.kind == "name"]
    longest = max(map(cells_of, names))

    def width_of(name: int, columns: Sequence[Column]) -> int:
        cells = (
            max(min(name, cells_of(column)), cell_len(column.heading)) if column.kind == "name" else cells_of(column)
            for column in (*first, *columns)
        )
        return sum(each + padding for each in cells) + edge

    name = min(longest, NAME_CELLS)
    while name > MIN_NAME_CELLS and any(width_of(name, [column]) > width for column in others):
        name -= 1
    groups: list[list[Column]] = [[]]
    for column in others:
        if groups[-1] and width_of(name, [*groups[-1], column]) > width:
            groups.append([])
        groups[-1].append(column)
    while name < longest and all(width_of(name + 1, group) <= width for group in groups):
        name += 1
    short = shorten_names([text for column in names for text in column.texts], name)
    cut = [shortened(column, short) if column.kind == "name" else column for column in first]
    return [[*cut, *group] for group in groups]


def shortened(column: Column, short: Mapping[str, str]) -> Column:
    cells = [Cell(cell) if isinstance(cell, str) else cell for cell in column.cells or ()]
    return structs.replace(column, cells=[structs.replace(cell, text=short[cell.text]) for cell in cells])


def cells_of(column: Column) -> int:
    return max(map(cell_len, (column.heading, *column.texts)))


def shorten_names(names: Sequence[str], width: int) -> dict[str, str]:
    """Each name in at most `width` cells, different names differently.

    The middle is left out or, where that would make names equal, another part between beginning and end. Names that are
    equal after every such cut are numbered in their order.
    """
    unique = list(dict.fromkeys(names))
    room = max(0, width - len(ELLIPSIS))
    # The cells to keep of a name's beginning: half of them first, then more and more uneven parts.
    for head in sorted(range(room + 1), key=lambda head: (abs(2 * head - room), -head)):
        short = [shorten(name, width, head) for name in unique]
        if len(set(short)) == len(unique):
            return dict(zip(unique, short, strict=True))
    numbers = [f"{number}:" for number in range(1, len(unique) + 1)]
    return {
        name: number + shorten(name, max(1, width - len(number)), (width - len(number)) // 2)
        for name, number in zip(unique, numbers, strict=True)
    }


def shorten(name: str, width: int, head: int) -> str:
    """The name if it fits into `width` cells; else about `head` cells of its beginning, and its end."""
    if cell_len(name) <= width:
        return name
    start = prefix(name, head)
    end = prefix(name[::-1], max(0, width - len(ELLIPSIS) - head))[::-1]
    return start + ELLIPSIS + end


def prefix(text: str, width: int) -> str:
    """As much of the beginning as fits into `width` cells."""
    if width <= 0:
        return ""
    if text.isascii():
        return text[:width]
    while cell_len(text) > width:
        text = text[:-1]
    return text
