"""Executors play games: those of a match and those of a round of a tournament. Each kind has an entry in EXECUTORS."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, Protocol

from referee.bots.bot_spec import BotSpec
from referee.errors import RefereeError
from referee.version import install_extra
from tournaments.play.conditions import Conditions
from tournaments.play.events import Observer

if TYPE_CHECKING:
    from tournaments.play.phase_change import PhaseChange
    from tournaments.play.plan import GamePlan
    from tournaments.play.runner import MakePerson, Measurements, Store
    from tournaments.play.schedule import Schedule

THIS_MACHINE: Final = "local"
EXECUTORS: Final[Mapping[str, str]] = {
    THIS_MACHINE: "tournaments.play.local:LOCAL",
    "dask": "tournaments.play.cluster.settings:DASK",
}
"""The kinds of executors, by what their addresses begin with, and where each is. Nothing else names the modules of the
cluster, which are imported when it is to play."""


class ExecutorError(RefereeError):
    """Games can't be played by the executor that the organiser has chosen. The text says why.

    `setting`: the condition that is wrong.
    """

    def __init__(self, problem: str, setting: str = "executor") -> None:
        super().__init__(problem)
        self.setting = setting


class Executor(Protocol):
    """Plays the games of a schedule, at most `plan.conditions.games_at_a_time` at the same time."""

    change: "PhaseChange"
    """What it does between phases."""

    async def play(self, plan: "GamePlan", schedule: "Schedule", store: "Store", measured: "Measurements") -> None:
        """Play all games; each is given to `store` with its recorder, even if `play` is cancelled at that moment.

        The observer of the executor gets notices and the beginning of games; finished games are up to `store`.
        Measurements are added to `measured`, even if `play` ends early. All processes of bots have
        ended when this returns or is cancelled. Raises, in an exception group: what `store` raises, and RefereeError
        or OSError if games can't be played here.
        """


@dataclass(frozen=True, kw_only=True)
class ExecutorKind:
    """Executors of one kind."""

    plays_here: bool
    """Whether this machine plays, and so needs what the games need."""
    package: str | None = None
    """A package that has to be installed."""
    check: Callable[[Conditions, Iterable[BotSpec], bool], None]
    """Raises ExecutorError if games can't be played under these conditions, by these bots, or with traces."""
    open: Callable[[Conditions, Observer, "MakePerson | None"], AbstractAsyncContextManager[Executor]]
    """An executor while the block runs, and what makes the player of one game for a person, by its name. Raises
    ExecutorError."""


def executor_kind(conditions: Conditions) -> ExecutorKind:
    """The kind of executor that plays under these conditions. Raises ExecutorError."""
    address = THIS_MACHINE if conditions.executor is None else conditions.executor
    scheme = address.partition("://")[0].partition("+")[0]
    if scheme not in EXECUTORS:
        raise invalid_address(address)
    kind: ExecutorKind = resolve_name(EXECUTORS[scheme])
    return kind


def executor_for(conditions: Conditions, bots: Iterable[BotSpec], *, traces: bool = False) -> ExecutorKind:
    """The same, if it can play games of these bots. Raises ExecutorError, and RefereeError if it is not installed."""
    kind = executor_kind(conditions)
    if kind.package is not None and find_spec(kind.package) is None:
        raise RefereeError(f"games on a cluster need the package {kind.package}: {install_extra('dask')}")
    kind.check(conditions, bots, traces)
    return kind


def invalid_address(address: str) -> ExecutorError:
    return ExecutorError(f"invalid executor {address!r}: write dask://HOST:PORT, dask+tls://HOST:PORT, or local")
