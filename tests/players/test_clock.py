"""Durations as people write them, and clocks as bots see them."""

import pytest

from protocol.messages import Clock
from referee.players.clock import TimeControl, milliseconds, parse_duration

DURATIONS = {"250ms": 0.25, "1s": 1.0, "2m": 120.0, "1h": 3600.0, "1.5": 1.5, "0.1s": 0.1, " 3s ": 3.0, "0": 0.0}


@pytest.mark.parametrize(("text", "seconds"), DURATIONS.items())
def test_duration(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "1 s", "-1s", "1e3", "1d", "inf", "nan", "1s1s", "1,5s"])
def test_wrong_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration; write for example 250ms, 1s or 2m"):
        parse_duration(text)


@pytest.mark.parametrize(("seconds", "whole"), [(0, 0), (0.0001, 1), (0.0014, 1), (0.0016, 2), (1.0, 1000), (0.2, 200)])
def test_milliseconds_are_whole_and_at_least_1_for_anything_above_nothing(seconds: float, whole: int) -> None:
    assert milliseconds(seconds) == whole


CLOCKS = {
    "per decision": (TimeControl(move=1.0), Clock(move_ms=1000)),
    "bank": (TimeControl(move=None, bank=60.0), Clock(bank_ms=60_000, increment_ms=0)),
    "bank and increment": (
        TimeControl(move=None, bank=60.0, increment=0.1),
        Clock(bank_ms=60_000, increment_ms=100),
    ),
    "both": (
        TimeControl(move=2.0, bank=60.0, increment=0.1),
        Clock(move_ms=2000, bank_ms=60_000, increment_ms=100),
    ),
}


@pytest.mark.parametrize(("control", "clock"), CLOCKS.values(), ids=CLOCKS)
def test_clock_as_bots_see_it(control: TimeControl, clock: Clock) -> None:
    assert control.on_wire() == clock
