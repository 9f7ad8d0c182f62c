"""Tables as plain data: for people on terminals (`terminal`) and pages (`write`), for programs as CSV (`csv_text`)."""

from collections.abc import Sequence
from typing import Final, Literal

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
