"""Connections to bots that their authors start manually, such as in a debugger, over TCP on this machine.

Any user of the machine can connect to a port, so a bot proves who started it: the first line that it sends is a token,
which is shown to the organiser, kept in a file that only they can read, and valid for one connection.
"""

import contextlib
import hmac
import secrets
import socket
from collections.abc import Callable
from typing import Final

import trio

from protocol.framing import Oversize
from referee.connections.connection import ConnectionEnded, Pending
from referee.connections.output import BotOutput
from referee.connections.token_file import HOST, forget_token, keep_token
from referee.errors import RefereeError
from referee.processes.keeper.link import READ_SIZE
from referee.processes.limits.machine import MachineError
from referee.processes.limits.process_limits import ProcessLimits
from referee.processes.stderr_log import StderrExcerpt

TOKEN_TIMEOUT: Final = 10.0
"""Seconds that a connection has to send the token."""
MAX_TOKEN_LINE: Final = 200
"""Maximum length of the first line in bytes; a longer one is not a token."""
MAX_UNAUTHENTICATED: Final = 32
"""Maximum number of connections that have not sent the token yet. The next one closes the oldest, so that somebody who
opens many and sends nothing can't keep the bot out."""
MAX_REFUSALS_SHOWN: Final = 3
CONNECTION_CLOSED: Final = "closed the connection"


class ListenError(RefereeError):
    """Listening on a port failed. The text says which port, and why."""


class TcpConnection:
    """A `Connection` over a socket. It doesn't read while it writes: the kernel buffers megabytes in both directions.

    There is no process: standard error and CPU time are unknown, the bot can't be suspended, and `close` leaves it to
    the bot to exit.
    """

    outstayed = False
    suspends = False

    def __init__(self, peer: socket.socket, limits: ProcessLimits, quit_line: bytes, received: bytes = b"") -> None:
        """`received`: bytes already read from the socket."""
        self.ended = trio.Event()
        self.closed = trio.Event()
        self._socket = peer
        self._quit_line = quit_line
        self._output = BotOutput(limits)
        self._early = received  # not fed here: it may be too much, which only those who receive can charge the bot with
        self._unsent = b""

    async def send(self, line: bytes) -> None:
        self._write(line)
        await self.flush()

    def send_nowait(self, line: bytes) -> bool:
        with contextlib.suppress(ConnectionEnded):
            self._write(line)
        return not self._unsent

    async def flush(self) -> None:
        while self._unsent:
            try:
                await trio.lowlevel.wait_writable(self._socket)
            except OSError as error:
                raise MachineError.of(error, "wait for a bot") from None
            self._write()

    async def post(self, line: bytes) -> None:
        self._write(line)

    def _write(self, line: bytes = b"") -> None:
        """Write as much of what is unsent and of this line as there is room for. Raises ConnectionEnded."""
        self._unsent += line
        try:
            sent = self._socket.send(self._unsent)
        except BlockingIOError:
            return
        except OSError:
            self.ended.set()
            raise ConnectionEnded(CONNECTION_CLOSED) from None
        self._unsent = self._unsent[sent:]

    async def receive(self) -> bytes:
        if self._early:
            self._read()
        while (line := self._output.pop()) is None:
            if self.ended.is_set():
                await trio.lowlevel.checkpoint()
                raise ConnectionEnded(CONNECTION_CLOSED)
            try:
                await trio.lowlevel.wait_readable(self._socket)
            except OSError as error:
                raise MachineError.of(error, "wait for a bot") from None
            self._read()
        return line

    def receive_nowait(self) -> bytes | None:
        with contextlib.suppress(Oversize):
            line = self._output.pop()
            while line is None and self._read():
                line = self._output.pop()
            return line
        return None

    def _read(self) -> bool:
        """Buffer what has arrived. False if nothing has. Raises Oversize."""
        chunk, self._early = self._early, b""
        try:
            chunk = chunk or self._socket.recv(READ_SIZE)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self.ended.set()
            return False
        self._output.feed(chunk)
        return True

    def take_unreceived(self) -> list[bytes]:
        if not self.closed.is_set():
            with contextlib.suppress(Oversize):
                self._read()
        return self._output.drain()

    def suspend(self) -> None:
        """Do nothing: the bot can't be suspended."""

    async def resume(self) -> None:
        await trio.lowlevel.checkpoint()

    def begin_game(self, stderr: str | None) -> None:
        self._output.begin_game()

    def has_read_nothing(self) -> bool:
        """Always False: it is not known."""
        return False

    def pending(self) -> Pending:
        """What the bot has left undone, as far as known: the kernel doesn't say how much it has read."""
        return Pending(unfinished=self._output.unfinished, is_unread=bool(self._unsent))

    async def wait_until_read(self, timeout: float) -> None:
        """Do nothing: the bot is never replaced, so there is no need to tell the lines of two games apart."""
        await trio.lowlevel.checkpoint()

    def is_exhausted(self) -> bool:
        """Whether the bot has closed its end since the last game, or left too much unread."""
        with contextlib.suppress(Oversize):
            self._read()
        return self.ended.is_set() or bool(self._unsent)

    def stderr_excerpt(self) -> StderrExcerpt:
        """Always empty: only its author sees it."""
        return StderrExcerpt(path=None, tail="")

    def logged_stderr(self) -> int:
        """0: the standard error of this bot is not seen here."""
        return 0

    def close(self) -> None:
        """Send `quit_line` as far as there is room, close the socket, and wake the tasks that wait for it."""
        if self.closed.is_set():
            return
        if not self.ended.is_set():
            with contextlib.suppress(ConnectionEnded):
                self._write(self._quit_line)
        trio.lowlevel.notify_closing(self._socket)
        self._socket.close()
        self.ended.set()
        self.closed.set()


