"""The conditions under which games are played, each said once: in a match, in a tournament and in its manifest.

A field with an `Option` is an option of commands, and a key in [run] of a tournament file: both are made from it. So a
new one is a field here, and whatever obeys it.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Self

import msgspec
from msgspec import UNSET, Meta, Struct, field, structs

from referee.bots.shown import parse_shown
from referee.players.clock import TimeControl, parse_duration
from referee.processes.environment import parse_environment
from referee.processes.limits.machine import cores
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits, parse_limits
from referee.processes.sandbox.choice import Mode
from referee.processes.sandbox.image import Files

NOT_SHOWN: Final = "(not shown)"
"""In place of a value that may be secret."""
MAX_NUMBER: Final = 1_000_000
START_SECONDS: Final = 0.25
"""Seconds after which a start no longer counts: by then an interpreter has started. A bot that takes longer may wait
for something else than the CPU, and others should not wait for it. With less, starts of Python pile up."""
ANY_BOTS: Final = ("match", "bot check", "bot replay")
TIMED: Final = ("match", "bot check")
NEW_RUNS: Final = ("match", "tournament run")
ALL_RUNS: Final = (*NEW_RUNS, "tournament resume")
Count = Annotated[int, Meta(ge=1, le=MAX_NUMBER)]


class Option(Struct, frozen=True):
    """How a field is given; in its annotation. Two fields may come from one option."""

    help: str
    commands: Sequence[str] = ("match",)
    flag: str = ""
    """On the command line, without its hyphens. Empty: the name of the field."""
    key: str = ""
    """In a table of a tournament file. Empty: the name of the field."""
    in_file: bool = True
    metavar: str | None = None
    default: Any = UNSET
    """If it is not the default of the field."""
    shown_default: str | None = None
    """What None stands for."""
    parse: Callable[[str], Any] | None = None
    """The value that a text stands for, on the command line and in the file. Raises ValueError."""
    parse_all: Callable[[list[str]], Any] | None = None
    """Of an option that may be repeated, the value that all its texts stand for. Raises RefereeError. The reader of
    tournament files knows such keys itself, as they are lists and tables there."""


def options_in(kind: type[Struct]) -> dict[str, Option]:
    """By field of a struct, its option, with nothing left empty."""
    return {
        field.name: structs.replace(
            option,
            flag=option.flag or field.name.replace("_", "-"),
            key=option.key or field.name,
            default=field.default if option.default is UNSET else option.default,
        )
        for field in structs.fields(kind)
        for option in getattr(field.type, "__metadata__", ())
        if isinstance(option, Option)
    }


def _time(text: str, commands: Sequence[str] = ("match",), flag: str = "", usual: str | None = None) -> Option:
    """An option that is a time, in seconds."""
    return Option(text, commands, flag, metavar="TIME", parse=parse_duration, shown_default=usual)


class ClockLimits(Struct, frozen=True, kw_only=True):
    """A time control as an organiser gives it; what is None has the default of TimeControl. Keys of [clock]."""

    move: Annotated[float | None, _time("Limit per decision; 1s without a bank.", TIMED, "move-time")] = None
    bank: Annotated[float | None, _time("Time for all decisions of a game together.")] = None
    increment: Annotated[float | None, _time("Added to the bank after each decision.", usual="0s")] = None
    startup: Annotated[
        float | None, _time("Limit from the start of a bot to its ready.", TIMED, "startup-time", "10s")
    ] = None
    scale: Annotated[
        float,
        Meta(ge=0.001, le=1000),
        Option("Multiply all time limits, for a slow machine.", TIMED, "time-scale", in_file=False),
    ] = 1.0
    enforced: Annotated[
        bool,
        Option("Enforce no time limits, for debugging.", ("match", "bot replay"), "no-timeout", in_file=False),
    ] = True

    def control(self) -> TimeControl:
        """The time control, with no limit per decision if there is only a bank. Raises TimeControlError."""
        limits = {"move": self.move, "bank": self.bank, "increment": self.increment, "startup": self.startup}
        given: dict[str, Any] = {name: limit for name, limit in limits.items() if limit is not None}
        control = TimeControl(**({} if self.bank is None else {"move": None}) | given, enforced=self.enforced)
        control.check()
        return control.scaled(self.scale)


class Conditions(Struct, frozen=True, kw_only=True):
    """The conditions of a match or a tournament. Plain data that can be sent to another process."""

    control: TimeControl = field(default=TimeControl(), name="clock")
    retries: Annotated[
        int,
        Meta(ge=0, le=MAX_NUMBER),
        Option("Further tries per decision after an illegal action or a bad message."),
    ] = 0
    ponder: Annotated[
        bool, Option("Let bots think during other players' turns, or suspend all their processes then.")
    ] = True
    concurrency: Annotated[Count | None, Option("Games played at the same time.", shown_default="number of cores")] = (
        None
    )
    workers: Annotated[
        Count | None,
        Option(
            "Processes of the referee that play the games; one uses one core.", default=None, shown_default="automatic"
        ),
    ] = 1
    """1: only this process, which knows games and built-in players that the caller has defined. None: as many as is
    fastest."""
    executor: Annotated[
        str | None,
        Option(
            "A Dask cluster that plays (dask://HOST:PORT, dask+tls://HOST:PORT; extra `dask`), or local.",
            ALL_RUNS,
            metavar="ADDRESS",
            shown_default="this machine",
        ),
    ] = None
    lost_after: Annotated[
        float | None, _time("Silence after which a machine of the cluster counts as lost.", ALL_RUNS, usual="30s")
    ] = None
    build_remotely: Annotated[
        bool, Option("Let each machine of the cluster build the bots, for other processors.", NEW_RUNS)
    ] = False
    sandbox: Annotated[
        Mode, Option("Run bots in bubblewrap if it works (auto), always (bwrap) or never (none).", ANY_BOTS)
    ] = "auto"
    files: Annotated[
        Files, Option("Give each bot a file system of its own, from an image of the files; needs root.", NEW_RUNS)
    ] = "shared"
    forget_files: Annotated[
        bool,
        Option(
            "Drop the files that bots see from the page cache before each rotation, however long that takes.", NEW_RUNS
        ),
    ] = False
    limits: Annotated[
        ProcessLimits,
        Option(
            "A limit for bots, such as memory_mb=512; may be repeated.",
            ANY_BOTS,
            flag="limit",
            metavar="NAME=NUMBER",
            parse_all=parse_limits,
        ),
    ] = DEFAULT
    show: Annotated[
        tuple[Path, ...],
        Option(
            "Let bots in the sandbox read this folder too, or only the bot NAME; may be repeated.",
            ANY_BOTS,
            metavar="[NAME=]PATH",
            parse_all=lambda texts: tuple(parse_shown(texts)[0]),
        ),
    ] = ()
    """Files and folders that all bots in the sandbox may read besides their own."""
    show_to: Annotated[
        dict[str, list[Path]],
        Option("", ANY_BOTS, flag="show", in_file=False, parse_all=lambda texts: parse_shown(texts)[1]),
    ] = {}
    """By the name of a bot: files, folders and sockets that only this bot is shown, and each variant of it. In a
    tournament file they are in its [[bot]]."""
    environment: Annotated[
        dict[str, str],
        Option(
            "Pass this environment variable to bots; may be repeated.",
            ANY_BOTS,
            flag="env",
            key="env",
            metavar="NAME[=VALUE]",
            parse_all=parse_environment,
        ),
    ] = {}
    watched: bool = False
    """Whether observers also get LineRecorded events, which hold everything hidden."""

    @property
    def games_at_a_time(self) -> int:
        return self.concurrency or cores()

    @property
    def isolation(self) -> dict[str, Any]:
        """The sandbox, and what it shows, as Preflight takes them."""
        return {"mode": self.sandbox, "show": self.show, "files": self.files, "environment": self.environment}

    def published(self) -> "Conditions":
        return structs.replace(self, environment=dict.fromkeys(sorted(map(as_text, self.environment)), NOT_SHOWN))

    def without_paths(self) -> "Conditions":
        return structs.replace(self, show=(), show_to={})

    def as_in_json(self) -> dict[str, Any]:
        """What is published, as plain data."""
        plain: dict[str, Any] = msgspec.to_builtins(self.published(), enc_hook=as_text)
        return plain


def as_text(path: Path | str) -> str:
    """A path, or a name, in JSON: as valid UTF-8, with replacement characters for bytes that are not."""
    return os.fsencode(path).decode(errors="replace")


def as_path(kind: type[Any], value: Any) -> Path:
    """The hook to decode conditions. Raises TypeError."""
    if kind is not Path:
        raise TypeError(f"unexpected type {kind}")
    return Path(value)


class UnderConditions(Struct, frozen=True, kw_only=True):
    """What is played: a match, a tournament, or the games of a plan."""

    conditions: Conditions = Conditions()

    def with_conditions(self, **changes: Any) -> Self:
        """The same under conditions with these changes."""
        return structs.replace(self, conditions=structs.replace(self.conditions, **changes))


OPTIONS: Final = options_in(Conditions)
"""By field of Conditions."""
