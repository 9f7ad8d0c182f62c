"""Running a process as the referee does, outside any game."""

import contextlib
import os
import sys
import textwrap
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import trio

from referee.connections.pipe import PipeConnection
from referee.processes.launch import Launch
from referee.processes.limits import DEFAULT, ProcessLimits
from referee.processes.process import BotProcess, run_process
from referee.processes.reaper import Reaper
from tests.timeouts import TEST_TIMEOUT

QUIT = b"quit\n"


def python(source: str, *arguments: str) -> list[str]:
    """The command line of a small Python program."""
    return [sys.executable, "-IS", "-c", textwrap.dedent(source), *arguments]


@contextlib.asynccontextmanager
async def running(
    argv: Sequence[str], *, quit_grace: float = TEST_TIMEOUT, cwd: Path = Path(), limits: ProcessLimits = DEFAULT
) -> AsyncIterator[PipeConnection]:
    """A connection to the process as long as the block lasts; it is closed then."""
    with Reaper().installed() as reaper:
        async with trio.open_nursery() as nursery:
            with trio.fail_after(TEST_TIMEOUT):
                launch = Launch(argv=tuple(argv), environment=dict(os.environ))
                run = partial(run_process, launch, cwd, limits=limits, reaper=reaper)
                process: BotProcess = await nursery.start(run)
                connection = PipeConnection(process, QUIT, quit_grace)
                yield connection
                connection.close()
                await connection.closed.wait()
