"""What the benchmark says is what it measures."""

from itertools import accumulate, count
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench import tournament


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
