"""A bot process: its start, its standard error, its use of resources, its end. One task owns it from start to end."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple

import trio

from protocol.messages import FaultCode
from referee.errors import RefereeError
from referee.processes.launch import Launch
from referee.processes.limits import MIB, ProcessLimits, preexec_hook
from referee.processes.process_tree import Usage
from referee.processes.reaper import Reaper
from referee.processes.stderr_log import StderrLog

READ_SIZE: Final = 64 * 1024
EXIT_TIMEOUT: Final = 0.25
"""Seconds to wait for the exit status of a process that closed its standard output."""
REAP_TIMEOUT: Final = 5.0
"""Seconds to wait until a killed process and its orphans are gone; then the referee continues."""
SHELL_SIGNAL_BASE: Final = 128
"""Added by shells and sandboxes to the number of the signal that killed a process, as its exit status."""
SIGNAL_CAUSES: Final = {
    signal.SIGXCPU: ": it used up its CPU time (cpu_seconds)",
    signal.SIGXFSZ: ": a file grew over file_mb",
}


class SpawnError(RefereeError):
    """A command could not be started. The text says which, and why."""


class Ending(NamedTuple):
    """How a process ended: the predicate of a sentence, and a fault code if it was killed for exceeding a limit."""

    message: str
    code: FaultCode | None = None


class BotProcess:
    """A running process with its pipes. Made by `run_process`, which also ends it."""

    def __init__(self, process: subprocess.Popen[bytes], limits: ProcessLimits) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.pid = process.pid
        self.limits = limits
        self.stderr = StderrLog(None)
        self.cpu_seconds = 0.0
        """CPU time used so far by the process and its descendants, as of the last check."""
        self.exited = trio.Event()
        """Set when the process has been reaped."""
        self.closed = trio.Event()
        """Set when its standard error has been read, its orphans are gone, and all descriptors are closed."""
        self.stdin = process.stdin.fileno()
        self.stdout = process.stdout.fileno()
        self._stderr = process.stderr.fileno()
        for fd in (self.stdin, self.stdout, self._stderr):
            os.set_blocking(fd, False)
        self._process = process
        self._live_cpu: dict[tuple[int, int], float] = {}
        self._ended_cpu = 0.0
        self._violation: Ending | None = None
        self._stderr_bytes = 0
        """Bytes of standard error since `log_stderr_to`."""
        self._stop = trio.Event()
        self._request_exit: Callable[[], Awaitable[None]] | None = None
        self._grace = 0.0
        self._drained = trio.Event()

    # -- what it uses and writes --------------------------------------------------------------------------

    def add_usage(self, used: Usage) -> None:
        """Update `cpu_seconds`, including processes that ended without their parent waiting for them."""
        self._ended_cpu += sum(self._live_cpu[process] for process in self._live_cpu.keys() - used.own.keys())
        self._live_cpu = used.own
        self.cpu_seconds = max(self.cpu_seconds, used.cpu, self._ended_cpu + sum(used.own.values()))

    def log_stderr_to(self, path: Path | None) -> None:
        """Log standard error to this file from now on (None: keep only its end), and reset its count."""
        self.stderr.close()
        self.stderr = StderrLog(path)
        self._stderr_bytes = 0

    async def _drain_stderr(self) -> None:
        """Log standard error until the pipe is closed. Kills the process if it exceeds stderr_mb."""
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
            self._stderr_bytes += len(chunk)
            if self._stderr_bytes > self.limits.stderr_mb * MIB:
                limit = f"{self.limits.stderr_mb} MiB (stderr_mb)"
                self.end_for("oversize", f"wrote over {limit} to its standard error in one game")
                return

    # -- the end ------------------------------------------------------------------------------------------

    def stop(self, request_exit: Callable[[], Awaitable[None]] | None = None, grace: float = 0.0) -> None:
        """Make the owner task end the process: run `request_exit`, wait for the exit, kill it. Returns immediately.

        `request_exit` and the wait together take at most `grace` seconds.
        """
        if not self._stop.is_set():
            self._request_exit, self._grace = request_exit, grace
            self._stop.set()

    def end_for(self, code: FaultCode, message: str) -> None:
        """Kill the process for exceeding a limit. `ending` then returns this code and message."""
        if self._violation is None:
            self._violation = Ending(message, code)
        self.kill()

    def kill(self) -> None:
        """Kill the process group. Does nothing after the process was reaped, when its pid may have been reused.

        Descendants that have left the group become orphans, which the reaper kills.
        """
        if self.exited.is_set():
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def ending(self) -> Ending:
        """How the process ended. Call it after one of its pipes was closed; waits EXIT_TIMEOUT for the exit status."""
        with trio.move_on_after(EXIT_TIMEOUT):
            await self.exited.wait()
        status = self._process.returncode
        if self._violation is not None:
            return self._violation
        if status is None:
            return Ending("closed its standard input or output while it was still running")
        return Ending(describe_status(status))

    def close_stdin(self) -> None:
        """Close standard input, so that the process reads its end."""
        assert self._process.stdin is not None
        if not self._process.stdin.closed:
            trio.lowlevel.notify_closing(self.stdin)
            self._process.stdin.close()

    def close_stdout(self) -> None:
        """Read nothing of its standard output any more: its next write fails, as if the referee had been killed."""
        trio.lowlevel.notify_closing(self.stdout)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, self.stdout, inheritable=False)
        os.close(nowhere)

    async def _watch_exit(self) -> None:
        """Wait until the process has exited, kill the rest of its group, and reap it."""
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
            if pipe is not None and not pipe.closed:  # a descendant may hold it open; wake the tasks that wait for it
                trio.lowlevel.notify_closing(pipe)

    async def _end(self) -> None:
        """End the process as `stop` requested, and wait until it is reaped and its standard error has been read."""
        if not self.exited.is_set():
            with trio.move_on_after(self._grace):
                if self._request_exit is not None and not self._is_stdin_closed():
                    await self._request_exit()
                await self.exited.wait()
        self.kill()
        await self.exited.wait()
        with trio.move_on_after(EXIT_TIMEOUT):  # a descendant may hold the pipe open
            await self._drained.wait()

    def _is_stdin_closed(self) -> bool:
        assert self._process.stdin is not None
        return self._process.stdin.closed

    def _close(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.close_stdin()
        for pipe, fd in ((self._process.stdout, self.stdout), (self._process.stderr, self._stderr)):
            trio.lowlevel.notify_closing(fd)
            pipe.close()
        self.stderr.close()


async def run_process(
    launch: Launch,
    cwd: Path,
    *,
    limits: ProcessLimits,
    reaper: Reaper,
    task_status: trio.TaskStatus[BotProcess] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Start a process and own it until it has ended. For `nursery.start`, which returns the BotProcess.

    The process runs without a shell in its own session and process group. It ends by itself, when `BotProcess.stop` is
    called, or immediately when this task is cancelled. In every case its group is killed, then its orphans (if `reaper`
    is installed), the process is reaped and all descriptors are closed.
    Raises SpawnError if the command can't be started.
    """
    try:
        with reaper.lock, launch.started_by_subprocess() as (argv, descriptors):
            popen = subprocess.Popen(  # noqa: ASYNC220 (starting is quick; the pipes are ours to poll)
                argv,
                cwd=cwd,
                env=launch.environment,
                pass_fds=descriptors,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                preexec_fn=preexec_hook(limits, launch.user),  # noqa: PLW1509 (safe, see there)
            )
            reaper.adopt(popen.pid)
    except (OSError, ValueError) as error:
        raise SpawnError(f"can't start {launch.argv[0]!r}: {getattr(error, 'strerror', None) or error}") from None
    process = BotProcess(popen, limits)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process._watch_exit)
            nursery.start_soon(process._drain_stderr)
            task_status.started(process)
            await process._stop.wait()
            await process._end()
            nursery.cancel_scope.cancel()
    finally:
        process.kill()
        if not process.exited.is_set():
            with trio.move_on_after(REAP_TIMEOUT, shield=True):
                await process._watch_exit()
        reaper.release(popen.pid)
        with trio.move_on_after(REAP_TIMEOUT, shield=True):
            await reaper.clear()
        process._close()
        process.closed.set()


def describe_status(status: int) -> str:
    """An exit status as the predicate of a sentence. A sandbox, like a shell, reports a signal as 128 + its number."""
    number = -status if status < 0 else status - SHELL_SIGNAL_BASE
    known = next((known for known in signal.Signals if known == number), None)
    name = f"signal {number}" if known is None else known.name + SIGNAL_CAUSES.get(known, "")
    if status < 0:
        return f"was killed by {name}"
    return f"exited with status {status}" + (f" ({name})" if number > 0 else "")
