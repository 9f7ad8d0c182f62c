"""Archives: a tournament with its bots as they were built, its referee and what it ran on, in one file.

The archive is a tar file of the folder, in which there are besides:

    archive.json      an ArchiveIndex
    bots/             HASH.tar.gz, the files of bots; HASH is over the files in it (see `tournaments.play.archives`)
    program/          the source files of the referee, and of the game if it is from elsewhere

Once unpacked it is a folder like others, of which commands use the bots in `bots/`, wherever it is.
"""

import hashlib
import inspect
import os
import platform
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

import msgspec
import tomli_w
from msgspec import UNSET, Struct, UnsetType

from referee.bots.bot_spec import BotSpec
from referee.bots.files_hash import TooMuch, bot_files, hash_bot
from referee.bots.languages import is_interpreter
from referee.errors import RefereeError
from referee.files import find_program, is_there, read_file
from referee.games import Game
from tournaments.event.file.file_as_run import FILE_COMMENT
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.store.durable import TEMPORARY
from tournaments.event.store.errors import FolderInUse, StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.manifest import now
from tournaments.play.archives import (
    MAX_SENT_BYTES,
    PACKAGES,
    ArchiveError,
    Archives,
    add_file,
    add_tree,
    files_hash,
    pack,
    sources_in,
    store,
)

INDEX: Final = "archive.json"
MAX_INDEX: Final = 64 << 20
NOT_ARCHIVED: Final = frozenset((INDEX, "bots", "program", "lock", "requests"))
"""Of the folder: what the archive has of its own, and what only means something while a referee writes."""
VERSION_SECONDS: Final = 10.0
"""That a program may take to say its version."""


class ArchiveExists(RefereeError):
    """There is a file already where an archive is to be written."""


class ArchivedBot(Struct, frozen=True, kw_only=True):
    files: str
    """The hash of its files in the archive."""
    outside: tuple[str, ...] | UnsetType = UNSET
    """Of a bot that is a command: the files that the command names and that are not in the folder in which it runs, so
    that they are not in the archive. Absent for a bot with a folder of its own, which is there as a whole."""


class Program(Struct, frozen=True, kw_only=True):
    """A program that the command of a bot starts, and that is not among its files."""

    path: str
    sha256: str
    version: str | None
    """The first line of what it prints with --version, if it is an interpreter."""


class ArchiveIndex(Struct, frozen=True, kw_only=True):
    """The contents of `archive.json`."""

    schema: int = 1
    made: str
    """Date and time, ISO 8601."""
    system: str
    python: str
    python_packages: dict[str, str]
    """By name, the versions of those that the referee could import."""
    system_packages: dict[str, str]
    """By name, the versions of the packages of a system of the Debian family; else empty."""
    programs: dict[str, Program]
    """By the word in a command."""
    bots: dict[str, ArchivedBot]
    """By name, but for built-in players."""
    without: dict[str, str] = {}
    """By name, the bots whose files are not the ones that played, with what is wrong."""


# -- reading --------------------------------------------------------------------------------------------------


def archive_index(folder: TournamentFolder) -> ArchiveIndex | None:
    """The index of the archive that a folder comes from, or the one that it extends; None if it comes from none.

    Raises StoreError.
    """
    path = archive_of(folder) / INDEX
    try:
        return msgspec.json.decode(read_file(path, MAX_INDEX), type=ArchiveIndex)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise StoreError(f"can't read {path}: {error}; put it back as it was") from None


def archive_of(folder: TournamentFolder) -> Path:
    """The folder that has the index and the bots: its own, or that of the tournament that it extends."""
    return folder.extended or folder.path


def unpacked_bots(folder: TournamentFolder) -> dict[str, Path]:
    """By name, where the files of bots from an archive are, once they are unpacked. Raises StoreError, ArchiveError."""
    index, archives, found = archive_index(folder), Archives(store() / "bots"), {}
    for name, bot in () if index is None else index.bots.items():
        if not archives.has(bot.files):
            packed = sources_in(archive_of(folder) / "bots", bot.files).archive
            try:
                archives.unpack(bot.files, packed.read_bytes())
            except OSError as error:
                raise ArchiveError(f"the files of {name} can't be unpacked: {error}") from None
        found[name] = archives.path(bot.files)
    return found


