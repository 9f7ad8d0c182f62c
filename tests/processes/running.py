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
from referee.processes.bot_process import BotProcess, run_process
from referee.processes.keeper.lifetime import open_keeper
from referee.processes.keeper.program import Program
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits, kernel_limits
from referee.processes.sandbox.launch import without_sandbox
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
    launch = without_sandbox(argv, cwd, os.environ)
    program = Program(
        argv=argv if launch is None else launch.argv,
        folder=cwd,
        environment=os.environ,
        limits=kernel_limits(limits),
    )
    async with open_keeper(user_namespace=False) as keeper, trio.open_nursery() as nursery:
        with trio.fail_after(TEST_TIMEOUT):
            process: BotProcess = await nursery.start(partial(run_process, program, limits=limits, keeper=keeper))
            connection = PipeConnection(process, QUIT, quit_grace)
            yield connection
            connection.close()
            await connection.closed.wait()
