"""The command that starts a bot's process."""

import contextlib
import fcntl
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.files import find_program
from referee.processes.sandbox.proc_view import COPY_OPTION

FILTER_FD: Final = 9
"""The descriptor on which bubblewrap reads the filter of system calls."""
FREE_FD: Final = 100
"""Descriptors from this number on are used by no command of the sandbox."""
FILTER_OPTION: Final = ("--seccomp", str(FILTER_FD))


class Launch(Struct, frozen=True, kw_only=True):
    """The command that starts a bot's process, and what it needs besides its pipes and limits.

    It is executed in the bot's folder, with the bot's pipes as standard streams.
    """

    argv: tuple[str, ...]
    """The first word is an absolute path: nothing is searched for on a PATH."""
    environment: dict[str, str]
    """All environment variables of the command. In the sandbox the bot's own are among the arguments instead."""
    files: dict[int, bytes] = {}
    """Contents that the command reads from descriptors, by their numbers: a filter of system calls from FILTER_FD, and
    others after COPY_OPTION."""
    image: tuple[str, str] | None = None
    """An image file, and the folder on which it is mounted for this process alone; None: the command needs none."""
    user: int | None = None
    """The host's user id under which the bot runs, if it is not the referee's. The pipes must belong to that user, or
    programs that open /dev/stdin would fail."""

    @contextlib.contextmanager
    def started_by_subprocess(self) -> Iterator[tuple[list[str], tuple[int, ...]]]:
        """The words of the command and its `pass_fds`, for Popen: it can't choose the numbers of descriptors, so those
        of `files` are replaced by others."""
        argv = list(self.argv)
        given: list[int] = []
        try:
            for number, content in self.files.items():
                made = os.memfd_create("content")
                given.append(fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, FREE_FD))
                os.close(made)
                os.write(given[-1], content)
                os.lseek(given[-1], 0, os.SEEK_SET)
                place = next(
                    place
                    for place, pair in enumerate(itertools.pairwise(argv))
                    if pair in ((FILTER_OPTION[0], str(number)), (COPY_OPTION, str(number)))
                )
                argv[place + 1] = str(given[-1])
            yield argv, tuple(given)
        finally:
            for descriptor in given:
                os.close(descriptor)


def without_sandbox(argv: Sequence[str], folder: Path, variables: Mapping[str, str]) -> Launch | None:
    """The launch of a program without a sandbox, with these environment variables; None if it is not found."""
    program = find_program(argv[0], folder, variables.get("PATH"))
    if program is None:
        return None
    return Launch(argv=(str(program), *argv[1:]), environment=dict(variables))