def read_stored(
    folder: TournamentFolder,
    late: Sequence[Mapping[str, Any]],
    kept: Mapping[str, str],
    *,
    names: Sequence[str] | None = None,
    places: Mapping[str, Path] | None = None,
    run_options: Mapping[str, Any] = {},
) -> TournamentSpec:
    """The tournament by the file in its folder, as `read_tournament`; bots from an archive are those of the archive,
    which by default are unpacked for it.

    Raises TournamentFileError, StoreError and ArchiveError.
    """
    if places is None:
        places = unpacked_bots(folder) if names is None else {}
    return read_tournament(
        folder.file,
        late,
        kept=kept,
        openings=folder.openings(folder.manifest.regulations),
        names=names,
        places=places,
        run_options=run_options,
    )


# -- writing --------------------------------------------------------------------------------------------------


def write_archive(path: Path, output: Path, *, skip_changed: bool = False) -> ArchiveIndex:
    """Write a tournament with its bots to a new file. With `skip_changed`, without those that have changed since.

    Raises NoTournament, StoreError, FolderInUse while the tournament runs, TournamentFileError, ArchiveError, and
    ArchiveExists.
    """
    if is_there(output):
        raise ArchiveExists(f"{output} already exists; give another name")
    folder = TournamentFolder.open(path)
    with ExitStack() as stack:
        try:
            stack.enter_context(folder.lock())
        except FolderInUse:
            raise
        except StoreError:
            pass  # it can only be read, so nobody plays it
        folder.reread()
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-archive-")))
        (temporary / "bots").mkdir()
        bots: dict[str, ArchivedBot] = {}
        without: dict[str, str] = {}
        programs: dict[str, Program] = {}
        places = unpacked_bots(folder)
        for part in (folder, *folder.extensions()):
            late = part.late_sources(load(part, repair=False).progress.events)
            hashes = {bot.name: bot.files_sha256 for bot in part.started_bots(part.manifest.bots)}
            for bot in read_stored(part, late, part.bot_files(), places=places).bots:
                if bot.spec.is_program and bot.spec.name not in bots:
                    try:
                        packed = _packed(bot.spec, hashes[bot.spec.name], temporary, part.path.absolute())
                        bots[bot.spec.name] = packed
                    except RefereeError as error:
                        without[bot.spec.name] = str(error)
                    programs.update(_programs(bot.spec))
        if without and not skip_changed:
            problems = "; ".join(without.values())
            raise ArchiveError(f"{problems}. Put the files back as they were, or leave such bots out: --skip-changed")
        distributions = resolve_name("importlib.metadata:distributions")  # its import takes long
        index = ArchiveIndex(
            made=now(),
            system=platform.platform(),
            python=platform.python_version(),
            python_packages={found.name: found.version for found in distributions()},
            system_packages=_system_packages(),
            programs=programs,
            bots=bots,
            without=without,
        )
        (temporary / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(index), indent=2) + b"\n")
        draft = output.with_name(f".{output.name}{TEMPORARY}")
        try:
            with draft.open("xb") as file, tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as tar:
                draft.chmod(0o600)  # it has the bots, and before the end the seed
                _add_all(tar, folder, temporary, {output.absolute(), draft.absolute()})
            os.link(draft, output)
        except (OSError, TooMuch) as error:
            raise ArchiveError(f"can't write {output}: {error}") from None
        finally:
            draft.unlink(missing_ok=True)
    return index


def _add_all(tar: tarfile.TarFile, folder: TournamentFolder, temporary: Path, exclude: set[Path]) -> None:
    """Add the folder, below its name, with the bots and the index, which are in `temporary`."""
    root, top = folder.path.absolute(), folder.path.resolve().name
    for place, folders, names in os.walk(root):
        inside = Path(place).relative_to(root)
        if place == str(root):
            folders[:] = [name for name in folders if name not in NOT_ARCHIVED]
        own = tarfile.TarInfo(f"{top}/{inside}")
        own.type, own.mode = tarfile.DIRTYPE, 0o700
        tar.addfile(own)
        for name in sorted(names):
            path = Path(place, name)
            if name in NOT_ARCHIVED or name.endswith(TEMPORARY) or path in exclude:
                continue
            if name == folder.file.name:
                path, options = _movable(path, temporary)
                for option, file in options.items():
                    add_file(tar, f"{top}/{inside / option}", file)
            add_file(tar, f"{top}/{inside / name}", path)
    add_tree(tar, temporary / "bots", f"{top}/bots")
    add_file(tar, f"{top}/{INDEX}", temporary / INDEX)
    for package in PACKAGES:
        add_tree(tar, Path(next(iter(package.__path__))), f"{top}/program/{package.__name__}")
    _add_game(tar, folder.manifest.regulations.game_type, f"{top}/program")


