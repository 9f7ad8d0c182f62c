"""The layout of the view of a running tournament, for a given width and height. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, structs
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from referee.reports.model import Cell, Table
from referee.reports.terminal import COLUMN_GAP, ELLIPSIS, STYLES, cells_of, fitted_columns

WIDE: Final = 110
"""Minimum width for two columns."""
SEPARATOR: Final = " · "


class Section(Struct, frozen=True):
    """A heading with lines of text, the most important ones first; printable."""

    heading: str
    lines: Sequence[str]
    style: str = ""
    latest_only: bool = False
    """Whether lines that don't fit are left out without a note."""


class Screen(Struct, frozen=True, kw_only=True):
    """The contents of the view; printable."""

    title: str
    status: tuple[str, ...]
    share: float | None
    """The share of games that have been played; None if unknown."""
    standings: Table
    sections: Sequence[Section]
    """The most important ones first. Empty ones are left out."""
    bar: tuple[str, str] = ("█", "░")


def screen_lines(screen: Screen, width: int, height: int) -> list[Text]:
    """At most `height` lines of at most `width` cells."""
    lines = lay_out(screen, width, height)
    for line in lines:
        line.truncate(width)
    return lines


def lay_out(screen: Screen, width: int, height: int) -> list[Text]:
    """As `screen_lines`, but on the narrowest terminals a line may still be too long."""
    head = [Text(cut(screen.title, width), style="bold")]
    head += [Text(line) for line in pack(screen.status, width)]
    if height >= 10 and screen.share is not None:
        head.append(bar_of(screen, width))
    if height >= 16:
        head.append(Text(""))
    head = head[:height]
    room = height - len(head)
    sections = [section for section in screen.sections if section.lines]
    if width < WIDE or not sections:
        rooms = share_out(room, [len(screen.standings.rows) + 1, *(len(section.lines) + 1 for section in sections)])
        body = standings_lines(screen.standings, width, rooms[0])
        for section, lines in zip(sections, rooms[1:], strict=True):
            body += section_lines(section, width, lines)
        return head + body
    left_width = width // 2
    left = standings_lines(screen.standings, left_width, room)
    right_width = width - left_width - len(COLUMN_GAP)
    right: list[Text] = []
    for section, lines in zip(sections, share_out(room, [len(section.lines) + 1 for section in sections]), strict=True):
        right += section_lines(section, right_width, lines)
    for line in left:
        line.truncate(left_width, pad=True)
    left += [Text(" " * left_width)] * (len(right) - len(left))
    right += [Text("")] * (len(left) - len(right))
    return head + [Text.assemble(one, COLUMN_GAP, other) for one, other in zip(left, right, strict=True)]


def pack(parts: Sequence[str], width: int) -> Iterator[str]:
    """The parts, as many in a line as fit."""
    line = ""
    for part in parts:
        longer = f"{line}{SEPARATOR}{part}" if line else part
        if line and cell_len(longer) > width:
            yield line
            line = cut(part, width)
        else:
            line = cut(longer, width)
    if line:
        yield line


def bar_of(screen: Screen, width: int) -> Text:
    share = min(max(screen.share or 0.0, 0.0), 1.0)
    percent = f" {share:4.0%}"
    cells = max(0, min(width, 60) - len(percent))
    done = int(share * cells)
    full, empty = screen.bar
    return Text.assemble((full * done, "green"), (empty * (cells - done), "dim"), percent[: width - cells])


def share_out(room: int, wanted: Sequence[int]) -> list[int]:
    """The number of lines for each: the first one gets up to half of them, then each in turn gets one more.

    Less than two lines, a heading and something under it, are of no use.
    """
    given = [0] * len(wanted)
    for index, lines in enumerate(wanted):
        given[index] = min(2, lines)
        if sum(given) > room:
            given[index] = 0
            return given
    if wanted:
        given[0] += max(0, min(wanted[0] - given[0], room // 2 - given[0], room - sum(given)))
    while sum(given) < room and any(has < lines for has, lines in zip(given, wanted, strict=True)):
        for index, lines in enumerate(wanted):
            if given[index] < lines and sum(given) < room:
                given[index] += 1
    return given


def section_lines(section: Section, width: int, room: int) -> list[Text]:
    if room < 2:
        return []
    lines = list(section.lines[: room - 1])
    if len(section.lines) >= room and not section.latest_only:
        lines[-1] = format_rest(len(section.lines) - room + 2)
    return [
        Text(cut(section.heading, width), style="bold cyan"),
        *(Text(cut(line, width), style=section.style) for line in lines),
    ]


def format_rest(number: int) -> str:
    return f"{ELLIPSIS} and {number} more"


def standings_lines(table: Table, width: int, room: int) -> list[Text]:
    """The standings in at most `room` lines: the top with as many columns as fit, and the number of further bots."""
    if room < 2:
        return []
    rows = len(table.rows)
    shown = rows if rows < room else room - 2
    top = [structs.replace(column, cells=(column.cells or ())[:shown]) for column in table.shown]
    columns = fitted_columns(structs.replace(table, columns=top), width, framed=False)[0]
    widths = [cells_of(column) for column in columns]

    def line(cells: Iterable[Cell | str]) -> Text:
        padded = []
        for cell, column, size in zip(cells, columns, widths, strict=True):
            text = Text(cell) if isinstance(cell, str) else Text(cell.text, STYLES.get(cell.css, ""))
            text.align("right" if column.kind == "number" else "left", size)
            padded.append(text)
        return Text(COLUMN_GAP).join(padded)

    heading = Text(cut(line(column.heading for column in columns).plain, width), style="bold cyan")
    found = [heading, *map(line, zip(*(column.cells or () for column in columns), strict=True))]
    if shown < rows:
        found.append(Text(cut(format_rest(rows - shown), width), style="dim"))
    return found


def cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + ELLIPSIS if width > 0 else ""
