"""From messages to lines and back: framing with limits, decoding with errors that a bot author can act on."""

import re
from collections import deque
from typing import Any, Final, NoReturn

import msgspec

from protocol.messages import Answer, FromBot, Message, Ready
from protocol.printable import printable

MAX_LINE: Final = 1024 * 1024
"""Longest line a bot may send, in bytes without its LF."""
MAX_INFO: Final = 4096
"""Longest `info` that is kept in the record, in bytes."""

HALF: Final = re.compile(rb"(?<!\\)(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})(?!\\u[dD][c-fC-F])")
"""The escaped first half of a surrogate pair without the second one."""

_encoder: Final = msgspec.json.Encoder()
_from_bot: Final[msgspec.json.Decoder[Ready | Answer]] = msgspec.json.Decoder(FromBot)


class BadMessage(ValueError):
    """A line that is no message a bot may send; says what is wrong."""


class Oversize(ValueError):
    """A line longer than the limit."""


def encode(message: Message) -> bytes:
    """The line of a message, LF included."""
    return _encoder.encode(message) + b"\n"


def encode_part(value: Any) -> msgspec.Raw:
    """JSON of a part of a message, to be put into several messages without encoding it again."""
    return msgspec.Raw(_encoder.encode(value))


def decode(line: bytes) -> Ready | Answer:
    """The message in a line from a bot (without LF). Raises BadMessage."""
    try:
        if not line.isascii():
            line.decode()
        message: Ready | Answer = _from_bot.decode(line)
    except UnicodeDecodeError as error:
        raise BadMessage(f"not valid UTF-8 at byte {error.start}: {excerpt(line)}") from None
    except msgspec.ValidationError as error:
        raise BadMessage(f"{reason(error)}: {excerpt(line)}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else malformed(error, line)
        raise BadMessage(f"not a JSON object: {what}: {excerpt(line)}") from None
    return message


def malformed(error: Exception, line: bytes) -> str:
    """What keeps a line from being JSON; the decoder's own words for half a surrogate pair help nobody."""
    half = HALF.search(line)
    return str(error) if half is None else f"{half[1].decode()} is half of a surrogate pair"


def excerpt(line: bytes, width: int = 80) -> str:
    """The start of a line as printable ASCII, for a message to people."""
    text = ascii(line[:width].decode(errors="replace"))
    return f"{text} … ({len(line)} bytes)" if len(line) > width else text


def reason(error: Exception | str, width: int = 160) -> str:
    """An error's own words, which may quote all of a bad line: printable, and the middle left out where too long."""
    text = str(error)
    if len(text) > width:
        text = f"{text[: width // 2]} … {text[-width // 2 :]}"
    return printable(text)


class LineBuffer:
    """Cuts a stream of bytes into lines. Sans-IO; cost linear in the bytes fed.

    A line ends with LF; a CR before it is dropped. `limit` is the longest line in bytes without its LF, and `total`
    how many bytes of lines not yet popped may wait. A stream that exceeds them is of no more use: `feed` raises
    Oversize, and so does `pop` after the lines that came before.
    """

    __slots__ = ("_flaw", "_lines", "_part", "_waiting", "limit", "total")

    def __init__(self, limit: int = MAX_LINE, total: int | None = None) -> None:
        self.limit = limit
        self.total = 4 * limit if total is None else total
        self._part = bytearray()
        self._lines: deque[bytes] = deque()
        self._waiting = 0
        self._flaw: str | None = None

    def feed(self, data: bytes) -> None:
        """Take bytes from the stream. Raises Oversize."""
        if self._flaw is not None:
            raise Oversize(self._flaw)
        *lines, rest = data.split(b"\n")
        if lines and self._part:
            lines[0] = bytes(self._part) + lines[0]
            self._part.clear()
        for line in lines:
            self._add(line)
        self._part += rest
        if len(self._part) > self.limit:
            self._give_up(f"a line of over {self.limit} bytes without an end")

    def _add(self, line: bytes) -> None:
        """A whole line has come."""
        if len(line) > self.limit:
            self._give_up(f"a line of {len(line)} bytes; at most {self.limit} are allowed")
        self._waiting += len(line) + 1
        if self._waiting > self.total:
            self._give_up(f"over {self.total} bytes of lines that nobody asked for")
        self._lines.append(line)

    def _give_up(self, flaw: str) -> NoReturn:
        """Let go of the rest of the stream, now and for good."""
        self._flaw = flaw
        self._part.clear()
        raise Oversize(flaw)

    def pop(self) -> bytes | None:
        """The next whole line without its end, or None. Raises Oversize where the stream is of no more use."""
        if not self._lines:
            if self._flaw is not None:
                raise Oversize(self._flaw)
            return None
        line = self._lines.popleft()
        self._waiting -= len(line) + 1
        return line[:-1] if line.endswith(b"\r") else line
