"""A bot process: its start, its standard error, its use of resources, its end. One task owns it from start to end."""

import contextlib
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, NamedTuple

import trio

from protocol.messages import FaultCode
from referee.processes.keeper.client import KeeperClient, KeptProcess
from referee.processes.keeper.link import READ_SIZE
from referee.processes.launch import Launch
from referee.processes.limits.machine import MachineError, unread_bytes
from referee.processes.limits.process_limits import MIB, ProcessLimits
from referee.processes.limits.process_tree import Usage
from referee.processes.stderr_log import StderrLog

EXIT_TIMEOUT: Final = 0.25
"""Seconds to wait for the exit status of a process that has closed its standard output."""
REAP_TIMEOUT: Final = 5.0
"""Seconds to wait until a killed process and its orphans are gone; then the referee continues."""
SHELL_SIGNAL_BASE: Final = 128
"""Added by shells and sandboxes to the number of the signal that killed a process, as its exit status."""
SIGNAL_CAUSES: Final = {
    signal.SIGXCPU: ": it used up its CPU time (cpu_seconds)",
    signal.SIGXFSZ: ": a file grew over file_mb",
}


class ProcessEnd(NamedTuple):
    """How a process ended: the predicate of a sentence, and a fault code if it was killed for exceeding a limit."""

    message: str
    code: FaultCode | None = None


class BotProcess:
    """A running process with its pipes. Made by `open_process`, which also ends it."""

    def __init__(self, keeper: KeeperClient, process: KeptProcess, limits: ProcessLimits) -> None:
        self.pid = process.pid
        """0 if it ended before its pid was known."""
        self.limits = limits
        self.stderr = StderrLog(None)
        self.cpu_seconds = 0.0
        """CPU time used so far by the process and its descendants, as of the last check."""
        self.exited = process.exited
        """Set when the process has been reaped."""
        self.closed = trio.Event()
        """Set when its standard error has been read, its orphans are gone, and all descriptors are closed."""
        self.stdin = process.stdin
        self.stdin_capacity = process.stdin_capacity
        """The bytes that its standard input could hold when it was created."""
        self.stdout = process.stdout
        self._stderr = process.stderr
        self._open = {process.stdin, process.stdout, process.stderr}
        self.group = process.group
        self.is_suspended = False
        self.memory = 0
        """Bytes of memory used by the process and its descendants, as of the last check."""
        self.outstayed = False
        """Whether it was still running when the time to exit that `stop` gave it was over."""
        self.rest = b""
        """What was left in its standard output when that was closed, as far as one read takes it."""
        self._keeper = keeper
        self._process = process
        process.on_prevented = self._not_suspended
        self._live_cpu: dict[tuple[int, int], float] = {}
        self._ended_cpu = 0.0
        self._violation: ProcessEnd | None = None
        self._stderr_bytes = 0
        """Bytes of standard error since `log_stderr_to`."""
        self._stop = trio.Event()
        self._request_exit: Callable[[], Awaitable[None]] | None = None
        self._grace = 0.0
        self._drained = trio.Event()

    # -- resource usage and standard error ----------------------------------------------------------------

    def add_usage(self, used: Usage) -> None:
        self.memory = used.memory
        self._ended_cpu += sum(self._live_cpu[process] for process in self._live_cpu.keys() - used.own.keys())
        self._live_cpu = used.own
        self.cpu_seconds = max(self.cpu_seconds, used.cpu, self._ended_cpu + sum(used.own.values()))

    def log_stderr_to(self, path: str | None) -> None:
        """Log standard error to this file from now on (None: keep only its end), and reset its count."""
        self.stderr.close()
        self.stderr = StderrLog(path)
        self._stderr_bytes = 0

    async def _drain_stderr(self) -> None:
        """Log standard error until the pipe is closed. Kills the process if it exceeds stderr_mb."""
        while True:
            await trio.lowlevel.wait_readable(self._stderr)
            chunk = self._log_stderr()
            if chunk == b"":
                self._drained.set()
                return
            if self._stderr_bytes > self.limits.stderr_mb * MIB:
                limit = f"{self.limits.stderr_mb} MiB (stderr_mb)"
                self.end_for("oversize", f"wrote over {limit} to its standard error in one game")
                return

    def _log_stderr(self) -> bytes | None:
        """Log what is in the pipe, as far as one read takes it. Empty at its end; None if there is nothing now."""
        try:
            chunk = os.read(self._stderr, READ_SIZE)
        except BlockingIOError:
            return None
        if chunk:
            self.stderr.write(chunk)
            self._stderr_bytes += len(chunk)
        return chunk

    def logged_stderr(self) -> int:
        """The bytes in the file with standard error, what is in the pipe now included; 0 without a file.

        What the process wrote before an answer is in the pipe when the answer is, but the task that reads it may be
        scheduled later.
        """
        # Usually nothing is, and to ask is cheaper than to read in vain.
        if self.stderr.path is not None and self._stderr in self._open and unread_bytes(self._stderr):
            self._log_stderr()
        return self.stderr.size

    # -- suspending ---------------------------------------------------------------------------------------

    def suspend(self) -> None:
        """Suspend all of its processes until `resume`. Returns immediately."""
        if self.is_suspended or self.exited.is_set():
            return
        self.is_suspended = True
        if self.group is None or not self.group.can_freeze:
            self._keeper.suspend(self._process, True)
        elif not self.group.freeze(True):
            self._not_suspended()

    async def resume(self) -> None:
        """Resume its processes, and wait until they run. Raises MachineError if the machine doesn't allow suspending
        them."""
        if not self.is_suspended:
            return
        self.is_suspended = False
        if self.group is not None and self.group.can_freeze:
            self.group.freeze(False)
            return
        self._keeper.suspend(self._process, False)
        assert self._process.resumed is not None
        await self._process.resumed.wait()
        if self._process.suspend_refusal and not self.exited.is_set():
            refusal = self._process.suspend_refusal
            raise MachineError.of(OSError(refusal, os.strerror(refusal)), "suspend a bot (--no-ponder)")

    def _not_suspended(self) -> None:
        self.end_for("crash", "kept running while suspended (--no-ponder)")

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
            self._violation = ProcessEnd(message, code)
        self.kill()

    def kill(self) -> None:
        """Kill the process group, and its cgroup if it has one; nothing happens after the process was reaped.

        Descendants that have left the group become orphans, which the keeper kills.
        """
        self._keeper.signal(self._process, signal.SIGKILL)

    async def ending(self) -> ProcessEnd:
        """How the process ended. Call it after one of its pipes was closed; waits EXIT_TIMEOUT for the exit status."""
        with trio.move_on_after(EXIT_TIMEOUT):
            await self.exited.wait()
        status = self._process.status
        if self._violation is not None:
            return self._violation
        if status is None:
            return ProcessEnd("closed its standard input or output while it was still running")
        return ProcessEnd(describe_status(status))

    def close_stdin(self) -> None:
        self._close(self.stdin)

    def close_stdout(self) -> None:
        """Stop reading its standard output: its next write fails, as if the referee had been killed."""
        trio.lowlevel.notify_closing(self.stdout)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, self.stdout, inheritable=False)
        os.close(nowhere)

    async def _watch_exit(self) -> None:
        """Wait until the process has been reaped, and wake the tasks that wait for its pipes.

        A descendant may still hold them open.
        """
        await self.exited.wait()
        for fd in (self.stdin, self.stdout):
            if fd in self._open:
                trio.lowlevel.notify_closing(fd)

    async def _end(self) -> None:
        """End the process as `stop` requested, and wait until it is reaped and its standard error has been read."""
        if not self.exited.is_set():
            with trio.move_on_after(self._grace) as scope:
                with contextlib.suppress(MachineError):  # then it has not been suspended
                    await self.resume()
                if self._request_exit is not None and self.stdin in self._open:
                    await self._request_exit()
                await self.exited.wait()
            self.outstayed = scope.cancelled_caught and self._grace > 0
        self.kill()
        await self.exited.wait()
        with trio.move_on_after(EXIT_TIMEOUT):  # a descendant may hold the pipe open
            await self._drained.wait()

    def _close(self, fd: int) -> None:
        if fd in self._open:
            self._open.remove(fd)
            trio.lowlevel.notify_closing(fd)
            os.close(fd)

    def _close_all(self) -> None:
        if self.group is not None:
            self.group.close()
        with contextlib.suppress(OSError):
            self.rest = os.read(self.stdout, READ_SIZE)
        for fd in (self.stdin, self.stdout, self._stderr):
            self._close(fd)
        self.stderr.close()


