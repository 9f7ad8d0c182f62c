"""What becomes of a view of a tournament that fails, or whose output can't be written."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator

import pytest

from referee.cli.background_output import MAX_WAITING, BackgroundOutput
from referee.cli.tournament.live_view import View
from referee.reports.running import PlainView
from tests.timeouts import TEST_TIMEOUT
from tests.tournaments.competition.simulated import Simulation, regulations
from tournaments.event.events import RoundBegun, TournamentOpened
from tournaments.play.events import Notice


class Broken(PlainView):
    def line(self, text: str) -> None:
        raise ValueError("out of ideas")


def test_a_view_that_fails_is_reported_once_and_does_not_reach_the_tournament(
    capsys: pytest.CaptureFixture[str],
) -> None:
    simulation, view = Simulation(regulations("round_robin", 4)), View(Broken())
    begun = simulation.begin()
    assert begun is not None
    view.observe(TournamentOpened.of(simulation.progress))
    view.observe(RoundBegun(round=begun.round))
    view.observe(RoundBegun(round=begun.round))
    view.observe(Notice(text="the disk is nearly full"))
    view.close()
    assert capsys.readouterr().err.splitlines() == [
        "the display failed; the tournament continues: ValueError: out of ideas",
        "the disk is nearly full",
    ]


# -- writing in the background ----------------------------------------------------------------------------------------


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for fd in (reader, writer):
        with contextlib.suppress(OSError):
            os.close(fd)


def test_what_is_written_arrives_in_order(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    output = BackgroundOutput(writer)
    for number in range(100):
        output.write(f"{number}\n")
    output.close()
    os.close(writer)
    assert os.read(reader, 10_000).decode().split() == [str(number) for number in range(100)]


@pytest.mark.slow
def test_a_reader_that_stops_never_blocks_the_writer_nor_fills_the_memory(pipe: tuple[int, int]) -> None:
    output = BackgroundOutput(pipe[1])
    began = time.monotonic()
    for _ in range(100):
        output.write("x" * 65536)
    assert not output.idle
    assert output._size <= MAX_WAITING
    output.close()
    assert time.monotonic() - began < TEST_TIMEOUT


def test_a_reader_that_is_gone_is_no_error(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.close(reader)
    output = BackgroundOutput(writer)
    threads = threading.active_count()
    for _ in range(10):
        output.write("nobody reads this\n")
    output.close()
    assert output.idle
    assert threads >= threading.active_count()
