"""Measures the lag of the referee's own event loop, sampled during a match."""

import math
from collections import Counter, deque
from typing import Final

import trio
from msgspec import Struct

SAMPLE_PERIOD: Final = 0.025
"""Seconds between two samples: short enough to notice every stall over the margin, long enough to cost little."""
BUCKET_BOUNDS_MS: Final = (1, 2, 5, 10, 20, 50, 100, 200)
"""Upper bounds of the buckets of the histogram, in milliseconds; one more bucket has no bound."""
TENTHS_PER_SECOND: Final = 10_000
"""Lags are counted in tenths of a millisecond."""
MAX_LATE_SAMPLES: Final = 256
"""Samples over the margin that are kept with their time."""


class Bucket(Struct, frozen=True):
    """The number of samples below a bound in milliseconds and not below the previous one; None: no bound."""

    below_ms: int | None
    count: int


class LagSummary(Struct, frozen=True, kw_only=True):
    """The event loop lag of a whole match (docs/matches.md, "Event loop lag"); times are in milliseconds."""

    period_ms: float
    samples: int
    histogram: list[Bucket]
    p50_ms: float
    p99_ms: float
    max_ms: float
    margin_ms: float
    over_margin: int
    """How many times the lag was over the margin; a stall counts once."""


class LagSamples(Struct, frozen=True, kw_only=True):
    """The samples of one process as plain data, to be merged with those of others."""

    tenths: dict[int, int]
    """The number of samples, by their lag in tenths of a millisecond."""
    longest: float
    over_margin: int


class EventLoopLag:
    """Measures how long a task of the referee waits after it could continue.

    A timer that is due every SAMPLE_PERIOD is delayed like an answer: by other games, and by other programs that use
    the processor. So its delay is a sample of how late answers are read, without a measurement in each decision. Timers
    that were due during a stall count with the delay that each would have had; otherwise even a long stall would be a
    single sample among thousands.

    `margin` and `longest` are in seconds.
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
        """Count all timers that are due by `now`. Returns when the next one is due."""
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
        """The longest lag over the margin, in seconds, that was sampled since `time`; 0 if there was none."""
        return max((late for now, late in self._late if now > time), default=0.0)

    def take(self) -> LagSamples:
        """The samples since the last call; `longest_since` still knows them."""
        samples = LagSamples(tenths=dict(self._tenths), longest=self.longest, over_margin=self.over_margin)
        self._tenths.clear()
        self.longest, self.over_margin = 0.0, 0
        return samples

    def merge(self, other: LagSamples) -> None:
        """Count the samples of another process too."""
        self._tenths.update(other.tenths)
        self.longest = max(self.longest, other.longest)
        self.over_margin += other.over_margin

    def summary(self) -> LagSummary:
        """A summary of all samples so far."""
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
