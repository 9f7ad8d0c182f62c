"""What comes before the first game of a match or a tournament: the sandbox, and the builds of bots."""

import contextlib
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import trio

from referee.bots.bot_spec import BotSpec
from referee.bots.build import build
from referee.bots.built_files import UnsafeFolderError, find_channel, repair
from referee.files import find_symlink, is_there
from referee.processes.limits import capped_limits
from referee.processes.sandbox import Mode, Sandbox, SandboxError, choose
from referee.processes.supervisor import supervise
from referee.processes.user_ids import USERS
from referee.processes.visibility import is_within


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_sandbox(
    mode: Mode,
    bots: Sequence[BotSpec],
    *,
    show: Iterable[Path],
    hide: Iterable[Path],
    on_notice: Callable[[str], None],
    raise_limit: str,
    others: Collection[str] = (),
) -> Sandbox | None:
    """The sandbox for bots; notices say what is in force, unless all players are built in. Raises SandboxError, also
    where the folder of a bot would undo what the sandbox promises.

    `hide`: folders that no bot may see; nor does a bot see the folders of the others. `raise_limit`: how the organiser
    raises the limit `{name}`. `others`: names of bots that root must not run without a sandbox (see `choose`).
    """
    programs = [bot for bot in bots if bot.is_program]
    if not programs:
        return None
    hidden = [path.resolve() for path in (*(bot.folder for bot in programs), *hide)]
    sandbox, in_force = choose(mode, [path.resolve() for path in show], hidden, others)
    on_notice(in_force)
    for notice in dict.fromkeys(notice for bot in programs for notice in capped_limits(bot.limits)):
        on_notice(notice)
    for bot in programs:
        if sandbox is not None:
            make_safe(sandbox, bot, on_notice)
            missing = sandbox.missing_from_view(bot.argv, bot.folder, from_command_line=bot.from_command_line)
            if missing is not None:
                on_notice(f"{bot.name}: {missing}")
        for name, value in bot.requested.items():
            limit = getattr(bot.limits, name)
            if value > limit:
                how = raise_limit.format(name=name)
                on_notice(f"{bot.name} asks for {name}={value}; {limit} is in force (raise it with {how})")
    return sandbox


def make_safe(sandbox: Sandbox, bot: BotSpec, on_notice: Callable[[str], None]) -> None:
    """Repair a bot's folder after a build that was interrupted.

    Raises SandboxError if the folder would undo what the sandbox promises, or the bot can't be run in it.
    """
    link = find_symlink(bot.place)
    if link is not None:
        raise SandboxError(
            f"{bot.name}: {link} is a symbolic link, which could show a bot any folder; give {bot.folder} itself"
        )
    try:
        if sandbox.setpriv is not None and not bot.from_command_line and repair(bot.folder, range(*USERS)):
            on_notice(f"{bot.name}: its last build was interrupted; {bot.folder} has been made safe again")
    except UnsafeFolderError as error:
        raise SandboxError(f"{bot.name}: {error}") from None
    private = sandbox.unreadable(bot.argv, bot.folder, from_command_line=bot.from_command_line)
    if private is not None:
        raise SandboxError(f"{bot.name}: {private}")
    channel = None if bot.from_command_line else find_channel(bot.folder)
    if channel is not None:
        raise SandboxError(
            f"{bot.name}: {channel} in {bot.folder} is a pipe or a socket, through which its processes could talk "
            "about a deal; delete it"
        )


def would_see(sandbox: Sandbox, folder: Path, bot: BotSpec) -> bool:
    """Whether a folder can't be hidden from a bot, as it is shown to it, or has files in it that the bot needs."""
    if not bot.is_program:
        return False
    folder = folder.resolve()
    seen = sandbox.visible(bot.argv, bot.folder, from_command_line=bot.from_command_line)
    inner = [part for part in seen if folder in part.parents]
    named = (Path(os.path.normpath(bot.folder / word)) for word in bot.argv)
    needed = (path for path in named if folder in path.parents and is_there(path) and not is_within(path, inner))
    return folder in seen or (is_within(folder, seen) and next(needed, None) is not None)


async def build_all(
    bots: Sequence[BotSpec],
    sandbox: Sandbox | None,
    environment: Mapping[str, str],
    on_notice: Callable[[str], None],
) -> None:
    """Run the build commands of all bots, one after another; `on_notice` says which.

    Raises BuildError or MachineError.
    """
    to_build = [bot for bot in bots if bot.build]
    if not to_build:
        return
    with single_errors():
        async with supervise(sandbox, environment) as supervisor:
            for bot in to_build:
                on_notice(building(bot))
                await build(supervisor, bot)


def building(bot: BotSpec) -> str:
    """A notice that a bot is being built, which may take minutes."""
    return f"building {bot.name}: {shlex.join(bot.build)}"


@contextlib.contextmanager
def single_errors() -> Iterator[None]:
    """Raise the first error of an exception group by itself, unless the group is a cancellation."""
    try:
        yield
    except BaseExceptionGroup as group:
        _, errors = group.split(trio.Cancelled)
        if errors is None:
            raise
        error: BaseException = errors
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None
