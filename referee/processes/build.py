"""Running a bot's build command before it plays."""

import contextlib
import os
import stat
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import trio

from protocol.framing import Oversize
from referee.processes.child import ProcessEnded, SpawnError
from referee.processes.limits import ProcessLimits
from referee.processes.supervisor import Supervisor

TAIL_LINES: Final = 15
BUILD_TIME: Final = 900.0
"""Seconds that a build may take."""


class BuildError(Exception):
    """A build command that failed; says how, with the end of its output."""


def take_privileges(folder: Path) -> None:
    """Leave no program in a bot's folder that runs with the rights of its owner, who is the organiser."""
    for place, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                path = Path(place, name)
                mode = path.lstat().st_mode
                if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                    path.chmod(stat.S_IMODE(mode) & ~(stat.S_ISUID | stat.S_ISGID))  # it is no link


async def build(supervisor: Supervisor, name: str, argv: Sequence[str], folder: Path, limits: ProcessLimits) -> None:
    """Run a build command in the bot's folder, which it may write to. Raises BuildError."""
    try:
        child = await supervisor.start(argv, folder, limits, quit_line=b"", quit_grace=0.0, writable=True)
    except SpawnError as error:
        raise BuildError(f"{name}: its build command: {error}") from None
    child.close_input()
    output: deque[str] = deque(maxlen=TAIL_LINES)
    how = f"took over {BUILD_TIME:g} s"
    with trio.move_on_after(BUILD_TIME):
        try:
            while True:
                output.append((await child.receive()).decode(errors="replace"))
        except (ProcessEnded, Oversize) as end:
            how = str(end)
    child.stop()
    await child.closed.wait()
    take_privileges(folder)
    if how == "exited with status 0":
        return
    if supervisor.sandbox is not None:
        how += " (in the sandbox, without network and home; if it needs them, build the bot yourself)"
    output.extend(child.stderr.tail.decode(errors="replace").splitlines())
    raise BuildError("\n  ".join([f"{name}: its build command {how}:", *output]))
