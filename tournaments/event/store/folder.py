"""The folder of a tournament (`DIR`): its layout, and how it is written.

    tournament.toml   the file as run, with absolute paths
    openings          the file of openings, if there is one
    bots.json         the bot.toml of each bot as it was before its build
    private.json      see `tournaments.event.store.private`, if bots have pseudonyms
    private/          likewise: records with what the published ones leave out, where that is something
    manifest.json     see `tournaments.event.store.manifest`
    hosts             for each game that a machine of a cluster played, its id, a tab and the machine
    begun             see `tournaments.event.store.begun`
    builds            for each bot that a machine of a cluster built, the hash of its files, the machine and the bot
    sources/          HASH.tar.gz, the files of bots before their builds, where machines of a cluster build them
    seed              the secret seed, until the manifest has it at the end
    tournament.db     see `tournaments.event.store.database`
    records/          GAME_ID.jsonl.gz, one for each finished game
    stderr/           standard error of bots
    set_aside/        files that were damaged or don't belong to a game, moved here by repairs
    lock              held by the process that writes
    archive.json, bots/, program/     if it was archived, see `tournaments.event.archive`
    extensions/       a folder like this one for each bot that was added after the end, with its games

What may be published when is in docs/tournament-folder.md; never `seed`, nor the records of the round in progress.
"""

import contextlib
import fcntl
import glob
import gzip
import hashlib
import os
import secrets
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import msgspec
from msgspec import UNSET

from referee.files import is_folder, is_there, read_file, why_not_written
from referee.given_paths import hint
from referee.printable import sanitise
from referee.record.reader import MAX_RECORD, InvalidRecord, unpack
from referee.record.writer import RecordWriteError
from tournaments.competition.changes import AnyChange, Joined
from tournaments.competition.regulations import Regulations
from tournaments.event.store.database import Database
from tournaments.event.store.durable import TEMPORARY, locked, sync_folder, write_durably
from tournaments.event.store.errors import DamagedManifest, FolderExists, NoSuchRecord, NoTournament, StoreError
from tournaments.event.store.manifest import Manifest, ManifestBot, decode_manifest, encode_manifest, now
from tournaments.event.store.private import PrivateFacts, sealed_hash
from tournaments.play.configuration import MAX_OPENINGS

T = TypeVar("T")
EXTENSIONS: Final = "extensions"
RECORD_SUFFIX: Final = ".jsonl.gz"
MAX_MANIFEST: Final = 256 << 20
MAX_BOT_FILES: Final = 64 << 20
MAX_SEED: Final = 1 << 20
WRITTEN: Final = (
    "begun", "builds", "extensions", "hosts", "on_round.log", "private", "records", "requests", "set_aside", "sources",
    "stderr", "tournament.db",
)  # fmt: skip
"""What the referee adds to, or adds files to or removes them from. Of links elsewhere it replaces only the link."""
COMPRESSION: Final = 6


