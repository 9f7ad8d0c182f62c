"""Suspends all processes in the process namespace of a sandbox, and resumes them. Used if no cgroup can be frozen.

A helper process in that namespace does it, because only there kill(-1) means these processes. It stops them repeatedly,
since a timer of the bot may send SIGCONT; and it reports a bot that runs nevertheless. It is the keeper's child: the
keeper learns from the kernel if it is stopped or killed, which a bot of the same user can do, and never waits for it.
The keeper imports this, so it imports little itself (see there).
"""

import _signal as signal  # type: ignore[import-not-found]
import errno
import os
import select
import time

from referee.processes import linux
from referee.processes.procfs import USER_TIME, descendants, is_ending, read_stat

FIRST_PAUSE = 0.005
"""Seconds until everything is stopped for the second time."""
MAX_PAUSE = 0.01
"""Maximum pause in seconds between two stops: it doubles up to this."""
MEASURE_INTERVAL = 0.1
"""Seconds between two measurements of the CPU time that the bot uses while it is suspended."""
MIN_MEASURED = 0.02
"""A shorter turn of others is not measured when it ends: it is not worth the time."""
MAX_TICKS = 5
"""Units of 0.01 s of CPU time in its own code that a bot may use while it is suspended, in one turn of others. The work
of the kernel for a stopped bot does not count, so a slow machine does not cost a bot anything."""
MAX_MEASUREMENTS_WITH_NEW = 5
"""Number of measurements that may find new processes: one that was just being created when its parent was stopped is
found once, maybe late on a slow machine."""
MAX_TRIED_PROCESSES = 8
"""Number of processes searched for the first one of the namespace. It is the second or third."""
DONE = b"."
PREVENTED = b"!"


class Suspender:
    """The helper, as the keeper sees it."""

    def __init__(self, inside: int) -> None:
        """`inside`: the first process in the namespace. Raises OSError."""
        self._inside = inside
        self._asked: list[bool] = []
        pidfd = os.pidfd_open(inside)
        opened = [pidfd]
        try:
            theirs, self._requests = _pipe(opened)
            self.answers, answering = _pipe(opened)
            self.pid = _create(pidfd, inside, theirs, answering)
            """As seen by the keeper, which becomes its parent."""
            opened = [pidfd, theirs, answering]
        finally:
            for fd in opened:
                os.close(fd)
        os.set_blocking(self.answers, False)
        os.set_blocking(self._requests, False)

    def request(self, suspended: bool) -> None:
        """Ask it to suspend all processes, or to resume them. If it is gone, the end of `answers` says so."""
        self._asked.append(suspended)
        with linux.suppress(OSError):
            os.write(self._requests, bytes([signal.SIGSTOP if suspended else signal.SIGCONT]))

    def receive(self) -> tuple[list[bool], bool]:
        """The requests that it has completed since the last call, and whether the bot runs nevertheless or the helper
        is gone. Call it when `answers` can be read."""
        try:
            said = os.read(self.answers, select.PIPE_BUF)
        except BlockingIOError:
            return [], False
        done = [self._asked.pop(0) for _ in range(min(said.count(DONE), len(self._asked)))]
        return done, PREVENTED in said or not said

    def is_disturbed(self) -> bool:
        """Whether it has been stopped or killed, which only its bot can have done.

        The bot can't deprive it of the CPU: a process without capabilities may not change how the kernel schedules one
        that has some, and the helper has all of them in the user namespace.
        """
        try:
            how = os.WEXITED | os.WSTOPPED | os.WCONTINUED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, how) is not None
        except ChildProcessError:
            return True

    def is_needed(self) -> bool:
        """Whether its namespace has not ended. At its end the kernel kills the helper."""
        return is_running(self._inside)

    def close(self) -> None:
        os.close(self._requests)
        os.close(self.answers)


def first_inside(bot: int) -> int | None:
    """The first process in the process namespace of a bot's sandbox; None if there is none."""
    for pid, _ in zip(descendants(bot), range(MAX_TRIED_PROCESSES), strict=False):
        if linux.in_other_namespace(pid):
            return pid
    return None


def is_running(pid: int) -> bool:
    """Whether a process exists that is not ending."""
    try:
        return not is_ending(read_stat(str(pid)))
    except OSError:
        return False


