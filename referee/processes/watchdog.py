"""Kills the bots if the referee is killed, where no process namespace does.

Runs as a process of its own. Each line on its standard input is `+GROUP` or `-GROUP`, a process group of a bot that
was started or has ended. When the input ends, the referee is gone, and the watchdog kills all groups that are left.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator


class Watchdog:
    """The referee's end of the pipe to its watchdog."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self.pid = process.pid

    def add(self, group: int) -> None:
        """A process group was started."""
        self._send(f"+{group}\n")

    def remove(self, group: int) -> None:
        """A process group has ended."""
        self._send(f"-{group}\n")

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # a bot killed the watchdog: the match goes on without one
            os.write(self._process.stdin.fileno(), line.encode())


@contextlib.contextmanager
def run_watchdog() -> "Iterator[Watchdog]":
    """A watchdog as long as the block lasts."""
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


def main() -> None:
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
    main()
