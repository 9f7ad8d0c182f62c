"""The report of a tournament, from its folder."""

from typing import Final

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.bot_page import bot_page
from referee.reports.bracket import bracket_section, format_final
from referee.reports.conditions import conditions_section, facts_table, verification_section
from referee.reports.courses import places_section, ratings_section
from referee.reports.extensions import extensions_section
from referee.reports.formatting import format_points, format_rating
from referee.reports.games import faults_section, games_by_bot, games_section
from referee.reports.model import Page, Report, Section
from referee.reports.running import format_change
from referee.reports.sections import interval_drawings, scores_section, seats_section, thinking_section, thinking_times
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
from referee.reports.table import Cell, Column, numbers
from referee.reports.winner import tournament_winner
from tournaments.competition.changes import AnyRuling
from tournaments.competition.game_list import pairings
from tournaments.competition.progress import Progress
from tournaments.competition.rulings import standing_events

MAX_CROSSED: Final = 120
"""The most bots of a cross table: nobody reads a larger one."""
MAX_OPEN_TABLES: Final = 20
"""Tables of the round in progress that are shown at once; more are behind a click."""


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
