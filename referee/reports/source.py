"""The data of a tournament's report: its folder, read once."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import UNSET, Struct

from referee.games.narrator import in_points
from referee.printable import printable
from referee.record.reader import InvalidRecord
from referee.reports.game_list import format_game_note
from referee.reports.sections import GameShown, Who
from referee.reports.state import RoundNames, round_names
from tournaments.competition.game_list import GameRow, game_rows
from tournaments.competition.over_rounds import AfterRound, over_rounds
from tournaments.competition.progress import Progress
from tournaments.competition.results import Standings, tournament_standings
from tournaments.competition.rounds import Deal
from tournaments.event.extensions import Extensions, read_extensions
from tournaments.event.status import Status, status_of
from tournaments.event.store.database import Database
from tournaments.event.store.details import GameDetails, details_of
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.manifest import Manifest


class Source(Struct, frozen=True, kw_only=True):
    """The data of a report."""

    folder: TournamentFolder
    manifest: Manifest
    progress: Progress
    status: Status
    standings: Standings
    names: RoundNames
    who: Who
    games: list[GameShown]
    after: list[AfterRound]
    extensions: Extensions | None

    @property
    def index(self) -> dict[str, int]:
        return {entry.name: bot for bot, entry in enumerate(self.progress.entries)}

    def round_name(self, number: int) -> str:
        """A round as people call it."""
        name = self.names.get(number)
        return f"Round {number}" if name is None else f"Round {number}: {name}"


def read_source(path: Path) -> Source:
    """Read the folder of a tournament. Raises StoreError and NoTournament."""
    folder = TournamentFolder.open(path)
    loaded = load(folder, repair=False)
    manifest, progress = loaded.manifest, loaded.progress
    standings = tournament_standings(progress, manifest.finished)
    place = {row.name: row.place for row in standings.standings}
    rows = game_rows(progress)
    details, hosts = read_details(folder, rows), read_hosts(folder, manifest)
    # Faults quote what bots wrote; those of the round in progress may tell of deals that other tables still play.
    current = None if progress.current is None else progress.current.round.number
    for row in rows:
        if (manifest.has_pseudonyms or row.round == current) and row.game_id in details:
            details[row.game_id] = details[row.game_id].without_words()
    index = {entry.name: bot for bot, entry in enumerate(progress.entries)}
    return Source(
        folder=folder,
        manifest=manifest,
        progress=progress,
        status=status_of(folder, loaded),
        standings=standings,
        names=round_names(progress),
        who=Who.of(index, [place[name] for name in index]),
        games=[_game(row, progress, index, details.get(row.game_id), hosts.get(row.game_id)) for row in rows],
        extensions=read_extensions(path, progress),
        after=over_rounds(progress, standings if progress.current is None else None),
    )


def read_details(folder: TournamentFolder, rows: Sequence[GameRow]) -> dict[str, GameDetails]:
    """The details of all games: from the database, or else from the records."""
    found: dict[str, GameDetails] = {}
    try:
        with Database.open(folder.database, read_only=True) as database:
            found = database.details()
    except StoreError:
        pass  # a copy without it, or a damaged one: `load` did without it too
    for row in rows:
        if row.game_id not in found:
            try:
                found[row.game_id] = details_of(folder.read_record(row.game_id))
            except (StoreError, InvalidRecord):
                continue  # a published copy may have no records
    seats = {row.game_id: len(row.bots) for row in rows}
    return {name: own for name, own in found.items() if len(own.thinking) == len(own.faults) == seats.get(name)}


def read_hosts(folder: TournamentFolder, manifest: Manifest) -> dict[str, str]:
    """By game, the machine of a cluster that played it."""
    by_host = manifest.hosts
    with suppress(OSError, StoreError):
        by_host = folder.hosts() or by_host  # a published copy has only the manifest, a running one is ahead of it
    return {game_id: host for host, games in by_host.items() for game_id in games}


def _game(
    row: GameRow, progress: Progress, index: Mapping[str, int], details: GameDetails | None, host: str | None
) -> GameShown:
    return GameShown(
        game_id=row.game_id,
        round=row.round,
        deal=Deal.of(progress.regulations.deals_of, row.table, row.deal),
        bots=[index[name] for name in row.bots],
        scores=[in_points(progress.regulations.game_type, score) for score in row.scores],
        ranks=row.ranks,
        points=row.points,
        faults=row.faults,
        decisions_hash="" if row.decisions_hash is UNSET else row.decisions_hash,
        counts=row.replayed is None and row.ruling is UNSET,
        note=printable(format_game_note(row)),
        details=details,
        host=host,
    )
