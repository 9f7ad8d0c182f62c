"""The ratings of bots over several events, and over a tournament with the bots that were added after its end."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.games import find_game
from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.formatting import (
    format_confidence,
    format_interval,
    format_rating,
    format_repeated_deals,
    format_unconnected,
)
from referee.reports.model import Column, Page, Report, Section, Table, for_programs, numbers
from referee.reports.sections import interval_drawings
from referee.reports.winner import ratings_leader
from referee.version import __version__
from tournaments.competition.head_to_head import Cycle, Misfit
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.pooled import PooledRatings, RankingOverGames, RatingRow, RowOverGames
from tournaments.event.extensions import Extensions

MAX_NAMED: Final = 5
"""Cycles, and misfits, that are named."""
MAX_LEADING: Final = 3
"""Places that pages emphasise."""


def ratings_table(found: PooledRatings | RankingOverGames) -> Table:
    """The ratings of one game, with the versions of bots if they are joined, or else the hashes of their files. Over
    several games, with the rating in each."""
    return Table.of(
        "Ratings",
        *_rating_columns(found.ratings, conditional=found.conditional),
        *(_columns_of_game(found) if isinstance(found, PooledRatings) else _columns_over_games(found)),
    )


def _rating_columns(rows: Sequence[RatingRow | RowOverGames], *, conditional: bool) -> Iterator[Column]:
    yield numbers("", [row.place for row in rows], "place")
    yield Column("bot", [printable(row.name) for row in rows], "name", key="name", values=[row.name for row in rows])
    yield numbers("rating", [row.rating.elo for row in rows], "elo", form=".0f")
    yield Column("95 %*" if conditional else "95 %", [_margin(row) for row in rows])
    yield for_programs("low", [row.rating.low for row in rows])
    yield for_programs("high", [row.rating.high for row in rows])
    yield Column(
        "above next",
        ["" if row.better_than_next is None else format_confidence(row.better_than_next) for row in rows],
        key="better_than_next",
        values=[row.better_than_next for row in rows],
    )


def _margin(row: RatingRow | RowOverGames) -> str:
    return format_interval(row.rating, too_few_deals=row.deals < MIN_DEALS)


def _columns_of_game(found: PooledRatings) -> Iterator[Column]:
    rows = found.ratings
    yield numbers("games", [row.games for row in rows], "games")
    yield numbers("deals", [row.deals for row in rows], "deals")
    yield numbers("events", [row.events for row in rows], "events")
    yield numbers("versions", [row.versions for row in rows], "versions").shown_if(found.joined)
    yield Column(
        "files",
        [(row.files_sha256 or "")[:8] for row in rows],
        "text",
        key="files_sha256",
        values=[row.files_sha256 for row in rows],
    ).shown_if(not found.joined and any(row.files_sha256 for row in rows))
    yield for_programs("only", [row.only for row in rows])


def _columns_over_games(found: RankingOverGames) -> Iterator[Column]:
    rows, games = found.ratings, found.games
    played = [sum(elo is not None for elo in row.in_games) for row in rows]
    cells = [str(own) if own == len(games) else f"{own} of {len(games)}" for own in played]
    yield Column("games", cells, key="games", values=played)
    yield numbers("fewest deals", [row.deals for row in rows], "deals")
    for number, game in enumerate(games):
        yield numbers(printable(game.game), [row.in_games[number] for row in rows], game.game, form=".0f")


def format_ratings_heading(pooled: PooledRatings | RankingOverGames) -> str:
    if isinstance(pooled, RankingOverGames):
        names = ", ".join(game.game for game in pooled.games)
        return f"Ranking over {len(pooled.games)} games, each with the same weight: {names}"
    deals, events = format_count(pooled.deals, "deals"), format_count(len(pooled.events), "events")
    return f"{game_title(pooled)}: {format_count(pooled.games, 'rated games')} of {deals} in {events}"


def format_ratings_notes(pooled: PooledRatings | RankingOverGames) -> Iterator[str]:
    if isinstance(pooled, RankingOverGames):
        if any(None in row.in_games for row in pooled.ratings):
            yield (
                f"Bots with fewer than {len(pooled.games)} games are compared in those that they have;"
                " how good they would be in the others is not known"
            )
        if any(len({row.name for row in game.ratings}) < len(game.ratings) for game in pooled.games):
            yield "A bot counts in each game with its newest version there"
    for table in pooled.games if isinstance(pooled, RankingOverGames) else [pooled]:
        if table.repeated_deals is not None:
            yield format_repeated_deals(table.repeated_deals, table.game, None)
    if pooled.unconnected:
        yield format_unconnected(pooled.unconnected)
    yield from format_contradictions(pooled.cycles, pooled.misfits)
    if pooled.conditional:
        yield "* in some events pairings depended on results"


def ratings_report(found: PooledRatings | RankingOverGames) -> Report:
    """One page: the ranking over games if there is one, then that of each game, with intervals on one axis each."""
    games = [found] if isinstance(found, PooledRatings) else found.games
    parts = [*([] if found in games else [found]), *games]
    # Without the folders that they are in: a page is published.
    events = [Path(event).name or event for game in games for event in game.events]
    home = Page(
        target="home",
        title=printable(f"Ratings: {', '.join(map(game_title, games))}"),
        lead=ratings_leader(found),
        lines=[f"{format_count(len(events), 'events')}: {', '.join(map(printable, events))}"],
        sections=[_ratings_section(part, f"ratings-{number}") for number, part in enumerate(parts)],
    )
    return Report(
        pages=[home],
        bots=[printable(row.name) for row in found.ratings],
        footer=f"Made by referee {__version__} ratings",
    )


def game_title(found: PooledRatings) -> str:
    """The title of a game, or its name if it isn't registered here."""
    with suppress(RefereeError):
        return find_game(found.game).title
    return found.game


