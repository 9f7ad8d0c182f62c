"""The limits of what a bot may write."""

import pytest

from protocol.framing import Oversize
from referee.connections.output import BotOutput
from referee.processes.limits import MIB, ProcessLimits


def test_too_much_output_in_a_game_is_found_also_by_the_one_who_reads_next() -> None:
    output = BotOutput(ProcessLimits(stdout_mb=1))
    output.feed(b"first\n")
    with pytest.raises(Oversize):
        output.feed(b"x" * MIB)
    assert output.pop() == b"first"
    with pytest.raises(Oversize, match="over 1 MiB of output"):
        output.pop()
