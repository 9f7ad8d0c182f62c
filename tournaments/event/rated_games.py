"""The rated games in the folders of tournaments and matches."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import UNSET, Struct

from protocol.record import FaultLine, GameLine, PlayerInfo, ResultLine
from referee.errors import RefereeError
from referee.files import is_folder, is_there
from referee.games.narrator import format_count
from referee.outcome import without_decisions
from referee.record.reader import InvalidRecord, find_records, read_unpacked
from tournaments.competition.games import StoredGame
from tournaments.competition.pooled import GameRatings, PooledGame, Version, pool
from tournaments.competition.progress import Progress
from tournaments.competition.ratings import in_groups, rated_positions
from tournaments.competition.repeats import decided
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.records import decisions_hash_of, first_and_last_lines
from tournaments.event.store.verified_results import first_hashes, hashes_of_files

MAX_RATED_SEATS: Final = 10
"""Seats of a game in a match. A tie of many more would take the fit forever."""


class NoEvent(RefereeError):
    """A folder is neither that of a tournament nor one with records of a match."""


class EventGames(Struct, frozen=True, kw_only=True):
    games: dict[str, list[PooledGame]]
    """By the name of the game."""
    conditional: bool
    """Whether results decided who met whom."""
    skipped: int = 0
    """Records that are unfinished or can't be read."""
    event_id: str | None = None
    """The same in all copies of the folder of a tournament, however far it had come when they were made."""


def rated_games(folder: Path, progress: Progress | None = None) -> EventGames:
    """The rated games of a tournament, perhaps with its loaded `progress`, or match. Raises NoEvent and StoreError."""
    if is_there(folder / "manifest.json"):
        return _of_tournament(folder, progress)
    whole = Path(os.path.realpath(folder))  # which raises nothing
    if whole.name == "records" and is_there(whole.parent / "manifest.json"):
        raise NoEvent(f"{folder} has the records of a tournament, whose folder says which games count: give that one")
    return _of_match(folder)


def pool_events(
    folders: Sequence[Path],
    *,
    join: bool = False,
    latest: bool = False,
    playing: Mapping[str, str | None] = {},
    on_notice: Callable[[str], None] = lambda text: None,
    loaded: Mapping[Path, Progress] = {},
) -> list[GameRatings]:
    """By game, one fit over all games of tournaments and matches, the oldest first; without games in which nobody can
    be rated. `join`, `latest`, `playing`: as in `pool`; `loaded`: by folder, tournaments that are loaded already.

    Raises NoEvent, also where two folders are copies of one tournament, and StoreError.
    """
    unique = list({os.path.realpath(folder): folder for folder in folders}.values())
    found = [(folder, rated_games(folder, loaded.get(folder))) for folder in unique]
    known: dict[str, Path] = {}
    for folder, event in found:
        if event.event_id is not None and known.setdefault(event.event_id, folder) is not folder:
            raise NoEvent(
                f"{known[event.event_id]} and {folder} are copies of one tournament, whose games would count twice:"
                " leave one of them out"
            )
        if event.skipped:
            on_notice(f"{folder}: {format_count(event.skipped, 'records')} left out: unfinished or unreadable")
    fits = [
        pool(
            [rated for _, event in found for rated in event.games.get(game, ())],
            game=game,
            events=[str(folder) for folder, event in found if game in event.games],
            conditional=any(event.conditional for _, event in found if game in event.games),
            join=join,
            latest=latest,
            playing=playing,
        )
        for game in dict.fromkeys(game for _, event in found for game in event.games)
    ]
    return [fit for fit in fits if fit.table.ratings]


def _of_tournament(path: Path, loaded: Progress | None) -> EventGames:
    folder = TournamentFolder.open(path)
    progress = load(folder, repair=False).progress if loaded is None else loaded
    manifest, names = folder.manifest, [entry.name for entry in progress.entries]
    first = first_hashes(manifest)
    # An extension on the deals of the tournament shares them with it.
    whole = folder.extended
    same = whole is not None and TournamentFolder.open(whole).manifest.seed_commitment == manifest.seed_commitment
    deals = whole if same else path.absolute()

    def version(game: StoredGame, bot: int) -> Version:
        """The files with which a bot played. Only where the manifest leaves it open the record is read."""
        hashes = hashes_of_files(manifest, first, names[bot], game)
        if len(set(hashes)) > 1:
            try:
                _, header = next(first_and_last_lines(folder.read_record(game.game_id)))
            except (StoreError, InvalidRecord):
                header = None
            players = header.players if isinstance(header, GameLine) else []
            hashes += [p.files_sha256 for p in players if p.name == names[bot] and p.files_sha256 is not UNSET]
        return Version(names[bot], hashes[-1] if hashes else None)

    found = []
    for begun, played in zip(progress.begun, progress.view(), strict=True):
        stored = {(game.table, game.deal, game.rotation): game for game in begun.played.values()}
        for table, result in enumerate(played.results, 1):
            for game, groups in rated_positions(result):
                own = stored[table, game.deal.number, game.rotation + 1]
                versions = {bot: version(own, bot) for bot in own.bots}
                found.append(
                    PooledGame(
                        event=str(path),
                        deal=f"{deals}/{game.deal.number}/{game.deal.table}",
                        groups=tuple(
                            tuple(versions[result.table.bots[position]] for position in group) for group in groups
                        ),
                        seating=tuple(versions.values()),
                        decisions_hash=decided(result.table, game).decisions_hash,
                    )
                )
    regulations, begun_by = manifest.regulations, manifest.sessions[:1]
    return EventGames(
        games={regulations.game: found},
        conditional=regulations.format_settings.adaptive,
        event_id="/".join([manifest.seed_commitment, *(f"{run.host}/{run.started}" for run in begun_by)]),
    )


def _of_match(path: Path) -> EventGames:
    try:
        records = find_records(path)
    except InvalidRecord as error:
        what = f"{path} has neither a tournament nor records" if is_folder(path) else path
        raise NoEvent(f"{what}: {error}") from None
    found: dict[str, list[PooledGame]] = {}
    skipped = 0
    for record in records:
        decisions = ""
        try:
            data = read_unpacked(record)
            lines = [line for _, line in first_and_last_lines(data)]
            if isinstance(lines[0], GameLine) and isinstance(lines[-1], ResultLine):
                decisions = decisions_hash_of(data, lines[0])
                if any(lines[-1].faults):
                    decisions = without_decisions(decisions)
        except InvalidRecord:
            lines = [None]
        header, result = lines[0], lines[-1]
        if (
            not isinstance(header, GameLine)
            or not isinstance(result, ResultLine)
            or not len(header.players) == len(result.ranks) <= MAX_RATED_SEATS
        ):
            skipped += 1
            continue
        games = found.setdefault(header.game, [])
        unstarted = {line.seat for line in lines if isinstance(line, FaultLine) and not line.started}
        seating = tuple(map(_version, header.players))
        if len(seating) > 1:
            seats = in_groups(result.ranks, [seat in unstarted for seat in range(len(seating))])
            groups = tuple(tuple(seating[seat] for seat in group) for group in seats)
            games.append(
                PooledGame(event=str(path), deal=header.seed, groups=groups, seating=seating, decisions_hash=decisions)
            )
    if not found:
        raise NoEvent(f"{path} has no record of a finished game")
    return EventGames(games=found, conditional=False, skipped=skipped)


def _version(player: PlayerInfo) -> Version:
    return Version(player.name, None if player.files_sha256 is UNSET else player.files_sha256)
