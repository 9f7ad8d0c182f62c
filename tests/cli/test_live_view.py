"""What an organiser sees of a tournament while it runs: on a terminal of any size, and elsewhere."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.cli.bots import BOT
from tests.cli.command import ESCAPE
from tests.cli.terminal import OnTerminal, Terminal
from tests.timeouts import TEST_TIMEOUT

pytestmark = pytest.mark.slow

GATED: Final = BOT.replace(
    '    elif message["type"] == "act":\n',
    """    elif message["type"] == "act":
        import os, time
        while os.path.exists("cup") and not os.path.exists("go"):
            time.sleep(0.01)
""",
)
"""Once the tournament has a folder, it answers nothing until there is a file `go`."""
CUP: Final = """
name = "Test Cup"
format = "round_robin"
game = "year_of_the_dragon"
seed = "live"
[round_robin]
cycles = 2
[clock]
move = "60s"
startup = "60s"
[run]
sandbox = "none"
concurrency = 2
[[bot]]
name = "gated"
command = "python3 -SE bot.py"
[[bot]]
builtin = "random"
"""
Start = Callable[..., OnTerminal]


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A tournament file."""
    (tmp_path / "bot.py").write_text(GATED)
    (tmp_path / "cup.toml").write_text(CUP)
    return tmp_path / "cup.toml"


@pytest.fixture
def start(cup: Path) -> Iterator[Start]:
    """Starts the tournament with its stderr on a terminal."""
    running: list[OnTerminal] = []

    def run(**options: object) -> OnTerminal:
        out = cup.parent / "out"
        running.append(OnTerminal("tournament", "run", cup, out=out, **options))  # type: ignore[arg-type]
        return running[-1]

    yield run
    for each in running:
        each.close()


def let_go(cup: Path) -> None:
    (cup.parent / "go").touch()


def shows(*words: str) -> Callable[[Terminal], bool]:
    """Whether all of this is on the screen."""
    return lambda terminal: all(word in terminal.text for word in words)


def test_it_shows_what_is_played_on_a_terminal_of_any_size_and_leaves_it_as_it_was(start: Start, cup: Path) -> None:
    """The terminal of the test fails if a line is too long or too far below."""
    live = start()
    live.read_until(shows("Test Cup", "round 1 of 2", "of 2 games", "0 of 4 in all", "points", "gated", "being played"))
    assert live.terminal.alternate
    assert not live.terminal.cursor_shown
    assert live.terminal.colours
    for columns, lines in ((31, 5), (12, 40), (200, 50), (20, 2), (80, 24)):
        live.resize(columns, lines)
        live.read_until(lambda terminal, size=(columns, lines): (terminal.columns, terminal.lines) == size)  # type: ignore[misc]
        live.read_until(shows("Test Cup"))
    live.read_until(shows("gated", "being played"))
    let_go(cup)
    assert live.end() == 0
    assert not live.terminal.alternate
    assert live.terminal.cursor_shown
    shown = live.written.decode().rpartition("\x1b[?1049l")[2]
    for number in (1, 2):
        assert f"round {number} is over; points: 1. " in shown
    assert "Final standings" in (cup.parent / "out").read_text()


def test_ctrl_c_finishes_the_running_games_says_so_and_restores_the_terminal(start: Start, cup: Path) -> None:
    live = start(NO_COLOR="1")
    live.read_until(shows("being played"))
    live.process.send_signal(signal.SIGINT)
    live.read_until(shows("Ctrl-C again abandons them"))
    let_go(cup)
    assert live.end() == 130
    assert not live.terminal.alternate
    assert live.terminal.cursor_shown
    assert not live.terminal.colours


@pytest.mark.parametrize("signals", [[signal.SIGINT, signal.SIGINT], [signal.SIGTERM]], ids=["ctrl-c twice", "sigterm"])
def test_abandoning_it_restores_the_terminal(start: Start, signals: list[signal.Signals]) -> None:
    live = start()
    live.read_until(shows("being played"))
    live.process.send_signal(signals[0])
    for number in signals[1:]:
        live.read_until(shows("Ctrl-C again"))
        live.process.send_signal(number)
    assert live.end() == 130
    assert not live.terminal.alternate
    assert live.terminal.cursor_shown
    assert b"referee tournament resume" in live.written


def test_a_terminal_that_is_closed_does_not_end_the_tournament(start: Start, cup: Path) -> None:
    live = start()
    live.read_until(shows("being played"))
    live.hang_up()
    let_go(cup)
    assert live.end() == 0
    assert "Final standings" in (cup.parent / "out").read_text()


def test_a_terminal_that_has_stopped_does_not_hold_up_the_tournament(start: Start, cup: Path) -> None:
    """Nobody reads from it any more, as after Ctrl-S."""
    let_go(cup)
    live = start(columns=250, lines=200)
    assert live.process.wait(TEST_TIMEOUT) == 0
    assert "Final standings" in (cup.parent / "out").read_text()


def test_a_terminal_that_can_not_move_its_cursor_gets_lines(start: Start, cup: Path) -> None:
    let_go(cup)
    live = start(TERM="dumb")
    assert live.end() == 0
    assert ESCAPE.encode() not in live.written
    assert b"round 2 is over; points: 1. " in live.written
