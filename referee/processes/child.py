"""A bot's process: one task owns it, others exchange lines with it.

No thread and no task switch is spent on a turn: lines are written straight to the pipe, and the reader waits for
the file descriptor in the task of the game. Only standard error has a task of its own.
"""

import contextlib
import fcntl
import os
import signal
import subprocess
import termios
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import trio

from protocol.framing import LineBuffer, Oversize
from protocol.messages import FaultCode
from referee.processes.limits import MIB, ProcessLimits, entry
from referee.processes.process_tree import Usage
from referee.processes.reaper import Reaper
from referee.processes.stderr_log import StderrLog

READ_SIZE: Final = 64 * 1024
END_GRACE: Final = 0.25
"""Seconds to wait for the exit status of a process that closed its standard output."""

PAUSE: Final = 0.0005
"""Seconds between two looks at what is in a pipe."""
SIGNALLED: Final = 128
REAP_TIME: Final = 5.0
"""Seconds that a killed process, and what it left behind, may take to vanish before the referee goes on."""
HINTS: Final = {signal.SIGXCPU: ": it used up its CPU time (cpu_seconds)", signal.SIGXFSZ: ": a file grew over file_mb"}


class SpawnError(Exception):
    """A command that could not be started."""


class ProcessEnded(Exception):
    """The process exited, or closed a pipe that it needs; says which."""


class OverLimit(ProcessEnded):
    """The referee ended the process for using more than it may: the code of its fault, and what it used."""

    def __init__(self, code: FaultCode, message: str) -> None:
        super().__init__(message)
        self.code: FaultCode = code