class BotListener:
    """Waits on a port for the bot of one BOT, `tcp:PORT`. The caller closes it."""

    def __init__(
        self, name: str, port: int, limits: ProcessLimits, quit_line: bytes, on_notice: Callable[[str], None]
    ) -> None:
        """`port`: 0 for any free port. Raises ListenError."""
        self._socket = listening_socket(port)
        self.port: int = self._socket.getsockname()[1]
        self._name = name
        self._limits = limits
        self._quit_line = quit_line
        self._on_notice = on_notice
        self._token = b""
        self._unauthenticated: list[trio.CancelScope] = []
        """Connections that have not sent the token yet, the oldest first."""
        self._refused = 0
        self._accepted: tuple[socket.socket, bytes] | None = None

    async def connect(self) -> TcpConnection:
        """Show a new token, and wait, however long it takes, for the connection that sends it."""
        self._token = secrets.token_hex(16).encode()
        self._accepted = None
        self._announce()
        async with trio.open_nursery() as nursery:
            while True:
                peer = await self._next_connection()
                if len(self._unauthenticated) >= MAX_UNAUTHENTICATED:
                    self._unauthenticated.pop(0).cancel()
                scope = trio.CancelScope()
                self._unauthenticated.append(scope)
                nursery.start_soon(self._authenticate, peer, scope, nursery.cancel_scope)
        forget_token(self.port)
        assert self._accepted is not None
        peer, rest = self._accepted
        self._on_notice(f"{self._name} is connected")
        return TcpConnection(peer, self._limits, self._quit_line, rest)

    def close(self) -> None:
        forget_token(self.port)
        self._socket.close()

    def _announce(self) -> None:
        """Say how the bot connects. The token is on its own line, to be copied."""
        token = self._token.decode()
        kept = keep_token(self.port, token)
        self._on_notice(f"{self._name}: start the bot now")
        if kept is not None:
            self._on_notice(f"  if it uses standard input and output: referee bot connect {self.port} COMMAND")
        self._on_notice(f"  otherwise it connects to {HOST}, port {self.port}, and sends this line first:")
        self._on_notice(f"  {token}")
        python = f'link = socket.create_connection(("{HOST}", {self.port})); link.sendall(b"{token}\\n")'
        self._on_notice(f"  in Python: {python}")
        place = "" if kept is None else f"; it is also in {kept}, which only you can read"
        self._on_notice(f"  The token is valid for one connection{place}")

    async def _next_connection(self) -> socket.socket:
        while True:
            await trio.lowlevel.wait_readable(self._socket)
            try:
                peer, _ = self._socket.accept()
            except OSError:  # it is gone again, or no descriptor is left until another connection is closed
                await trio.sleep(0.1)
                continue
            peer.setblocking(False)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return peer

    async def _authenticate(
        self, peer: socket.socket, scope: trio.CancelScope, all_connections: trio.CancelScope
    ) -> None:
        """Accept a connection if its first line is the token, else close it."""
        try:
            with scope, trio.move_on_after(TOKEN_TIMEOUT):
                line, rest = await first_line(peer)
                if self._accepted is None and hmac.compare_digest(line, self._token):
                    self._accepted = peer, rest
                    all_connections.cancel()
        finally:
            if scope in self._unauthenticated:
                self._unauthenticated.remove(scope)
            if self._accepted is None or self._accepted[0] is not peer:
                peer.close()
                self._refused += 1
                if self._accepted is None and self._refused <= MAX_REFUSALS_SHOWN:
                    self._on_notice(f"{self._name}: a connection that did not send the token was closed")


async def first_line(peer: socket.socket) -> tuple[bytes, bytes]:
    """The first line, without its end, and the bytes after it; an empty line if it is too long, or none comes."""
    data = b""
    while b"\n" not in data and len(data) <= MAX_TOKEN_LINE:
        await trio.lowlevel.wait_readable(peer)
        try:
            chunk = peer.recv(READ_SIZE)
        except BlockingIOError:
            continue
        except OSError:
            chunk = b""
        if not chunk:
            return b"", b""
        data += chunk
    line, _, rest = data.partition(b"\n")
    return (line.removesuffix(b"\r"), rest) if len(line) <= MAX_TOKEN_LINE else (b"", b"")


def listening_socket(port: int) -> socket.socket:
    """A socket that listens on this port of this machine only. Raises ListenError."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # after an earlier match on this port
        listening.bind((HOST, port))
        listening.listen(MAX_UNAUTHENTICATED)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise ListenError(f"tcp:{port}: can't listen on this port: {error.strerror}; use another one") from None
    return listening