@contextlib.asynccontextmanager
async def open_process(launch: Launch, *, limits: ProcessLimits, keeper: KeeperClient) -> AsyncIterator[BotProcess]:
    """Start a process, and own it until it has ended. Raises SpawnError if it can't be started.

    The process runs without a shell in its own session and process group. The end of the block waits until
    `BotProcess.stop` is called; if the task is cancelled, the process ends immediately. In every case its group is
    killed, then its orphans, the process is reaped and all descriptors are closed. The kernel's limits are
    those of `launch`; the caller checks `limits`.
    """
    kept = await keeper.start(launch)
    process = BotProcess(keeper, kept, limits)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process._watch_exit)
            nursery.start_soon(process._drain_stderr)
            yield process
            await process._stop.wait()
            await process._end()
            nursery.cancel_scope.cancel()
    finally:
        process.kill()
        with trio.move_on_after(REAP_TIMEOUT, shield=True):
            await process.exited.wait()
        with trio.move_on_after(REAP_TIMEOUT, shield=True):
            await keeper.clear()
        process._close_all()
        process.closed.set()


def describe_status(status: int) -> str:
    """An exit status as the predicate of a sentence. A sandbox, like a shell, reports a signal as 128 + its number.

    Programs also choose such a status themselves (npm: 254), so it is a signal only if there is one with that number.
    """
    number = -status if status < 0 else status - SHELL_SIGNAL_BASE
    known = next((known for known in signal.Signals if known == number), None)
    name = None if known is None else known.name + SIGNAL_CAUSES.get(known, "")
    if status < 0:
        return f"was killed by {name or f'signal {number}'}"
    return f"exited with status {status}" + ("" if name is None else f" ({name})")
