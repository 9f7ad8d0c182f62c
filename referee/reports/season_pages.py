"""Writes the pages of a season: those that are published, and the feedback for each entrant."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.errors import RefereeError
from referee.files import why_not_written
from referee.pages.html import write_page
from referee.reports.feedback import feedback_for, games_of_event
from referee.reports.make import report_of_tournament
from referee.reports.needed import ReportError
from referee.reports.replays import recorded_game
from referee.reports.season import format_twins, season_report
from referee.reports.write import write_one_file
from tournaments.competition.pooled import GameRatings, rank_over_games
from tournaments.event.store.folder import TournamentFolder
from tournaments.season.folder import PlayedEvent, Season
from tournaments.season.twins import equal_files, pairs


def report_of_season(season: Season, output: Path | None, tell: Callable[[str], None]) -> Path:
    """Write the ranking and the report of each event, and unless that is to be elsewhere, the feedback and the list of
    twins. Returns the page to open. Raises StoreError and ReportError."""
    events, fits, site = season.events(), season.ratings(), output or season.site
    for event in events:
        try:
            replays = season.file.keys.replays if is_finished(event) else "none"
            folder = site / "events" / event.path.name
            report_of_tournament(event.path, folder, replays, tell)
        except RefereeError as error:
            tell(f"no report of {event.path.name}: {error}")
    found = rank_over_games(fits) if len(fits) > 1 else fits[0].table if fits else None
    report = season_report(season.file.keys, found, season.state, events)
    if output is None:
        write_feedback(season, events, fits)
        twins = format_twins(equal_files(season.state), pairs(season, fits))
        _write(season.path / "twins.txt", "\n".join([*twins, ""]))
    return _write(site / "index.html", write_one_file(report, [])[0])


def write_feedback(season: Season, events: Sequence[PlayedEvent], fits: list[GameRatings]) -> None:
    """Write a folder for each entrant, in the place of an earlier one. Raises StoreError and ReportError."""
    games = [game for event in events if is_finished(event) for game in games_of_event(event)]
    for name, entrant in season.state.entrants.items():
        folder, draft = season.feedback / name, season.feedback / f".{name}.new"
        shutil.rmtree(draft, ignore_errors=True)
        found = feedback_for(name, entrant, games, fits, season.file.keys.name)
        for key, text in found.stderr.items():
            _write(draft / "stderr" / f"{key}.txt", text)
        for game, seat in found.replays:
            document = recorded_game(game.record, [seat])
            if document is not None:
                _write(draft / "games" / f"{game.key}.html", write_page(document))
        _write(draft / "index.html", write_one_file(found.report, [])[0])
        try:
            shutil.rmtree(folder, ignore_errors=True)
            draft.rename(folder)
        except OSError as error:
            raise ReportError(f"can't write {folder}: {error.strerror}") from None


def is_finished(event: PlayedEvent) -> bool:
    """Whether all of an event may be told. Raises StoreError."""
    return TournamentFolder.open(event.path).manifest.finished


def _write(path: Path, text: str) -> Path:
    """Raises ReportError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReportError(f"can't write {path}: {why_not_written(error)}") from None
    return path
