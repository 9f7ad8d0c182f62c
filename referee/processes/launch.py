"""The command that starts a bot's process."""

import contextlib
import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.files import find_program

FILTER_FD: Final = 9
"""The descriptor on which bubblewrap reads the filter of system calls."""
FILTER_OPTION: Final = ("--seccomp", str(FILTER_FD))


class Launch(Struct, frozen=True, kw_only=True):
    """The command that starts a bot's process, and what it needs besides its pipes and limits.

    It is executed in the bot's folder, with the bot's pipes as standard streams.
    """

    argv: tuple[str, ...]
    """The first word is an absolute path: nothing is searched for on a PATH."""
    environment: dict[str, str]
    """All environment variables of the command. In the sandbox the bot's own are among the arguments instead."""
    filter: bytes | None = None
    """If given, the command reads this filter of system calls from the descriptor FILTER_FD."""
    user: int | None = None
    """The host's user id under which the bot runs, if it is not the referee's. The pipes must belong to that user, or
    programs that open /dev/stdin would fail."""

    @contextlib.contextmanager
    def started_by_subprocess(self) -> Iterator[tuple[list[str], tuple[int, ...]]]:
        """The words of the command and its `pass_fds`, for Popen: it can't choose the number of a descriptor, so
        FILTER_FD is replaced by another one."""
        argv = list(self.argv)
        if self.filter is None:
            yield argv, ()
            return
        made = os.memfd_create("filter")
        descriptor = fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, FILTER_FD)  # the command itself uses lower ones
        os.close(made)
        try:
            os.write(descriptor, self.filter)
            os.lseek(descriptor, 0, os.SEEK_SET)
            argv[argv.index(FILTER_OPTION[0]) + 1] = str(descriptor)
            yield argv, (descriptor,)
        finally:
            os.close(descriptor)


def without_sandbox(argv: Sequence[str], folder: Path, variables: Mapping[str, str]) -> Launch | None:
    """The launch of a program without a sandbox, with these environment variables; None if it is not found."""
    program = find_program(argv[0], folder, variables.get("PATH"))
    if program is None:
        return None
    return Launch(argv=(str(program), *argv[1:]), environment=dict(variables))
