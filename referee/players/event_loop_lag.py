"""Measures the lag of the referee's own event loop, sampled during a match."""

import math
import time
from collections import Counter, deque
from pathlib import Path
from typing import Final

from msgspec import Struct

SAMPLE_PERIOD: Final = 0.025
"""Seconds between two samples: short enough to notice every stall over the margin, long enough to cost little."""
BUCKET_BOUNDS_MS: Final = (1, 2, 5, 10, 20, 50, 100, 200)
"""Upper bounds of the buckets of the histogram, in milliseconds; one more bucket has no bound."""
TENTHS_PER_SECOND: Final = 10_000
"""Lags are counted in tenths of a millisecond."""
SCHEDULING: Final = Path("/proc/thread-self/schedstat")
"""Nanoseconds in which this thread ran, and in which it waited for a CPU (the kernel's sched-stats.rst)."""
MAX_LATE_SAMPLES: Final = 256
"""Samples over the margin that are kept with their time."""


def idle_time() -> float:
    """Seconds since some moment in which this process neither ran nor waited for a CPU: it slept, or it or the whole
    machine was suspended. Always 0 where the system doesn't tell."""
    try:
        waited = int(SCHEDULING.read_bytes().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.process_time() - waited


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
    """How many times the lag was over the margin, suspensions apart; a stall counts once."""
    suspensions: int
    """How many times the process neither ran nor waited for a CPU for longer than the margin, although it was due."""
    suspended_ms: float
    """The duration of all these."""


class LagSamples(Struct, frozen=True, kw_only=True):
    """The samples of one process as plain data, to be merged with those of others."""

    tenths: dict[int, int]
    """The number of samples, by their lag in tenths of a millisecond."""
    longest: float
    over_margin: int
    suspensions: int = 0
    suspended: float = 0.0


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
        self.suspensions = 0
        self.suspended = 0.0
        self._tenths: Counter[int] = Counter()
        self._late: deque[tuple[float, float]] = deque(maxlen=MAX_LATE_SAMPLES)

    async def measure(self) -> None:
        """Take samples until cancelled."""
        import trio  # noqa: PLC0415 (what has been measured is shown without it)

        now, idle = trio.current_time(), idle_time()
        due = now + SAMPLE_PERIOD
        while True:
            slept = due - now
            await trio.sleep_until(due)
            now, idle_before, idle = trio.current_time(), idle, idle_time()
            due = self._count(due, now, idle - idle_before - slept)

    def _count(self, due: float, now: float, suspended: float = 0.0) -> float:
        """Count all timers that are due by `now`. Returns when the next one is due. `suspended`: the seconds since the
        timer before in which the process was idle beyond its sleep."""
        late = now - due
        self.longest = max(self.longest, late)
        if suspended > self.margin:
            self.suspensions += 1
            self.suspended += suspended
        if late > self.margin:
            self.over_margin += suspended <= self.margin
            self._late.append((now, late))
        while due <= now:
            self._tenths[int((now - due) * TENTHS_PER_SECOND)] += 1
            due += SAMPLE_PERIOD
        return due

    def longest_since(self, time: float) -> float:
        """The longest lag over the margin, in seconds, that was sampled since `time`; 0 if there was none."""
        return max((late for now, late in self._late if now > time), default=0.0)

    def new_samples(self) -> LagSamples:
        """The samples since the last call; `longest_since` still knows them."""
        samples = LagSamples(
            tenths=dict(self._tenths),
            longest=self.longest,
            over_margin=self.over_margin,
            suspensions=self.suspensions,
            suspended=self.suspended,
        )
        self._tenths.clear()
        self.longest = self.suspended = 0.0
        self.over_margin = self.suspensions = 0
        return samples

    def merge(self, other: LagSamples) -> None:
        self._tenths.update(other.tenths)
        self.longest = max(self.longest, other.longest)
        self.over_margin += other.over_margin
        self.suspensions += other.suspensions
        self.suspended += other.suspended

    def summary(self) -> LagSummary:
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
            suspensions=self.suspensions,
            suspended_ms=round(self.suspended * 1000, 1),
        )

    def _percentile(self, percent: int) -> float:
        """The lag in milliseconds that `percent` of the samples do not exceed; 0 without samples."""
        left = self._tenths.total() * percent / 100
        for tenths in sorted(self._tenths):
            left -= self._tenths[tenths]
            if left <= 0:
                return tenths / 10
        return 0.0
