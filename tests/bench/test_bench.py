"""What the benchmark says is what it measures."""

from itertools import accumulate, count
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench import kept_figures, tournament


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
