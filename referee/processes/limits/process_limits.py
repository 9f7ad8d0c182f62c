"""The limits of a bot's processes; the kernel enforces some of them."""

import resource
from collections.abc import Iterable, Mapping
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from protocol.framing import MAX_LINE
from referee.errors import RefereeError
from referee.near_misses import did_you_mean

MIB: Final = 1024 * 1024


class LimitError(RefereeError):
    """An unknown limit, or an invalid value. The text says what is allowed."""


class ProcessLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of one bot process together with all processes that it starts (docs/matches.md, "Limits")."""

    memory_mb: Annotated[int, Meta(ge=1, le=1 << 30, description="MiB of resident memory")] = 2048
    cpu_seconds: Annotated[int, Meta(ge=1, le=1 << 30, description="seconds of CPU time in the life of a process")] = (
        3600
    )
    processes: Annotated[int, Meta(ge=8, le=1 << 22, description="processes and threads together")] = 512
    open_files: Annotated[int, Meta(ge=16, le=1 << 20, description="open files of one process")] = 1024
    file_mb: Annotated[int, Meta(ge=1, le=1 << 30, description="MiB of one file that it writes")] = 256
    tmp_mb: Annotated[int, Meta(ge=1, le=1 << 30, description="MiB in its private /tmp; in the sandbox only")] = 256
    stdout_mb: Annotated[int, Meta(ge=1, le=1 << 30, description="MiB on standard output in one game")] = 64
    stderr_mb: Annotated[int, Meta(ge=1, le=1 << 30, description="MiB on standard error in one game")] = 64
    line_bytes: Annotated[int, Meta(ge=1024, le=1 << 24, description="bytes of one line of its answers")] = MAX_LINE

    def lowered(self, requested: Mapping[str, int]) -> "ProcessLimits":
        """These limits, replaced by the requested ones where those are lower."""
        return msgspec.structs.replace(self, **{name: min(getattr(self, name), requested[name]) for name in requested})


DEFAULT: Final = ProcessLimits()
"""The limits if the organiser sets none."""


def parse_limits(settings: Iterable[str]) -> ProcessLimits:
    """The limits with these settings, each `NAME=NUMBER`. Raises LimitError."""
    given: dict[str, str] = {}
    known = {field.name: field for field in msgspec.structs.fields(ProcessLimits)}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise LimitError(f"{setting}: write NAME=NUMBER, for example memory_mb=512")
        if name not in known:
            raise LimitError(f"{setting}: unknown limit {name!r}{did_you_mean(name, known)}")
        try:
            msgspec.convert({name: value}, ProcessLimits, strict=False)
        except msgspec.ValidationError:
            (meta,) = ProcessLimits.__annotations__[name].__metadata__
            allowed = f"{name} is a whole number from {meta.ge} to {meta.le} ({meta.description})"
            raise LimitError(f"{setting}: {allowed}") from None
        given[name] = value
    return msgspec.convert(given, ProcessLimits, strict=False)


def max_processes(wanted: int) -> int:
    """The number of processes and threads that the kernel allows a bot that wants this number."""
    return _within_own(resource.RLIMIT_NPROC, wanted)


def capped_limits(limits: ProcessLimits) -> list[str]:
    """A notice for each limit above the referee's own hard limit, which is used instead."""
    wanted = [("processes", resource.RLIMIT_NPROC, limits.processes, 1)]
    wanted += [("open_files", resource.RLIMIT_NOFILE, limits.open_files, 1)]
    wanted += [("file_mb", resource.RLIMIT_FSIZE, limits.file_mb, MIB)]
    wanted += [("cpu_seconds", resource.RLIMIT_CPU, limits.cpu_seconds, 1)]
    notices = []
    for name, which, value, unit in wanted:
        possible = _within_own(which, value * unit) // unit
        if possible < value:
            notices.append(
                f"{name}={value} is over the referee's hard limit (see `ulimit -Ha`): {possible} is used instead"
            )
    return notices


def kernel_limits(limits: ProcessLimits) -> list[tuple[int, int, int]]:
    """The limits that the kernel enforces for each process: which, soft, hard (setrlimit(2)).

    The referee itself checks the sum of the CPU time of all processes of a bot. RLIMIT_CPU is a fallback for each
    process, so it is higher.
    """
    wanted = [
        (resource.RLIMIT_CPU, limits.cpu_seconds + 1, limits.cpu_seconds + 2),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.file_mb * MIB, limits.file_mb * MIB),
        (resource.RLIMIT_CORE, 0, 0),
    ]
    return [(which, _within_own(which, soft), _within_own(which, hard)) for which, soft, hard in wanted]


def _within_own(which: int, limit: int) -> int:
    """A limit no higher than the referee's own, which only root may exceed."""
    own = resource.getrlimit(which)[1]
    return limit if own == resource.RLIM_INFINITY else min(limit, own)
