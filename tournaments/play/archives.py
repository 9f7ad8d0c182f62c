"""The files of bots as archives, by the hash of the files: those that other machines are sent, and keep; and those that
the archive of a tournament holds. And the hash of the files of the program itself: all processes that play games of one
run have to have imported the same ones."""

import contextlib
import hashlib
import inspect
import io
import os
import shutil
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import UNSET, Struct, UnsetType

import protocol
import referee
import tournaments
from referee.bots.bot_spec import BotSpec
from referee.bots.files_hash import MAX_BYTES, MAX_HASHED_FILES, TooMuch, tree_files, tree_lines
from referee.errors import RefereeError
from referee.games import Game
from referee.processes.sandbox.visibility import KIT_TEMPLATES

MAX_SENT_BYTES: Final = 4 << 30
"""Of the files of a bot: each machine of a cluster has to write them."""
STORE_VARIABLE: Final = "REFEREE_STORE"
"""The environment variable that names the folder for the files of bots, in place of the user's cache."""
PART_BYTES: Final = 4 << 20
"""Bytes of an archive that are sent at a time: they pass through the scheduler."""
PACKAGES: Final = (protocol, referee, tournaments)
"""The packages of the program."""


class ArchiveError(RefereeError):
    """The files of a bot can't be packed, or unpacked. The text says why."""


def store() -> Path:
    """The folder in which this machine keeps the files of bots that it unpacks. Workers of Dask share it."""
    given = os.environ.get(STORE_VARIABLE)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")  # noqa: PTH111, PTH118
    return Path(os.path.realpath(given or Path(cache, "referee")))


class Sources(Struct, frozen=True, kw_only=True):
    """The sources of a bot, from which machines build it. Made by `pack_sources`."""

    sha256: str
    """Their hash, as of a bot's files."""
    archive: Path


def sources_in(folder: Path, sha256: str) -> Sources:
    """The sources with this hash, in a folder of such archives."""
    return Sources(sha256=sha256, archive=folder / f"{sha256}.tar.gz")


def sources_sha256(sources: Mapping[str, Sources], name: str) -> str | UnsetType:
    """The hash of the sources of a bot, absent if machines don't build it."""
    found = sources.get(name)
    return UNSET if found is None else found.sha256


def files_hash(folder: Path, exclude: Collection[Path] = (), max_bytes: int = MAX_BYTES) -> str:
    """The hash of the files of a bot, as in the manifest of a tournament. Raises OSError, and TooMuch."""
    return hashlib.sha256(b"".join(tree_lines(folder, exclude, max_bytes))).hexdigest()


def pack(name: str, folder: Path, exclude: Collection[Path] = ()) -> tuple[str, Path]:
    """The hash of the files of the bot with this name, and a temporary file with their archive. Raises ArchiveError."""
    descriptor, path = tempfile.mkstemp(prefix="referee-bot-", suffix=".tar.gz")
    packed = Path(path)
    try:
        with contextlib.ExitStack() as failed:
            failed.callback(packed.unlink, missing_ok=True)
            before = files_hash(folder, exclude, MAX_SENT_BYTES)
            with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar:
                add_tree(tar, folder, exclude=exclude)
            if files_hash(folder, exclude, MAX_SENT_BYTES) != before:
                raise ArchiveError(f"{name}: files in {folder} change while they are packed")
            failed.pop_all()
            return before, packed
    except TooMuch as error:
        raise ArchiveError(
            f"{name}: {folder} has over {error}, the limit for files that are packed; move what the"
            " bot doesn't need out of it (a sparse file counts with its length)"
        ) from None
    except OSError as error:
        raise ArchiveError(f"{name}: its files can't be packed: {error}") from None


def pack_sources(bots: Iterable[BotSpec], folder: Path, exclude: Collection[Path] = ()) -> dict[str, Sources]:
    """Pack the files of all bots that have a build command, or share the folder of one, before they are built.

    The archives are in `folder`; the result is by the name of the bot. Raises ArchiveError.
    """
    programs = [bot for bot in bots if bot.is_program and not bot.from_command_line]
    packed: dict[Path, Sources] = {}
    for bot in programs:
        if bot.build and bot.folder not in packed:
            files, archive = pack(bot.name, bot.folder, exclude)
            packed[bot.folder] = sources_in(folder, files)
            try:
                folder.mkdir(mode=0o700, exist_ok=True)
                shutil.move(archive, packed[bot.folder].archive)
            except OSError as error:
                raise ArchiveError(f"the sources of {bot.name} can't be written to {folder}: {error}") from None
            finally:
                archive.unlink(missing_ok=True)
    return {bot.name: packed[bot.folder] for bot in programs if bot.folder in packed}


def add_tree(archive: tarfile.TarFile, folder: Path, place: str = "", exclude: Collection[Path] = ()) -> None:
    """Add the files of a folder, but caches, below `place`. Raises OSError and TooMuch."""
    for member, path in tree_files(folder, exclude):
        add_file(archive, os.path.join(place, os.fsdecode(member)), Path(os.fsdecode(path)))  # noqa: PTH118


