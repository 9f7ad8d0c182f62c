"""A program that the keeper is to execute, what it is given, and why it could not be started."""

import contextlib
import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.errors import RefereeError
from referee.processes.keeper.link import PREPARATION
from referee.processes.limits.machine import MACHINE_REMEDIES, MachineError

REFUSALS: Final = frozenset({*MACHINE_REMEDIES, errno.EPERM})
"""Errors that are never the fault of the program to be started."""


class SpawnError(RefereeError):
    """A command could not be started, and is to blame for it. The text says which command, and why."""


class Program(Struct, frozen=True, kw_only=True):
    """A program to be executed."""

    argv: Sequence[str]
    """The first word is the path of the program."""
    folder: Path
    environment: Mapping[str, str]
    limits: Sequence[tuple[int, int, int]] = ()
    """Limits of the kernel: which, soft, hard (setrlimit(2))."""
    files: Mapping[int, bytes] = {}
    """Contents of files in memory, by the number of the descriptor from which the program reads each."""
    user: int | None = None
    """The user who owns its pipes, if not the referee's."""
    image: tuple[str, str] | None = None
    """An image file, and the folder on which the keeper mounts it for this process alone."""
    ready_fd: int | None = None
    """The number of a descriptor to which a wrapper writes a byte just before it executes the actual program. If it
    ends earlier, its standard error says why."""


def new_pipe(opened: contextlib.ExitStack) -> tuple[int, int]:
    """A pipe that the stack closes. Raises OSError."""
    ends = os.pipe()
    for fd in ends:
        opened.callback(os.close, fd)
    return ends


def memory_file(opened: contextlib.ExitStack, content: bytes) -> int:
    """A file in memory, to be read from its beginning, that the stack closes. Raises OSError."""
    fd = os.memfd_create("file")
    opened.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def system_string(text: str) -> bytes:
    """A string as it is passed to the system. Raises ValueError."""
    if "\0" in text:
        raise ValueError("embedded null byte")
    return os.fsencode(text)


def spawn_error(program: Program, code: int, doing: str) -> SpawnError | MachineError:
    """Why a program could not be started: the error for an errno, or if it is 0 for a failure of `doing`."""
    if code in REFUSALS or doing == PREPARATION:
        what = f"start {program.argv[0]!r}" + (f" ({doing})" if doing else "")
        return MachineError.of(OSError(code, os.strerror(code)), what)
    problem = f"{doing}: {os.strerror(code)}" if doing and code else doing or os.strerror(code)
    return SpawnError(f"can't start {program.argv[0]!r}: {problem}")
