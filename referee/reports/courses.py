"""Places and ratings over the rounds of a tournament."""

from collections.abc import Callable, Sequence

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
        plot=line_chart(lines, "places after each round", "round", "place", rounds=rounds),
        table=_over_rounds_table(
            source, who.in_order(), "Place after each round", lambda each, bot: each.places[bot], ""
        ),
        folded="The places as a table",
    )


def ratings_section(source: Source, bot: int | None = None) -> Section | None:
    """The ratings after each round, of all bots or of one."""
    who, bots = source.who, source.who.in_order() if bot is None else [bot]
    lines = [
        Line(
            name=who.names[each],
            points=[(float(at.games), rating) for at in source.after if (rating := at.ratings[each]) is not None],
            css=who.css(each) or ("" if bot is None else "leading"),
        )
        for each in bots
    ]
    if max(len(line.points) for line in lines) < 2:
        return None
    lines.sort(key=lambda line: -line.points[-1][1] if line.points else 0.0)
    return Section(
        key="ratings",
        title="Ratings",
        words=[
            "Elo, with mean 0, from one fit over all games up to then; the first ratings are from few games and say"
            " little. The intervals are in the standings."
        ],
        plot=line_chart(lines, "ratings over games", "games played", "rating"),
        table=_over_rounds_table(source, bots, "Rating after each round", lambda each, bot: each.ratings[bot], ".0f"),
        folded="The ratings as a table",
    )


def _over_rounds_table(source: Source, bots: Sequence[int], caption: str, value: Value, form: str) -> Table:
    rounds = (
        numbers(str(each.round), [value(each, bot) for bot in bots], form=form, title=f"round {each.round}")
        for each in source.after
    )
    return Table(caption=caption, columns=[source.who.column(bots), *rounds])
