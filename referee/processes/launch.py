"""What is started for a bot: the command, and what its process gets. The sandbox makes it, and the keeper starts it."""

import contextlib
import errno
import fcntl
import itertools
import os
import resource
import signal
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from referee.errors import RefereeError
from referee.files import find_program
from referee.processes import linux
from referee.processes.limits.process_limits import ProcessLimits, kernel_limits

FILTER_OPTION: Final = "--seccomp"
COPY_OPTION: Final = "--ro-bind-data"
"""The options of bubblewrap that are followed by the number of a descriptor from which it reads."""
FREE_FD: Final = 100
"""Descriptors from this number on are used by no command of the sandbox."""


class SpawnError(RefereeError):
    """A command could not be started, and is to blame for it. The text says which command, and why."""


class Command(Struct, frozen=True):
    """What is started, where, and what decides which files it sees in the sandbox."""

    argv: tuple[str, ...] = ()
    folder: Path = Path()
    from_command_line: bool = False
    """Whether the organiser typed the command: if so, the files that it names are visible (see `visible_paths`)."""
    show: tuple[Path, ...] = ()
    """Files, folders and sockets that the sandbox shows to it alone, without symbolic links. The organiser's choice: a
    bot.toml, which strangers write, can't name any."""


class Launch(Struct, frozen=True, kw_only=True):
    """A command to be executed, with its three pipes as standard streams, and what its process gets besides those."""

    argv: Sequence[str]
    """The first word is the path of the program: nothing is searched for on a PATH."""
    folder: Path
    environment: Mapping[str, str]
    """All environment variables of the command. In the sandbox the bot's own are among the arguments instead."""
    limits: Sequence[tuple[int, int, int]] = ()
    """Limits of the kernel: which, soft, hard (setrlimit(2))."""
    files: Mapping[int, bytes] = {}
    """Contents of files in memory, by the number of the descriptor from which the command reads each: in the sandbox,
    the numbers after FILTER_OPTION and COPY_OPTION."""
    image: tuple[str, str] | None = None
    """An image file, and the folder on which it is mounted for this process alone."""
    user: int | None = None
    """The host's user id under which the bot runs, if it is not the referee's. The pipes must belong to that user, or
    programs that open /dev/stdin would fail."""
    inner: Path | None = None
    """The program that a wrapper executes: nothing is started while a process has it open for writing."""
    ready_fd: int | None = None
    """The number of a descriptor to which a wrapper writes a byte just before it executes the actual program. If it
    ends earlier, its standard error says why."""

    @contextlib.contextmanager
    def popen_arguments(self) -> Iterator[dict[str, Any]]:
        """The arguments with which Popen starts this without a keeper and an image, for a trial of the sandbox.

        Popen can't choose the numbers of descriptors, so those of `files` are replaced by others.
        """
        argv = list(self.argv)
        given: list[int] = []
        with contextlib.ExitStack() as opened:
            for number, content in self.files.items():
                file = fcntl.fcntl(memory_file(opened, content), fcntl.F_DUPFD_CLOEXEC, FREE_FD)
                opened.callback(os.close, file)
                given.append(file)
                options = ((FILTER_OPTION, str(number)), (COPY_OPTION, str(number)))
                place = next(place for place, pair in enumerate(itertools.pairwise(argv), 1) if pair in options)
                argv[place] = str(file)
            yield {
                "args": argv,
                "cwd": self.folder,
                "env": self.environment,
                "pass_fds": given,
                "preexec_fn": self._preexec_hook(),
                "start_new_session": True,  # Ctrl-C would end it, and what it tries would seem to fail
            }

    def _preexec_hook(self) -> Callable[[], None]:
        """A function that does in the new process what the keeper does for bots: it sets limits, gives the process its
        own session keyring, makes it die with the referee, and gives its pipes to `user`.

        It only makes system calls and takes no locks, so it is safe while other threads run.
        """
        referee = os.getpid()

        def prepare() -> None:
            for which, soft, hard in self.limits:
                resource.setrlimit(which, (soft, hard))
            linux.join_new_session_keyring()
            for pipe in (0, 1, 2):
                if self.user is not None and stat.S_ISFIFO(os.fstat(pipe).st_mode):
                    os.fchown(pipe, self.user, self.user)
            if not linux.die_with_parent(referee):  # the referee died before that
                os._exit(128 + signal.SIGKILL)
            linux.raise_oom_score()

        return prepare


def without_sandbox(argv: Sequence[str], folder: Path, limits: ProcessLimits, variables: Mapping[str, str]) -> Launch:
    """The launch of a program without a sandbox, with these environment variables. Raises SpawnError if there is no
    such program."""
    program = find_program(argv[0], folder, variables.get("PATH"))
    if program is None:
        raise SpawnError(f"can't start {argv[0]!r}: {os.strerror(errno.ENOENT)}")
    return Launch(argv=(str(program), *argv[1:]), folder=folder, environment=variables, limits=kernel_limits(limits))


def memory_file(opened: contextlib.ExitStack, content: bytes) -> int:
    """A file in memory, to be read from its beginning, that the stack closes. Raises OSError."""
    fd = os.memfd_create("file")
    opened.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