def _add_game(tar: tarfile.TarFile, game: type[Game], place: str) -> None:
    """Add the package or module with the rules of a game, unless it is one of the referee's."""
    package, *_ = game.__module__.split(".")
    if package in [known.__name__ for known in PACKAGES]:
        return
    file = Path(inspect.getfile(game))
    parents = game.__module__.count(".") + (file.name == "__init__.py")
    if parents:
        add_tree(tar, file.parents[parents - 1], f"{place}/{package}")
    else:
        add_file(tar, f"{place}/{file.name}", file)


def _movable(path: Path, temporary: Path) -> tuple[Path, dict[str, Path]]:
    """A copy of a tournament file that can be read elsewhere: without the folder, and the command after each round.
    Also the files that options of the game name, by the names that they have there."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    files = {}
    for key, value in table.get("options", {}).items():
        if isinstance(value, str) and (file := Path(table["folder"], value)).is_file():
            table["options"][key] = f"options-{key}"
            files[table["options"][key]] = file
    table["folder"] = "."
    table.get("run", {}).pop("on_round", None)
    copy = temporary / path.name
    copy.write_text(FILE_COMMENT + tomli_w.dumps(table), encoding="utf-8")
    return copy, files


def _packed(bot: BotSpec, sha256: str | None, temporary: Path, exclude: Path) -> ArchivedBot:
    """Pack the files of a bot, which have to be those with this hash. Raises ArchiveError and BotFilesError."""
    outside: list[str] | UnsetType = UNSET
    with tempfile.TemporaryDirectory(dir=temporary) as copied:
        source = bot.folder
        if bot.from_command_line:
            source, outside, found = Path(copied), [], hash_bot(bot, (exclude,))
            for word, place in bot_files(bot):
                name, file = os.fsdecode(word), Path(os.fsdecode(place))
                target = Path(copied, name)
                if not Path(name).is_absolute() and ".." not in target.parts and file.is_relative_to(bot.folder):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(file, target)
                elif "/" in name:
                    outside.append(name)
        else:
            found = files_hash(source, (exclude,), MAX_SENT_BYTES)
        if found != sha256:
            raise ArchiveError(f"{bot.name}: its files in {bot.folder} have changed since its last game")
        files, archive = pack(bot.name, source, (exclude,))
    shutil.move(archive, sources_in(temporary / "bots", files).archive)
    return ArchivedBot(files=files, outside=UNSET if outside is UNSET else tuple(outside))


def _programs(bot: BotSpec) -> Iterator[tuple[str, Program]]:
    """The programs, not among its files, that start a bot and its build."""
    for word in {*bot.argv[:1], *bot.build[:1]}:
        path = find_program(word, bot.folder)
        if path is not None and not path.resolve().is_relative_to(bot.folder):
            with suppress(OSError), path.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
                yield word, Program(path=str(path), sha256=sha256, version=_version(word, path))


def _version(word: str, path: Path) -> str | None:
    if not is_interpreter(word):
        return None
    with suppress(OSError, subprocess.SubprocessError):
        said = subprocess.run([path, "--version"], capture_output=True, timeout=VERSION_SECONDS, check=True)
        lines = (said.stdout + said.stderr).decode(errors="replace").split("\n")
        return lines[0].strip()
    return None


def _system_packages() -> dict[str, str]:
    with suppress(OSError, subprocess.SubprocessError):
        asked = ["dpkg-query", "--show", "--showformat", "${Package}\t${Version}\n"]
        said = subprocess.run(asked, capture_output=True, timeout=VERSION_SECONDS, check=True).stdout
        return dict(line.split("\t", 1) for line in said.decode(errors="replace").splitlines() if "\t" in line)
    return {}
