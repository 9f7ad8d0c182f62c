"""Access to paths and files of unknown origin that never blocks, reads without limit or raises unexpected errors."""

import os
import shutil
import stat
from pathlib import Path


class IrregularFile(OSError):
    """The path is a folder, a pipe or a device, not a regular file."""


def read_file(path: Path, most: int) -> bytes:
    """The first `most` bytes of a regular file. Raises OSError, IrregularFile among them."""
    # O_NONBLOCK: opening a pipe without a writer would block. The type is checked after opening, because the path may
    # be replaced in between.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise IrregularFile(0, "is no regular file")
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(fd)


def is_there(path: Path) -> bool:
    """Whether the path exists. False if it is too long, or in a folder that may not be searched."""
    return os.path.exists(path)  # noqa: PTH110 (`Path.exists` raises there)


def is_folder(path: Path) -> bool:
    """Whether the path is a folder. False if it is in a folder that may not be searched."""
    return os.path.isdir(path)  # noqa: PTH112 (`Path.is_dir` raises there)


def find_program(program: str, folder: Path) -> Path | None:
    """The executable that a command run in `folder` starts: on PATH, unless `program` has a slash. None: not found."""
    found = shutil.which(folder / program if "/" in program else program)
    return None if found is None else Path(os.path.normpath(folder / found))
