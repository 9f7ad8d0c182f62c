"""What signals do to a tournament: a real process, real signals."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.timeouts import TEST_TIMEOUT
from tournaments.play.interruption import Interruption, ProcessSignals, catch_signals

pytestmark = pytest.mark.slow

PROGRAM: Final = """
import sys, trio
from tournaments.play.interruption import catch_signals

async def play(interruption):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(hear)
        with interruption.until_finishing() as building:
            print("building", flush=True)
            await trio.sleep_forever()
        print("finishing", interruption.finishing, interruption.requested, flush=True)
        with interruption.scope() as playing:
            await over.wait()
            print("the running games are over", flush=True)
        print("ended", playing.cancelled_caught, interruption.requested, flush=True)
        nursery.cancel_scope.cancel()

async def hear():
    await trio.lowlevel.wait_readable(0)
    over.set()

over = trio.Event()
with catch_signals(finish_first=sys.argv[1] == "tournament") as interruption:
    trio.run(play, interruption)
"""
NOHUP: Final = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
RUNNING: Final = "finishing True False"
ABANDONED: Final = "ended True True"


class Program:
    """The program above, as a process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.expect("building")

    def expect(self, line: str) -> None:
        """Wait for its next line, which has to be this one."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == line

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def games_end(self) -> None:
        """The running games come to their end."""
        assert self._process.stdin is not None
        self._process.stdin.write("over\n")
        self._process.stdin.flush()

    def exited(self) -> bool:
        """Whether it comes to its own end, rather than be killed by a signal."""
        return self._process.wait(TEST_TIMEOUT) == 0


@pytest.fixture
def started(request: pytest.FixtureRequest) -> Iterator[Program]:
    kind, prefix = getattr(request, "param", ("tournament", ""))
    with subprocess.Popen(
        [sys.executable, "-c", prefix + PROGRAM, kind],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as process:
        try:
            yield Program(process)
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_abandon_the_running_games_at_once(started: Program, number: signal.Signals) -> None:
    started.send(number)
    started.expect("finishing True True")
    started.expect(ABANDONED)
    assert started.exited()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_any_signal_after_a_ctrl_c_abandons_the_running_games(started: Program, number: signal.Signals) -> None:
    started.send(signal.SIGINT)
    started.expect(RUNNING)
    started.send(number)
    started.expect(ABANDONED)
    assert started.exited()


@pytest.mark.parametrize("started", [("tournament", NOHUP)], indirect=True)
def test_a_tournament_under_nohup_outlives_its_terminal_and_one_ctrl_c_lets_the_running_games_finish(
    started: Program,
) -> None:
    started.send(signal.SIGHUP)
    started.send(signal.SIGINT)
    started.expect(RUNNING)  # SIGHUP would have made it "finishing True True"
    started.games_end()
    started.expect("the running games are over")
    started.expect("ended False False")
    assert started.exited()


@pytest.mark.parametrize("started", [("match", "")], indirect=True)
def test_one_ctrl_c_ends_a_match(started: Program) -> None:
    started.send(signal.SIGINT)
    started.expect("finishing True True")
    started.expect(ABANDONED)
    assert started.exited()


@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_was_ignored_before_stays_ignored(ignored: signal.Signals, restored: None) -> None:
    signal.signal(ignored, signal.SIG_IGN)
    with catch_signals(ignore_afterwards=True) as interruption:
        signal.raise_signal(ignored)
        assert not interruption.finishing
        signal.raise_signal(signal.SIGTERM if ignored == signal.SIGINT else signal.SIGINT)
        assert interruption.requested


@pytest.fixture
def restored() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("restored")
def test_a_match_that_begins_while_another_one_ends_can_be_interrupted() -> None:
    with catch_signals() as ending:
        signal.raise_signal(signal.SIGINT)
        assert ending.requested
        with catch_signals() as begun:
            assert not begun.requested
            signal.raise_signal(signal.SIGINT)
            assert begun.requested
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("first", [True, False])
def test_signals_are_ignored_afterwards_whichever_match_ends_last(first: bool) -> None:
    """The program that was asked to end is about to show its results; others in its process have nothing to show."""
    signals = ProcessSignals()
    showing, other = Interruption(), Interruption()
    signals.add(showing)
    signals.add(other)
    signal.raise_signal(signal.SIGINT)
    for interruption in (showing, other) if first else (other, showing):
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        signals.remove(interruption, ignore_afterwards=interruption is showing)
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN


@pytest.mark.usefixtures("restored")
def test_handlers_are_restored_after_a_match_that_was_not_interrupted() -> None:
    with catch_signals(ignore_afterwards=True):
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
