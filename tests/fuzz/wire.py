"""Targets for the codec: bytes from a bot become lines, and lines become messages."""

import json
from collections.abc import Iterator

import msgspec

from protocol.codec import BadMessage, decode, encode
from protocol.framing import LineBuffer, Oversize
from protocol.messages import Answer, Ready
from referee.connections.trace_file import MAX_LINE_KEPT, as_fields, trace_line
from referee.players.bot import MAX_ESCAPE
from referee.players.session import format_bad_message

MAX_DESCRIPTION = 1000
"""Maximum length of the description of an error."""
NO_LIMIT = 2**40
"""A limit that no input reaches."""


def check_description(text: str) -> None:
    """Check that the description of an error is short and printable."""
    assert text, "an error without a description"
    assert text.isprintable(), f"unprintable: {text!r}"
    assert len(text) <= MAX_DESCRIPTION, f"{len(text)} characters: {text[:MAX_DESCRIPTION]}"


def decode_lines(data: bytes) -> None:
    """Each line is a message, which survives being encoded and decoded again, or is refused as a BadMessage."""
    for line in data.split(b"\n"):
        try:
            message = decode(line)
        except BadMessage as bad:
            check_description(format_bad_message(bad))
            continue
        assert isinstance(message, Ready | Answer)
        again = encode(message)
        assert again.endswith(b"\n"), again
        assert again.count(b"\n") == 1, again
        assert decode(again[:-1]) == message, again


def trace_lines(data: bytes) -> None:
    """Each line is kept as its object, or else as text, in one printable line of JSON."""
    for line in data.split(b"\n"):
        kept = trace_line(as_fields(line))
        assert kept.isprintable(), f"unprintable: {kept!r}"
        assert len(kept) <= MAX_ESCAPE * MAX_LINE_KEPT
        read = json.loads(kept)
        if "from" in read:
            assert msgspec.json.decode(kept)["from"] == msgspec.json.decode(line), line
        else:
            assert read["text"][:1] == line.decode(errors="replace")[:1]


def cut_lines(data: bytes) -> None:
    """However a stream is cut, its lines are those between line feeds, up to where it exceeds a limit.

    The input: the longest line, four times how much may wait, the number of chunks that have a size, their sizes (the
    last one holds for all that follow), the stream.
    """
    header, count = data[:3].ljust(3, b"\1"), data[2] if len(data) > 2 else 0
    sizes, stream = list(data[3 : 3 + count]), data[3 + count :]
    limit, total = header[0], 4 * header[1]
    chunks = list(cut(stream, sizes))
    assert b"".join(chunks) == stream
    assert by_line_buffer(chunks, limit, total, eager=False) == by_definition(stream, limit, total)
    assert by_line_buffer(chunks, limit, NO_LIMIT, eager=True) == by_definition(stream, limit, NO_LIMIT)


def cut(stream: bytes, sizes: list[int]) -> Iterator[bytes]:
    """The chunks of a stream."""
    start, size = 0, len(stream)
    while start < len(stream):
        size = sizes.pop(0) if sizes else size
        size = size if size or sizes else len(stream)
        yield stream[start : start + size]
        start += size


def by_definition(stream: bytes, limit: int, total: int) -> tuple[list[bytes], bool]:
    """The lines for a reader that takes none before the whole stream has arrived, and whether it exceeded a limit."""
    *whole, rest = stream.split(b"\n")
    lines: list[bytes] = []
    for line in whole:
        total -= len(line) + 1
        if len(line) > limit or total < 0:
            return lines, True
        lines.append(line[:-1] if line[-1:] == b"\r" else line)
    return lines, len(rest) > limit


def by_line_buffer(chunks: list[bytes], limit: int, total: int, *, eager: bool) -> tuple[list[bytes], bool]:
    """The lines from a LineBuffer, and whether a limit was exceeded; `eager` takes lines after each chunk."""
    buffer, lines, exceeded = LineBuffer(limit, total), [], False
    for chunk in chunks:
        try:
            buffer.feed(chunk)
            while eager and (line := buffer.pop()) is not None:
                lines.append(line)
        except Oversize as error:
            check_description(str(error))
            exceeded = True
    try:
        while (line := buffer.pop()) is not None:
            lines.append(line)
    except Oversize:
        assert exceeded
    else:
        assert not exceeded, "an exceeded limit was forgotten"
    return lines, exceeded
