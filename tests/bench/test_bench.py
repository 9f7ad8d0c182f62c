"""What the benchmark says is what it measures."""

import subprocess
import sys
from itertools import accumulate, count
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench import matches, tournament
from tests.timeouts import TEST_TIMEOUT


def test_late_decisions_are_those_of_the_last_quarter_beside_those_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clock is read twice for each decision; the first one takes a second, the next two, and so on to 56."""
    readings = accumulate(passed for second in count(1) for passed in (0, second))
    monkeypatch.setattr("time.perf_counter", lambda: next(readings))
    first, last = sum(range(1, 15)), sum(range(43, 57))
    assert bench.measure_slowdown("forbidden_city", 2, games=1) == pytest.approx(last / first)


@pytest.mark.parametrize("what", ["alone", "tournament"])
def test_the_games_of_a_tournament_are_played_alone_and_in_it(what: str, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    bots = "".join(f'[[bot]]\nbuiltin = "{name}"\n' for name in ("random", "first"))
    file.write_text(f'format = "round_robin"\ngame = "forbidden_city"\n[run]\nsandbox = "none"\n{bots}')
    tournament.run(what, file, tmp_path / what)
    assert len([path for path in (tmp_path / what).rglob("*") if "r01-t001-d01-s" in path.name]) == 2


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [(1, 1, 1), (5, 1, 5), (6, 1, 6), (9, 2, 8), (20, 6, 15)],  # Conover 1999, table A4: 20 pairs at 0.95
)
def test_the_interval_of_a_median_goes_between_the_order_statistics_of_the_binomial_distribution(
    count: int, low: int, high: int
) -> None:
    ratio = matches.Ratio.of(range(count, 0, -1))
    assert ratio == ((count + 1) / 2, low, high)


@pytest.mark.parametrize(("ratios", "tells"), [([0.9, 1.0, 1.03], True), ([0.9, 1.0, 1.04], False)])
def test_a_ratio_whose_interval_is_wide_says_that_it_tells_nothing(ratios: list[float], tells: bool) -> None:
    assert ("too wide to tell" not in str(matches.Ratio.of(ratios))) is tells


def test_what_is_compared_alternates_in_both_orders() -> None:
    order: list[str] = []

    def measure(name: str) -> matches.Measure:
        def run() -> tuple[float, float]:
            order.append(name)
            return 2.0 if name == "old" else 1.0, 3.0

        return run

    new, old = matches.table({"new": measure("new"), "old": measure("old")}, 3)
    assert order == ["new", "old", "old", "new", "new", "old"]
    assert new.split() == ["new", "1.0", "3.0"]
    assert old.split() == ["old", "2.0", "3.0", "0.50", "(0.50-0.50)", "1.00", "(1.00-1.00)"]


@pytest.mark.check_all
@pytest.mark.skipif(not (matches.CHECKOUT / ".git").exists(), reason="not a checkout with git")
def test_matches_of_this_checkout_are_measured_beside_those_of_another_commit_and_the_lower_bounds() -> None:
    options = ["--only-matches", "--game", "forbidden_city", "--at-once", "1", "--questions", "100", "--runs", "1"]
    command = [sys.executable, "-m", "tests.bench", *options, "--against", "HEAD"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=TEST_TIMEOUT)
    assert done.returncode == 0, done.stderr
    rows = [line[:22].strip() for line in done.stdout.splitlines()[2:]]
    assert rows == ["this checkout", "without observations", "bare Trio", "bare C with epoll", "commit HEAD"]
