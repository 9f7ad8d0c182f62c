"""Loading the state of a tournament from its folder."""

from tournaments.event.store.contents import (
    Loaded,
    contents_from_records,
    format_game_names,
    lost_games,
    progress_by_database,
    read_contents,
)
from tournaments.event.store.database import Database
from tournaments.event.store.errors import DamagedDatabase
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.repair import Repair
from tournaments.event.store.validation import check_manifest


def load(folder: TournamentFolder, *, repair: bool) -> Loaded:
    """The state of a tournament. Raises StoreError.

    With `repair`, which needs the lock of the folder: the folder is repaired, and what was unfinished is removed, so
    that the tournament can be resumed. Nothing that was complete is deleted: it is moved to `set_aside` in the folder.
    Without, nothing is written, and another process may be writing.
    """
    manifest, found = folder.reread(), list[str]()
    check_manifest(manifest)
    if repair:
        return Repair(folder).load()
    try:
        with Database.open(folder.database, read_only=True) as database:
            contents = read_contents(database, manifest)
        progress = progress_by_database(folder, contents)
    except DamagedDatabase as error:
        contents = contents_from_records(folder, manifest)
        progress = progress_by_database(folder, contents)
        found.append(f"{error}. Until then this is computed from the records")
    else:
        recorded = set(folder.record_ids())
        missing = [name for name in contents.games if name not in recorded and name not in lost_games(contents.events)]
        if missing:
            found.append(
                f"{format_game_names(missing)}: no record; `referee tournament resume` plays what is missing again"
            )
    return Loaded(manifest=manifest, progress=progress, repairs=found, lost=[])
