"""The cross table of a tournament: the points of each two bots from each other."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.box import HEAVY_HEAD
from rich.table import Table

from referee.printable import printable
from referee.reports.csv_text import Cell
from referee.reports.formatting import format_points
from referee.reports.terminal import Column, fitting_tables
from tournaments.competition.results import Standings

CROSSTABLE_NOTE: Final = (
    "Points of the bot in the row against the bot in the column, at most 1 per table; over 1 table: points/tables"
)
Crosses = list[list[tuple[float, int] | None]]
"""By row and column, in the order of the standings: the points of the bot in the row, and at how many tables they met;
None if they have not met."""


def crosses(standings: Standings) -> Crosses:
    """The cells of the cross table."""
    order = {row.name: index for index, row in enumerate(standings.standings)}
    found: Crosses = [[None] * len(order) for _ in order]
    for pair in standings.pairs:
        a, b = order[pair.a], order[pair.b]
        found[a][b], found[b][a] = (pair.a_points, pair.tables), (pair.b_points, pair.tables)
    return found


def crosstable_tables(standings: Standings, width: int | None) -> list[Table]:
    """The cross table: the columns have the numbers of the rows. Several tables where the terminal is narrow."""
    found = crosses(standings)
    bots = range(len(found))
    numbers = Column("", [str(bot + 1) for bot in bots])
    names = Column("bot", [printable(row.name) for row in standings.standings])
    columns = [
        Column(str(other + 1), ["×" if bot == other else format_cross(found[bot][other]) for bot in bots])
        for other in bots
    ]
    return fitting_tables([names], columns, width, HEAVY_HEAD, [numbers])


def format_cross(cell: tuple[float, int] | None) -> str:
    """A cell as text."""
    if cell is None:
        return ""
    points, tables = cell
    return format_points(points) if tables == 1 else f"{format_points(points)}/{tables}"


def crosstable_csv(standings: Standings) -> tuple[list[str], Iterator[Sequence[Cell]]]:
    """Headings and rows: the points from each other bot."""
    names = [row.name for row in standings.standings]

    def rows() -> Iterator[Sequence[Cell]]:
        for row, cells in zip(standings.standings, crosses(standings), strict=True):
            yield [row.place, row.name, *(None if cell is None else cell[0] for cell in cells)]

    return ["place", "name", *names], rows()
