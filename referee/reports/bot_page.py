"""The page of a bot of a tournament."""

from collections.abc import Sequence

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.courses import own_ratings_section
from referee.reports.formatting import format_points
from referee.reports.games import bot_sections
from referee.reports.model import Cell, Heading, Page, Row, Section, Table
from referee.reports.plots import axis_row, interval_row
from referee.reports.sections import (
    GameShown,
    numeric,
)
from referee.reports.source import Source
from referee.reports.standings import rating_axis
from referee.reports.standings_text import format_margin
from tournaments.competition.ratings import Rating
from tournaments.competition.results import PairRow


def bot_page(source: Source, bot: int, games: Sequence[GameShown], *, is_program: bool) -> Page:
    """The page of a bot."""
    who, entry = source.who, source.progress.entries[bot]
    row = next(row for row in source.standings.standings if row.name == entry.name)
    owner = f"; by {printable(entry.owner)}" if entry.owner else ""
    rating = "" if row.rating is None else f", rating {row.rating.elo:.0f} ({format_margin(row)})"
    lines = [
        f"Place {row.place} of {len(who.names)}{rating}{owner}",
        f"{format_points(row.points)} {'point' if row.points == 1 else 'points'} in {format_count(row.games, 'games')},"
        f" {format_count(row.faults, 'faults')}",
    ]
    sections = [opponents_section(source, bot), own_ratings_section(source, bot)]
    return Page(
        target=f"bot:{bot}",
        title=who.names[bot],
        lines=lines,
        mark=who.mark(bot),
        sections=[
            *(section for section in sections if section is not None),
            *bot_sections(who, bot, games, is_program=is_program, tables=True),
        ],
    )


def opponents_section(source: Source, bot: int) -> Section | None:
    """The results of a bot against each of the others that it has met."""
    index, who = source.index, source.who
    name = source.progress.entries[bot].name
    own = [pair for pair in source.standings.pairs if name in (pair.a, pair.b)]
    if not own:
        return None
    own.sort(key=lambda pair: who.places[index[_other(pair, name)]])
    differences = [(pair, _difference(pair, name)) for pair in own]
    axis = rating_axis([found for _, found in differences if found is not None] or [Rating(0.0, None, None)])
    rows = []
    for pair, found in differences:
        points = pair.a_points if pair.a == name else pair.b_points
        drawing, shown = "", "not compared"
        if found is not None:
            shown = f"{found.elo:+.0f}" + (
                "" if found.low is None or found.high is None else f" ({found.low:+.0f} to {found.high:+.0f})"
            )
            drawing = interval_row(axis, found.elo, found.low, found.high, f"difference {shown}", who.css(bot))
        rows.append(
            Row(
                [
                    who.cell(index[_other(pair, name)]),
                    numeric(format_points(points)),
                    numeric(str(pair.tables)),
                    numeric(str(pair.games)),
                    Cell("", svg=drawing),
                    numeric(shown),
                ]
            )
        )
    return Section(
        key="opponents",
        title="By opponent",
        words=["The difference of the ratings, from all games of the tournament, with its 95 % interval."],
        table=Table(
            caption=f"The results of {who.names[bot]} by opponent",
            headings=[
                Heading("opponent", number=False),
                Heading("points"),
                Heading("tables"),
                Heading("games"),
                Heading("difference", number=False, svg=axis_row(axis)),
                Heading("rating less the opponent's"),
            ],
            rows=rows,
        ),
    )


def _other(pair: PairRow, name: str) -> str:
    return pair.b if pair.a == name else pair.a


def _difference(pair: PairRow, name: str) -> Rating | None:
    found = pair.difference
    if found is None or pair.a == name:
        return found
    return Rating(
        0.0 - found.elo, None if found.high is None else -found.high, None if found.low is None else -found.low
    )
