"""A stream of bytes becomes lines, the same however it is cut, and within limits. The cost: tests/fuzz/test_cost.py."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import encode
from protocol.framing import MAX_KEPT_BYTES, MAX_LINE, LineBuffer, Oversize
from protocol.messages import Quit

fixed = settings(derandomize=True)
streams = st.lists(st.sampled_from([b"\n", b"\r\n", b"\r", b"{}", b"abc", "é".encode(), b"\x00", b"\xff"])).map(
    b"".join
)
cuts = st.lists(st.integers(0, 60))


def drain(buffer: LineBuffer) -> list[bytes]:
    """All complete lines in the buffer."""
    lines = []
    while (line := buffer.pop()) is not None:
        lines.append(line)
    return lines


def pieces(stream: bytes, at: list[int]) -> list[bytes]:
    """The stream, cut at these places."""
    places = [0, *sorted(min(place, len(stream)) for place in at), len(stream)]
    return [stream[start:end] for start, end in pairwise(places)]


def outcome(stream: bytes, at: list[int], limit: int, *, eager: bool) -> tuple[list[bytes], bool]:
    """The lines of a stream in pieces, and whether a limit was exceeded; `eager` takes lines between pieces."""
    buffer, lines = LineBuffer(limit, total=100), []
    try:
        for piece in pieces(stream, at):
            buffer.feed(piece)
            lines += drain(buffer) if eager else []
        return lines + drain(buffer), False
    except Oversize:
        while True:
            try:
                line = buffer.pop()
            except Oversize:
                return lines, True
            assert line is not None
            lines.append(line)


@pytest.mark.slow
@fixed
@given(streams, cuts)
def test_lines_are_those_between_line_feeds_wherever_the_stream_is_cut(stream: bytes, at: list[int]) -> None:
    whole = [line[:-1] if line.endswith(b"\r") else line for line in stream.split(b"\n")[:-1]]
    buffer, lines = LineBuffer(), []
    for piece in pieces(stream, at):
        buffer.feed(piece)
        lines += drain(buffer)
    assert lines == whole


@pytest.mark.slow
@fixed
@given(streams, cuts, st.integers(1, 8), st.booleans())
def test_what_comes_out_before_a_limit_is_exceeded_does_not_depend_on_the_cuts(
    stream: bytes, at: list[int], limit: int, eager: bool
) -> None:
    assert outcome(stream, at, limit, eager=eager) == outcome(stream, [], limit, eager=False)


@pytest.mark.parametrize(
    ("stream", "lines"),
    [
        (b"", []),
        (b"no end yet", []),
        (b"\n", [b""]),
        (b"\r\n", [b""]),
        (b"one\ntwo\r\nthree", [b"one", b"two"]),
        (b"a\rb\n", [b"a\rb"]),
        (b"only one CR goes\r\r\n", [b"only one CR goes\r"]),
        (
            "a paragraph\u2029and a line\u2028and a NEL\x85\n".encode(),
            ["a paragraph\u2029and a line\u2028and a NEL\x85".encode()],
        ),
        (encode(Quit()), [b'{"type":"quit"}']),
    ],
)
def test_a_line_ends_with_a_line_feed_alone_or_after_a_carriage_return(stream: bytes, lines: list[bytes]) -> None:
    buffer = LineBuffer()
    buffer.feed(stream)
    assert drain(buffer) == lines


# -- limits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [1, 3, 10, 11, 1000])
def test_a_line_may_be_as_long_as_the_limit_and_no_longer(chunk: int) -> None:
    def feed(stream: bytes) -> LineBuffer:
        buffer = LineBuffer(limit=10)
        for start in range(0, len(stream), chunk):
            buffer.feed(stream[start : start + chunk])
        return buffer

    assert drain(feed(b"0123456789\n")) == [b"0123456789"]
    assert drain(feed(b"012345678\r\n")) == [b"012345678"]
    for too_long in (b"0123456789a\n", b"0123456789\r\n", b"x" * 50 + b"\n"):
        with pytest.raises(Oversize, match="10"):
            feed(too_long)


def test_a_line_that_is_too_long_is_noticed_before_it_ends() -> None:
    buffer = LineBuffer(limit=10)
    buffer.feed(b"0123456789")
    with pytest.raises(Oversize, match="10 bytes without an end"):
        buffer.feed(b"a")


def test_the_limit_of_a_line_holds_by_default_and_is_named_in_the_error() -> None:
    buffer = LineBuffer()
    buffer.feed(b"x" * MAX_LINE + b"\n")
    assert buffer.pop() == b"x" * MAX_LINE
    with pytest.raises(Oversize, match=f"{MAX_LINE + 1} bytes; at most {MAX_LINE} are allowed"):
        buffer.feed(b"x" * (MAX_LINE + 1) + b"\n")


@pytest.mark.parametrize("line", [b"", b"x", b"0123456789"])
def test_unread_lines_have_a_limit_even_if_they_are_empty(line: bytes) -> None:
    buffer = LineBuffer(limit=10, total=110)
    fit = 110 // (len(line) + 1)
    for _ in range(fit):
        buffer.feed(line + b"\n")
    with pytest.raises(Oversize, match="110"):
        buffer.feed(line + b"\n")


def test_popped_lines_make_room_for_others() -> None:
    buffer = LineBuffer(limit=10, total=22)
    for _ in range(20):
        buffer.feed(b"0123456789\n0123456789\n")
        assert drain(buffer) == [b"0123456789"] * 2


@pytest.mark.parametrize("end", [b"\n", b""])
def test_the_beginning_of_what_exceeds_a_limit_is_drained_and_then_a_new_stream_begins(end: bytes) -> None:
    buffer, too_long = LineBuffer(limit=2000), b"0123456789" * 201
    for _ in range(2):
        with pytest.raises(Oversize):
            buffer.feed(b"one\r\n" + too_long + end)
        assert buffer.drain() == [b"one", too_long[:MAX_KEPT_BYTES]]
        buffer.feed(b"two\nx")
        assert buffer.unfinished == 1
        assert buffer.drain() == [b"two", b"x"]


def test_after_a_limit_is_exceeded_earlier_lines_can_be_popped_and_every_later_pop_fails() -> None:
    buffer = LineBuffer(limit=10)
    with pytest.raises(Oversize):
        buffer.feed(b"one\ntwo\n0123456789a\nthree\n")
    with pytest.raises(Oversize):
        buffer.feed(b"four\n")
    assert [buffer.pop(), buffer.pop()] == [b"one", b"two"]
    for _ in range(2):
        with pytest.raises(Oversize):
            buffer.pop()
