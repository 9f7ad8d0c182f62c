"""Running a process as the referee does, outside any game."""

import contextlib
import os
import sys
import textwrap
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import trio

from referee.connections.pipe import PipeConnection
from referee.processes.bot_process import BotProcess, open_process
from referee.processes.keeper.lifetime import open_keeper
from referee.processes.launch import without_sandbox
from referee.processes.limits import process_tree
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits
from referee.processes.supervisor import enforce_in_steps
from tests.timeouts import TEST_TIMEOUT

QUIT = b"quit\n"


def enforce(process: BotProcess, *, sandboxed: bool = False) -> None:
    """Kill a process if it and its descendants together exceed a limit now."""
    process_tree.finish(enforce_in_steps(process, sandboxed=sandboxed))


def python(source: str, *arguments: str) -> list[str]:
    """The command line of a small Python program."""
    return [sys.executable, "-IS", "-c", textwrap.dedent(source), *arguments]


@contextlib.asynccontextmanager
async def running(
    argv: Sequence[str], *, quit_grace: float = TEST_TIMEOUT, cwd: Path = Path(), limits: ProcessLimits = DEFAULT
) -> AsyncIterator[PipeConnection]:
    """A connection to the process as long as the block lasts; it is closed then."""
    launch = without_sandbox(argv, cwd, limits, os.environ)
    with trio.fail_after(TEST_TIMEOUT):
        async with (
            open_keeper(user_namespace=False) as keeper,
            open_process(launch, limits=limits, keeper=keeper) as process,
        ):
            connection = PipeConnection(process, QUIT, quit_grace)
            yield connection
            connection.close()
