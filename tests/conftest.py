"""Fixtures of the referee's tests."""

import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.processes.machine import cores
from tests.game_runner.harness import Harness
from tests.game_runner.pebbles import registered_pebbles

# As in an activated environment. Another `python3` may be a script that looks for the right one first (pyenv): it takes
# several times as long to start as a bot.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than there are cores: tests with clocks and processes wait for almost half of their time."""
    return cores() + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test with several cases, `make quick` runs only the first one: mark all others as slow.

    Groups, which one process runs, come first: the longest takes a minute, and would be the last to end.
    """
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
    seen: set[str] = set()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if name in seen:
            item.add_marker(pytest.mark.slow)
        seen.add(name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the tests that were skipped, by reason."""
    reports = terminalreporter.getreports("skipped")
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count} skipped: {reason}")


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A folder that other users may read: as root, bots run as users of their own."""
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Harness]:
    """Makes bots and plays games between them."""
    harness = Harness(tmp_path)
    yield harness
    harness.close()


@pytest.fixture
def pebbles_known() -> Iterator[None]:
    """The tests' own game is registered, so that its records can be replayed."""
    with registered_pebbles():
        yield


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill bots almost at once after `quit`: for those that don't exit by themselves."""
    monkeypatch.setattr("referee.players.connect.QUIT_GRACE", 0.05)


def pytest_collection() -> None:
    """Thousands of tests are made, and none is garbage: looking for it takes a fifth of the time of collection."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Nor will they be looked at again while the tests run, of whose time the usual thresholds would take 5 %."""
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()
