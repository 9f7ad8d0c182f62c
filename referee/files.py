"""Reading files that others made: never a pipe that hangs, never more than is wanted."""

import os
import stat
from pathlib import Path


class IrregularFile(OSError):
    """It is no file with content of its own, but a folder, a pipe or a device."""


def read_file(path: Path, most: int) -> bytes:
    """The first `most` bytes of a regular file. Raises OSError, IrregularFile among them."""
    # Opened without waiting, for a pipe may have nobody at its other end; and looked at only then, for what was there
    # before may have been replaced.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise IrregularFile(0, "is no regular file")
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(fd)
