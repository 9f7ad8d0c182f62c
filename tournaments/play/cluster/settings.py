"""Which cluster plays the games, and what can't be played there."""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from referee.bots.bot_spec import BotSpec
from referee.errors import RefereeError
from tournaments.play.conditions import OPTIONS, Conditions

ADDRESS: Final = re.compile(r"dask(\+tls)?://([^/\s:]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})/?", re.ASCII)
LOCAL: Final = "local"
"""In place of an address: this machine."""
LOST_AFTER: Final = 30.0
"""Seconds of silence after which a machine counts as lost, unless the organiser says otherwise."""
MIN_LOST_AFTER: Final = 5.0
"""Workers of Dask tell their scheduler only every few seconds that they are alive."""


class ClusterError(RefereeError):
    """Games can't be played on the cluster. The text says why; `setting` is the condition that is wrong."""

    def __init__(self, problem: str, setting: str = "executor") -> None:
        super().__init__(problem)
        self.setting = setting


class ClusterSettings(Struct, frozen=True, kw_only=True):
    """The cluster that plays the games."""

    address: str
    """As the organiser gave it: `dask://HOST:PORT` or `dask+tls://HOST:PORT`."""
    lost_after: float = LOST_AFTER
    at_a_time: int | None = None
    """Tasks at the same time; None: as many as the workers of the cluster have threads."""

    @property
    def scheduler(self) -> str:
        """The address of the scheduler as Dask writes it."""
        tls, host, port = parsed(self.address)
        return f"{'tls' if tls else 'tcp'}://{host}:{port}"

    def check(self) -> None:
        """Raises ClusterError for a value that is not allowed."""
        parsed(self.address)
        if self.lost_after < MIN_LOST_AFTER:
            raise ClusterError(
                f"a machine can't count as lost after less than {MIN_LOST_AFTER:g} s of silence", "lost_after"
            )


def cluster_settings(conditions: Conditions) -> ClusterSettings | None:
    """The cluster that an organiser names; None: this machine plays. Raises ClusterError."""
    address = conditions.executor
    if address is None or address == LOCAL:
        for name in ("build_remotely", "lost_after"):
            if address is None and getattr(conditions, name):
                option = f"--{OPTIONS[name].flag} ({name} in [run])"
                raise ClusterError(f"{option} has no effect without --executor: leave it out", name)
        return None
    settings = ClusterSettings(
        address=address,
        lost_after=LOST_AFTER if conditions.lost_after is None else conditions.lost_after,
        at_a_time=conditions.concurrency,
    )
    settings.check()
    return settings


def parsed(address: str) -> tuple[bool, str, int]:
    """Whether an address asks for TLS, its host and its port. Raises ClusterError."""
    match = ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match[3]) < 1 << 16:
        raise ClusterError(f"invalid executor {address!r}: write dask://HOST:PORT, or dask+tls://HOST:PORT")
    return match[1] is not None, match[2], int(match[3])


def check_possible(bots: Iterable[BotSpec], conditions: Conditions, *, traces: bool = False) -> None:
    """Raises ClusterError if games can't be played on a cluster in this way. The text says why."""
    here = "leave --executor out (executor in [run])"
    for bot in bots:
        if bot.is_person:
            raise ClusterError(f"{bot.name} is a person, who plays at this machine: {here}")
        if bot.port is not None:
            raise ClusterError(
                f"{bot.name} connects to a port of this machine (tcp:PORT), so it can't play on others: {here}"
            )
        if bot.is_program and bot.from_command_line:
            raise ClusterError(
                f"{bot.name} is a command, and the referee can't know which files it needs: put the bot in a folder"
                " with a bot.toml, which can be sent to other machines"
            )
        if bot.show:
            raise ClusterError(
                f"{bot.name} is shown {bot.show[0]}, which only this machine has (--show NAME=PATH): {here}"
            )
    if traces:
        raise ClusterError(f"--trace keeps the lines to and from bots, which only the machine that plays has: {here}")
    if conditions.watched:
        raise ClusterError(f"--watch shows the games that this machine plays: {here}")
    if conditions.files == "image":
        raise ClusterError(f"an image is made of the files of this machine (files = image): {here}")
    if conditions.forget_files:
        raise ClusterError(
            "--forget-files has no effect on a cluster, where machines are in different rotations at the same time and"
            " some bot is always alive: leave it out"
        )
