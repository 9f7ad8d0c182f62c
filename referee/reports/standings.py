"""Standings with their intervals, and the cross table."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import UNSET

from referee.printable import printable
from referee.reports.formatting import format_column, format_points
from referee.reports.model import Cell, Heading, Row, Section, Table
from referee.reports.plots import Axis, axis_row, interval_row
from referee.reports.sections import (
    Who,
    numeric,
)
from referee.reports.source import Source
from referee.reports.standings_text import (
    HEADINGS,
    format_above_next,
    format_margin,
    format_notes,
    margin_heading,
    stage_of,
    tiebreak_shown,
)
from tournaments.competition.ratings import Rating
from tournaments.competition.results import StandingRow

MOST_CROSSED: Final = 120
"""The most bots of a cross table: nobody reads a larger one."""
SHADES: Final = 10


def standings_section(source: Source) -> Section:
    """Places, points and ratings, with their intervals on one axis."""
    standings, index, who = source.standings, source.index, source.who
    rows = standings.standings
    knockout = not source.progress.regulations.format_settings.places_by_points
    before = _before(source)
    ratings = [row.rating for row in rows if row.rating is not None]
    axis = rating_axis(ratings)
    columns: list[tuple[Heading, list[Cell]]] = [
        (Heading("", title="place"), [numeric(str(row.place)) for row in rows]),
        (Heading("bot", number=False), [who.cell(index[row.name], _state_css(row)) for row in rows]),
    ]
    if before is not None:
        number, places = before
        moved = [_moved(places[index[row.name]], row.place) for row in rows]
        columns.insert(1, (Heading("", number=False, title=f"change since round {number}"), moved))
    if any(row.eliminated is not None for row in rows):
        columns.append((Heading("out in", number=False), [Cell(_out(source, row)) for row in rows]))
    if not knockout:
        columns.append((Heading("points"), _numbers([row.points for row in rows])))
    if any(row.points_per_table is not None for row in rows):
        per_table = format_column([row.points_per_table for row in rows], max_digits=3)
        columns.append((Heading("points per table"), [numeric(value) for value in per_table]))
    if any(row.adjustment is not UNSET for row in rows):
        given = [0.0 if row.adjustment is UNSET else row.adjustment for row in rows]
        columns.append((Heading("penalty"), [numeric("" if not value else f"{value:+g}") for value in given]))
    if ratings:
        columns.append(
            (Heading("rating"), [numeric("" if row.rating is None else f"{row.rating.elo:.0f}") for row in rows])
        )
        drawn = [Cell("") if row.rating is None else Cell("", svg=_rating_row(axis, row, who, index)) for row in rows]
        columns.append((Heading("rating, 95 % interval", number=False, svg=axis_row(axis)), drawn))
        columns.append((Heading(margin_heading(standings)), [numeric(format_margin(row)) for row in rows]))
        if any(row.better_than_next is not None or row.difference_to_next for row in rows):
            above = [*(format_above_next(row) for row in rows[:-1]), ""]
            columns.append(
                (
                    Heading("above next", title="the confidence that it is better than the next one"),
                    [numeric(value) for value in above],
                )
            )
    columns += [
        (Heading(name), [numeric(str(value)) for value in values])
        for name, values in (
            ("deals", [row.deals for row in rows]),
            ("games", [row.games for row in rows]),
            ("faults", [row.faults for row in rows]),
            ("byes", [row.byes for row in rows]),
        )
        if name != "byes" or any(values)
    ]
    if not knockout:
        for name in rows[0].tiebreaks if rows else ():
            found = [tiebreak_shown(standings.game, name, row.tiebreaks[name]) for row in rows]
            columns.append((Heading(HEADINGS.get(name, name)), _numbers(found)))
    return Section(
        key="standings",
        title="Standings",
        table=Table(
            caption="Standings",
            headings=[heading for heading, _ in columns],
            rows=[Row(cells) for cells in zip(*(cells for _, cells in columns), strict=True)],
        ),
        notes=[printable(note) for note in format_notes(standings)],
    )


def rating_axis(ratings: Sequence[Rating]) -> Axis:
    """An axis for ratings and their intervals."""
    return Axis.over([value for own in ratings for value in (own.elo, own.low, own.high) if value is not None])


def _rating_row(axis: Axis, row: StandingRow, who: Who, index: Mapping[str, int]) -> str:
    assert row.rating is not None
    label = f"rating {row.rating.elo:.0f}, {format_margin(row)}"
    return interval_row(axis, row.rating.elo, row.rating.low, row.rating.high, label, who.css(index[row.name]))


def _numbers(values: Sequence[float | None]) -> list[Cell]:
    return [numeric(value) for value in format_column(values)]


def _before(source: Source) -> tuple[int, tuple[int | None, ...]] | None:
    """The places before the last round."""
    earlier = [after for after in source.after if after.round < len(source.progress.begun)]
    return (earlier[-1].round, earlier[-1].places) if earlier else None


def _moved(before: int | None, now: int) -> Cell:
    if before is None or before == now:
        return Cell("")
    return Cell(f"▲{before - now}", css="up") if before > now else Cell(f"▼{now - before}", css="down")


def _out(source: Source, row: StandingRow) -> str:
    if row.eliminated is None:
        return "" if not source.standings.finished else "winner"
    return stage_of(source.names.get(row.eliminated, f"round {row.eliminated}"))


def _state_css(row: StandingRow) -> str:
    return "gone" if row.withdrawn else ""


def cross_section(source: Source) -> Section | None:
    """The points of each bot against each other one, in the order of the standings."""
    who, pairs = source.who, source.standings.pairs
    order = who.in_order()
    if not pairs or len(order) > MOST_CROSSED:
        return None
    index = source.index
    points: dict[tuple[int, int], tuple[float, int]] = {}
    for pair in pairs:
        a, b = index[pair.a], index[pair.b]
        points[a, b], points[b, a] = (pair.a_points, pair.tables), (pair.b_points, pair.tables)
    rows = []
    for place, bot in enumerate(order, 1):
        cells: list[Cell] = [numeric(str(place)), who.cell(bot)]
        for other in order:
            if other == bot:
                cells.append(Cell("", css="self"))
            elif (bot, other) in points:
                own, tables = points[bot, other]
                shade = round(own / tables * SHADES) if tables else 0
                cells.append(Cell(format_points(own), css=f"n h{min(max(shade, 0), SHADES)}"))
            else:
                cells.append(Cell(""))
        rows.append(Row(cells))
    table = Table(
        caption="Points of each bot in a row against the bot in a column",
        headings=[
            Heading(""),
            Heading("bot", number=False),
            *(Heading(str(place), title=who.names[bot]) for place, bot in enumerate(order, 1)),
        ],
        rows=rows,
    )
    words = (
        "The points of the bot in a row against the one in a column, both in the order of the standings; the darker,"
        " the larger its share. An empty cell: they have not met."
    )
    return Section(key="cross", title="Cross table", words=[words], table=table)
