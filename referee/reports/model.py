"""A report as plain data: pages of sections, each with words, a plot and a table. Its contents are fixed before it is
written; `write` only decides how they look. Tables are also shown on terminals (`terminal`) and as CSV (`csv_text`).

Links are targets such as `bot:3`, `game:r01-t001-d01-s1` or, for a file beside the report, `file:PATH`, which lead to
other files in a folder and to other places in one file; a target that isn't there is shown as plain text.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec import Struct, structs

from referee.players.thinking_time import ThinkingTime
from referee.reports.formatting import format_column, format_ms

Value = str | float | bool | None
"""What programs get."""
THINKING: Final = "thinking in ms"
"""The heading of the bots in a table of thinking times."""


class Cell(Struct, frozen=True):
    """A cell with more than a text. Terminals show the text only."""

    text: str = ""
    to: str = ""
    """The target of a link."""
    css: str = ""
    svg: str = ""
    """A drawing in front of the text."""


class Column(Struct, frozen=True):
    """A column: what people read of each row, what programs get, or both."""

    heading: str = ""
    """For people."""
    cells: Sequence[Cell | str] | None = None
    """For people, printable. None: the column is for programs only."""
    kind: Literal["number", "name", "text", "drawing"] = "number"
    """Numbers are aligned to the right. Where there is no room, names are shortened. Terminals leave out drawings."""
    title: str = ""
    """The meaning of the heading, where that doesn't say it."""
    svg: str = ""
    """The axis of the drawings below."""
    minor: bool = False
    """Whether narrow pages leave it out, as other columns say the same."""
    key: str = ""
    """The heading for programs. Empty: the column is for people only."""
    values: Sequence[Value] = ()

    @property
    def css(self) -> str:
        """The classes of its cells."""
        kind = {"number": "n", "name": "bot"}.get(self.kind, "")
        return f"{kind} minor".strip() if self.minor else kind

    @property
    def texts(self) -> list[str]:
        return [cell if isinstance(cell, str) else cell.text for cell in self.cells or ()]

    def shown_if(self, shown: bool) -> "Column":
        """The column, for programs only unless it is `shown`."""
        return self if shown else structs.replace(self, cells=None)


class Table(Struct, frozen=True, kw_only=True):
    caption: str
    """For screen readers."""
    columns: Sequence[Column]
    bots: Sequence[Sequence[int]] = ()
    """By row the bots that it is about, for a list that can be filtered."""
    faults: Sequence[bool] = ()
    """By row whether it is about a fault."""

    @classmethod
    def of(cls, caption: str, *columns: Column) -> "Table":
        return cls(caption=caption, columns=columns)

    @property
    def shown(self) -> list[Column]:
        return [column for column in self.columns if column.cells is not None]

    @property
    def rows(self) -> list[tuple[Cell | str, ...]]:
        return list(zip(*(column.cells or () for column in self.shown), strict=True))

    def texts(self) -> tuple[tuple[str, ...], ...]:
        """What people read: the headings, and the texts of all rows."""
        headings = tuple(column.heading for column in self.shown)
        return (headings, *zip(*(column.texts for column in self.shown), strict=True))

    def with_column(self, column: Column, after: str) -> "Table":
        """The table with another column after the one with this heading, if that is shown."""
        at = next((number for number, each in enumerate(self.columns, 1) if each.heading == after and each.cells), None)
        if at is None:
            return self
        return structs.replace(self, columns=[*self.columns[:at], column, *self.columns[at:]])


def numbers(
    heading: str,
    values: Sequence[float | None],
    key: str = "",
    *,
    form: str = "",
    max_digits: int = 2,
    title: str = "",
) -> Column:
    """Numbers in this form, or else with as many decimals as the longest of them needs; empty for None."""
    cells = (
        ["" if value is None else f"{value:z{form}}" for value in values] if form else format_column(values, max_digits)
    )
    return Column(heading, cells, title=title, key=key, values=values)


def drawings(heading: str, drawn: Sequence[str], axis: str, *, minor: bool = False) -> Column:
    return Column(heading, [Cell(svg=svg) for svg in drawn], "drawing", svg=axis, minor=minor)


def for_programs(key: str, values: Sequence[Value]) -> Column:
    return Column(key=key, values=values)


def thinking_table(names: Column, times: Sequence[ThinkingTime]) -> Table:
    """The thinking times of bots that have taken decisions. `names`: the column of these bots."""
    return Table.of(
        "The thinking times of each bot, in milliseconds",
        names,
        Column("mean", [format_ms(time.total / time.decisions * 1000) for time in times]),
        Column("median", [format_ms(time.percentile(50) * 1000) for time in times]),
        Column("99 %", [format_ms(time.percentile(99) * 1000) for time in times]),
        Column("worst", [format_ms(time.worst * 1000) for time in times]),
        numbers("decisions", [time.decisions for time in times]),
    )


# -- pages of sections ----------------------------------------------------------------------------------------


class Section(Struct, frozen=True, kw_only=True):
    """A section of a page. Parts without a value are left out."""

    key: str
    """Its address within the page."""
    title: str = ""
    words: Sequence[str] = ()
    """Paragraphs before the plot."""
    plot: str = ""
    """SVG."""
    table: Table | None = None
    folded: str = ""
    """If not empty, the table is behind a click on these words."""
    text: str = ""
    """A file, shown as it is."""
    notes: Sequence[str] = ()
    """Paragraphs after the table."""
    parts: Sequence["Section"] = ()
    filtered: bool = False
    """Whether the rows of the parts can be filtered by bot and by fault."""

    @classmethod
    def with_table(cls, key: str, title: str, *columns: Column, caption: str = "", **parts: Any) -> "Section":
        """A section with a table, of which the title is the caption unless there is another."""
        return cls(key=key, title=title, table=Table(caption=caption or title, columns=columns), **parts)


class Page(Struct, frozen=True, kw_only=True):
    """A page, or in one file a part of it."""

    target: str
    """The target of links that lead to it: `home`, `bot:3`."""
    title: str
    lead: str = ""
    """The sentence below the title: who has won."""
    lines: Sequence[str]
    """Below that."""
    mark: int | None = None
    """The colour and shape of its bot, from 0."""
    live: bool = False
    """Whether games are played now."""
    sections: Sequence[Section]


class Report(Struct, frozen=True, kw_only=True):
    """A report. The first page is the one that a reader opens."""

    pages: Sequence[Page]
    bots: Sequence[str]
    """The names, for filters."""
    changes: bool = False
    """Whether a later report will differ, so that pages refresh themselves."""
    with_paths: bool = False
    """Whether absolute paths in its texts are shown."""
    footer: str
    """Which program made it, and from what."""
