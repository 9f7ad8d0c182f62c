"""Which cluster plays the games, and what can't be played there."""

import re
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import Final

from referee.bots.bot_spec import BotSpec
from tournaments.play.conditions import Conditions
from tournaments.play.events import Observer
from tournaments.play.executor import Executor, ExecutorError, ExecutorKind, invalid_address
from tournaments.play.runner import MakePerson

ADDRESS: Final = re.compile(r"dask(\+tls)?://([^/\s:]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})/?", re.ASCII)
LOST_AFTER: Final = 30.0
"""Seconds of silence after which a machine counts as lost, unless the organiser says otherwise."""
MIN_LOST_AFTER: Final = 5.0
"""Workers of Dask tell their scheduler only every few seconds that they are alive."""


def scheduler_of(conditions: Conditions) -> str:
    """The address of the scheduler of the cluster that the conditions name, as Dask writes it. Raises ExecutorError."""
    match = ADDRESS.fullmatch(conditions.executor or "")
    if match is None or not 0 < int(match[3]) < 1 << 16:
        raise invalid_address(conditions.executor or "")
    return f"{'tls' if match[1] else 'tcp'}://{match[2]}:{int(match[3])}"


def check(conditions: Conditions, bots: Iterable[BotSpec], traces: bool) -> None:
    scheduler_of(conditions)
    if (conditions.lost_after or LOST_AFTER) < MIN_LOST_AFTER:
        problem = f"a machine can't count as lost after less than {MIN_LOST_AFTER:g} s of silence"
        raise ExecutorError(problem, "lost_after")
    here = "leave --executor out (executor in [run])"
    for bot in bots:
        if bot.is_person:
            raise ExecutorError(f"{bot.name} is a person, who plays at this machine: {here}")
        if bot.port is not None:
            raise ExecutorError(
                f"{bot.name} connects to a port of this machine (tcp:PORT), so it can't play on others: {here}"
            )
        if bot.is_program and bot.from_command_line:
            raise ExecutorError(
                f"{bot.name} is a command, and the referee can't know which files it needs: put the bot in a folder"
                " with a bot.toml, which can be sent to other machines"
            )
        if bot.show:
            raise ExecutorError(
                f"{bot.name} is shown {bot.show[0]}, which only this machine has (--show NAME=PATH): {here}"
            )
    if traces:
        raise ExecutorError(f"--trace keeps the lines to and from bots, which only the machine that plays has: {here}")
    if conditions.watched:
        raise ExecutorError(f"--watch shows the games that this machine plays: {here}")
    if conditions.files == "image":
        raise ExecutorError(f"an image is made of the files of this machine (files = image): {here}")
    if conditions.forget_files:
        raise ExecutorError(
            "--forget-files has no effect on a cluster, where machines are in different rotations at the same time and"
            " some bot is always alive: leave it out"
        )


def open_cluster(
    conditions: Conditions, observer: Observer, person: MakePerson | None = None
) -> AbstractAsyncContextManager[Executor]:
    from tournaments.play.cluster import connection  # noqa: PLC0415 (it needs Dask)

    return connection.open_cluster(conditions, observer)


DASK: Final = ExecutorKind(plays_here=False, package="distributed", check=check, open=open_cluster)
