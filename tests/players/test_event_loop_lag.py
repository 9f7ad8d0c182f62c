"""Event loop lag: how late a timer fires."""

import time
from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from referee.players import event_loop_lag
from referee.players.event_loop_lag import BUCKET_BOUNDS_MS, SAMPLE_PERIOD, EventLoopLag, LagSummary


async def measured(
    mock_clock: MockClock, *stalls: float, margin: float = 0.05, lag: EventLoopLag | None = None
) -> EventLoopLag:
    """What is measured when the referee comes so late to one timer after the other, on a clock that it moves."""
    lag = lag or EventLoopLag(margin)
    start = trio.current_time() - lag.summary().samples * SAMPLE_PERIOD
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lag.measure)
        await wait_all_tasks_blocked()
        for late in stalls:
            next_timer = start + (lag.summary().samples + 1) * SAMPLE_PERIOD
            mock_clock.jump(next_timer + late - trio.current_time())
            await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return lag


def counts(summary: LagSummary) -> dict[int | None, int]:
    """The buckets that are not empty."""
    return {bucket.below_ms: bucket.count for bucket in summary.histogram if bucket.count}


async def test_timers_on_time_are_no_lag(mock_clock: MockClock) -> None:
    summary = (await measured(mock_clock, *[1e-6] * 10)).summary()
    assert counts(summary) == {1: 10}
    assert (summary.p50_ms, summary.p99_ms, summary.max_ms, summary.over_margin) == (0.0, 0.0, 0.0, 0)


@pytest.mark.parametrize("bound", BUCKET_BOUNDS_MS)
async def test_each_delay_is_counted_in_the_bucket_below_whose_bound_it_is(mock_clock: MockClock, bound: int) -> None:
    after = [*BUCKET_BOUNDS_MS, None][BUCKET_BOUNDS_MS.index(bound) + 1]
    for late, expected in ((bound - 0.3, bound), (bound + 0.3, after)):
        summary = (await measured(mock_clock, late / 1000)).summary()
        assert list(counts(summary))[-1] == expected


async def test_every_timer_that_came_due_in_a_stall_counts_with_its_own_delay(mock_clock: MockClock) -> None:
    summary = (await measured(mock_clock, 0.2201)).summary()
    expected = [220.1 - k * SAMPLE_PERIOD * 1000 for k in range(int(0.2201 / SAMPLE_PERIOD) + 1)]
    assert summary.samples == len(expected) > 5
    for bucket, low in zip(summary.histogram, (0, *BUCKET_BOUNDS_MS), strict=True):
        high = bucket.below_ms or float("inf")
        assert bucket.count == sum(low <= late < high for late in expected)
    assert summary.max_ms == 220.1


async def test_stall_is_one_time_over_the_margin_however_long(mock_clock: MockClock) -> None:
    lag = await measured(mock_clock, 0.0499, 0.0501, 10.0, 0.001, margin=0.05)
    assert lag.summary().over_margin == 2
    assert lag.longest == pytest.approx(10.0)


async def test_percentiles_are_over_all_samples(mock_clock: MockClock) -> None:
    summary = (await measured(mock_clock, *[0.0021] * 60, *[0.0071] * 38, 0.0151, 0.0241)).summary()
    assert (summary.p50_ms, summary.p99_ms, summary.max_ms) == (2.1, 15.1, 24.1)


async def test_longest_delay_since_a_time_is_that_of_awakenings_after_it(mock_clock: MockClock) -> None:
    lag = EventLoopLag(0.05)
    times = []
    for stall in (0.3, 0.1, 0.02):
        times.append(trio.current_time())
        await measured(mock_clock, stall, lag=lag)
    assert [lag.longest_since(time) for time in times] == pytest.approx([0.3, 0.1, 0.0])


def test_nothing_measured_is_a_summary_of_zeros() -> None:
    summary = EventLoopLag(0.05).summary()
    assert (summary.samples, summary.p50_ms, summary.p99_ms, summary.max_ms) == (0, 0.0, 0.0, 0.0)
    assert summary.margin_ms == 50.0


async def test_a_machine_that_slept_is_not_late_but_was_suspended(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = iter([0.0, SAMPLE_PERIOD, 3600 + 2 * SAMPLE_PERIOD, 3600 + 3 * SAMPLE_PERIOD])
    monkeypatch.setattr(event_loop_lag, "idle_time", lambda: next(idle))
    summary = (await measured(mock_clock, *[1e-6] * 3)).summary()
    assert (summary.over_margin, summary.suspensions) == (0, 1)
    assert summary.suspended_ms == pytest.approx(3_600_000, abs=1)


async def test_samples_are_taken_once_and_those_of_several_processes_add_up(mock_clock: MockClock) -> None:
    lag, other = await measured(mock_clock, 0.06, 0.001), await measured(mock_clock, 0.3, 0.2, 0.001)
    for each, suspensions in ((lag, 1), (other, 2)):
        each.suspensions, each.suspended = suspensions, suspensions * 0.75
    before, taken = lag.summary(), other.summary()
    lag.merge(other.new_samples())
    lag.merge(other.new_samples())
    summary = lag.summary()
    assert summary.samples == before.samples + taken.samples
    assert [bucket.count for bucket in summary.histogram] == [
        sum(bucket.count for bucket in buckets) for buckets in zip(before.histogram, taken.histogram, strict=True)
    ]
    assert (summary.max_ms, summary.over_margin, summary.suspensions, summary.suspended_ms) == (300.0, 3, 3, 2250.0)
    assert other.summary() == EventLoopLag(0.05).summary()
    assert other.longest_since(0.0) == pytest.approx(0.3)


async def blocked_by(block: Callable[[float], None]) -> EventLoopLag:
    """What is measured when this blocks the real event loop for 0.2 s."""
    lag = EventLoopLag(0.05)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lag.measure)
        await trio.testing.wait_all_tasks_blocked()
        block(0.2)
        while not (lag.over_margin or lag.suspensions):
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    return lag


async def test_blocked_real_event_loop_is_measured() -> None:
    lag = await blocked_by(compute)
    assert lag.longest > 0.2 - SAMPLE_PERIOD
    assert (lag.over_margin, lag.suspensions) == (1, 0)


@pytest.mark.skipif(not event_loop_lag.SCHEDULING.exists(), reason="the system doesn't tell how long a thread waited")
async def test_a_process_that_neither_ran_nor_waited_for_a_cpu_was_suspended() -> None:
    lag = await blocked_by(time.sleep)
    assert lag.longest > 0.2 - SAMPLE_PERIOD
    assert (lag.over_margin, lag.suspensions) == (0, 1)
    assert lag.suspended == pytest.approx(0.2, abs=0.1)


def compute(seconds: float) -> None:
    """Use a CPU for some time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
