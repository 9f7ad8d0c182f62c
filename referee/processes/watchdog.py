"""Ends the bots if the referee is killed outright, where no process namespace does.

Runs as a process of its own. Each line on its standard input is `+GROUP` or `-GROUP`, a process group of a bot that
was started or has ended. When the input ends, the referee is gone, and with it all groups that are left must go.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator


class Watchdog:
    """The referee's line to its guardian."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self.pid = process.pid

    def tell(self, sign: str, group: int) -> None:
        """A group was started (+) or has ended (-)."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # a bot killed it: there is no more to be had
            os.write(self._process.stdin.fileno(), f"{sign}{group}\n".encode())


@contextlib.contextmanager
def watchdog() -> "Iterator[Watchdog]":
    """A guardian as long as this lasts."""
    with subprocess.Popen(
        [sys.executable, "-IS", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    ) as process:
        try:
            yield Watchdog(process)
        finally:
            process.kill()


def guard() -> None:
    """Wait for the end of the input, then kill."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        sign, group = line[0], int(line[1:])
        if sign == "+":
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    guard()
