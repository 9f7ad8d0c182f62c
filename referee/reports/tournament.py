"""The report of a tournament, from its folder: its page, and those of its bots."""

from collections.abc import Callable, Sequence
from typing import Final

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.bracket import bracket_section, format_final
from referee.reports.conditions import conditions_section, facts_table, verification_section
from referee.reports.formatting import format_points, format_rating
from referee.reports.games import bot_sections, faults_section, games_by_bot, games_section
from referee.reports.model import Cell, Column, Page, Report, Section, Table, numbers
from referee.reports.plots import Line, line_chart
from referee.reports.ratings import extensions_section
from referee.reports.running import format_change
from referee.reports.sections import (
    GameShown,
    difference_columns,
    interval_drawings,
    scores_section,
    seats_section,
    thinking_section,
    thinking_times,
)
from referee.reports.source import Source
from referee.reports.standings import (
    CROSS_NOTE,
    GONE,
    column_meanings,
    cross_table,
    format_margin,
    format_notes,
    format_order,
    is_bounded,
    moved_cell,
    places_by,
    standings_table,
)
from referee.reports.state import format_event, format_played, stage_of
from referee.reports.winner import tournament_winner
from tournaments.competition.changes import AnyRuling
from tournaments.competition.game_list import pairings
from tournaments.competition.intervals import Rating
from tournaments.competition.over_rounds import AfterRound
from tournaments.competition.progress import Progress
from tournaments.competition.results import PairRow
from tournaments.competition.rulings import standing_events

MAX_CROSSED: Final = 120
"""The most bots of a cross table: nobody reads a larger one."""
MAX_OPEN_TABLES: Final = 20
"""Tables of the round in progress that are shown at once; more are behind a click."""
Value = Callable[[AfterRound, int], float | None]
"""A figure of a bot after a round."""


def tournament_report(source: Source, *, with_paths: bool = False) -> Report:
    who, games, progress, standings = source.who, source.games, source.progress, source.standings
    programs = [bot.files_sha256 is not None for bot in source.manifest.bots]
    programs += [True] * (len(who.names) - len(programs))
    move = source.manifest.conditions.control.move
    counts = {row.name: row.seat_counts for row in standings.standings}
    sections = [
        bracket_section(progress),
        standings_section(source),
        round_section(source),
        extensions_section(source.extensions),
        cross_section(source),
        places_section(source),
        ratings_section(source),
        scores_section(who, games),
        thinking_section(who, thinking_times(len(who.names), games), programs, None if move is None else move * 1000),
        seats_section(who, games, [counts[entry.name] for entry in progress.entries]),
        faults_section(who, games),
        games_section(who, games, source.round_name),
        events_section(progress),
        conditions_section(source.manifest, source.folder, progress.format_context(), with_paths=with_paths),
        verification_section(source.manifest),
    ]
    home = Page(
        target="home",
        title=printable(source.standings.tournament),
        lead=tournament_winner(standings, progress.regulations.settings, format_final(progress, standings)),
        lines=heading_lines(source),
        live=source.status.state == "running",
        sections=[section for section in sections if section is not None],
    )
    own_games = games_by_bot(len(who.names), games)
    bots = [bot_page(source, bot, own_games[bot], is_program=programs[bot]) for bot in range(len(who.names))]
    versions = source.manifest.versions
    return Report(
        pages=[home, *bots],
        bots=who.names,
        changes=not source.standings.finished,
        with_paths=with_paths,
        footer=f"Made by referee {versions.get('referee', '')} from the folder of the tournament",
    )


def heading_lines(source: Source) -> list[str]:
    """What is played, and how far it is."""
    standings, status = source.standings, source.status
    stage, played = stage_of(standings, source.names), format_played(standings)
    event = format_event(standings.game, standings.format, len(source.who.names), standings.seats)
    if standings.finished:
        return [event, f"Final, {stage}, {played}"]
    ends = status.ends_without_play_offs or status.ends
    parts = [stage, *([played] if status.round else [])]
    parts += [
        f"{word} about {when[:16].replace('T', ' ')} UTC"
        for word, when in (("ends", ends), ("starts", status.starts))
        if when
    ]
    return [event, f"{status.state.capitalize()}: {', '.join(parts)}"]


