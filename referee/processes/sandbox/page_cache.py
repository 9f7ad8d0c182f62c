"""Drops files from the kernel's page cache, so that no later process can find out which of their pages were read.

Also a program, as a walk over 100,000 files would hold up the referee: it reads paths from standard input, separated by
null bytes, and its argument is the number of seconds that it may take. Exit status: 0 done, 1 out of time.
"""

import contextlib
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Final

READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
LIST_READ_SIZE: Final = 1024 * 1024


def forget(paths: Iterable[str], deadline: float) -> bool:
    """Drop all files in these folders, and these files, from the page cache (posix_fadvise(2), which any user may use).

    Pages that a living process has mapped stay. False if time.monotonic() passed the deadline before the last file.
    """
    for path in _files(paths):
        with contextlib.suppress(OSError):
            fd = os.open(path, READ_FLAGS)
            try:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(fd)
        if time.monotonic() >= deadline:
            return False
    return True


def load(path: str) -> None:
    """Read a file into the page cache. Raises OSError."""
    fd = os.open(path, READ_FLAGS)
    try:
        while os.read(fd, LIST_READ_SIZE):
            pass
    finally:
        os.close(fd)


def _files(paths: Iterable[str]) -> Iterator[str]:
    """The regular files among these paths and in these folders; links are not followed."""
    folders = []
    for path in paths:
        with contextlib.suppress(OSError):
            mode = os.lstat(path).st_mode
            if stat.S_ISDIR(mode):
                folders.append(path)
            elif stat.S_ISREG(mode):
                yield path
    while folders:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    yield entry.path


if __name__ == "__main__":
    given = os.fsdecode(sys.stdin.buffer.read()).split("\0")
    sys.exit(0 if forget(given, time.monotonic() + float(sys.argv[1])) else 1)
