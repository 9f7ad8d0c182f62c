"""The report of a tournament, from its folder."""

from collections.abc import Mapping

from referee.games.narrator import format_count
from referee.printable import printable
from referee.reports.bot_page import bot_page
from referee.reports.bracket import bracket_section
from referee.reports.conditions import conditions_section, verification_section
from referee.reports.courses import places_section, ratings_section
from referee.reports.games import faults_section, games_by_bot, games_section
from referee.reports.model import Cell, Heading, Page, Report, Row, Section, Table
from referee.reports.running import format_event
from referee.reports.sections import (
    numeric,
    scores_section,
    seats_section,
    thinking_section,
    thinking_times,
)
from referee.reports.source import Source
from referee.reports.standings import cross_section, standings_section
from tournaments.competition.changes import AnyRuling
from tournaments.competition.progress import Progress
from tournaments.competition.results import Standings
from tournaments.competition.rulings import standing_events


def tournament_report(source: Source) -> Report:
    """The whole report."""
    who, games, progress = source.who, source.games, source.progress
    programs = [bot.folder is not None for bot in source.manifest.bots]
    programs += [True] * (len(who.names) - len(programs))
    move = source.manifest.clock.move
    sections = [
        standings_section(source),
        bracket_section(progress),
        cross_section(source),
        places_section(source),
        ratings_section(source),
        scores_section(who, games),
        thinking_section(who, thinking_times(len(who.names), games), programs, None if move is None else move * 1000),
        seats_section(who, games, _seat_counts(source.standings, source.index)),
        faults_section(who, games),
        games_section(who, games, source.round_name),
        events_section(progress),
        conditions_section(source.manifest, source.folder, progress.format_context()),
        verification_section(source.manifest),
    ]
    home = Page(
        target="home",
        title=printable(source.standings.tournament),
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
        rounds=[begun.round.number for begun in progress.begun],
        footer=f"Made by referee {versions.get('referee', '')} from the folder of the tournament",
    )


def heading_lines(source: Source) -> list[str]:
    """What is played, and how far it is."""
    standings, progress = source.standings, source.progress
    title = progress.regulations.game_type.title
    lines = [
        f"{title}, {standings.format.replace('_', ' ')} of {len(progress.entries)} bots, tables of {standings.seats}"
    ]
    games = f"{format_count(standings.games, 'games')} of {format_count(standings.deals, 'deals')}"
    if standings.finished:
        after = "" if source.names else f"{format_count(standings.round, 'rounds')} and "
        lines.append(f"Final, after {after}{games}")
        return lines
    found = source.status
    of = "" if standings.rounds is None or source.names else f" of {standings.rounds}"
    name = source.names.get(found.round)
    where = f"round {found.round}{of}" if name is None else f"{name} (round {found.round})"
    now = standings.in_progress
    parts = [f"{where}, {now.games} of its {now.of} games" if now is not None else f"after {where}", games]
    if not found.round:
        parts = ["before the first round"]
    ends = found.ends_without_play_offs or found.ends
    if ends is not None:
        parts.append(f"ends about {ends[:16].replace('T', ' ')} UTC")
    if found.starts:
        parts.append(f"starts {found.starts[:16].replace('T', ' ')} UTC")
    lines.append(f"{found.state.capitalize()}: {', '.join(parts)}")
    return lines


def events_section(progress: Progress) -> Section:
    """Rulings and everything else that happened beside the games, with reasons."""
    valid = {number for number, _ in standing_events(progress.events)}
    rows = []
    for number, event in enumerate(progress.events, 1):
        undone = isinstance(event, AnyRuling) and number not in valid
        rows.append(
            Row(
                [
                    numeric(str(number)),
                    numeric(str(event.round)),
                    Cell("ruling" if isinstance(event, AnyRuling) else "event"),
                    Cell(printable(format_event(event, progress)), css="struck" if undone else ""),
                    Cell(printable(event.at)),
                ]
            )
        )
    if not rows:
        return Section(key="events", title="Rulings and events", words=["There were none."])
    return Section(
        key="events",
        title="Rulings and events",
        words=["In the order in which they apply, each with its reason. The round is the first one paired after it."],
        table=Table(
            caption="Rulings and events",
            headings=[
                Heading("no."),
                Heading("round"),
                Heading("kind", number=False),
                Heading("what, and why", number=False),
                Heading("when", number=False),
            ],
            rows=rows,
        ),
    )


def _seat_counts(standings: Standings, index: Mapping[str, int]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()] * len(index)
    for row in standings.standings:
        found[index[row.name]] = row.seat_counts
    return found