class Child:
    """A running process with its pipes. Made by `run_child`, which also ends it."""

    def __init__(self, process: subprocess.Popen[bytes], limits: ProcessLimits) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.pid = process.pid
        self.stderr = StderrLog(None)
        self.cpu_seconds = 0.0
        """CPU time used so far, as whoever watches it saw last."""
        self._cpu_of: dict[tuple[int, int], float] = {}
        self._cpu_of_ended = 0.0
        self.exited = trio.Event()
        """Set once the process is reaped."""
        self.closed = trio.Event()
        """Set once nothing of it is left, its standard error read to the end."""
        self._process = process
        self._limits = limits
        self._lines = LineBuffer(limits.line_bytes)
        self._over: OverLimit | None = None
        self._volume = 0
        self._stderr_volume = 0
        self._sent = 0
        self._stop = trio.Event()
        self._drained = trio.Event()
        self._stdin = process.stdin.fileno()
        self._stdout = process.stdout.fileno()
        self._stderr = process.stderr.fileno()
        for fd in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(fd, False)

    # -- lines --------------------------------------------------------------------------------------------

    async def send(self, line: bytes) -> None:
        """Write a line. Raises ProcessEnded; Oversize if meanwhile the process floods its standard output."""
        try:
            written = os.write(self._stdin, line)
        except BlockingIOError:
            written = 0
        except OSError:
            raise await self._ended() from None
        self._sent += written
        if written < len(line):
            await self._send_slowly(memoryview(line)[written:])

    async def _send_slowly(self, rest: memoryview) -> None:
        """Write while also reading, so that a bot that must write before it reads on doesn't block us both."""
        failures: list[Exception] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_ahead, nursery.cancel_scope, failures)
            try:
                while rest:
                    await trio.lowlevel.wait_writable(self._stdin)
                    with contextlib.suppress(BlockingIOError):
                        written = os.write(self._stdin, rest)
                        self._sent += written
                        rest = rest[written:]
            except (OSError, trio.ClosedResourceError) as error:
                failures.append(error)
            nursery.cancel_scope.cancel()
        for failure in failures:
            raise failure if isinstance(failure, Oversize) else await self._ended()

    async def _read_ahead(self, sending: trio.CancelScope, failures: list[Exception]) -> None:
        """Take in what the process writes; a flood ends the sending, for it may never end."""
        while True:
            try:
                await trio.lowlevel.wait_readable(self._stdout)
                chunk = os.read(self._stdout, READ_SIZE)
                if not chunk:
                    return
                self._take(chunk)
            except BlockingIOError:
                continue
            except trio.ClosedResourceError:
                return
            except Oversize as flood:
                failures.append(flood)
                sending.cancel()
                return

    async def receive(self) -> bytes:
        """The next line from the process. Raises ProcessEnded or Oversize."""
        while True:
            line = self._lines.pop()
            if line is not None:
                return line
            if self.exited.is_set():
                await trio.lowlevel.checkpoint()
            else:
                with contextlib.suppress(trio.ClosedResourceError):  # it has exited meanwhile
                    await trio.lowlevel.wait_readable(self._stdout)
            try:
                chunk = os.read(self._stdout, READ_SIZE)
            except BlockingIOError:
                if not self.exited.is_set():
                    continue
                chunk = b""
            if not chunk:
                raise await self._ended()
            self._take(chunk)

    def receive_nowait(self) -> bytes | None:
        """The next line if it has arrived already, in however many pieces."""
        line = self._lines.pop()
        with contextlib.suppress(OSError, Oversize):
            while line is None and (chunk := os.read(self._stdout, READ_SIZE)):
                self._take(chunk)
                line = self._lines.pop()
        return line

    def _take(self, chunk: bytes) -> None:
        """Take in what the process wrote. Raises Oversize."""
        self._volume += len(chunk)
        if self._volume > self._limits.stdout_mb * MIB:
            raise Oversize(f"over {self._limits.stdout_mb} MiB (stdout_mb) on standard output in one game")
        self._lines.feed(chunk)

    async def _ended(self) -> ProcessEnded:
        """Why there is nothing more to come."""
        with trio.move_on_after(END_GRACE):
            await self.exited.wait()
        status = self._process.returncode
        if self._over is not None:
            return self._over
        if status is None:
            return ProcessEnded("closed its standard input or output while it was still running")
        return ProcessEnded(describe_status(status))

    # -- the end ------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ask the owner to end the process; returns at once."""
        self._stop.set()

    def note_cpu(self, used: Usage) -> None:
        """Add up the CPU time of all processes: those that ended too, even if nobody waited for them."""
        self._cpu_of_ended += sum(self._cpu_of[process] for process in self._cpu_of.keys() - used.own.keys())
        self._cpu_of = used.own
        self.cpu_seconds = max(self.cpu_seconds, used.cpu, self._cpu_of_ended + sum(used.own.values()))

    def end_for(self, code: FaultCode, message: str) -> None:
        """Kill the process for something that it may not; its next message to or from us says so."""
        if self._over is None:
            self._over = OverLimit(code, message)
        self.kill()

    def kill(self) -> None:
        """Kill the process and all of its group, unless it was reaped: then its number may be another's.

        What has left the group comes to the reaper when this is gone.
        """
        if self.exited.is_set():
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def _watch_exit(self) -> None:
        """Wait until the process has exited, kill what is left of its group, and reap it."""
        if hasattr(os, "pidfd_open"):
            pidfd = os.pidfd_open(self.pid)
            try:
                await trio.lowlevel.wait_readable(pidfd)
            finally:
                os.close(pidfd)
        else:
            how = os.WEXITED | os.WNOWAIT
            await trio.to_thread.run_sync(os.waitid, os.P_PID, self.pid, how, abandon_on_cancel=True)
        self.kill()
        self._process.wait()
        self.exited.set()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:  # a grandchild may hold it, but nobody need wait for it any more
                trio.lowlevel.notify_closing(pipe)

    def begin_game(self, stderr: Path | None) -> None:
        """From now on count what it writes anew, and keep standard error in this file (None: its end, in memory)."""
        self.stderr.close()
        self.stderr = StderrLog(stderr)
        self._volume = self._stderr_volume = self._sent = 0

    def has_read_nothing(self) -> bool:
        """Whether all that was sent since the game began is still in the pipe."""
        return self._unread() >= self._sent

    async def has_read_all(self, patience: float) -> None:
        """Wait until nothing that was sent is in the pipe any more, or no longer than so many seconds."""
        with trio.move_on_after(patience):
            while self._unread() > 0:  # noqa: ASYNC110 (the kernel tells nobody that a pipe is empty)
                await trio.sleep(PAUSE)

    def _unread(self) -> int:
        """Bytes sent that are still in the pipe; -1 where the system doesn't say."""
        unread = array("i", [-1])
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._stdin, termios.FIONREAD, unread)
        return unread[0]

    async def _drain_stderr(self) -> None:
        """Keep what the process writes to its standard error, until the pipe ends."""
        while True:
            await trio.lowlevel.wait_readable(self._stderr)
            try:
                chunk = os.read(self._stderr, READ_SIZE)
            except BlockingIOError:
                continue
            if not chunk:
                self._drained.set()
                return
            self.stderr.write(chunk)
            self._stderr_volume += len(chunk)
            if self._stderr_volume > self._limits.stderr_mb * MIB:
                limit = f"{self._limits.stderr_mb} MiB (stderr_mb)"
                self.end_for("oversize", f"wrote over {limit} to its standard error in one game")
                return

    async def _say_goodbye(self, quit_line: bytes, grace: float) -> None:
        """Send the last line, close standard input, and give the process a short time to exit."""
        with trio.move_on_after(grace):
            if not self._is_input_closed():
                with contextlib.suppress(ProcessEnded, Oversize, trio.ClosedResourceError, trio.BusyResourceError):
                    await self.send(quit_line)
                self.close_input()
            await self.exited.wait()

    def _is_input_closed(self) -> bool:
        assert self._process.stdin is not None
        return self._process.stdin.closed

    def close_input(self) -> None:
        """Nothing more will be sent."""
        assert self._process.stdin is not None
        if not self._process.stdin.closed:
            trio.lowlevel.notify_closing(self._stdin)
            self._process.stdin.close()

    def _close(self) -> None:
        """Give back every file descriptor."""
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.close_input()
        for pipe, fd in ((self._process.stdout, self._stdout), (self._process.stderr, self._stderr)):
            trio.lowlevel.notify_closing(fd)
            pipe.close()
        self.stderr.close()


