"""Finds in /proc what hostile bots may have left behind, however their processes escaped."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MAX_GROWTH_MB: Final = 64
"""MiB by which the referee may grow at any moment of a run, whatever bots send it."""
MIB: Final = 1024 * 1024


def processes_of(folder: Path) -> dict[int, str]:
    """Every process with a file of this folder on its command line, or one below it as its working directory."""
    found = {}
    place = os.fsencode(folder)
    for name in os.listdir("/proc"):  # noqa: PTH208 (many tests do this, and there are hundreds of processes)
        with contextlib.suppress(OSError):  # gone by now, or none
            if name.isdigit() and int(name) != os.getpid():
                with open(f"/proc/{name}/cmdline", "rb") as file:  # noqa: PTH123
                    command = file.read()
                if place in command or _works_in(name, place):
                    found[int(name)] = command.replace(b"\0", b" ").decode(errors="replace")
    return found


def _works_in(pid: str, folder: bytes) -> bool:
    """Whether the working directory of a process lies there."""
    with contextlib.suppress(OSError):
        return (os.readlink(f"/proc/{pid}/cwd".encode()) + b"/").startswith(folder + b"/")  # noqa: PTH115
    return False


@contextlib.contextmanager
def no_processes_left(folder: Path) -> Iterator[None]:
    """Check after the block that no process of this folder is left; one that is left is killed, and the test fails."""
    try:
        yield
    finally:
        left = processes_of(folder)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert left == {}


class PeakMemory:
    """By how much the memory of this process has grown, at its peak, since this was made."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5")  # forget the earlier peak
        self._before = _status("VmRSS")

    def growth(self) -> float:
        """In MiB."""
        return (_status("VmHWM") - self._before) / MIB


def _status(name: str) -> int:
    """Bytes from /proc/self/status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