class TournamentFolder:
    """See the module. Made by `create` and `open`; only the holder of the `lock` may write."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.file = path / "tournament.toml"
        self.database = path / "tournament.db"
        self.records = path / "records"
        self.stderr = path / "stderr"
        self.sources = path / "sources"
        """The folder of the sources of bots, where machines of a cluster build them."""
        self._seed_file, self._hosts_file, self._builds_file = path / "seed", path / "hosts", path / "builds"
        self.begun = path / "begun"
        """The file of `BegunGames`."""
        self._bot_files, self._private_file = path / "bots.json", path / "private.json"
        self._openings_file = path / "openings"
        self.manifest = manifest
        """As it was read or written last."""

    @classmethod
    def create(
        cls,
        path: Path,
        toml_text: str,
        manifest: Manifest,
        seed: str,
        bots: Mapping[str, str],
        sources: Iterable[Path] = (),
        openings: str = "",
        private: PrivateFacts | None = None,
    ) -> Self:
        """Create the folder of a tournament that has not begun. Raises FolderExists, and StoreError.

        `bots`: by name, the text of each bot.toml. `sources`: the archives of the sources of bots. `openings`: the text
        of the file of openings, if there is one. `private`: where bots have pseudonyms.

        It appears as a whole or not at all: it is built under another name in the same parent folder, and then renamed.
        """
        with creating(path) as draft:
            folder = cls(draft, manifest)
            folder.records.mkdir(mode=0o700)
            folder.stderr.mkdir(mode=0o700)
            write_durably(folder.file, toml_text.encode())
            folder.keep_bot_files(bots)
            if private is not None:
                folder.keep_private(private)
            if openings:
                write_durably(folder._openings_file, openings.encode())
            for archive in sources:
                folder.sources.mkdir(mode=0o700, exist_ok=True)
                write_durably(folder.sources / archive.name, archive.read_bytes())
            write_durably(folder._seed_file, seed.encode(), 0o600)
            Database.open(folder.database).close()
            folder.write_manifest(manifest)
            draft.rename(path)
            sync_folder(path.parent)
        return cls(path, manifest)

    @classmethod
    def open(cls, path: Path) -> Self:
        """An existing folder. Raises NoTournament, also where it is of a later version, and DamagedManifest."""
        if not is_folder(path):
            problem = "is not a folder" if is_there(path) else "does not exist"
            give = "; give the folder of a tournament (made by `referee tournament run`)"
            raise NoTournament(f"{path} {problem}{hint(path) or give}")
        manifest = path / "manifest.json"
        try:
            data = read_file(manifest, MAX_MANIFEST + 1)
        except FileNotFoundError:
            raise NoTournament(
                f"{path} is not the folder of a tournament: it has no manifest.json{hint(path)}"
            ) from None
        except OSError as error:
            raise DamagedManifest(f"can't read {manifest}: {error.strerror}") from None
        if len(data) > MAX_MANIFEST:
            raise DamagedManifest(
                f"{manifest} has over {MAX_MANIFEST >> 20} MiB: it is not the manifest of a tournament"
            )
        return cls(path, decode_manifest(data, manifest))

    def lock(self) -> contextlib.AbstractContextManager[None]:
        """Hold the right to write. Raises FolderInUse, which names the holder, and StoreError.

        A folder may come from strangers: links are refused through which files elsewhere would be written or removed.
        The manifest may have changed before: read it again with `reread`.
        """
        for name in WRITTEN:
            if (self.path / name).is_symlink():
                raise StoreError(f"{self.path / name} is a symbolic link; put what it leads to in its place")
        return locked(self.path / "lock", now())

    # -- extensions -------------------------------------------------------------------------------------------

    def extension(self, name: str) -> Path:
        """The folder of the games of a bot that is added after the end."""
        return self.path / EXTENSIONS / hashlib.sha256(name.encode()).hexdigest()[:16]

    def extension_folders(self) -> list[Path]:
        """Those that have begun."""
        return sorted(path.parent for path in (self.path / EXTENSIONS).glob("[0-9a-f]*/manifest.json"))

    def extensions(self) -> "list[TournamentFolder]":
        """In the order in which they began. Raises DamagedManifest, and NoTournament for one of a later version."""
        found = list(map(TournamentFolder.open, self.extension_folders()))
        return sorted(found, key=lambda folder: min((run.started for run in folder.manifest.sessions), default=""))

    @property
    def extended(self) -> Path | None:
        """The folder of the tournament that this one extends, if it is an extension."""
        return extended_by(self.path)

    # -- the machines of a cluster ----------------------------------------------------------------------------

    def add_builds(self, host: str, builds: Mapping[str, str]) -> None:
        """Note the hashes of the files that a machine of a cluster has built, by bot, as published. Raises OSError and
        StoreError."""
        known = read_file(self._builds_file, MAX_MANIFEST) if is_there(self._builds_file) else b""
        with self._builds_file.open("ab") as file:
            for bot, sha256 in builds.items():
                line = f"{self.published_hash(bot, sha256)}\t{sanitise(host)}\t{bot}\n".encode()
                if line not in known:
                    file.write(line)

    def builds(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """What `add_builds` was given, by bot and machine. Raises OSError."""
        found: dict[str, dict[str, dict[str, None]]] = {}
        for line in self._lines(self._builds_file):
            sha256, host, bot = (line + "\t\t").split("\t")[:3]
            found.setdefault(bot, {}).setdefault(host, {})[sha256] = None
        return {
            bot: {host: tuple(hashes) for host, hashes in sorted(hosts.items())} for bot, hosts in sorted(found.items())
        }

    def add_host(self, game_id: str, host: str) -> None:
        """Note which machine of a cluster has played a game. Raises OSError."""
        with self._hosts_file.open("a", encoding="utf-8") as file:
            file.write(f"{game_id}\t{sanitise(host)}\n")

    def hosts(self) -> dict[str, tuple[str, ...]]:
        """By machine of a cluster, the games that it played. Raises OSError."""
        host_of: dict[str, str] = {}
        for line in self._lines(self._hosts_file):
            game_id, _, host = line.partition("\t")
            host_of.pop(game_id, None)
            host_of[game_id] = host  # the last one, if it was played again as its record was lost
        return {
            host: tuple(game_id for game_id, own in host_of.items() if own == host)
            for host in sorted(set(host_of.values()))
        }

    def _lines(self, path: Path) -> list[str]:
        return read_file(path, MAX_MANIFEST).decode(errors="replace").splitlines() if is_there(path) else []

    # -- the manifest and the seed ----------------------------------------------------------------------------

    def reread(self) -> Manifest:
        """The manifest as it is now in the file. Raises NoTournament and DamagedManifest."""
        self.manifest = type(self).open(self.path).manifest
        return self.manifest

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest in one step. Once it has the seed, the file of the seed is removed.

        Raises StoreError.
        """
        try:
            write_durably(self.path / "manifest.json", encode_manifest(manifest))
            self.manifest = manifest
            if manifest.seed is not None:
                self._seed_file.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"can't write {self.path / 'manifest.json'}: {error.strerror}") from None

    @property
    def seed(self) -> str | None:
        """The seed, even while it is secret; None if it is missing, as in a published copy."""
        if self.manifest.seed is not None:
            return self.manifest.seed
        try:
            return read_file(self._seed_file, MAX_SEED).decode()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"can't read {self._seed_file}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise StoreError(f"{self._seed_file} is damaged: it is not text") from None

    def set_aside(self, path: Path) -> Path:
        """Move a file of the folder away, under a new name, which is returned. Raises StoreError."""
        aside = self.path / "set_aside"
        try:
            aside.mkdir(mode=0o700, exist_ok=True)
            number = 1
            while is_there(target := aside / (path.name if number == 1 else f"{path.name}.{number}")):
                number += 1
            path.rename(target)
            sync_folder(aside)
            sync_folder(path.parent)
        except OSError as error:
            raise StoreError(f"can't move {path} to {aside}: {error.strerror}") from None
        return target

    def remove_temporary(self) -> int:
        """Remove files that were being written when a process was killed. Returns their number. Raises StoreError."""
        removed = 0
        try:
            for folder in (self.path, self.records, self.path / "private"):
                for left in folder.glob(f"*{TEMPORARY}"):
                    left.unlink()
                    removed += 1
        except OSError as error:
            raise StoreError(f"can't remove {error.filename}: {error.strerror}") from None
        return removed

    # -- the bot.toml of each bot -----------------------------------------------------------------------------

    def bot_files(self) -> dict[str, str]:
        """By name, the text of the bot.toml of each bot; nothing if no bot has one.

        Raises StoreError.
        """
        return self._read_json(self._bot_files, dict[str, str]) or {}

    def keep_bot_files(self, bots: Mapping[str, str]) -> None:
        """Add or replace the bot.toml of some bots. Raises StoreError."""
        if bots:
            self._write_json(self._bot_files, {**self.bot_files(), **bots})

    def _read_json(self, path: Path, kind: type[T]) -> T | None:
        """What is in a file of the folder; None if there is none. Raises StoreError."""
        try:
            return msgspec.json.decode(read_file(path, MAX_BOT_FILES), type=kind)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise StoreError(f"can't read {path}: {sanitise(error)}; put it back as it was") from None

    def _write_json(self, path: Path, value: object, mode: int = 0o644) -> None:
        try:
            write_durably(path, msgspec.json.encode(value), mode)
        except OSError as error:
            raise StoreError(f"can't write {path}: {error.strerror}") from None

    # -- pseudonyms -------------------------------------------------------------------------------------------

    @cached_property
    def private(self) -> PrivateFacts | None:
        """What isn't published where bots have pseudonyms; None where they have none, and in a published copy.

        Raises StoreError.
        """
        private = self._read_json(self._private_file, PrivateFacts)
        missing = [] if private is None else [bot.name for bot in self.manifest.bots if bot.name not in private.bots]
        if missing:
            raise StoreError(f"{self._private_file} doesn't have {', '.join(missing)}: put it back as it was")
        return private

    def keep_private(self, facts: PrivateFacts) -> None:
        """Raises StoreError."""
        self._write_json(self._private_file, facts, 0o600)
        self.private = facts

    def started_bots(self, published: Iterable[ManifestBot]) -> list[ManifestBot]:
        """Bots of the manifest as they were started, as far as that is known here. Raises StoreError."""
        known = {} if self.private is None else self.private.bots
        return [known.get(bot.name, bot) for bot in published]

    def published_hash(self, name: str, sha256: str | None) -> str | None:
        """What is published in place of the hash of the files of a bot. Raises StoreError."""
        return sha256 if sha256 is None or self.private is None else sealed_hash(self.private.key, name, sha256)

    def late_sources(self, changes: Iterable[AnyChange]) -> list[dict[str, Any]]:
        """The [[bot]] tables of late entries. Raises StoreError."""
        known = {} if self.private is None else self.private.sources
        return [known.get(change.bot.name, change.source) for change in changes if isinstance(change, Joined)]

    # -- openings ---------------------------------------------------------------------------------------------

    def openings(self, regulations: Regulations) -> str:
        """The text of the file of openings, empty if these regulations have none. Raises StoreError."""
        if regulations.opening is UNSET or regulations.opening.file is None:
            return ""
        try:
            data = read_file(self._openings_file, MAX_OPENINGS + 1)
            if hashlib.sha256(data).hexdigest() == regulations.opening.sha256:
                return data.decode()
            problem = "is not the file that the manifest has the hash of"
        except OSError as error:
            problem = f"can't be read: {error.strerror}"
        except UnicodeDecodeError:
            problem = "is not text in UTF-8"
        raise StoreError(f"{self._openings_file} {problem}; put it back as it was")

    # -- records ----------------------------------------------------------------------------------------------

    def record(self, game_id: str) -> Path:
        return self.records / f"{game_id}{RECORD_SUFFIX}"

    def full_record(self, game_id: str) -> Path:
        """With what the published one leaves out, if that is there."""
        full = self.path / "private" / self.record(game_id).name
        return full if is_there(full) else self.record(game_id)

    def write_record(self, game_id: str, data: bytes) -> str:
        """Make the record of a finished game durable. Returns its SHA-256. Raises RecordWriteError and StoreError."""
        path = self.record(game_id)
        published = data if self.private is None else self.private.published_record(data)
        try:
            if published != data:
                private = self.path / "private"
                private.mkdir(mode=0o700, exist_ok=True)
                write_durably(private / path.name, gzip.compress(data, COMPRESSION, mtime=0), 0o600)
            write_durably(path, gzip.compress(published, COMPRESSION, mtime=0))
        except OSError as error:
            raise RecordWriteError(f"can't write the record {path}: {error.strerror}") from None
        return hashlib.sha256(published).hexdigest()

    def read_record(self, game_id: str) -> bytes:
        """The uncompressed record of a game. Raises StoreError, NoSuchRecord if there is none."""
        path = self.record(game_id)
        try:
            return unpack(read_file(path, MAX_RECORD + 1))
        except FileNotFoundError:
            raise NoSuchRecord(f"no record {path}") from None
        except OSError as error:
            raise StoreError(f"can't read the record {path}: {error.strerror}") from None
        except InvalidRecord as error:
            raise StoreError(f"the record {path} is damaged: {error}") from None

    def record_ids(self) -> list[str]:
        """The ids of all games that have a record, and the names of other files beside them. Raises StoreError."""
        try:
            with os.scandir(self.records) as entries:
                return sorted(entry.name.removesuffix(RECORD_SUFFIX) for entry in entries)
        except OSError as error:
            raise StoreError(f"can't read {self.records}: {error.strerror}") from None


