"""The folder of a season: its layout, and its state. docs/seasons.md lists its files."""

import contextlib
import re
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from referee.files import read_file
from referee.given_paths import hint
from referee.printable import sanitise
from tournaments.competition.pooled import GameRatings
from tournaments.event.rated_games import pool_events
from tournaments.event.store.durable import locked, write_durably
from tournaments.event.store.errors import NoTournament, StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.manifest import now
from tournaments.season.season_file import SEASON_FILE, SeasonFile, is_season, read_season
from tournaments.season.versions import SeasonState, Version

EVENT_FOLDER: Final = re.compile(r"(\d{4,})-(\d{4}-\d\d-\d\d)-([a-z0-9-]+)", re.ASCII)
MAX_SEASON: Final = 256 << 20


class PlayedEvent(NamedTuple):
    number: int
    day: date
    name: str
    path: Path


class Season:
    """See the module. Only the holder of the `lock` may write."""

    def __init__(self, path: Path, file: SeasonFile, state: SeasonState) -> None:
        self.path = path
        self.file = file
        self.state = state
        self.versions, self.events_folder = path / "versions", path / "events"
        self.site, self.feedback = path / "site", path / "feedback"

    @classmethod
    def open(cls, path: Path, today: date | None = None) -> "Season":
        """A season, which begins `today` if nothing of it was played. Raises NoTournament, TournamentFileError and
        StoreError."""
        path = path.absolute()
        if not is_season(path):
            give = hint(path) or "; `referee season init` makes one"
            raise NoTournament(f"{path} is not the folder of a season: it has no {SEASON_FILE}{give}")
        try:
            data = read_file(path / "season.json", MAX_SEASON)
            state = msgspec.json.decode(data, type=SeasonState)
        except FileNotFoundError:
            state = SeasonState(began=today or this_day())
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            problem = sanitise(f"can't read {path / 'season.json'}: {error}; put it back from a copy", 300)
            raise StoreError(problem) from None
        return cls(path, read_season(path / SEASON_FILE), state)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the right to write; the state is read again. Raises FolderInUse and StoreError."""
        with locked(self.path / "lock", now()):
            self.state = Season.open(self.path, self.state.began).state
            for folder in (self.versions, self.events_folder, self.path / "bots", self.feedback):
                folder.mkdir(mode=0o700, exist_ok=True)
            for file in self.events_folder.glob("*.toml"):  # of an event that was killed before its first game
                if not file.with_suffix("").is_dir():
                    file.unlink()
            yield

    def save(self) -> None:
        """Raises StoreError."""
        try:
            write_durably(self.path / "season.json", msgspec.json.format(msgspec.json.encode(self.state)), 0o600)
        except OSError as error:
            raise StoreError(f"can't write {self.path / 'season.json'}: {error.strerror}") from None

    def log(self, text: str) -> None:
        with contextlib.suppress(OSError), (self.path / "season.log").open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now().astimezone().isoformat(timespec='seconds')} {text}\n")

    def bot_folder(self, entrant: str, version: Version) -> Path:
        """Where it is built, by its files: two versions may have the same."""
        return self.path / "bots" / entrant / (version.sha256 or "")[:16]

    def archive(self, version: Version) -> Path:
        return self.versions / f"{version.sha256}.tar.gz"

    def events(self) -> list[PlayedEvent]:
        return season_events(self.path)

    def seen(self) -> set[tuple[str, str | None]]:
        """The names and hashes of the bots of all events. Raises StoreError."""
        manifests = [TournamentFolder.open(event.path).manifest for event in self.events()]
        return {(bot.name, bot.files_sha256) for manifest in manifests for bot in manifest.bots}

    def ratings(self) -> list[GameRatings]:
        """By game, what is known of the versions. Of each entrant the one that plays is ranked, or until that has been
        in an event the last one that was."""
        playing = {self.state.entrants[name].shown: own.event_sha256 for name, own in self.state.playing().items()}
        return pool_events([event.path for event in self.events()], latest=True, playing=playing, on_notice=self.log)


def this_day() -> date:
    """The date by the clock of the machine."""
    return datetime.now().astimezone().date()


def season_events(path: Path) -> list[PlayedEvent]:
    """The events of a season that have begun, in their order."""
    found = []
    for folder in (path / "events").glob("*-*"):
        match = EVENT_FOLDER.fullmatch(folder.name)
        if match is not None and (folder / "manifest.json").is_file():
            found.append(PlayedEvent(int(match[1]), date.fromisoformat(match[2]), match[3], folder))
    return sorted(found)


def tournaments_in(path: Path) -> list[Path]:
    """The folders of the events of a season; otherwise the path itself."""
    return [event.path for event in season_events(path)] if is_season(path) else [path]
