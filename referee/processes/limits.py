"""What the processes of a bot may use, and which of it the kernel sees to."""

import contextlib
import os
import resource
import signal
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from protocol.framing import MAX_LINE
from referee.processes import linux

MIB: Final = 1024 * 1024
OOM_SCORE: Final = b"1000"
"""For the kernel's choice of a victim when the machine runs out of memory: before everybody else."""


class LimitError(ValueError):
    """A limit that can't be set; says what can."""


class ProcessLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of one bot: one process with all that it starts, in one seat of one game at a time."""

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

    def lowered(self, wanted: Mapping[str, int]) -> "ProcessLimits":
        """These limits, where a bot wants lower ones those."""
        return msgspec.structs.replace(self, **{name: min(getattr(self, name), wanted[name]) for name in wanted})


DEFAULT: Final = ProcessLimits()
"""Where the organiser says nothing."""


def parse_limits(settings: Iterable[str]) -> ProcessLimits:
    """The limits with these settings, each `NAME=NUMBER`. Raises LimitError."""
    given: dict[str, str] = {}
    known = {field.name: field for field in msgspec.structs.fields(ProcessLimits)}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise LimitError(f"{setting}: write NAME=NUMBER, for example memory_mb=512")
        if name not in known:
            raise LimitError(f"there is no limit {name!r}; there is: {', '.join(known)}")
        try:
            msgspec.convert({name: value}, ProcessLimits, strict=False)
        except msgspec.ValidationError:
            raise LimitError(f"{setting}: {in_words(name)}") from None
        given[name] = value
    return msgspec.convert(given, ProcessLimits, strict=False)


def in_words(name: str) -> str:
    """What a limit may be."""
    annotation = ProcessLimits.__annotations__[name]
    (meta,) = annotation.__metadata__
    return f"{name} is a whole number from {meta.ge} to {meta.le} ({meta.description})"


def entry(limits: ProcessLimits) -> Callable[[], None]:
    """What a new process does before it becomes the bot: takes on its limits, and dies with the referee.

    To be given to Popen as its `preexec_fn`: it makes system calls only and takes no locks, so it is safe there
    even where other threads run.
    """
    kept = [(which, *_at_most(which, soft, hard)) for which, soft, hard in _kernel_limits(limits)]
    referee = os.getpid()

    def enter() -> None:
        for which, soft, hard in kept:
            resource.setrlimit(which, (soft, hard))
        linux.die_with_parent()
        if os.getppid() != referee:  # it died just before
            os._exit(128 + signal.SIGKILL)
        with contextlib.suppress(OSError):
            victim = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
            os.write(victim, OOM_SCORE)
            os.close(victim)

    return enter


def _kernel_limits(limits: ProcessLimits) -> list[tuple[int, int, int]]:
    """The limits that the kernel keeps, process by process: which, soft, hard.

    The one for CPU time is for what the referee misses, which adds up all processes of a bot: it comes later.
    """
    return [
        (resource.RLIMIT_CPU, limits.cpu_seconds + 1, limits.cpu_seconds + 2),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.file_mb * MIB, limits.file_mb * MIB),
        (resource.RLIMIT_CORE, 0, 0),
    ]


def _at_most(which: int, soft: int, hard: int) -> tuple[int, int]:
    """A limit no higher than the referee's own, which only root may exceed."""
    own = resource.getrlimit(which)[1]
    if own == resource.RLIM_INFINITY:
        return soft, hard
    return min(soft, own), min(hard, own)