def _pipe(opened: list[int]) -> tuple[int, int]:
    ends = os.pipe()
    opened += ends
    return ends


def _create(pidfd: int, inside: int, requests: int, answering: int) -> int:
    """Create the helper. Returns its pid. Raises OSError.

    setns(2) changes the namespace of processes that are created from then on. The process that calls it is not in the
    namespace yet, so the bot can't make it wait.
    """
    reading, writing = os.pipe()
    try:
        child = os.fork()
        if not child:
            _enter_and_fork(pidfd, inside, requests, answering, writing)
    finally:
        os.close(writing)
        said = b""
        with linux.suppress(OSError):
            said = os.read(reading, 16)
        os.close(reading)
    os.waitpid(child, 0)
    result = int(said or -errno.EIO)
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    return result


def _enter_and_fork(pidfd: int, inside: int, requests: int, answering: int, writing: int) -> None:
    """In a new process: create the helper and exit. The result is written to `writing`: pid or -errno."""
    result = -errno.EIO
    try:
        same_user = linux.namespace_of("self", "user") == linux.namespace_of(str(inside), "user")
        linux.enter_namespace(pidfd, linux.CLONE_NEWPID | (0 if same_user else linux.CLONE_NEWUSER))
        linux.forbid_dumps()  # a bot must not read or trace the helper
        result = os.fork()
    except OSError as error:
        result = -(error.errno or errno.EIO)
    if result:
        os.write(writing, b"%d" % result)
        os._exit(0)
    try:
        signal.set_wakeup_fd(-1)
        os.dup2(requests, 0)
        os.dup2(answering, 1)
        os.closerange(2, 1 << 16)
        _obey(inside)
    finally:
        os._exit(0)


def _obey(inside: int) -> None:
    """Send the signals read from standard input, SIGSTOP or SIGCONT, to all processes but this and the first, and
    confirm each."""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    suspension: _Suspension | None = None
    pause = FIRST_PAUSE
    while True:
        if suspension is not None and not poll.poll(pause * 1000):
            _signal_all(signal.SIGSTOP)
            pause = min(2 * pause, MAX_PAUSE)
            if suspension.is_due(MEASURE_INTERVAL) and suspension.is_broken():
                os.write(1, PREVENTED)
            continue
        for request in (requests := os.read(0, select.PIPE_BUF)):
            if request == signal.SIGSTOP:
                _signal_all(signal.SIGSTOP)
                os.write(1, DONE)
                suspension, pause = _Suspension(inside), FIRST_PAUSE
            else:
                if suspension is not None and suspension.is_due(MIN_MEASURED) and suspension.is_broken():
                    os.write(1, PREVENTED)
                suspension = None
                _signal_all(signal.SIGCONT)
                os.write(1, DONE)
        if not requests:
            return


class _Suspension:
    """The CPU time that the processes of a bot had used when they were stopped, and what has changed since."""

    def __init__(self, inside: int) -> None:
        self._inside = inside
        self._measured = time.monotonic()
        self._before = {pid: int(fields[USER_TIME]) for pid, fields in _processes(inside)}
        """By process, when it was first seen: some may still have been starting, or been missed then."""
        self._measurements_with_new = 0

    def is_due(self, interval: float) -> bool:
        """Whether the last measurement was at least `interval` seconds ago."""
        return time.monotonic() - self._measured >= interval

    def is_broken(self) -> bool:
        """Whether some have run: they used CPU time, or new ones kept appearing."""
        ticks, known = 0, len(self._before)
        for pid, fields in _processes(self._inside):
            used = int(fields[USER_TIME])
            ticks += max(0, used - self._before.setdefault(pid, used))
        self._measurements_with_new += len(self._before) > known
        self._measured = time.monotonic()
        return ticks >= MAX_TICKS or self._measurements_with_new >= MAX_MEASUREMENTS_WITH_NEW


def _processes(inside: int) -> list[tuple[int, list[bytes]]]:
    """The processes in a namespace except its first, with their `stat`."""
    found = []
    for pid in descendants(inside):
        with linux.suppress(OSError):
            if pid != inside:
                found.append((pid, read_stat(str(pid))))
    return found


def _signal_all(number: int) -> None:
    with linux.suppress(ProcessLookupError):
        os.kill(-1, number)