def _ratings_section(found: PooledRatings | RankingOverGames, key: str) -> Section:
    rows: Sequence[RatingRow | RowOverGames] = found.ratings
    labels = [f"rating {format_rating(row.rating.elo)}, {_margin(row)}" for row in rows]
    css = ["leading" if row.place <= MAX_LEADING else "" for row in rows]
    bars = interval_drawings("rating, 95 % interval", [row.rating for row in rows], labels, css)
    return Section(
        key=key,
        title=printable(game_title(found)) if isinstance(found, PooledRatings) else "Over all games",
        words=[printable(format_ratings_heading(found))],
        table=ratings_table(found).with_column(bars, after="rating"),
        notes=list(map(printable, format_ratings_notes(found))),
    )


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
    return f"{share * 100:.0f} : {100 - round(share * 100)}"


# -- bots that were added to a tournament after its end ---------------------------------------------------------


def extension_lines(found: Extensions) -> Iterator[str]:
    """What the ratings of such bots rest on; not yet printable."""
    for bot in found.bots:
        deals = "new deals" if bot.new_deals else "deals of the seed of the tournament, which was public by then"
        state = "" if bot.finished else ", not finished"
        yield (
            f"{bot.bot} was added after the end, {bot.added[:10]}: {format_count(bot.games, 'games')} of"
            f" {format_count(bot.deals, 'deals')} against {format_count(bot.opponents, 'bots')}, on {deals}{state}"
        )
        if bot.differs:
            yield f"    unlike the tournament: {', '.join(bot.differs)}"
    if found.ratings is not None:
        yield from format_ratings_notes(found.ratings)


def extensions_section(found: Extensions | None) -> Section | None:
    """Ratings over the tournament and all that was added to it."""
    if found is None:
        return None
    return Section(
        key="extensions",
        title="Added after the end",
        words=["The standings above are final. These ratings are over all games, also those of bots that were added."],
        table=None if found.ratings is None else ratings_table(found.ratings),
        notes=[*extension_lines(found)],
    )
