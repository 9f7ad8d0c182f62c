"""Files that are either complete and durable or absent, whenever the machine stops."""

import contextlib
import os
from pathlib import Path
from typing import Final

TEMPORARY: Final = ".temporary"
"""The suffix of files that are being written. No other file has it."""


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
