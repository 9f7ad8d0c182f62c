"""Takes in the versions of an entrant: from the present state of a folder, commits or tags of Git, or archives.

Folders of entrants are untrusted. Of a repository, whose settings could name programs, only the part of Git is run that
serves strangers (`upload-pack`): a copy of it is made first, and everything else is done in that.
"""

import contextlib
import os
import re
import resource
import shutil
import stat
import subprocess
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple

from referee.bots.files_hash import MAX_HASHED_FILES
from referee.errors import RefereeError
from referee.files import find_tool, is_folder, is_there
from referee.printable import sanitise
from tournaments.play.archives import MAX_SENT_BYTES, ArchiveError, extract, pack, place_in, remove_tree

ARCHIVES: Final = re.compile(r"\.(zip|tar|tgz|tar\.(gz|xz|bz2))$", re.IGNORECASE)
GIT_SECONDS: Final = 300.0
TAGS_BY_TIME: Final = "--format=%(refname:short)%09%(objectname)"


class IntakeError(RefereeError):
    """The versions of an entrant can't be read. The text says why, for its author."""


class Found(NamedTuple):
    """A version that may be new."""

    origin: str
    source: str
    unpack: Callable[[Path], Path]
    """Puts its files into an empty folder; the folder where they are then. Raises IntakeError and OSError."""


@contextlib.contextmanager
def found_versions(folder: Path, git: Literal["commits", "tags"]) -> Iterator[list[Found]]:
    """The versions in the folder of an entrant, the oldest first. Raises IntakeError and OSError."""
    names = set(os.listdir(folder))  # noqa: PTH208 (no path)
    with tempfile.TemporaryDirectory(prefix="referee-git-") as temporary:
        if ".git" in names or {"HEAD", "objects", "refs"} <= names:
            yield _in_repository(folder, Path(temporary), git)
        elif "bot.toml" not in names and (archives := [name for name in names if ARCHIVES.search(name)]):
            yield sorted_archives(folder, archives)
        else:
            yield [Found("", "folder", lambda _: folder)]