async def run_child(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    *,
    limits: ProcessLimits,
    quit_line: bytes,
    quit_grace: float,
    reaper: Reaper,
    task_status: trio.TaskStatus[Child] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Start a process and own it until it has ended; for `nursery.start`, which returns the Child.

    The process gets a session and process group of its own and no shell. It ends when `Child.stop` is called
    (after `quit_line`, the end of its input and `quit_grace` seconds), when this task is cancelled (at once), or
    of itself. Whatever happens, its group is killed, then whatever else it left behind (where `reaper` is installed),
    the process reaped and every descriptor closed.
    Raises SpawnError when the command can't be started.
    """
    try:
        process = subprocess.Popen(  # noqa: ASYNC220 (starting is quick; the pipes are ours to poll)
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            preexec_fn=entry(limits),  # noqa: PLW1509 (safe, see there)
        )
    except (OSError, ValueError) as error:
        raise SpawnError(f"can't start {argv[0]!r}: {getattr(error, 'strerror', None) or error}") from None
    reaper.adopt(process.pid)
    child = Child(process, limits)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(child._watch_exit)
            nursery.start_soon(child._drain_stderr)
            task_status.started(child)
            await child._stop.wait()
            if not child.exited.is_set():
                await child._say_goodbye(quit_line, quit_grace)
            child.kill()
            await child.exited.wait()
            with trio.move_on_after(END_GRACE):  # a grandchild may hold the pipe open
                await child._drained.wait()
            nursery.cancel_scope.cancel()
    finally:
        child.kill()
        if not child.exited.is_set():
            with trio.move_on_after(REAP_TIME, shield=True):
                await child._watch_exit()
        reaper.release(process.pid)
        with trio.move_on_after(REAP_TIME, shield=True):
            await reaper.clear()
        child._close()
        child.closed.set()


def describe_status(status: int) -> str:
    """An exit status in words. A sandbox, like a shell, reports the death by a signal as 128 + its number."""
    number = -status if status < 0 else status - SIGNALLED
    known = next((known for known in signal.Signals if known == number), None)
    name = f"signal {number}" if known is None else known.name + HINTS.get(known, "")
    if status < 0:
        return f"was killed by {name}"
    return f"exited with status {status}" + (f" ({name})" if number > 0 else "")
