"""The output of a bot: lines, within the limits for each line and for each game."""

from protocol.framing import LineBuffer
from referee.processes.limits import MIB, ProcessLimits


class BotOutput(LineBuffer):
    """The lines that a bot writes. It has exceeded a limit, too, when it has written too much in one game."""

    __slots__ = ("_received", "_stdout_mb")

    def __init__(self, limits: ProcessLimits) -> None:
        super().__init__(limits.line_bytes)
        self._stdout_mb = limits.stdout_mb
        self._received = 0
        """Bytes written in this game."""

    def begin_game(self) -> None:
        """Count from 0 again."""
        self._received = 0

    def feed(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > self._stdout_mb * MIB:
            self._fail(f"over {self._stdout_mb} MiB of output (stdout_mb) in one game", data)
        super().feed(data)
