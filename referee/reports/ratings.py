"""The ratings of bots over several events."""

from collections.abc import Iterator, Sequence
from typing import Final

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.formatting import format_confidence, format_interval, format_unconnected
from referee.reports.table import Column, Table, for_programs, numbers
from tournaments.competition.head_to_head import Cycle, Misfit
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.pooled import PooledRatings

MAX_NAMED: Final = 5
"""Cycles, and misfits, that are named."""


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
    yield from format_contradictions(pooled.cycles, pooled.misfits)
    if pooled.conditional:
        yield "* in some events pairings depended on results"


def format_contradictions(cycles: Sequence[Cycle], misfits: Sequence[Misfit]) -> Iterator[str]:
    """The cycles and misfits that no ranking can show."""
    for cycle in cycles[:MAX_NAMED]:
        shares = ", ".join(map(format_odds, cycle.shares))
        yield f"Cycle: {' over '.join([*cycle.bots, cycle.bots[0]])} ({shares}), beyond chance"
    for misfit in misfits[:MAX_NAMED]:
        says = format_odds(misfit.expected)
        yield f"Misfit: {misfit.bot} {format_odds(misfit.share)} {misfit.other}, where the ranking says {says}"
    for what, more in (("cycles", len(cycles)), ("misfits", len(misfits))):
        if more > MAX_NAMED:
            yield f"… and {more - MAX_NAMED} more {what} (--json has them all)"


def format_odds(share: float) -> str:
    """A share, in percent, against the rest."""
    return f"{share * 100:.0f} : {100 - round(share * 100)}"
