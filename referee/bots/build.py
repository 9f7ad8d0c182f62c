"""Runs a bot's build command before it plays."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import trio

from protocol.framing import Oversize
from referee.bots.bot_spec import BOT_FILE, MAX_BOT_FILE, BotSpec
from referee.bots.built_files import (
    Ownership,
    UnsafeFolderError,
    find_repositories,
    hand_over,
    remove_repositories,
    take_back,
)
from referee.connections import ConnectionEnded
from referee.connections.pipe import PipeConnection
from referee.errors import RefereeError
from referee.files import read_file
from referee.games.narrator import format_count
from referee.processes.environment import PRIVATE_TMP
from referee.processes.launch import Command, SpawnError
from referee.processes.stderr_log import StderrExcerpt, StderrLog
from referee.processes.supervisor import Supervisor

HEAD_LINES: Final = 10
"""Lines of the beginning of a build's standard output, and as many of its standard error, that are kept."""
TAIL_LINES: Final = 15
"""Likewise of their end."""
BUILT_IN_SANDBOX: Final = (
    f"in the sandbox, where a build may write to its folder and {PRIVATE_TMP} only, and has no network and no home; if "
    "it needs more, build the bot yourself"
)
BUILD_TIMEOUT: Final = 900.0


class BuildError(RefereeError):
    """A build command failed. The text says how; `output` has what it wrote, without the middle if that is long;
    it is untrusted."""

    def __init__(self, message: str, output: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.output = output


async def build(supervisor: Supervisor, bot: BotSpec) -> int:
    """Run a bot's build command in its folder, which it may write to, except for its bot.toml. Raises BuildError.

    Returns how many repositories of Git it made, which have been removed: their settings name programs that any command
    of Git would run there.

    Where bots run as their own users, the folder belongs to one of them during the build. Raises MachineError if it
    can't be started for a reason that has nothing to do with the bot.
    """
    user = None if supervisor.sandbox is None else supervisor.sandbox.new_user()
    owner = Ownership.of(bot.folder.stat())
    bot_file = _bot_file(bot.folder)
    try:
        before = await trio.to_thread.run_sync(find_repositories, bot.folder)
        if user is not None and supervisor.sandbox is not None:
            hide = supervisor.sandbox.hide  # a build doesn't see the names below which something is hidden from it
            hidden = (path.relative_to(bot.folder).parts[0] for path in hide if bot.folder in path.parents)
            keep = {".git", BOT_FILE, *hidden}
            await trio.to_thread.run_sync(hand_over, bot.folder, user, keep)
        try:
            await _run(supervisor, bot, user)
        finally:
            with trio.CancelScope(shield=True):
                if user is None:
                    await trio.to_thread.run_sync(take_back, bot.folder)
                else:
                    await trio.to_thread.run_sync(take_back, bot.folder, (user,), owner)
                removed = await trio.to_thread.run_sync(remove_repositories, bot.folder, before)
    except UnsafeFolderError as error:
        raise BuildError(f"{bot.name}: {error}") from None
    if _bot_file(bot.folder) != bot_file:
        raise BuildError(
            f"{bot.name}: its build changed its {BOT_FILE}, which says how it is built and started: put that file back"
            " as it was, and have the build write elsewhere"
        )
    return removed


def _bot_file(folder: Path) -> bytes | None:
    """The contents of a bot.toml; None if there is none that can be read."""
    with contextlib.suppress(OSError):
        return read_file(folder / BOT_FILE, MAX_BOT_FILE)
    return None


async def _run(supervisor: Supervisor, bot: BotSpec, user: int | None) -> None:
    command = Command(bot.build, bot.folder, show=bot.show)
    try:
        process = await supervisor.start(command, bot.limits, extra_env=bot.environment, writable=True, user=user)
    except SpawnError as error:
        raise BuildError(f"{bot.name}: its build command: {error}") from None
    process.close_stdin()
    connection = PipeConnection(process)
    stdout = StderrLog(None)
    ending = f"took over {BUILD_TIMEOUT:g} s"
    with trio.move_on_after(BUILD_TIMEOUT):
        try:
            while True:
                stdout.write(await connection.receive() + b"\n")
        except (ConnectionEnded, Oversize) as end:
            ending = str(end)
    connection.close()
    await connection.closed.wait()
    if ending == "exited with status 0":
        return
    output = [*_shown(stdout.excerpt()), *_shown(process.stderr.excerpt())]
    if supervisor.sandbox is not None:
        hidden = supervisor.sandbox.hidden_from(command, "\n".join(output))
        ending += f" ({BUILT_IN_SANDBOX})" + (f"; {hidden}" if hidden else "")
    raise BuildError(f"{bot.name}: its build command {ending}{':' * bool(output)}", [f"  {line}" for line in output])


def _shown(written: StderrExcerpt) -> list[str]:
    """The first and last lines, and between them what is left out."""
    head, tail = written.head.splitlines(), written.tail.splitlines()
    if not written.omitted:
        lines = (written.head + written.tail).splitlines()
        head, tail = lines[:HEAD_LINES], lines[HEAD_LINES:]
    left = max(0, len(head) - HEAD_LINES) + max(0, len(tail) - TAIL_LINES)
    if not left and not written.omitted:
        return [*head, *tail]
    more = f" and {written.omitted:,} bytes" if written.omitted else ""
    return [*head[:HEAD_LINES], f"[left out: {format_count(left, 'lines')}{more}]", *tail[-TAIL_LINES:]]
