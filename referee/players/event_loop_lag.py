"""How late the referee itself is: the lag of its event loop, sampled while a match runs."""

import math
from collections import Counter, deque
from typing import Final

import trio
from msgspec import Struct

SAMPLE_PERIOD: Final = 0.025
"""Seconds between two samples: often enough to see any stall worth a warning, seldom enough to cost nothing."""
BUCKET_BOUNDS_MS: Final = (1, 2, 5, 10, 20, 50, 100, 200)
"""Where the buckets of the histogram end, in milliseconds; one more has no end."""
TENTHS_PER_SECOND: Final = 10_000
"""Lags are counted in tenths of a millisecond."""
MAX_LATE_SAMPLES: Final = 256
"""Samples over the margin that are kept with their time."""


class Bucket(Struct, frozen=True):
    """How many samples are below a bound, in milliseconds, and not below the one before; the last has none."""

    below_ms: int | None
    count: int


class LagSummary(Struct, frozen=True, kw_only=True):
    """The event loop lag of a whole match, times in milliseconds; `scheduling_delay` in its JSON."""

    period_ms: float
    samples: int
    histogram: list[Bucket]
    p50_ms: float
    p99_ms: float
    max_ms: float
    margin_ms: float
    over_margin: int
    """How many samples were over the margin."""


class EventLoopLag:
    """Measures how late a task of the referee goes on after what it waits for has come.

    A timer goes the way an answer goes: it comes due while other games have their turn or other programs have the
    processor, and a task goes on when the event loop gets to it. So a timer that is due every SAMPLE_PERIOD samples
    what answers suffer, and no decision pays for it. Timers that came due during a stall count with the delay that each
    would have had: otherwise a stall, however long, would be one sample among thousands.
    """

    def __init__(self, margin: float = math.inf) -> None:
        self.margin = margin
        self.longest = 0.0
        self.over_margin = 0
        self._tenths: Counter[int] = Counter()
        self._late: deque[tuple[float, float]] = deque(maxlen=MAX_LATE_SAMPLES)

    async def measure(self) -> None:
        """Take samples until cancelled."""
        due = trio.current_time() + SAMPLE_PERIOD
        while True:
            await trio.sleep_until(due)
            due = self._count(due, trio.current_time())

    def _count(self, due: float, now: float) -> float:
        """Count every timer that has come due by now; when the next one is."""
        late = now - due
        self.longest = max(self.longest, late)
        if late > self.margin:
            self.over_margin += 1
            self._late.append((now, late))
        while due <= now:
            self._tenths[int((now - due) * TENTHS_PER_SECOND)] += 1
            due += SAMPLE_PERIOD
        return due

    def longest_since(self, time: float) -> float:
        """The longest lag over the margin that was sampled since `time`; 0 without one."""
        return max((late for now, late in self._late if now > time), default=0.0)

    def summary(self) -> LagSummary:
        """All samples so far, as they go into the JSON of a match."""
        counts = [0] * (len(BUCKET_BOUNDS_MS) + 1)
        for tenths, count in self._tenths.items():
            counts[sum(tenths >= bound * 10 for bound in BUCKET_BOUNDS_MS)] += count
        return LagSummary(
            period_ms=SAMPLE_PERIOD * 1000,
            samples=self._tenths.total(),
            histogram=[Bucket(bound, count) for bound, count in zip((*BUCKET_BOUNDS_MS, None), counts, strict=True)],
            p50_ms=self._percentile(50),
            p99_ms=self._percentile(99),
            max_ms=round(self.longest * 1000, 1),
            margin_ms=round(self.margin * 1000, 3),
            over_margin=self.over_margin,
        )

    def _percentile(self, percent: int) -> float:
        """The lag in milliseconds that `percent` of the samples do not exceed; 0 without samples."""
        left = self._tenths.total() * percent / 100
        for tenths in sorted(self._tenths):
            left -= self._tenths[tenths]
            if left <= 0:
                return tenths / 10
        return 0.0