def extended_by(path: Path) -> Path | None:
    """The folder of the tournament that one at this path extends, if it is an extension."""
    inside = path.absolute().parent
    whole = inside.parent
    return whole if inside.name == EXTENSIONS and is_there(whole / "manifest.json") else None


@contextlib.contextmanager
def creating(path: Path) -> Iterator[Path]:
    """A new folder beside `path`, to get its name. If it doesn't, it is removed with the parents that were made for it;
    the folders of killed processes are removed too.

    Raises FolderExists, and StoreError.
    """
    if is_there(path) or path.is_symlink():
        raise _exists(path)
    prefix = f".{path.name}.new-"
    draft = path.with_name(prefix + secrets.token_hex(8))
    missing = [parent for parent in path.parents if not is_there(parent)]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f"{glob.escape(prefix)}*"):
            with contextlib.suppress(OSError), _holding(left):
                shutil.rmtree(left)
        draft.mkdir(mode=0o700)
        with _holding(draft):
            yield draft
    except OSError as error:
        if is_there(draft) and is_there(path):  # another process was faster
            raise _exists(path) from None
        raise StoreError(f"can't create the folder {path}: {why_not_written(error)}") from None
    finally:
        if is_there(draft):
            shutil.rmtree(draft, ignore_errors=True)
        with contextlib.suppress(OSError):  # not empty
            for parent in missing:
                parent.rmdir()


@contextlib.contextmanager
def _holding(folder: Path) -> Iterator[None]:
    """Hold a folder that is being built. Raises OSError while another process does."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(fd)


def resume_command(path: Path) -> str:
    """The command that resumes the tournament in this folder, to be copied to a shell."""
    return f"referee tournament resume {shlex.quote(str(path))}"


def _exists(path: Path) -> FolderExists:
    if is_there(path / "manifest.json"):
        return FolderExists(f"{path} already contains a tournament; to resume it: {resume_command(path)}")
    return FolderExists(f"{path} already exists; give another folder with --out, or remove it")
