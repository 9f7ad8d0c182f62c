"""Tables that fit a terminal: long names lose their middle, and columns that don't fit are moved to a further table."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from rich.box import Box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from referee.printable import printable

NAME_CELLS: Final = 12
"""Minimum number of cells of a name before columns are moved to a further table."""
MIN_NAME_CELLS: Final = 5
"""Minimum number of cells of a name on any terminal: two letters, an ellipsis, and two more."""
UNLIMITED: Final = 100_000
"""A width at which Rich truncates nothing: tables are made to fit, and the terminal wraps longer lines."""
ELLIPSIS: Final = "…"


class Column(Struct, frozen=True):
    """A column of printable texts: a heading and a cell per row."""

    heading: str
    cells: list[str]

    @property
    def width(self) -> int:
        """Its width in cells of the terminal."""
        return max(map(cell_len, (self.heading, *self.cells)))


def format_text(text: str) -> Text:
    """Printable text without Rich markup."""
    return Text(printable(text))


def fitting_tables(
    names: Sequence[Column],
    values: Sequence[Column],
    width: int | None,
    box: Box | None,
    first: Sequence[Column] = (),
) -> list[Table]:
    """One table, or several with the same rows, none of them wider than `width` if possible.

    Each has the columns `first` and `names`, whose cells are shortened if necessary but stay distinct, and as many of
    `values` as fit. `width` None: unlimited.
    """
    if width is None:
        return [table(names, values, box, first)]
    padding, edge = (3, 1) if box is not None else (2, -2)
    longest = max(column.width for column in names)

    def width_of(name: int, columns: Sequence[Column]) -> int:
        left = [max(min(name, column.width), cell_len(column.heading)) for column in names]
        return sum(cells + padding for cells in (*left, *(column.width for column in (*first, *columns)))) + edge

    name = min(longest, NAME_CELLS)
    while name > MIN_NAME_CELLS and any(width_of(name, [column]) > width for column in values):
        name -= 1
    groups: list[list[Column]] = [[]]
    for column in values:
        if groups[-1] and width_of(name, [*groups[-1], column]) > width:
            groups.append([])
        groups[-1].append(column)
    while name < longest and all(width_of(name + 1, group) <= width for group in groups):
        name += 1
    short = shorten_names([cell for column in names for cell in column.cells], name)
    cut = [Column(column.heading, [short[cell] for cell in column.cells]) for column in names]
    return [table(cut, group, box, first) for group in groups]


def table(names: Sequence[Column], values: Sequence[Column], box: Box | None, first: Sequence[Column] = ()) -> Table:
    """A table with names on the left and values aligned on the right, as are
    the columns before the names; without a box it has no frame."""
    made = Table(box=box, pad_edge=box is not None)
    for column in first:
        made.add_column(Text(column.heading), justify="right", no_wrap=True)
    for column in names:
        made.add_column(Text(column.heading), no_wrap=True)
    for column in values:
        made.add_column(Text(column.heading), justify="right", no_wrap=True)
    for row in zip(*(column.cells for column in (*first, *names, *values)), strict=True):
        made.add_row(*map(Text, row))
    return made


def shorten_names(names: Sequence[str], width: int) -> dict[str, str]:
    """Each name in at most `width` cells, different names differently.

    The middle is left out or, where that would make names equal, another part between beginning and end. Names that are
    equal after every such cut are numbered in their order.
    """
    unique = list(dict.fromkeys(names))
    for head in head_widths(width):
        short = [shorten(name, width, head) for name in unique]
        if len(set(short)) == len(unique):
            return dict(zip(unique, short, strict=True))
    numbers = [f"{number}:" for number in range(1, len(unique) + 1)]
    return {
        name: number + shorten(name, max(1, width - len(number)), (width - len(number)) // 2)
        for name, number in zip(unique, numbers, strict=True)
    }


def head_widths(width: int) -> Iterator[int]:
    """The number of cells to keep of a name's beginning: half of them first, then more and more uneven parts."""
    room = max(0, width - len(ELLIPSIS))
    return iter(sorted(range(room + 1), key=lambda head: (abs(2 * head - room), -head)))


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
