"""Runs a bot's build command before it plays."""

import contextlib
import os
import stat
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import trio

from protocol.framing import Oversize
from referee.connections import ConnectionEnded
from referee.connections.pipe import PipeConnection
from referee.errors import RefereeError
from referee.players.bot_spec import BotSpec
from referee.processes.keeper_client import SpawnError
from referee.processes.supervisor import Supervisor

MAX_OUTPUT_LINES: Final = 15
BUILD_TIMEOUT: Final = 900.0
"""Seconds that a build may take."""


class BuildError(RefereeError):
    """A build command failed. The text says how; `output` has the last lines that it wrote, which are untrusted."""

    def __init__(self, message: str, output: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.output = output


def clear_set_id_bits(folder: Path) -> None:
    """Remove set-user-ID and set-group-ID bits in a bot's folder: its files belong to the organiser."""
    for place, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                path = Path(place, name)
                mode = path.lstat().st_mode
                if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                    path.chmod(stat.S_IMODE(mode) & ~(stat.S_ISUID | stat.S_ISGID))


async def build(supervisor: Supervisor, bot: BotSpec) -> None:
    """Run a bot's build command in its folder, which it may write to. Raises BuildError.

    Raises SpawnError or KeeperError if it can't be started for a reason that is not the bot's.
    """
    try:
        process = await supervisor.start(bot.build, bot.folder, bot.limits, extra_env=bot.environment, writable=True)
    except SpawnError as error:
        if error.by_referee:
            raise
        raise BuildError(f"{bot.name}: its build command: {error}") from None
    process.close_stdin()
    connection = PipeConnection(process)
    output: deque[str] = deque(maxlen=MAX_OUTPUT_LINES)
    ending = f"took over {BUILD_TIMEOUT:g} s"
    with trio.move_on_after(BUILD_TIMEOUT):
        try:
            while True:
                output.append((await connection.receive()).decode(errors="replace"))
        except (ConnectionEnded, Oversize) as end:
            ending = str(end)
    connection.close()
    await connection.closed.wait()
    clear_set_id_bits(bot.folder)
    if ending == "exited with status 0":
        return
    if supervisor.sandbox is not None:
        ending += " (in the sandbox, without network and home; if it needs them, build the bot yourself)"
    output.extend(process.stderr.tail.decode(errors="replace").splitlines())
    raise BuildError(f"{bot.name}: its build command {ending}:", [f"  {line}" for line in output])
