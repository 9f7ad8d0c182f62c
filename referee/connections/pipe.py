"""A connection to a process over its standard input and output.

For speed there are no threads and no additional tasks: the task of the game writes lines directly to the pipe, and
waits for the file descriptor to become readable.
"""

import contextlib
import errno
import os
from typing import Final

import trio

from protocol.framing import Oversize
from referee.connections.connection import ConnectionEnded, Pending
from referee.connections.output import BotOutput
from referee.errors import RefereeError
from referee.processes.bot_process import BotProcess
from referee.processes.keeper.link import READ_SIZE
from referee.processes.limits.machine import MachineError, pipe_capacity, unread_bytes
from referee.processes.limits.process_tree import is_stopped
from referee.processes.stderr_log import StderrExcerpt

PIPE_POLL_INTERVAL: Final = 0.0005
"""Seconds between two checks of how many bytes are left in a pipe."""
NO_READER: Final = (errno.EPIPE, errno.EBADF)
"""Errors of a write to a process that has ended, or has closed its standard input."""
RESIZED_STDIN: Final = "changed the size of its standard input (F_SETPIPE_SZ)"


class PipeConnection:
    """A `Connection` to a process. `close` sends `quit_line`; the process then has `quit_grace` seconds to exit.

    `suspends`: whether it is suspended while it is not on turn.
    """

    def __init__(
        self, process: BotProcess, quit_line: bytes = b"", quit_grace: float = 0.0, *, suspends: bool = False
    ) -> None:
        self.process = process
        self.suspends = suspends
        self.ended = process.exited
        self.closed = process.closed
        self._quit_line = quit_line
        self._quit_grace = quit_grace
        self._output = BotOutput(process.limits)
        self._sent = 0
        """Bytes sent in this game."""
        self._stdin = process.stdin
        self._stdout = process.stdout
        self.logged_stderr = process.logged_stderr
        self._unsent = b""
        """Bytes that have not fitted into the pipe yet."""

    @property
    def outstayed(self) -> bool:
        return self.process.outstayed

    # -- lines --------------------------------------------------------------------------------------------

    async def send(self, line: bytes) -> None:
        if self.process.is_suspended:
            await self.process.resume()
        if not self.send_nowait(line):
            await self.flush()

    def send_nowait(self, line: bytes) -> bool:
        try:
            self._write(line)
        except OSError as error:
            if error.errno not in NO_READER:
                raise MachineError.of(error, "write to a bot") from None
            self._unsent += line
        return not self._unsent

    async def flush(self) -> None:
        if self._unsent:
            await self.post(b"")
        if self._unsent:
            await self._send_rest()

    async def post(self, line: bytes) -> None:
        try:
            self._write(line)
        except OSError as error:
            raise await self._failure(error) from None

    def _write(self, line: bytes = b"") -> None:
        """Write as much of what is unsent and of this line as there is room for. Raises OSError."""
        if self._unsent:
            line = self._unsent + line
        try:
            written = os.write(self._stdin, line)
        except BlockingIOError:
            written = 0
        self._sent += written
        self._unsent = line[written:] if written < len(line) else b""

    async def _send_rest(self) -> None:
        """Write and read at the same time: a bot that writes before it continues reading must not cause a deadlock."""
        if self._has_resized():
            self.process.end_for("crash", RESIZED_STDIN)
            raise ConnectionEnded(RESIZED_STDIN, "crash")
        failures: list[Exception] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_ahead, nursery.cancel_scope, failures)
            try:
                while self._unsent:
                    await trio.lowlevel.wait_writable(self._stdin)
                    self._write()
            except (OSError, trio.ClosedResourceError) as error:
                failures.append(error)
            nursery.cancel_scope.cancel()
        for failure in failures:
            raise failure if isinstance(failure, Oversize) else await self._failure(failure)

    async def _read_ahead(self, sending: trio.CancelScope, failures: list[Exception]) -> None:
        """Buffer what the process writes. If it exceeds a limit, cancel the sending, which might never end."""
        while True:
            try:
                await trio.lowlevel.wait_readable(self._stdout)
                chunk = os.read(self._stdout, READ_SIZE)
                if not chunk:
                    return
                self._output.feed(chunk)
            except BlockingIOError:
                continue
            except trio.ClosedResourceError:
                return
            except (Oversize, OSError) as error:
                failures.append(error)
                sending.cancel()
                return

    async def receive(self) -> bytes:
        line = self._output.pop()
        while line is None:
            if self.ended.is_set():
                await trio.lowlevel.checkpoint()
            else:
                try:
                    await trio.lowlevel.wait_readable(self._stdout)
                except trio.ClosedResourceError:  # the process exited while we waited
                    pass
                except OSError as error:
                    raise MachineError.of(error, "wait for a bot") from None
            try:
                chunk = os.read(self._stdout, READ_SIZE)
            except BlockingIOError:
                if not self.ended.is_set():
                    continue
                chunk = b""
            if not chunk:
                raise await self._end()
            line = self._output.feed_and_pop(chunk)
        return line

    def receive_nowait(self) -> bytes | None:
        output = self._output
        try:
            line = output.pop()
            while line is None and (chunk := os.read(self._stdout, READ_SIZE)):
                line = output.feed_and_pop(chunk)
        except (OSError, Oversize):
            return None
        return line

    def take_unreceived(self) -> list[bytes]:
        self._buffer()
        return self._output.drain()

    def _buffer(self) -> None:
        """Buffer what has arrived, or the last output of a process that has ended."""
        with contextlib.suppress(OSError, Oversize):
            if not self.closed.is_set():  # otherwise the descriptor may be reused for another file
                self._output.feed(os.read(self._stdout, READ_SIZE))
            else:
                rest, self.process.rest = self.process.rest, b""
                self._output.feed(rest)

    async def _failure(self, error: Exception) -> RefereeError:
        """The meaning of an error of a system call: the process has ended, or the referee can't continue."""
        if isinstance(error, OSError) and error.errno not in NO_READER:
            return MachineError.of(error, "write to a bot")
        return await self._end()

    async def _end(self) -> ConnectionEnded:
        """The error that says how the process ended."""
        ending = await self.process.ending()
        return ConnectionEnded(ending.message, ending.code)

    # -- suspending ---------------------------------------------------------------------------------------

    def suspend(self) -> None:
        if self.suspends:
            self.process.suspend()

    async def resume(self) -> None:
        await self.process.resume()

    # -- games --------------------------------------------------------------------------------------------

    def begin_game(self, stderr: str | None) -> None:
        self.process.log_stderr_to(stderr)
        self._output.begin_game()
        self._sent = 0

    def has_read_nothing(self) -> bool:
        """Whether everything that was sent since `begin_game` is still in the pipe."""
        return unread_bytes(self._stdin) >= self._sent and not self._has_resized()

    def pending(self) -> Pending:
        return Pending(
            unfinished=self._output.unfinished,
            is_unread=bool(self._unsent) or unread_bytes(self._stdin) > 0,
            cpu_seconds=self.process.cpu_seconds,
            memory=self.process.memory,
            is_stopped=is_stopped(self.process.pid),
        )

    async def wait_until_read(self, timeout: float) -> None:
        """Wait until the pipe to the process is empty, for which the kernel has no event, or for `timeout` seconds."""
        await self.process.resume()
        deadline = trio.current_time() + timeout
        while unread_bytes(self._stdin) > 0 and not self.ended.is_set() and trio.current_time() < deadline:
            self._buffer()
            await trio.sleep(PIPE_POLL_INTERVAL)

    def _has_resized(self) -> bool:
        """Whether the process has changed the size of its standard input, to make the referee wait."""
        return pipe_capacity(self._stdin) not in (0, self.process.stdin_capacity)

    def is_exhausted(self) -> bool:
        """Whether the process has used over half of its CPU time, so that another game might use the rest, or has made
        no room for the end of the last game."""
        used_up = self.process.cpu_seconds > self.process.limits.cpu_seconds / 2
        return used_up or bool(self._unsent) or self._has_resized()

    def stderr_excerpt(self) -> StderrExcerpt:
        return self.process.stderr.excerpt()

    # -- the end ------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the process: `quit_line`, end of input, `quit_grace` seconds, SIGKILL. Returns immediately."""
        self.process.stop(self._quit, self._quit_grace)

    async def _quit(self) -> None:
        with contextlib.suppress(RefereeError, Oversize, trio.ClosedResourceError, trio.BusyResourceError):
            await self.send(self._quit_line)
        self.process.close_stdin()
        if not self.ended.is_set():  # it may have to finish writing before it can exit
            await self._read_ahead(trio.CancelScope(), [])