def keep(found: Found, name: str, versions: Path) -> str:
    """Keep the files of a version as `HASH.tar.gz` among `versions`. Returns the hash. Raises IntakeError."""
    with tempfile.TemporaryDirectory(prefix="referee-intake-", dir=versions) as temporary:
        try:
            root = _root_of(found.unpack(Path(temporary).resolve()))
            sha256, archive = pack(name, root)
            if not is_there(kept := versions / f"{sha256}.tar.gz"):
                shutil.move(archive, Path(temporary, "packed"))
                Path(temporary, "packed").replace(kept)
            archive.unlink(missing_ok=True)
        except (OSError, ValueError, EOFError, zlib.error, RuntimeError, tarfile.TarError, zipfile.BadZipFile) as error:
            raise IntakeError(sanitise(f"{found.source} can't be read: {error}", 300)) from None
        except ArchiveError as error:
            raise IntakeError(str(error)) from None
        return sha256


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a version that `keep` has kept into a new folder, also over what an interrupted one has left."""
    remove_tree(folder)
    folder.mkdir(parents=True)
    with tarfile.open(archive) as content:
        extract(content, folder)


def _root_of(folder: Path) -> Path:
    """The folder with the bot: this one, or the only one in it that has a bot.toml."""
    if is_there(folder / "bot.toml"):
        return folder
    inner = [path for path in folder.iterdir() if is_there(path / "bot.toml") and not path.is_symlink()]
    return inner[0] if len(inner) == 1 else folder


# -- archives -------------------------------------------------------------------------------------------------


def sorted_archives(folder: Path, names: list[str]) -> list[Found]:
    found = []
    for name in names:
        status = (folder / name).lstat()
        if stat.S_ISREG(status.st_mode):
            found.append((status.st_mtime_ns, name, status.st_size))
    return [
        Found(f"{name}:{time}:{size}", sanitise(name, 60), partial(_unpack_archive, folder / name))
        for time, name, size in sorted(found)
    ]


def _unpack_archive(path: Path, folder: Path) -> Path:
    if path.suffix.lower() == ".zip":
        _extract_zip(path, folder)
    else:
        with tarfile.open(path) as archive:
            extract(archive, folder)
    return folder


def _extract_zip(path: Path, folder: Path) -> None:
    """Extract the files of a ZIP archive; links in it become files. Raises OSError."""
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if sum(member.file_size for member in members) > MAX_SENT_BYTES:
            raise OSError(f"the files in the archive take over {MAX_SENT_BYTES >> 30} GiB")
        if len(members) > MAX_HASHED_FILES:
            raise OSError(f"the archive has over {MAX_HASHED_FILES:,} files")
        for member in members:
            if member.filename.startswith("__MACOSX/"):
                continue
            place = place_in(folder, member.filename)
            with archive.open(member) as content, place.open("xb") as file:
                shutil.copyfileobj(content, file)
            place.chmod(0o755 if member.external_attr >> 16 & stat.S_IXUSR else 0o644)


# -- Git ------------------------------------------------------------------------------------------------------


def _in_repository(folder: Path, temporary: Path, git: Literal["commits", "tags"]) -> list[Found]:
    """The newest commit, or all tags, of a repository. `temporary`: an empty folder, for as long as they are used."""
    program = find_tool("git", [folder])
    if program is None:
        raise IntakeError("it is a Git repository, and this machine has no git")
    repository = folder / ".git" if is_there(folder / ".git") else folder
    linked = repository.is_symlink() or any(part.is_symlink() for part in repository.rglob("*"))
    if linked or not is_folder(repository) or is_there(repository / "objects/info/alternates"):
        raise IntakeError("its Git repository is a link, a worktree, or borrows from another repository: give a clone")
    (temporary / "config").write_text(
        '[safe]\n\tdirectory = *\n[protocol]\n\tallow = never\n[protocol "file"]\n\tallow = always\n'
    )
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(temporary),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(temporary / "config"),
        "GIT_TERMINAL_PROMPT": "0",
    }

    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    limit = MAX_SENT_BYTES if hard == resource.RLIM_INFINITY else min(MAX_SENT_BYTES, hard)
    # A few kilobytes of a repository can stand for files of any size.
    limited = ["/bin/sh", "-c", f'ulimit -f {limit // 512} && exec "$0" "$@"', program]

    def run(place: Path, command: str, *words: str | Path) -> str:
        try:
            done = subprocess.run(
                [*limited, command, *words],
                env=environment,
                cwd=place,
                capture_output=True,
                timeout=GIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise IntakeError(f"git took over {GIT_SECONDS:g} s") from None
        if done.returncode:
            problem = done.stderr.decode(errors="replace").strip().replace("\n", "; ")
            how = f"failed: {problem}" if problem else f"was killed, or a file exceeded {limit / (1 << 30):g} GiB"
            raise IntakeError(sanitise(f"git {command} {how}", 300))
        return done.stdout.decode(errors="replace")

    run(temporary, "clone", "--quiet", "--bare", "--no-local", repository.absolute(), "copy.git")
    copy = temporary / "copy.git"

    def found(origin: str, source: str) -> Found:
        def unpack_commit(place: Path) -> Path:
            run(copy, "archive", "--output", temporary / "files.tar", origin.rpartition(" ")[2])
            with tarfile.open(temporary / "files.tar") as archive:
                extract(archive, place)
            return place

        return Found(origin, source, unpack_commit)

    if git == "commits":
        if not run(copy, "for-each-ref", "--count=1"):
            raise IntakeError("its Git repository has no commit yet")
        commit = run(copy, "rev-parse", "--verify", "HEAD^{commit}").strip()
        return [found(commit, f"commit {commit[:7]}")]
    lines = run(copy, "for-each-ref", "--sort=creatordate", TAGS_BY_TIME, "refs/tags").splitlines()
    tags = [line.partition("\t")[::2] for line in lines]
    return [found(f"{tag} {commit}", f"tag {sanitise(tag, 40)}") for tag, commit in tags]
