"""Actions between rounds: stop at a time of day, run a command."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from datetime import datetime
from datetime import time as time_of_day
from pathlib import Path
from typing import BinaryIO, Final

import trio

from referee.processes.procfs import descendants
from tournaments.event.file.tournament_spec import next_stop

HOOK_TIMEOUT: Final = 300.0
"""Seconds that `on_round` may take. The tournament waits for it meanwhile."""
HOOK_LOG: Final = "on_round.log"
"""The file in the folder of the tournament to which the command's output is added."""
MAX_HOOK_EXCERPT: Final = 200
"""Bytes of the end of the output that a notice quotes."""
_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Keeps running while the machine is suspended, where such a clock exists. Setting the time of day doesn't affect
it."""

GUARDED: Final = """\
exec 3<&0 </dev/null
(read -r _ <&3 || kill -s KILL -- -$$) >/dev/null 2>&1 &
exec 3<&-
exec /bin/sh -c "$0" "$@"
"""
"""Runs a command with a process beside it that kills their group if the pipe on standard input is closed before a line
came through it: then the referee has been killed, and another one may resume the tournament."""


def stop_time(stop_at: time_of_day | None) -> Callable[[], bool]:
    """Whether the next occurrence of a time of day from now on is past. None: it never is.

    Once past, it stays past, even if the clock is set back.
    """
    if stop_at is None:
        return lambda: False
    deadline = time.clock_gettime(_CLOCK) + next_stop(stop_at, datetime.now())  # noqa: DTZ005
    return lambda: time.clock_gettime(_CLOCK) >= deadline


async def run_hook(command: str, folder: Path, *, cwd: Path, timeout: float = HOOK_TIMEOUT) -> str | None:
    """Run a command of the organiser's, in a shell, with the folder of the tournament as its last argument.

    It runs in the folder `cwd`, with the organiser's rights and environment and without a terminal. Its output is added
    to HOOK_LOG. If it can't be started, fails, or takes over `timeout` seconds, the notice that is returned says so:
    the tournament continues. After the timeout, and if this is cancelled, it is killed with all that it started; if
    the referee is killed, with its process group.
    """
    path = folder / HOOK_LOG
    try:
        with path.open("a+b") as log:
            begin = log.seek(0, os.SEEK_END)
            problem = await _run([f'{command.strip()} "$@"', "on_round", str(folder)], cwd, log, timeout)
            if problem is None:
                return None
            end = log.seek(0, os.SEEK_END)
            log.seek(max(begin, end - MAX_HOOK_EXCERPT))
            lines = log.read(MAX_HOOK_EXCERPT).decode(errors="replace").strip().splitlines()
            last = f": {lines[-1]}" if lines else ""
    except OSError as error:
        return f"on_round could not be run: {error.filename or command}: {error.strerror or error}"
    return f"on_round {problem}{last} (its output is in {path})"


async def _run(arguments: list[str], cwd: Path, log: BinaryIO, timeout: float) -> str | None:
    """The problem with a command of the shell, as the predicate of a sentence. Raises OSError."""
    lifeline, held = os.pipe()
    try:
        with trio.move_on_after(timeout):
            done = await trio.run_process(
                ["/bin/sh", "-c", GUARDED, *arguments],
                cwd=cwd,
                stdin=lifeline,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
                start_new_session=True,
                deliver_cancel=_kill,
            )
            os.write(held, b"\n")
            if done.returncode < 0:
                return f"was killed by signal {-done.returncode}"
            return f"exited with status {done.returncode}" if done.returncode else None
        return f"took over {timeout:g} s and was killed"
    finally:
        os.close(lifeline)
        os.close(held)


async def _kill(process: trio.Process) -> None:
    """Kill a process with its process group, and its descendants in other groups."""
    for pid in list(descendants(process.pid)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
