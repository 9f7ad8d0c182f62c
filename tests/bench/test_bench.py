"""What the benchmark says is what it measures."""

from itertools import accumulate, count
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench import kept_figures


def test_late_decisions_are_those_of_the_last_quarter_beside_those_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clock is read twice for each decision; the first one takes a second, the next two, and so on to 56."""
    readings = accumulate(passed for second in count(1) for passed in (0, second))
    monkeypatch.setattr("time.perf_counter", lambda: next(readings))
    first, last = sum(range(1, 15)), sum(range(43, 57))
    assert bench.measure_slowdown("forbidden_city", 2, games=1) == pytest.approx(last / first)


def test_figures_are_kept_and_compared_with_the_last_ones_as_ratios(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    assert kept_figures.read(file) == {}
    kept_figures.keep(file, {"cost": 4.0, "another": 1.0})
    kept_figures.keep(file, {"cost": 5.0})
    before = kept_figures.read(file)
    assert before == {"cost": 5.0, "another": 1.0}
    rows = [line.split() for line in kept_figures.compare(before, {"cost": 2.5, "new": 1.0}).splitlines()]
    assert rows[1:] == [["cost", "5.00", "2.50", "0.50"], ["new", "-", "1.00", "-"]]


def test_a_file_without_figures_is_refused_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    file.write_text("no figures")
    with pytest.raises(kept_figures.KeptFiguresError, match=r"figures\.json: no figures of make bench"):
        kept_figures.keep(file, {"cost": 1.0})
    assert file.read_text() == "no figures"
