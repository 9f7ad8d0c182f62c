"""Prepares a bot's folder for a build, and makes it safe afterwards: a build may leave anything in it.

Everything is done through descriptors: the names of a build's files may be links, too long for a path, or in folders
that not even their owner may read.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Container, Generator, Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.processes.sandbox.user_ids import in_use

BUILT_ACCESS: Final = 0o755
"""The most that the mode of a file may allow after a build: only its owner may change it."""
OWNER_ACCESS: Final = stat.S_IRWXU
ACCESS: Final = 0o777
OWNERSHIP_NOTE: Final = "trusted.referee.owner"
"""An extended attribute of a folder that is being built: its previous ownership. Only root can see and set it."""
OPEN_ENTRY: Final = os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
OPEN_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class UnsafeFolderError(RefereeError):
    """Something in a folder could not be made safe. The text says what, and what to do."""


class Ownership(Struct, frozen=True):
    """The owner and mode of a folder."""

    user: int
    group: int
    mode: int

    @classmethod
    def of(cls, status: os.stat_result) -> "Ownership":
        return cls(*_owners(status), stat.S_IMODE(status.st_mode))


class OpenEntry(Struct, frozen=True):
    """A file or folder in a tree, opened by a descriptor that gives no access to its contents."""

    name: str
    folder: int
    """A descriptor of the folder that it is in."""
    descriptor: int
    status: os.stat_result

    def change_mode(self, mode: int) -> None:
        if stat.S_IMODE(self.status.st_mode) != mode:
            os.chmod(_by_descriptor(self.descriptor), mode)  # noqa: PTH101 (not a path)

    def change_owner(self, user: int, group: int) -> None:
        os.chown(self.name, user, group, dir_fd=self.folder, follow_symlinks=False)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.status.st_mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.status.st_mode)

    @property
    def is_channel(self) -> bool:
        """Whether it is a pipe or a socket, through which two processes could talk."""
        return stat.S_ISFIFO(self.status.st_mode) or stat.S_ISSOCK(self.status.st_mode)


def hand_over(folder: Path, user: int, keep: Iterable[str] = ()) -> None:
    """Give a folder and the files in it to the user who builds, except for its entries `keep`.

    Files that don't belong to the folder's owner keep theirs, as do those that only their owner may read, and those
    with several links, some of which may be elsewhere. Raises UnsafeFolderError.
    """
    owner = folder.stat()
    with _errors_as_unsafe(folder):
        with contextlib.suppress(OSError, AttributeError):  # its file system, or this system, may have none
            os.setxattr(folder, OWNERSHIP_NOTE, msgspec.json.encode(Ownership.of(owner)))
        os.chown(folder, user, user)  # first, so that the folder shows that this was interrupted
        for entry in visit(folder, frozenset(keep)):
            status = entry.status
            single = entry.is_folder or status.st_nlink == 1
            if _owners(status) == _owners(owner) and single and status.st_mode & stat.S_IROTH:
                entry.change_owner(user, user)


def take_back(folder: Path, users: Container[int] = (), owner: Ownership | None = None) -> None:
    """Make a folder safe after a build: no pipe or socket is left in it, no set-user-ID or set-group-ID file, nor one
    that others may write to.

    `users`: those who may have built; all their files become the `owner`'s again, and readable for the users that bots
    run as. Raises UnsafeFolderError.
    """

    with _errors_as_unsafe(folder):
        for entry in visit(folder):
            if entry.is_channel:
                os.unlink(entry.name, dir_fd=entry.folder)
                continue
            mode = stat.S_IMODE(entry.status.st_mode)
            has_mode = entry.is_folder or entry.is_file
            if owner is not None and entry.status.st_uid in users:
                entry.change_owner(owner.user, owner.group)
                if has_mode:
                    readable = 0o555 if entry.is_folder or mode & stat.S_IXUSR else 0o444
                    entry.change_mode((mode | readable) & BUILT_ACCESS)
            elif has_mode and (entry.status.st_uid == os.geteuid() or entry.status.st_uid in users):
                entry.change_mode(mode & BUILT_ACCESS)
        if owner is not None:  # last, so that the folder shows that this was interrupted
            os.chown(folder, owner.user, owner.group)
            folder.chmod(owner.mode)
            with contextlib.suppress(OSError, AttributeError):
                os.removexattr(folder, OWNERSHIP_NOTE)


def repair(folder: Path, users: Container[int]) -> bool:
    """Take a folder back from a build that was interrupted, such as by the end of its referee. True if there was one.

    `users`: those who build. The referee must run as root. If the file system did not keep the ownership of the
    folder, its parent's is used. Raises UnsafeFolderError, also if a process of that user is running.
    """
    with _errors_as_unsafe(folder):
        status = folder.stat()
        if status.st_uid not in users:
            return False
        if status.st_uid in in_use():
            raise UnsafeFolderError(
                f"{folder} is being built by another referee, as user {status.st_uid}; wait until it has been built"
            )
        try:
            owner = msgspec.json.decode(os.getxattr(folder, OWNERSHIP_NOTE), type=Ownership)
        except (OSError, AttributeError, msgspec.DecodeError):
            above = next(each for each in map(Path.stat, folder.absolute().parents) if each.st_uid not in users)
            owner = Ownership(*_owners(above), stat.S_IMODE(status.st_mode) & ACCESS | 0o755)
        take_back(folder, users, owner)
    return True


def find_repositories(folder: Path) -> set[tuple[int, int]]:
    """What makes a folder a repository of Git, anywhere in a folder: each `.git`, and each HEAD of a bare repository.

    As device and inode. Raises UnsafeFolderError.
    """
    with _errors_as_unsafe(folder):
        entries = visit(folder, readable_only=True)
        return {(entry.status.st_dev, entry.status.st_ino) for entry in entries if _is_repository(entry)}


def remove_repositories(folder: Path, before: Container[tuple[int, int]]) -> int:
    """Remove the repositories that were not there before a build. Returns their number. Raises UnsafeFolderError."""
    removed = 0
    with _errors_as_unsafe(folder):
        for entry in visit(folder):
            if _is_repository(entry) and (entry.status.st_dev, entry.status.st_ino) not in before:
                removed += 1
                if entry.is_folder:
                    shutil.rmtree(entry.name, dir_fd=entry.folder)
                else:
                    os.unlink(entry.name, dir_fd=entry.folder)
    return removed


def _is_repository(entry: OpenEntry) -> bool:
    """Whether Git would take the folder of this entry for a repository because of it."""
    if entry.name.casefold() == ".git":
        return True
    if entry.name.casefold() != "head":
        return False
    return {"objects", "refs"} <= {name.casefold() for name in os.listdir(entry.folder)}  # noqa: PTH208 (no path)


def find_channel(folder: Path) -> str | None:
    """The name of a pipe or socket somewhere in a folder, if there is one. Folders that can't be read are skipped."""
    with contextlib.suppress(OSError):
        return next((entry.name for entry in visit(folder, readable_only=True) if entry.is_channel), None)
    return None


