"""The page of a bot of a tournament."""

from collections.abc import Sequence

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.courses import ratings_section
from referee.reports.formatting import format_points, format_rating
from referee.reports.games import bot_sections
from referee.reports.model import Page, Section
from referee.reports.sections import GameShown, difference_columns
from referee.reports.source import Source
from referee.reports.standings import format_margin
from referee.reports.table import Column, numbers
from tournaments.competition.intervals import Rating
from tournaments.competition.results import PairRow


def bot_page(source: Source, bot: int, games: Sequence[GameShown], *, is_program: bool) -> Page:
    who, entry = source.who, source.progress.entries[bot]
    row = next(row for row in source.standings.standings if row.name == entry.name)
    owner = f"; by {printable(entry.owner)}" if entry.owner else ""
    rating = "" if row.rating is None else f", rating {format_rating(row.rating.elo)} ({format_margin(row)})"
    lines = [
        f"Place {row.place} of {len(who.names)}{rating}{owner}",
        f"{format_points(row.points)} {'point' if row.points == 1 else 'points'} in {format_count(row.games, 'games')},"
        f" {format_count(row.faults, 'faults')}",
    ]
    sections = [opponents_section(source, bot), ratings_section(source, bot)]
    return Page(
        target=f"bot:{bot}",
        title=who.names[bot],
        lines=lines,
        mark=who.mark(bot),
        sections=[
            *(section for section in sections if section is not None),
            *bot_sections(who, bot, games, is_program=is_program),
        ],
    )


def opponents_section(source: Source, bot: int) -> Section | None:
    """The results of a bot against each of the others that it has met."""
    index, who = source.index, source.who
    name = source.progress.entries[bot].name
    met = [pair for pair in source.standings.pairs if name in (pair.a, pair.b)]
    if not met:
        return None
    met.sort(key=lambda pair: who.places[index[_other(pair, name)]])
    differences = [_difference(pair, name) for pair in met]
    return Section.with_table(
        "opponents",
        "By opponent",
        who.column((index[_other(pair, name)] for pair in met), "opponent"),
        Column("points", [format_points(pair.a_points if pair.a == name else pair.b_points) for pair in met]),
        numbers("tables", [pair.tables for pair in met]),
        numbers("games", [pair.games for pair in met]),
        *difference_columns(differences, [who.css(bot)] * len(met)),
        caption=f"The results of {who.names[bot]} by opponent",
        words=["The difference of the ratings, from all games of the tournament, with its 95 % interval."],
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
