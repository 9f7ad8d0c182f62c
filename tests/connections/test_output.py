"""The limits of what a bot may write."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.framing import Oversize
from referee.connections.output import BotOutput
from referee.processes.limits.process_limits import MIB, ProcessLimits


def test_too_much_output_in_a_game_is_found_also_by_the_one_who_reads_next() -> None:
    output = BotOutput(ProcessLimits(stdout_mb=1))
    output.feed(b"first\n")
    with pytest.raises(Oversize):
        output.feed(b"x" * MIB)
    assert output.pop() == b"first"
    with pytest.raises(Oversize, match="over 1 MiB of output"):
        output.pop()


@pytest.mark.slow
@settings(derandomize=True)
@given(
    st.lists(st.sampled_from([b"\n", b"\r\n", b"a\n", b"a\r\n", b"a", b"ab\ncd\n", b"x" * 1023 + b"\n", b"x" * 1025]))
)
def test_lines_are_the_same_where_they_are_taken_as_they_come(chunks: list[bytes]) -> None:
    outputs = [BotOutput(ProcessLimits(line_bytes=1024, stdout_mb=1)) for _ in range(2)]
    quick: list[bytes | None] = []
    slow: list[bytes | None] = []
    for chunk in chunks:
        with suppress(Oversize):
            quick.append(outputs[0].feed_and_pop(chunk))
        with suppress(Oversize):
            outputs[1].feed(chunk)
            slow.append(outputs[1].pop())
    assert quick == slow
    assert outputs[0].drain() == outputs[1].drain()


def test_output_that_is_taken_as_it_comes_is_counted() -> None:
    output = BotOutput(ProcessLimits(stdout_mb=1))
    line = b"x" * (MIB // 2 - 1) + b"\n"
    assert output.feed_and_pop(line) == output.feed_and_pop(line) == line[:-1]
    with pytest.raises(Oversize, match="over 1 MiB of output"):
        output.feed_and_pop(b"\n")
