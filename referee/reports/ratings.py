"""The ratings of bots over several events."""

from collections.abc import Iterator

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.formatting import format_confidence, format_interval, format_unconnected
from referee.reports.table import Column, Table, for_programs, numbers
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.pooled import PooledRatings


def ratings_table(pooled: PooledRatings) -> Table:
    """The ratings, with the versions of bots if they are joined, or else the hashes of their files."""
    rows = pooled.ratings
    return Table(
        caption="Ratings",
        columns=[
            numbers("", [row.place for row in rows], "place"),
            Column("bot", [printable(row.name) for row in rows], "name", key="name", values=[row.name for row in rows]),
            numbers("rating", [row.rating.elo for row in rows], "elo", form=".0f"),
            Column(
                "95 %*" if pooled.conditional else "95 %",
                [format_interval(row.rating, too_few_deals=row.deals < MIN_DEALS) for row in rows],
            ),
            for_programs("low", [row.rating.low for row in rows]),
            for_programs("high", [row.rating.high for row in rows]),
            Column(
                "above next",
                ["" if row.better_than_next is None else format_confidence(row.better_than_next) for row in rows],
                key="better_than_next",
                values=[row.better_than_next for row in rows],
            ),
            numbers("games", [row.games for row in rows], "games"),
            numbers("deals", [row.deals for row in rows], "deals"),
            numbers("events", [row.events for row in rows], "events"),
            numbers("versions", [row.versions for row in rows], "versions").shown_if(pooled.joined),
            Column(
                "files",
                [(row.files_sha256 or "")[:8] for row in rows],
                "text",
                key="files_sha256",
                values=[row.files_sha256 for row in rows],
            ).shown_if(not pooled.joined),
            for_programs("only", [row.only for row in rows]),
        ],
    )


def format_ratings_heading(pooled: PooledRatings) -> str:
    deals, events = format_count(pooled.deals, "deals"), format_count(len(pooled.events), "events")
    return f"{pooled.game}: {format_count(pooled.games, 'rated games')} of {deals} in {events}"


def format_ratings_notes(pooled: PooledRatings) -> Iterator[str]:
    if pooled.unconnected:
        yield format_unconnected(pooled.unconnected)
    if pooled.conditional:
        yield "* in some events pairings depended on results"
