"""Keeps the lines between the referee and one process of a bot for display, and counts them."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
import trio

from referee.conformance.finding import ShownLine
from referee.connections.traced import WireLine
from referee.printable import printable

MAX_LINES: Final = 64
"""The number of latest lines of a process that are kept."""
MAX_SHOWN: Final = 300
"""Maximum length of a line that is shown."""
MAX_VALUE: Final = 60
"""Maximum length of a field in a line that is too long."""
EXCERPT_LINES: Final = 6
"""The number of lines that show what happened, unless a check specifies it."""
ACT: Final = b'{"type":"act",'
"""How the referee begins a question, where it is not altered."""


class Wire:
    """A sink for a TracedConnection."""

    def __init__(self) -> None:
        self.lines: deque[WireLine] = deque(maxlen=MAX_LINES)
        self.answers = 0
        """The number of lines received from the bot so far, including `ready`."""
        self.longest = 0
        """Bytes of the longest unaltered `act`, without its end."""
        self._began = trio.current_time()

    def add(self, line: WireLine) -> None:
        self.lines.append(line)
        if line.direction == "from":
            self.answers += line.received
        elif line.data.startswith(ACT):
            self.longest = max(self.longest, len(line.data))

    def keep_all(self) -> None:
        """Keep all lines until `exchanges`, and none of those before."""
        self.lines = deque()

    def excerpt(self, max_lines: int = EXCERPT_LINES) -> Callable[[], tuple[ShownLine, ...]]:
        """What makes the lines that are the latest ones now ready for display, which takes longer than a decision."""
        latest = list(self.lines)[-max_lines:]
        return lambda: tuple(map(self.shown, latest))

    def exchanges(self) -> Callable[[int], tuple[ShownLine, ...]]:
        """What shows the question with a number since `keep_all`, counted from 1, and the lines up to the next one.
        From now on only the latest lines are kept again."""
        lines = list(self.lines)
        self.lines = deque(lines, maxlen=MAX_LINES)
        places = [place for place, line in enumerate(lines) if line.direction == "to" and line.data.startswith(ACT)]
        return lambda number: tuple(map(self.shown, lines[places[number - 1] : [*places, len(lines)][number]]))

    def shown(self, line: WireLine) -> ShownLine:
        return ShownLine(
            direction="->" if line.direction == "to" else "<-",
            ms=round((line.time - self._began) * 1000, 1),
            bytes=len(line.data),
            line=truncate_line(line.data),
            received=line.received,
        )


def truncate_line(data: bytes, max_bytes: int = MAX_SHOWN) -> str:
    """A printable line. One of over `max_bytes` bytes is truncated; of a JSON object each field keeps its beginning.

    >>> truncate_line(b'{"type":"act","legal":[' + b'{"palace":0},' * 20 + b'{"palace":1}],"id":3}', max_bytes=100)
    '{"type":"act","legal":[{"palace":0},{"palace":0},{"palace":0},{"palace":0},{"palac…,"id":3}'
    """
    if len(data) > max_bytes:
        try:
            fields: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        else:
            return printable("{" + ",".join(_short_fields(fields)) + "}", 4 * max_bytes)
    return printable(data[: 4 * max_bytes].decode(errors="replace"), max_bytes)


def _short_fields(fields: dict[str, Any]) -> Iterator[str]:
    for name, value in fields.items():
        text = msgspec.json.encode(value).decode()
        short = text if len(text) <= MAX_VALUE else text[:MAX_VALUE] + "…"
        yield f"{msgspec.json.encode(name[:MAX_VALUE]).decode()}:{short}"
