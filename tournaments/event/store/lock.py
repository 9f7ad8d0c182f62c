"""One writer at a time: a lock on a folder that ends with the process that holds it."""

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
from tournaments.event.store.durable import write_all
from tournaments.event.store.errors import FolderInUse, StoreError

MAX_HOLDER: Final = 4096


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
