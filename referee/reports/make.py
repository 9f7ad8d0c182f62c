"""Makes reports: reads what they are about, draws the games, and writes everything."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from referee.files import is_folder, is_there, why_not_written, write_file
from referee.games.narrator import format_count
from referee.reports.match import match_report
from referee.reports.match_results import MatchSummary
from referee.reports.model import Report
from referee.reports.needed import ReportError, is_one_file
from referee.reports.ratings import ratings_report
from referee.reports.replays import GamePage, Kind, RecordedGame, game_pages
from referee.reports.source import read_source
from referee.reports.tournament import tournament_report
from referee.reports.write import ReportFolder, write_one_file
from tournaments.competition.pooled import PooledRatings, RankingOverGames

Tell = Callable[[str], None]
"""Is called with a sentence about where the report is, what isn't in it, or takes long."""
Drawn = Callable[[int, int], None]
"""Is called with how many games have been drawn, of how many: before the first one and after each."""
MANY: int = 50
"""Games from which on the reader is told that drawing them takes a while."""
WITHOUT: Final = "; without them: --replays none"


def report_of_tournament(
    folder: Path,
    output: Path,
    replays: Kind | None,
    tell: Tell,
    *,
    drawn: Drawn = lambda done, total: None,
    with_paths: bool = False,
) -> Path:
    """Write the report of a tournament. Returns the page to open. Raises StoreError, NoTournament and ReportError.

    `replays`: the games that are drawn; None: after the end all of them with what is public, before it none.
    """
    source = read_source(folder)
    finished = source.manifest.finished
    if source.manifest.has_pseudonyms and replays == "all":
        raise ReportError("the bots have pseudonyms, and their standard error may say who they are: use public")
    if replays == "all" and not finished:
        raise ReportError(
            "the tournament is not over, and until then its records are not public: use --replays public or none"
        )
    kind: Kind = replays or ("public" if finished else "none")
    # While a tournament runs, without those of the round in progress: other tables may still play the same deals.
    current = None if source.progress.current is None else source.progress.current.round.number
    hashes = {game.game_id: game.sha256 for game in source.progress.games()}
    games = [
        RecordedGame(game.game_id, source.folder.record(game.game_id), game.note)
        for game in source.games
        if kind != "none" and game.round != current and is_there(source.folder.record(game.game_id))
    ]
    report = tournament_report(source, with_paths=with_paths)
    if is_one_file(output):
        larger = "; a folder has them all"
        return _one_file(output, report, games, kind, tell, drawn, larger=larger, without=WITHOUT)
    held = ReportFolder(output, kind, with_paths=with_paths)
    shown = {game.game_id: f"{hashes[game.game_id]} {game.note}" for game in games}
    missing = held.missing(shown)
    of_missing = [game for game in games if game.game_id in missing]
    for page in _pages(of_missing, kind, tell, drawn, WITHOUT, with_paths=with_paths):
        held.add(page, shown[page.game_id])
    return held.finish(report)


def _one_file(
    output: Path,
    report: Report,
    games: Sequence[RecordedGame],
    kind: Kind,
    tell: Tell,
    drawn: Drawn,
    *,
    larger: str = "",
    without: str = "",
) -> Path:
    if is_folder(output):
        raise ReportError(f"{output} is a folder; give a file")
    html, held = write_one_file(report, _pages(games, kind, tell, drawn, without, with_paths=report.with_paths))
    if held < len(games):
        tell(f"the file has {held} of the {format_count(len(games), 'games')} to look at{larger}")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_file(output, html.encode())
    except OSError as error:
        raise ReportError(f"can't write {output}: {why_not_written(error)}; choose another place") from None
    return output


def _pages(
    games: Sequence[RecordedGame], kind: Kind, tell: Tell, drawn: Drawn, without: str, *, with_paths: bool
) -> Iterator[GamePage]:
    if len(games) > MANY:
        tell(f"drawing {format_count(len(games), 'games')}, which takes a while{without}")
    made = 0
    drawn(made, len(games))
    for page in game_pages(games, kind, with_paths=with_paths):
        made += 1
        drawn(made, len(games))
        yield page
    if made < len(games):
        tell(f"{format_count(len(games) - made, 'records')} can't be drawn; `referee record verify` says why")


def report_of_match(found: MatchSummary, output: Path, tell: Tell, drawn: Drawn, *, with_paths: bool) -> None:
    """Write the report of a match as one file, with those of its games that have a record. Raises ReportError."""
    played = [(each.game.game_id, each.record) for each in found.result.games]
    games = [RecordedGame(game_id, record) for game_id, record in played if record is not None]
    report = match_report(found, with_paths=with_paths)
    tell(f"report: {_one_file(output, report, games, 'all', tell, drawn)}")


def report_of_ratings(found: PooledRatings | RankingOverGames, output: Path, tell: Tell) -> None:
    """Write the ratings over events as one file. Raises ReportError."""
    tell(f"report: {_one_file(output, ratings_report(found), [], 'none', tell, lambda done, total: None)}")
