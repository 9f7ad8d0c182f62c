"""The output of a bot: lines, within the limits for each line and for each game."""

from protocol.framing import LineBuffer, without_cr
from referee.processes.limits.process_limits import MIB, ProcessLimits


class BotOutput(LineBuffer):
    """The lines that a bot writes. It has exceeded a limit, too, when it has written too much in one game."""

    __slots__ = ("_max_received", "_received")

    def __init__(self, limits: ProcessLimits) -> None:
        super().__init__(limits.line_bytes)
        self._max_received = limits.stdout_mb * MIB
        self._received = 0
        """Bytes written in this game."""

    def begin_game(self) -> None:
        self._received = 0

    def drain(self) -> list[bytes]:
        self._received = 0
        return super().drain()

    def feed(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > self._max_received:
            self._fail(f"over {self._max_received // MIB} MiB of output (stdout_mb) in one game", data)
        super().feed(data)

    def feed_and_pop(self, data: bytes) -> bytes | None:
        """`feed`, then `pop`. The usual answer of a bot, a whole line and nothing else, is not buffered."""
        size = len(data)
        if (
            self._lines
            or self._part
            or self._error
            or not 0 < size <= self.limit
            or data.find(b"\n") != size - 1
            or self._received + size > self._max_received
        ):
            self.feed(data)
            return self.pop()
        self._received += size
        return without_cr(data[:-1])