def add_file(archive: tarfile.TarFile, name: str, path: Path) -> None:
    """Add a file or a link, without its owner and time. Raises OSError."""
    member = tarfile.TarInfo(name)
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        member.type, member.linkname = tarfile.SYMTYPE, os.readlink(path)  # noqa: PTH115 (as it is)
        archive.addfile(member)
    elif stat.S_ISREG(status.st_mode):
        member.size, member.mode = status.st_size, stat.S_IMODE(status.st_mode)
        with path.open("rb") as content:
            archive.addfile(member, content)
    else:
        raise OSError(f"{path} is neither a file nor a link")


def extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Extract files and links as `add_file` adds them, each only where nothing is yet. Raises OSError for anything else
    but folders.

    Not by `extractall`, which is safe only with a filter, and these came with Python 3.11.4.
    """
    root, left = folder.resolve(), MAX_SENT_BYTES
    for number, member in enumerate(archive):
        if number > MAX_HASHED_FILES:
            raise OSError(f"the archive has over {MAX_HASHED_FILES:,} files")
        if member.isdir():
            continue
        left -= member.size
        if left < 0:
            raise OSError(f"the files in the archive take over {MAX_SENT_BYTES >> 30} GiB")
        if not (member.isreg() or member.issym()):
            raise OSError(f"{member.name!r} in the archive is neither a file nor a link")
        path = place_in(root, member.name)
        content = archive.extractfile(member) if member.isreg() else None
        if content is None:
            path.symlink_to(member.linkname)
            continue
        with path.open("xb") as file, content:
            shutil.copyfileobj(content, file)
        path.chmod(0o755 if member.mode & stat.S_IXUSR else 0o644)


def place_in(root: Path, name: str) -> Path:
    """The path of a file with this name in an archive below `root`, which has no links; its folder is made. Raises
    OSError."""
    path = root / name
    inside = path.is_relative_to(root) and path != root and ".." not in path.parts
    # Resolved before anything is made there: links of the archive may lead anywhere.
    if not inside or path.parent.resolve() != path.parent:
        raise OSError(f"{name!r} in the archive is not a path below its folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


class Archives:
    """The archives that a machine keeps in a folder, unpacked: `FOLDER/HASH`. Several processes may use it at a time.

    Everything in it is read-only, and everybody may read it, as bots may run as users of their own.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, files: str) -> Path:
        return self._folder / files

    def has(self, files: str) -> bool:
        """Whether the files with this hash are here, unchanged."""
        try:
            return files_hash(self.path(files)) == files
        except (OSError, TooMuch):
            return False

    def unpack(self, files: str, archive: bytes) -> None:
        """Unpack an archive. Raises ArchiveError if it doesn't hold the files with this hash."""
        self._folder.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=f".{files[:12]}-", dir=self._folder))
        try:
            with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as content:
                extract(content, place)
            if files_hash(place) != files:
                raise ArchiveError(f"the archive {files[:12]}… doesn't contain the files with that hash")
            make_read_only(place)
            if self.path(files).exists() and not self.has(files):
                remove_tree(self.path(files))
            with contextlib.suppress(FileExistsError):
                place.rename(self.path(files))
        except (OSError, ValueError, EOFError, zlib.error, tarfile.TarError) as error:
            if not self.has(files):  # another process may have unpacked it at the same time
                raise ArchiveError(f"the files of a bot can't be unpacked in {self._folder}: {error}") from None
        finally:
            if place.exists():
                remove_tree(place)


def make_read_only(folder: Path) -> None:
    """Let everybody read a tree, and nobody write to it."""
    for place, _, files in os.walk(folder):
        for name in files:
            path = Path(place, name)
            if not path.is_symlink():
                mode = stat.S_IMODE(path.stat().st_mode)
                path.chmod(0o555 if mode & stat.S_IXUSR else 0o444)
    for place, *_ in os.walk(folder, topdown=False):
        Path(place).chmod(0o555)


def remove_tree(folder: Path) -> None:
    """Remove a tree that may be read-only. What can't be removed stays."""
    for place, *_ in os.walk(folder):
        with contextlib.suppress(OSError):
            Path(place).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def program_hash() -> str:
    """The SHA-256 of the modules of the program, without what they import from elsewhere."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        root = Path(next(iter(package.__path__)))
        for name, path in tree_files(root, [KIT_TEMPLATES]):
            if name.endswith(b".py"):
                content = Path(os.fsdecode(path)).read_bytes()
                digest.update(b"%s %s\n" % (name, hashlib.sha256(content).hexdigest().encode()))
    return digest.hexdigest()


@cache
def imported_hash(game: type[Game]) -> str:
    """The hash of the program and of the module of a game as they were when this process asked first."""
    return hashlib.sha256(program_hash().encode() + Path(inspect.getfile(game)).read_bytes()).hexdigest()
