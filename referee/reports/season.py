"""A season: which version of each entrant plays, and the page of its ranking."""

from collections.abc import Iterator, Sequence
from statistics import median

from msgspec import Struct

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.model import Cell, Column, Page, Report, Section, Table, numbers
from referee.reports.ratings import ratings_report
from referee.reports.winner import ratings_leader
from referee.version import __version__
from tournaments.competition.pooled import PooledRatings, RankingOverGames
from tournaments.season.folder import PlayedEvent
from tournaments.season.season_file import SeasonTable
from tournaments.season.twins import EQUAL_ELO, Pair
from tournaments.season.versions import SeasonState


class EntrantRow(Struct, frozen=True, kw_only=True):
    """An entrant in the form of `season standings --json`."""

    entrant: str
    """The name of its folder."""
    name: str
    """Its name in events."""
    plays: int | None
    """The number of the version that plays."""
    newest: int | None
    present: bool
    problem: str | None
    """Why the newest version doesn't play."""


def entrant_rows(state: SeasonState) -> list[EntrantRow]:
    return [
        EntrantRow(
            entrant=name,
            name=entrant.shown,
            plays=None if (playing := entrant.playing()) is None else playing.number,
            newest=len(entrant.versions) or None,
            present=entrant.present,
            problem=entrant.versions[-1].problem if entrant.versions else None,
        )
        for name, entrant in state.entrants.items()
    ]


def entrants_table(state: SeasonState, *, anonymous: bool) -> Table:
    """Which version of each entrant plays, for the organiser."""
    rows = entrant_rows(state)
    return Table.of(
        "Entrants",
        Column("entrant", [printable(row.entrant) for row in rows], "name"),
        Column("plays as", [printable(row.name) for row in rows], "name").shown_if(anonymous),
        numbers("plays", [row.plays for row in rows]),
        numbers("newest", [row.newest for row in rows]),
        Column("", [printable(row.problem or ("" if row.present else "its folder is gone")) for row in rows], "text"),
    )


def format_twins(equal: Sequence[Sequence[str]], pairs: Sequence[Pair]) -> Iterator[str]:
    """How alike the bots are, in lines for the organiser alone."""
    yield "Versions of different entrants with equal files:"
    yield from ("  " + ", ".join(group) for group in equal)
    if not equal:
        yield "  none"
    yield ""
    yield f"Equal answers to the same recorded questions, of pairs whose ratings are at most {EQUAL_ELO:.0f} Elo apart:"
    for pair in pairs:
        share = f"{pair.same / pair.questions:4.0%} of {pair.questions}"
        yield f"  {share}  {pair.one} and {pair.other}, {pair.elo:.0f} Elo apart"
    if len(pairs) > 1:
        shares = sorted(pair.same / pair.questions for pair in pairs)
        yield f"  of {len(pairs)} such pairs: from {shares[0]:.0%} to {shares[-1]:.0%}, median {median(shares):.0%}"
    if not pairs:
        yield "  none yet"


def season_report(
    keys: SeasonTable, found: PooledRatings | RankingOverGames | None, state: SeasonState, events: Sequence[PlayedEvent]
) -> Report:
    """The page that is published: the ranking, who plays, and links to the reports of events."""
    # In the order of the folders they would tell who is who.
    rows = sorted((row for row in entrant_rows(state) if row.present), key=lambda row: row.name)
    sections = [] if found is None else list(ratings_report(found).pages[0].sections)
    sections.append(
        Section.with_table(
            "entrants",
            "Entrants",
            Column("bot", [printable(row.name) for row in rows], "name"),
            Column("plays with", ["" if row.plays is None else f"version {row.plays}" for row in rows], "text"),
        )
    )
    sections.append(
        Section.with_table(
            "events",
            "Events",
            numbers("no.", [event.number for event in events]),
            Column("day", [str(event.day) for event in events], "text"),
            Column(
                "event",
                [Cell(event.name, to=f"file:events/{event.path.name}/index.html") for event in events],
                "text",
            ),
        )
    )
    home = Page(
        target="home",
        title=printable(keys.name),
        lead="" if found is None else ratings_leader(found),
        lines=[f"{format_count(len(rows), 'entrants')}, {format_count(len(events), 'events')}"],
        sections=sections,
    )
    return Report(
        pages=[home], bots=[printable(row.name) for row in rows], footer=f"Made by referee {__version__} season"
    )
