"""Durations as people write them, and clocks as bots see them."""

import pytest

from protocol.messages import Clock
from referee.players.clock import TimeControl, TimeControlError, milliseconds, parse_duration
from tournaments.play.conditions import ClockLimits

DURATIONS = {"250ms": 0.25, "1s": 1.0, "2m": 120.0, "1h": 3600.0, "1.5": 1.5, "0.1s": 0.1, " 3s ": 3.0, "0": 0.0}


@pytest.mark.parametrize(("text", "seconds"), DURATIONS.items())
def test_duration(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "1 s", "-1s", "1e3", "1d", "inf", "nan", "1s1s", "1,5s"])
def test_wrong_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration; write for example 250ms, 1s, 2m or 1h"):
        parse_duration(text)


@pytest.mark.parametrize(("seconds", "whole"), [(0, 0), (0.0001, 1), (0.0014, 1), (0.0016, 2), (1.0, 1000), (0.2, 200)])
def test_milliseconds_are_whole_and_at_least_1_for_anything_above_nothing(seconds: float, whole: int) -> None:
    assert milliseconds(seconds) == whole


@pytest.mark.parametrize(
    ("control", "limit"),
    [
        (TimeControl(move=0.0), "move"),
        (TimeControl(move=None, bank=-1.0), "bank"),
        (TimeControl(startup=0.0), "startup"),
        (TimeControl(move=float("nan")), "move"),
        (TimeControl(bank=8 * 24 * 3600.0), "bank"),
        (TimeControl(bank=60.0, increment=-1.0), "increment"),
        (TimeControl(increment=1.0), "increment"),
        (TimeControl(margin=-1.0), "margin"),
        (TimeControl(move=None), "move"),
    ],
)
def test_limits_with_which_nobody_could_play_are_refused(control: TimeControl, limit: str) -> None:
    with pytest.raises(TimeControlError) as refusal:
        control.check()
    assert refusal.value.limit == limit


def test_there_is_1_s_per_decision_unless_there_is_a_bank() -> None:
    assert ClockLimits().control() == TimeControl(move=1.0)
    assert ClockLimits(bank=60.0, increment=0.1).control() == TimeControl(move=None, bank=60.0, increment=0.1)


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
