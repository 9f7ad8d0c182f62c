"""What live pages are told of a match or a tournament while it is played."""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from referee.games.narrator import in_points
from referee.live.messages import GameOver, GameRecorded, GameShown, StandingsShown
from referee.printable import printable
from referee.reports.bracket import bracket_section, format_final
from referee.reports.game_list import format_result, format_scores
from referee.reports.match_tally import MatchTally
from referee.reports.standings import format_notes, places_by, quick_table
from referee.reports.state import format_event, format_stage, round_names, stage_of
from referee.reports.winner import leader, tournament_winner
from tournaments.competition.progress import Progress
from tournaments.competition.quick_standings import QuickRow, QuickStandings
from tournaments.competition.results import Standings, planned_rounds, round_in_progress
from tournaments.event.events import (
    Changed,
    Follower,
    RoundOver,
    TournamentGameOver,
    TournamentOpened,
    TournamentOver,
)
from tournaments.play.events import GameBegun, LineRecorded, LiveEvent, MatchBegun, MatchGameOver

if TYPE_CHECKING:
    from referee.live.client import LivePages

STANDINGS_INTERVAL: Final = 2.0
"""Seconds between two updates of the standings of a tournament in the course of a round."""
SHARED: Final = "Bots with equal points share a place for now. Tie-breaks are applied at the end."


class Broadcast:
    """Tells live pages what happens in a run: an observer. `persons`: the token of each person by name."""

    def __init__(self, pages: "LivePages", persons: Mapping[str, str]) -> None:
        self._pages = pages
        self._persons = persons
        self._lines: set[str] = set()
        """Running games whose lines have been sent."""

    def observe(self, event: LiveEvent) -> None:
        """Send what follows from an event that matches and tournaments have."""
        if isinstance(event, LineRecorded):
            self._lines.add(event.game_id)
            self._pages.record(event.game_id, event.line)

    def begin(self, game_id: str, names: Sequence[str]) -> None:
        """Show a game that begins, with the names of its players by seat. Lines of an earlier attempt are dropped."""
        self._lines.discard(game_id)
        seats = tuple(self._persons.get(name) for name in names)
        self._pages.send(GameShown(game_id, tuple(names), seats))

    def finish(self, game_id: str, names: Sequence[str], result: str, record: Path | None) -> None:
        """Show a finished game: the lines that were sent, or else its record."""
        if game_id in self._lines:
            self._lines.discard(game_id)
        elif record is not None and (content := read_content(record)) is not None:
            self._pages.send(GameRecorded(game_id, tuple(names), content))
        self._pages.send(GameOver(game_id, result))


class MatchBroadcast(Broadcast):
    """Tells live pages what happens in a match."""

    def __init__(self, pages: "LivePages", persons: Mapping[str, str]) -> None:
        super().__init__(pages, persons)
        self._tally: MatchTally | None = None

    def observe(self, event: LiveEvent) -> None:
        super().observe(event)
        if isinstance(event, MatchBegun):
            self._tally = MatchTally(event)
        if self._tally is None:
            return
        begun = self._tally.begun
        if isinstance(event, GameBegun):
            self.begin(event.game_id, [begun.bots[bot] for bot in event.seating])
        elif isinstance(event, MatchGameOver):
            names, ended = [begun.bots[bot] for bot in event.seating], event.outcome.result()
            scores = [in_points(self._tally.game, score) for score in ended.scores]
            result = ", ".join(format_scores(names, scores, ended.ranks, ended.faults))
            self.finish(event.game_id, names, result, begun.records and begun.records / f"{event.game_id}.jsonl")
            self._tally.add(event)
            note = f"{self._tally.finished} of {begun.games} games"
            lead, final = self._tally.format_leader(), self._tally.over
            self._pages.send(StandingsShown(self._tally.table().texts(), note, lead, final=final))


class TournamentBroadcast(Broadcast):
    """Tells live pages what happens in a tournament. `records`: the folder of its records."""

    def __init__(self, pages: "LivePages", records: Path) -> None:
        super().__init__(pages, {})
        self._records = records
        self._follower = Follower()
        self._standings = QuickStandings()
        self._shown_at = -math.inf
        self._rounds: int | None = None

    def observe(self, event: LiveEvent) -> None:
        super().observe(event)
        self._follower.follow(event)
        progress = self._follower.progress
        if progress is None:
            return
        if isinstance(event, GameBegun):
            self.begin(event.game_id, [progress.entries[bot].name for bot in event.seating])
        elif isinstance(event, TournamentGameOver):
            names = [progress.entries[bot].name for bot in event.game.bots]
            result = format_result(progress, event.game)
            self.finish(event.game.game_id, names, result, self._records / f"{event.game.game_id}.jsonl.gz")
        # Standings of a long tournament take some milliseconds: not with every game.
        if self._shown_at == math.inf:
            return  # the final ones have been sent
        now = time.monotonic()
        if isinstance(event, TournamentOver):
            self._shown_at = math.inf
            self._pages.send(final_shown(event.standings, progress))
            return
        planned = isinstance(event, RoundOver | Changed | TournamentOpened)
        if planned:
            self._rounds = planned_rounds(progress, False)
        if planned or now - self._shown_at > STANDINGS_INTERVAL:
            self._shown_at = now
            self._pages.send(standings_shown(progress, self._standings.rows(progress), self._rounds))


def standings_shown(progress: Progress, standings: Sequence[QuickRow], rounds: int | None) -> StandingsShown:
    """The standings of a tournament after all games so far, and where it stands. `rounds`: from `planned_rounds`."""
    by_what = progress.regulations.format_settings.places_by
    number = len(progress.begun)
    name = progress.round_name(number) if number else None
    stage = format_stage(number, rounds, name, round_in_progress(progress))
    shared = len({row.place for row in standings}) < len(standings)
    notes = (SHARED,) if by_what == "points" and shared else ()
    brackets = drawn_brackets(progress)
    rows = () if brackets else quick_table(standings, places_by=by_what).texts()
    settings = progress.regulations.settings
    lead = printable(leader(standings, by_what, settings)) if any(row.games for row in standings) else ""
    return StandingsShown(rows, f"{event_of(progress)}: {stage}", lead, notes, brackets)


def final_shown(standings: Standings, progress: Progress) -> StandingsShown:
    """The final standings of a tournament, with what decides between equal bots."""
    rows = standings.standings
    table, stage = quick_table(rows, places_by=places_by(standings)), stage_of(standings, round_names(progress))
    notes = tuple(map(printable, format_notes(standings)))
    lead = tournament_winner(standings, progress.regulations.settings, format_final(progress, standings))
    note, brackets = f"{event_of(progress)}: final, {stage}", drawn_brackets(progress)
    return StandingsShown(table.texts(), note, lead, notes, brackets, final=True)


def event_of(progress: Progress) -> str:
    own = progress.regulations
    return format_event(own.game, own.format, len(progress.entries), own.seats)


def drawn_brackets(progress: Progress) -> tuple[tuple[str, str], ...]:
    """The brackets of a knockout with their titles, unless they are too large to be drawn."""
    section = bracket_section(progress)
    parts = () if section is None else section.parts or [section]
    return tuple((part.title, part.plot) for part in parts if part.plot)


def read_content(record: Path) -> bytes | None:
    """The contents of a record; None if it can't be read."""
    try:
        return record.read_bytes()
    except OSError:
        return None
