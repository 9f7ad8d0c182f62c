"""Messages between processes of the referee, over pipes: each is msgpack, preceded by its length in four bytes."""

import contextlib
import math
from collections.abc import AsyncGenerator, Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final, Generic, TypeVar

import msgspec
import trio
from msgspec import Struct

from referee.errors import RefereeError

LENGTH_BYTES: Final = 4
READ_BYTES: Final = 64 * 1024


def encode(value: Any) -> bytes:
    """A message, or a part of one, as msgpack.

    Strings from command lines, paths and environment variables may have surrogates in place of bytes that are not UTF-8
    (see os.fsdecode), which msgpack can't have in a string: such a string is sent as an extension, wherever it is.
    """
    try:
        return ENCODER.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, builtin_types=[bytes], enc_hook=_encode)
        return ENCODER.encode(_without_surrogates(plain))


def decode(data: bytes, kind: Any) -> Any:
    """The value of this type that `encode` got. Raises RefereeError for a game that can't be imported."""
    try:
        return _decoder(kind).decode(data)
    except msgspec.ValidationError:  # an extension in place of a string
        return msgspec.convert(DECODER.decode(data), kind, dec_hook=_decode)


@cache
def _decoder(kind: Any) -> "msgspec.msgpack.Decoder[Any]":
    return msgspec.msgpack.Decoder(kind, dec_hook=_decode, ext_hook=_with_surrogates)


def _without_surrogates(value: Any) -> Any:
    match value:
        case str() if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            return msgspec.msgpack.Ext(SURROGATES, value.encode(errors="surrogatepass"))
        case dict():
            return {_without_surrogates(key): _without_surrogates(each) for key, each in value.items()}
        case list() | tuple():
            return [_without_surrogates(each) for each in value]
    return value


def _with_surrogates(_code: int, data: memoryview) -> str:
    return data.tobytes().decode(errors="surrogatepass")


def _encode(value: Any) -> str:
    """Paths as text; the rules of a game by their module and name."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, type):
        return f"{value.__module__}:{value.__qualname__}"
    raise NotImplementedError(f"a {type(value).__name__} can't be sent to another process")


def _decode(kind: Any, value: Any) -> Any:
    if kind is Path:
        return Path(value)
    try:
        return resolve_name(value)
    except (ImportError, AttributeError, ValueError) as error:  # ValueError: it is defined inside a function
        raise RefereeError(
            f"the game {value} can't be imported: {error}; put it in a module that can be imported, as workers are"
            " processes of their own, or play with one worker"
        ) from None


def framed(message: Struct) -> bytes:
    data = encode(message)
    return len(data).to_bytes(LENGTH_BYTES) + data


class Unframed:
    """Finds the messages in what was read from a pipe."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The encoded messages that are complete with these bytes."""
        self._buffer += data
        while len(self._buffer) >= LENGTH_BYTES:
            end = LENGTH_BYTES + int.from_bytes(self._buffer[:LENGTH_BYTES])
            if len(self._buffer) < end:
                return
            content = memoryview(self._buffer)[LENGTH_BYTES:end].tobytes()
            del self._buffer[:end]
            yield content


SURROGATES: Final = 1
"""The code of the extension for strings that have surrogates."""
ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=_encode)
DECODER: Final = msgspec.msgpack.Decoder(ext_hook=_with_surrogates)


T = TypeVar("T")


class MessageChannel(Generic[T]):
    """Receives messages of type T (a union) over one pipe and sends messages over another one.

    `write` has to run as long as messages are sent. It closes the pipe that it writes to; iteration closes the other
    one.
    """

    def __init__(self, reading: int, writing: int, received: Any) -> None:
        self._reading = trio.lowlevel.FdStream(reading)
        self._writing = trio.lowlevel.FdStream(writing)
        self._received = received
        self._queue, self._queued = trio.open_memory_channel[bytes](math.inf)

    def send(self, message: Struct) -> None:
        """Send a message soon. It is lost if the other process has ended, which the receiver notices."""
        with contextlib.suppress(trio.BrokenResourceError):  # `write` has found that nobody reads any more
            self._queue.send_nowait(framed(message))

    def end(self) -> None:
        """Send nothing more, so that the other process reads the end of its input."""
        self._queue.close()

    async def write(self) -> None:
        """Write what is sent, until `end` or the end of the other process."""
        async with self._writing, self._queued:  # what is sent after the end of the other process is not kept
            try:
                async for data in self._queued:
                    # All that waits in one write: each wakes the other process, which costs more than a short message.
                    waiting = [data]
                    with contextlib.suppress(trio.WouldBlock, trio.EndOfChannel):
                        while True:
                            waiting.append(self._queued.receive_nowait())
                    await self._writing.send_all(b"".join(waiting))
            except trio.BrokenResourceError:
                pass

    async def messages(self) -> AsyncGenerator[T, None]:
        """All messages until the other process closes its end or ends, also in the middle of a message."""
        unframed = Unframed()
        async with self._reading:
            while True:
                try:
                    data = await self._reading.receive_some(READ_BYTES)
                except trio.BrokenResourceError:
                    return
                if not data:
                    return
                for content in unframed.feed(data):
                    message: T = decode(content, self._received)
                    yield message