def standings_section(source: Source) -> Section:
    """Places, points and ratings, with what has changed in the last round, and with intervals on one axis."""
    standings, index, who = source.standings, source.index, source.who
    rows = standings.standings
    table = standings_table(
        standings, source.names, [who.cell(index[row.name], GONE if row.withdrawn else "") for row in rows]
    )
    earlier = [after for after in source.after if after.round < len(source.progress.begun)]
    if earlier and places_by(standings) != "bracket":
        before = earlier[-1]
        moved = [moved_cell(before.places[index[row.name]], row.place) for row in rows]
        table = table.with_column(Column("", moved, "text", title=f"change since round {before.round}"), after="")
    labels = [
        "" if row.rating is None else f"rating {format_rating(row.rating.elo)}, {format_margin(row)}" for row in rows
    ]
    css = [who.css(index[row.name]) for row in rows]
    bars = interval_drawings("rating, 95 % interval", [row.rating for row in rows], labels, css)
    return Section(
        key="standings",
        title="Standings",
        words=[format_order(standings)],
        table=table.with_column(bars, after="rating") if any(is_bounded(row.rating) for row in rows) else table,
        notes=[printable(note) for note in format_notes(standings)],
        parts=[
            Section(
                key="columns",
                table=facts_table("What the columns mean", column_meanings(table)),
                folded="What the columns mean",
            )
        ],
    )


def round_section(source: Source) -> Section | None:
    """The tables of the round in progress."""
    if source.progress.current is None:
        return None
    row = pairings(source.progress).rounds[-1]
    played = [
        " · ".join(
            f"{printable(name)} {format_points(points)}" for name, points in zip(t.bots, t.game_points, strict=True)
        )
        for t in row.tables
    ]
    count = format_count(len(row.tables), "tables")
    return Section.with_table(
        "now",
        f"{source.round_name(row.round)}, being played",
        numbers("table", [table.table for table in row.tables]),
        Column("bots, with their game points so far", played, "text"),
        Column("games", [f"{table.games} of {table.of}" for table in row.tables]),
        caption="The tables of the round in progress",
        folded=f"The {count}" if len(row.tables) > MAX_OPEN_TABLES else "",
        notes=[f"Bye: {', '.join(map(printable, row.byes))}"] if row.byes else (),
    )


def cross_section(source: Source) -> Section | None:
    """The points of each bot against each other one, in the order of the standings."""
    standings = source.standings
    if not standings.pairs or len(standings.standings) > MAX_CROSSED:
        return None
    bots = [source.who.cell(source.index[row.name]) for row in standings.standings]
    words = f"{CROSS_NOTE}. The darker a cell, the larger the share. An empty cell: they have not met."
    return Section(key="cross", title="Cross table", words=[words], table=cross_table(standings, bots))


def events_section(progress: Progress) -> Section | None:
    """Rulings and everything else that happened beside the games, with reasons."""
    events = progress.events
    if not events:
        return None
    valid = {number for number, _ in standing_events(events)}
    told = [
        Cell(
            printable(format_change(event, progress)),
            css="struck" if isinstance(event, AnyRuling) and number not in valid else "",
        )
        for number, event in enumerate(events, 1)
    ]
    return Section.with_table(
        "events",
        "Rulings and events",
        numbers("no.", range(1, len(events) + 1)),
        numbers("round", [event.round for event in events]),
        Column("kind", ["ruling" if isinstance(event, AnyRuling) else "event" for event in events], "text"),
        Column("what, and why", told, "text"),
        Column("when", [printable(event.at) for event in events], "text"),
        words=["In the order in which they apply, each with its reason. The round is the first one paired after it."],
    )


# -- places and ratings over the rounds -----------------------------------------------------------------------


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
    return Table.of(caption, source.who.column(bots), *rounds)


# -- the page of a bot ----------------------------------------------------------------------------------------


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
