"""Writes the pages of a season: those that are published, and the feedback for each entrant."""

from collections.abc import Callable
from pathlib import Path

from referee.errors import RefereeError
from referee.reports.make import report_of_tournament
from referee.reports.needed import ReportError
from referee.reports.season import season_report
from referee.reports.write import write_one_file
from tournaments.competition.pooled import rank_over_games
from tournaments.event.store.durable import write_durably
from tournaments.season.folder import Season


def report_of_season(season: Season, site: Path, tell: Callable[[str], None]) -> Path:
    """Write the ranking and the report of each event. Returns the page to open. Raises StoreError and ReportError."""
    events, fits = season.events(), season.ratings()
    for event in events:
        try:
            report_of_tournament(event.path, site / "events" / event.path.name, season.file.keys.replays, tell)
        except RefereeError as error:
            tell(f"no report of {event.path.name}: {error}")
    found = rank_over_games(fits) if len(fits) > 1 else fits[0].table if fits else None
    report = season_report(season.file.keys.name, found, season.state, events)
    return write(site / "index.html", write_one_file(report, [])[0])


def write(path: Path, text: str) -> Path:
    """Raises ReportError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, text.encode())
    except OSError as error:
        raise ReportError(f"can't write {path}: {error.strerror}") from None
    return path
