"""Thinking time: exact means and worst times, and a 99th percentile that is hardly too high."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from referee.players.bot import fallback_in
from referee.players.thinking_time import BUCKETS, ThinkingTime


def thinking(times: list[float]) -> ThinkingTime:
    """The thinking time of a bot whose decisions took these times."""
    found = ThinkingTime()
    for seconds in times:
        found.add(seconds)
    return found


def test_summary_is_in_milliseconds() -> None:
    summary = thinking([0.001] * 98 + [0.5, 2.0]).summary("a")
    assert summary is not None
    assert (summary.bot, summary.decisions, summary.worst) == ("a", 100, 2000)
    assert summary.mean == pytest.approx(25.98)
    assert 500 <= summary.p99 < 500 * 1.045


@pytest.mark.parametrize(
    ("info", "fallback"),
    [
        (b'{"a":1,"fallback":"no model"}', "no model"),
        (b'{"fallback":true}', ""),
        (b'{"fallback":"' + 300 * b"x" + b'"}', 200 * "x"),
        (b'{"fallback":false}', None),
        (b'{"fallback":""}', None),
        (b'{"fallback":null}', None),
        (b'{"fallback":["x"]}', None),
        (b'[{"fallback":"x"}]', None),
        (b'{"deeper":{"fallback":"x"}}', None),
        (b'"\\"fallback\\""', None),
        (b"[" * 5000 + b'"fallback"' + b"]" * 5000, None),
    ],
)
def test_an_info_says_whether_and_why_a_decision_is_at_random(info: bytes, fallback: str | None) -> None:
    assert fallback_in(Raw(info)) == fallback


def test_decisions_at_random_are_counted_with_the_first_reason() -> None:
    one, other = ThinkingTime(), ThinkingTime()
    one.add(1.0)
    assert one.format_fallbacks() == ""
    other.add(1.0, "no \x1b model")
    assert other.format_fallbacks() == "1 of 1 decisions at random (no \N{REPLACEMENT CHARACTER} model)"
    other.add(1.0, "")
    one.merge(other)
    assert one.format_fallbacks() == "2 of 3 decisions at random (the first: no \N{REPLACEMENT CHARACTER} model)"
    summary = one.summary("a")
    assert summary is not None
    assert summary.fallbacks == 2


def test_bot_that_took_no_decision_has_none() -> None:
    assert ThinkingTime().summary("a") is None


@pytest.mark.slow
@given(st.lists(st.floats(0, 2**20), min_size=1))
def test_percentile_is_never_too_low_and_at_most_one_bucket_too_high(times: list[float]) -> None:
    exact = sorted(times)[math.ceil(len(times) * 0.99) - 1]
    found = thinking(times).percentile(99)
    assert exact <= found * (1 + 1e-12)
    assert found <= max(exact * 1.0443, 2**-20)


def test_memory_is_the_same_for_any_number_of_decisions() -> None:
    rng = random.Random(1)
    found = thinking([rng.lognormvariate(-7, 3) for _ in range(10_000)])
    found.add(1e12)  # far beyond what any clock allows
    assert max(found.counts) == BUCKETS - 1 < 1000
    assert sum(found.counts.values()) == found.decisions == 10_001
