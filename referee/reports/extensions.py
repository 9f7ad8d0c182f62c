"""Bots that were added to a tournament after its end."""

from collections.abc import Iterator

from referee.games.narrator import format_count
from referee.reports.model import Section
from referee.reports.ratings import format_ratings_notes, ratings_table
from tournaments.event.extensions import Extensions


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
