"""What the benchmark says is what it measures."""

from itertools import accumulate, count

import pytest

from tests.bench import __main__ as bench


def test_late_decisions_are_those_of_the_last_quarter_beside_those_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clock is read twice for each decision; the first one takes a second, the next two, and so on to 56."""
    readings = accumulate(passed for second in count(1) for passed in (0, second))
    monkeypatch.setattr("time.perf_counter", lambda: next(readings))
    first, last = sum(range(1, 15)), sum(range(43, 57))
    assert bench.measure_slowdown("forbidden_city", 2, games=1) == pytest.approx(last / first)
