"""Thinking times of bots: mean, 99th percentile and worst of any number of decisions, in constant memory."""

from bisect import bisect_left
from functools import partial
from typing import Final

from msgspec import Struct, field

from referee.printable import printable

BUCKETS_PER_DOUBLING: Final = 16
"""Each bucket ends 4.4 % above where it begins, so a percentile is at most 4.4 % too high."""
MIN_EXPONENT: Final = -20
"""The first bucket ends at 2**MIN_EXPONENT seconds, about a microsecond."""
MAX_EXPONENT: Final = 20
"""The last bucket begins just below 2**MAX_EXPONENT seconds, 12 days: more than any limit of time."""
BUCKETS: Final = (MAX_EXPONENT - MIN_EXPONENT) * BUCKETS_PER_DOUBLING + 1
ENDS: Final = [2 ** (MIN_EXPONENT + index / BUCKETS_PER_DOUBLING) for index in range(BUCKETS)]
"""The upper ends of the buckets, in seconds. What is beyond the last one is in the last bucket, too."""
bucket: Final = partial(bisect_left, ENDS[:-1])
"""The bucket of a time: the first one whose upper end is not below it."""


class ThinkingSummary(Struct, frozen=True, kw_only=True):
    """The thinking time of a bot, times in milliseconds; an element of `thinking_ms` in the JSON of a match."""

    bot: str
    decisions: int
    """The number of decisions that it was asked for and took."""
    mean: float
    p99: float
    worst: float
    fallbacks: int = 0
    """Those of the decisions that it says it took at random."""


class ThinkingTime(Struct):
    """The times of the decisions that a bot has taken, as a histogram with buckets of growing width."""

    decisions: int = 0
    total: float = 0.0
    worst: float = 0.0
    counts: dict[int, int] = field(default_factory=dict)
    """By bucket; only those that are not 0."""
    fallbacks: int = 0
    """The decisions that the bot says it took at random."""
    fallback: str = ""
    """The bot's reason for the first of them, untrusted."""

    def add(self, seconds: float, fallback: str | None = None) -> None:
        """Count a decision. `fallback`: the bot's reason for taking it at random, if it did."""
        self.decisions += 1
        if fallback is not None:
            self.fallbacks += 1
            self.fallback = self.fallback or fallback
        self.total += seconds
        self.worst = max(self.worst, seconds)
        self.count(bucket(seconds), 1)

    def merge(self, other: "ThinkingTime") -> None:
        self.decisions += other.decisions
        self.total += other.total
        self.worst = max(self.worst, other.worst)
        self.fallbacks += other.fallbacks
        self.fallback = self.fallback or other.fallback
        for index, more in other.counts.items():
            self.count(index, more)

    def count(self, index: int, more: int) -> None:
        self.counts[index] = self.counts.get(index, 0) + more

    def percentile(self, percent: int) -> float:
        """The seconds that `percent` of the decisions did not exceed; 0 without decisions."""
        left = self.decisions * percent / 100
        for index in sorted(self.counts):
            left -= self.counts[index]
            if left <= 0:
                return min(self.worst, ENDS[index])
        return self.worst

    def summary(self, bot: str) -> ThinkingSummary | None:
        """The summary of this bot's times; None if it has taken no decision."""
        if not self.decisions:
            return None
        return ThinkingSummary(
            bot=bot,
            decisions=self.decisions,
            mean=round(self.total / self.decisions * 1000, 3),
            p99=round(self.percentile(99) * 1000, 3),
            worst=round(self.worst * 1000, 3),
            fallbacks=self.fallbacks,
        )

    def format_fallbacks(self) -> str:
        """How many decisions were taken at random, and why the first one was; empty if none was. Printable."""
        if not self.fallbacks:
            return ""
        which = "" if self.fallbacks == 1 else "the first: "
        reason = f" ({which}{printable(self.fallback)})" if self.fallback else ""
        return f"{self.fallbacks} of {self.decisions} decisions at random{reason}"
