"""Kills all bots if the referee is killed. It is used without a sandbox, where no process namespace does that.

The watchdog is a separate process. Each line on its standard input is `+GROUP` or `-GROUP`: the process group of a bot
that was started or has ended. When the input ends, the referee has ended, and the watchdog kills the remaining groups.
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
        """Add a process group that was started."""
        self._send(f"+{group}\n")

    def remove(self, group: int) -> None:
        """Remove a process group that has ended."""
        self._send(f"-{group}\n")

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # a bot killed the watchdog: the match continues without one
            os.write(self._process.stdin.fileno(), line.encode())


@contextlib.contextmanager
def run_watchdog() -> "Iterator[Watchdog]":
    """Run a watchdog process for the duration of the block."""
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
    """Wait for the end of the input, then kill the remaining groups."""
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
