"""Waiting for files to be created, written or closed (Linux inotify), to act on a process at that moment."""

import ctypes
import os
import select
import struct
import sys
import time
from pathlib import Path
from typing import Final, Self

import pytest

from tests.timeouts import TEST_TIMEOUT

IN_CREATE: Final = 0x100
IN_MODIFY: Final = 0x2
IN_CLOSE_WRITE: Final = 0x8
IN_MOVED_TO: Final = 0x80
"""As in <sys/inotify.h>."""
EVENT: Final = struct.Struct("iIII")

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


class FolderEvents:
    """The events of one kind in a folder, from when this was made."""

    def __init__(self, folder: Path, kind: int) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_CLOEXEC)
        assert self._fd >= 0
        assert libc.inotify_add_watch(self._fd, os.fsencode(folder), kind) >= 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._fd)

    def wait_for(self, count: int, suffix: str) -> None:
        """Wait until there were so many events of files whose names end so."""
        until = time.monotonic() + TEST_TIMEOUT
        while count > 0:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, until - time.monotonic()))
            assert ready, f"{count} more events of *{suffix} were expected"
            data = os.read(self._fd, 65536)
            while data:
                *_, length = EVENT.unpack_from(data)
                name, data = data[EVENT.size : EVENT.size + length], data[EVENT.size + length :]
                count -= name.rstrip(b"\0").endswith(suffix.encode())
