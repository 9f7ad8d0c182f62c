"""What comes before the first game of a match or a tournament: the sandbox, and the builds of bots."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import trio

from referee.players.bot_spec import BotSpec
from referee.players.build import build
from referee.processes.limits import OwnLimitError, provide_for
from referee.processes.sandbox import Mode, Sandbox, choose
from referee.processes.supervisor import supervise


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def provide(bots: int, games: int) -> None:
    """Make sure that this many games with this many bots can be played at the same time. Raises OwnLimitError."""
    try:
        provide_for(processes=bots * games, files=games)
    except OwnLimitError as error:
        raise OwnLimitError(f"{games} games at a time with {bots} bots {error}, or lower the concurrency") from None


def choose_sandbox(
    mode: Mode,
    bots: Sequence[BotSpec],
    *,
    show: Iterable[Path],
    hide: Iterable[Path],
    on_notice: Callable[[str], None],
    raise_limit: str,
) -> Sandbox | None:
    """The sandbox for bots; notices say what is in force, unless all players are built in. Raises SandboxError.

    `hide`: folders that no bot may see; nor does a bot see the folders of the others. `raise_limit`: how the organiser
    raises the limit `{name}`.
    """
    programs = [bot for bot in bots if bot.policy is None]
    if not programs:
        return None
    hidden = [path.resolve() for path in (*(bot.folder for bot in programs), *hide)]
    sandbox, in_force = choose(mode, [path.resolve() for path in show], hidden)
    on_notice(in_force)
    for bot in programs:
        if sandbox is not None:
            missing = sandbox.missing_from_view(bot.argv, bot.folder, from_command_line=bot.from_command_line)
            if missing is not None:
                on_notice(f"{bot.name}: {missing}")
        for name, value in bot.requested.items():
            limit = getattr(bot.limits, name)
            if value > limit:
                how = raise_limit.format(name=name)
                on_notice(f"{bot.name} asks for {name}={value}; {limit} is in force (raise it with {how})")
    return sandbox


async def build_all(bots: Sequence[BotSpec], sandbox: Sandbox | None, environment: Mapping[str, str]) -> None:
    """Run the build commands of all bots, one after another. Raises BuildError, SpawnError or KeeperError."""
    to_build = [bot for bot in bots if bot.build]
    if not to_build:
        return
    with single_errors():
        async with supervise(sandbox, environment) as supervisor:
            for bot in to_build:
                await build(supervisor, bot)


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