def visit(folder: Path, skip: frozenset[str] = frozenset(), *, readable_only: bool = False) -> Iterator[OpenEntry]:
    """Everything below a folder, each folder before its contents, and open only until the next one.

    Folders are made accessible to their owner, or skipped if they aren't (`readable_only`). `skip`: names directly in
    the folder. However deep the tree is, only a few descriptors are open at a time. Raises OSError.
    """
    here = os.open(folder, OPEN_FOLDER)
    try:
        waiting = [(yield from _entries(here, skip))]
        above: list[tuple[int, int]] = []
        while waiting:
            name = next(iter(waiting[-1]), None)
            if name is None:
                waiting.pop()
                if above:
                    here = _replace(here, os.open("..", OPEN_FOLDER, dir_fd=here))
                    if _identity(here) != above.pop():
                        raise OSError(0, "somebody is moving folders in it")
                continue
            waiting[-1].remove(name)
            child = _enter(name, here, readable_only=readable_only)
            if child is not None:
                above.append(_identity(here))
                here = _replace(here, child)
                waiting.append((yield from _entries(here, frozenset())))
    finally:
        os.close(here)


def _entries(folder: int, skip: frozenset[str]) -> Generator[OpenEntry, None, set[str]]:
    """Each entry of an open folder. Returns the names of the folders in it."""
    inner = set()
    for name in os.listdir(folder):
        if name in skip:
            continue
        with _opened(name, folder) as descriptor:
            if descriptor is None:
                continue
            entry = OpenEntry(name, folder, descriptor, os.fstat(descriptor))
            yield entry
            if entry.is_folder:
                inner.add(name)
    return inner


@contextlib.contextmanager
def _opened(name: str, folder: int) -> Iterator[int | None]:
    """An open entry of a folder, without following links; None if it is gone, or can't be opened at all."""
    try:
        descriptor = os.open(name, OPEN_ENTRY, dir_fd=folder)
    except OSError:
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _enter(name: str, folder: int, *, readable_only: bool) -> int | None:
    """A descriptor for the contents of a folder; None if it may not be read and should stay so."""
    with _opened(name, folder) as descriptor:
        if descriptor is None:
            return None
        status = os.fstat(descriptor)
        mode = stat.S_IMODE(status.st_mode)
        if not readable_only and mode & OWNER_ACCESS != OWNER_ACCESS and status.st_uid == os.geteuid():
            os.chmod(_by_descriptor(descriptor), mode | OWNER_ACCESS)  # noqa: PTH101
        try:
            return os.open(".", OPEN_FOLDER, dir_fd=descriptor)
        except PermissionError:
            if readable_only:
                return None
            raise


def _by_descriptor(descriptor: int) -> int | str:
    """The argument of chmod(2) for an open entry. One opened with O_PATH has a path, but no fchmod(2)."""
    return f"/proc/self/fd/{descriptor}" if hasattr(os, "O_PATH") else descriptor


def _replace(old: int, new: int) -> int:
    os.close(old)
    return new


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def _owners(status: os.stat_result) -> tuple[int, int]:
    return status.st_uid, status.st_gid


@contextlib.contextmanager
def _errors_as_unsafe(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, RecursionError) as error:  # RecursionError: folders in folders, to be removed
        problem = getattr(error, "strerror", None) or error
        raise UnsafeFolderError(
            f"{folder} could not be made safe after the build ({problem}): delete what the build "
            "created, and find out what it did"
        ) from None
