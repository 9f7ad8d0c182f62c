"""Looking at paths and files that others made: never a pipe that hangs, never more than is wanted, never a surprise."""

import os
import shutil
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


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder, so far as one may know: a path may be too long, or forbidden to us."""
    return os.path.exists(path)  # noqa: PTH110 (`Path.exists` raises there)


def is_folder(path: Path) -> bool:
    """Whether there is such a folder, so far as one may know: PATH and the like may lead where only others may look."""
    return os.path.isdir(path)  # noqa: PTH112 (`Path.is_dir` raises there)


def find_program(program: str, folder: Path) -> Path | None:
    """The executable file that a command run in `folder` starts: on PATH, unless its name has a slash."""
    found = shutil.which(folder / program if "/" in program else program)
    return None if found is None else Path(os.path.normpath(folder / found))
