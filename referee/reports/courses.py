"""Places and ratings over the rounds of a tournament."""

from collections.abc import Callable

from referee.reports.model import Section
from referee.reports.plots import Line, line_chart
from referee.reports.source import Source
from referee.reports.standings import places_by
from referee.reports.table import Table, numbers
from tournaments.competition.over_rounds import AfterRound

Value = Callable[[AfterRound, int], float | None]
"""A figure of a bot after a round."""


def places_section(source: Source) -> Section | None:
    who, after = source.who, source.after
    if len(after) < 2 or places_by(source.standings) == "bracket":  # which says it better
        return None
    lines = [
        Line(
            name=f"{who.places[bot]} {who.names[bot]}",
            points=[(each.round, float(place)) for each in after if (place := each.places[bot]) is not None],
            css=who.css(bot),
        )
        for bot in who.in_order()
    ]
    rounds = [each.round for each in after]
    return Section(
        key="places",
        title="Places",
        words=["The place after each round, with the results that count by now."],
        plot=line_chart(lines, "places after each round", "round", "place", places=True, steps=rounds),
        table=_over_rounds_table(source, "Place after each round", lambda each, bot: each.places[bot], ""),
        folded="The places as a table",
    )


def ratings_section(source: Source) -> Section | None:
    """The ratings after each round."""
    who, after = source.who, source.after
    if len(after) < 2 or not any(rating is not None for rating in after[-1].ratings):
        return None
    courses = [
        [(float(each.games), rating) for each in after if (rating := each.ratings[bot]) is not None]
        for bot in range(len(who.names))
    ]
    lines = [Line(name=who.names[bot], points=courses[bot], css=who.css(bot)) for bot in who.in_order()]
    lines.sort(key=lambda line: -line.points[-1][1] if line.points else 0.0)
    return Section(
        key="ratings",
        title="Ratings",
        words=[
            "Elo, with mean 0, from one fit over all games up to then; the first ratings are from few games and say"
            " little. The intervals are in the standings."
        ],
        plot=line_chart(lines, "ratings over games", "games played", "rating"),
        table=_over_rounds_table(source, "Rating after each round", lambda each, bot: each.ratings[bot], ".0f"),
        folded="The ratings as a table",
    )


def _over_rounds_table(source: Source, caption: str, value: Value, form: str) -> Table:
    bots = source.who.in_order()
    rounds = (
        numbers(str(each.round), [value(each, bot) for bot in bots], form=form, title=f"round {each.round}")
        for each in source.after
    )
    return Table(caption=caption, columns=[source.who.column(bots), *rounds])


def own_ratings_section(source: Source, bot: int) -> Section | None:
    points = [(each.games, each.round, rating) for each in source.after if (rating := each.ratings[bot]) is not None]
    if len(points) < 2:
        return None
    who = source.who
    line = Line(
        name=who.names[bot],
        points=[(float(games), rating) for games, _, rating in points],
        css=who.css(bot) or "leading",
    )
    return Section(
        key="rating",
        title="Rating",
        plot=line_chart([line], f"ratings of {who.names[bot]}", "games of the tournament", "rating"),
        table=Table(
            caption=f"Ratings of {who.names[bot]}",
            columns=[
                numbers("after round", [number for _, number, _ in points]),
                numbers("games", [games for games, _, _ in points]),
                numbers("rating", [rating for _, _, rating in points], form=".0f"),
            ],
        ),
        folded="The ratings as a table",
    )
