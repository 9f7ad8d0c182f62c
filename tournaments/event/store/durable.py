"""Files that are either complete and durable or absent, whenever the machine stops; and one writer at a time: a lock on
a folder that ends with the process that holds it."""

import contextlib
import fcntl
import os
import shlex
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.printable import printable
from tournaments.event.store.errors import FolderInUse, StoreError

TEMPORARY: Final = ".temporary"
"""The suffix of files that are being written. No other file has it."""
MAX_HOLDER: Final = 4096


def write_durably(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file, or replace it, in one step: to a temporary name, sync, rename, sync the folder. Raises OSError.

    After an error, or after the process was killed, the old file is as it was.
    """
    temporary = path.with_name(path.name + TEMPORARY)
    try:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
        try:
            write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data`. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Raises OSError."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


class Holder(Struct, frozen=True):
    pid: int
    host: str
    since: str
    command: str


@contextlib.contextmanager
def locked(path: Path, since: str) -> Iterator[None]:
    """Hold the lock in the file `path`, which is created if it is missing. Raises FolderInUse, and StoreError.

    `since`: the date and time, to be shown to others.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StoreError(
            f"can't write to {path.parent}: {error.strerror}; make it writable, or copy it to a writable place"
        ) from None
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderInUse(
                f"{path.parent} is in use by {_format_holder(fd)}; wait until it has ended, or stop it"
            ) from None
        except OSError as error:
            raise StoreError(f"can't lock {path}: {error.strerror}; use a disk of this machine") from None
        with contextlib.suppress(OSError):  # only informs others: a full disk must not prevent resuming
            holder = Holder(pid=os.getpid(), host=socket.gethostname(), since=since, command=shlex.join(sys.argv))
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)
            write_all(fd, msgspec.json.encode(holder)[:MAX_HOLDER])
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(fd, 0)
    finally:
        os.close(fd)


def _format_holder(fd: int) -> str:
    try:
        holder = msgspec.json.decode(os.pread(fd, MAX_HOLDER, 0), type=Holder)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return "another process"
    where = "" if holder.host == socket.gethostname() else f" on {printable(holder.host, 60)}"
    command = printable(holder.command, 200)
    return f"process {holder.pid}{where} since {printable(holder.since, 40)} ({command})"
