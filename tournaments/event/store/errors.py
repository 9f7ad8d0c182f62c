"""The errors of the folder of a tournament."""

from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.printable import sanitise

NO_DATABASE: Final = "it is missing"
"""The problem of a database that is not there."""


class StoreError(RefereeError):
    """The folder of a tournament can't be read or written. The text names the file, says why, and what to do."""


class FolderExists(StoreError):
    """The path for a new tournament already exists."""


class NoTournament(StoreError):
    """There is no tournament here, or it is one that this referee can't read."""


class DamagedManifest(StoreError):
    """The manifest can't be read."""


class FolderInUse(StoreError):
    """Another process is writing to the tournament. The text says which."""


class NoSuchRecord(StoreError):
    """A game has no record."""


class DamagedDatabase(StoreError):
    """The database is damaged, or is not one. Its contents can be computed from the manifest and the records."""

    def __init__(self, path: Path, problem: object) -> None:
        self.problem = sanitise(str(problem))
        state, aside = (
            ("is missing", "") if problem == NO_DATABASE else (f"is damaged ({self.problem})", "sets it aside and ")
        )
        super().__init__(
            f"{path} {state}; `referee tournament resume` {aside}makes a new one from the manifest and the records"
        )
