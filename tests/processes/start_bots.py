"""A referee that does nothing but start bots in FOLDER and end them again, several at a time, until it is killed.

`python -m tests.processes.start_bots MODE FOLDER`; MODE as in tests/processes/kills.py.
"""

import functools
import random
import sys
from pathlib import Path

import trio

from referee.processes.keeper import lifetime
from referee.processes.launch import Command
from referee.processes.limits import cgroups
from referee.processes.limits.process_limits import ProcessLimits
from referee.processes.sandbox import choice
from referee.processes.supervisor import Supervisor, supervise
from tests.timeouts import TEST_TIMEOUT

AT_A_TIME = 3


async def start_and_end(supervisor: Supervisor, folder: Path) -> None:
    """Start bots one after another."""
    while True:
        argv = (sys.executable, "-IS", str(folder / "bot.py"))
        process = await supervisor.start(Command(argv, folder, from_command_line=True), ProcessLimits())
        with trio.move_on_after(random.random() * 0.03):
            await trio.lowlevel.wait_readable(process.stdout)
        process.stop()
        await process.closed.wait()


async def main(mode: str, folder: Path) -> None:
    """Start bots."""
    inside, _ = choice.probe() if "bwrap" in mode else (None, "")
    if "subreaper" in mode:
        start = lifetime._start_keeper
        lifetime._start_keeper = lambda scope, link, namespace: start(scope, link, "")
    if "v1" in mode:
        cgroups.places = lambda pid=None: []
    sys.stdout.write("here\n")
    sys.stdout.flush()
    with trio.fail_after(TEST_TIMEOUT):
        async with supervise(inside) as supervisor, trio.open_nursery() as nursery:
            for _ in range(AT_A_TIME):
                nursery.start_soon(functools.partial(start_and_end, supervisor, folder))


if __name__ == "__main__":
    trio.run(main, sys.argv[1], Path(sys.argv[2]))
