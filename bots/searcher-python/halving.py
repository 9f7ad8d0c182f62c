"""Sequential halving: which of several actions is best, as far as playouts can tell in the time there is.

The time is divided into phases. In each phase every action that is left is tried in the same sampled games (common
random numbers: an action isn't preferred for having met a luckier shuffle), and then the worse half is dropped. So
most of the time is spent on telling the best few apart. (Karnin, Koren, Somekh: Almost Optimal Exploration in
Multi-Armed Bandits, ICML 2013.)
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

CLEAR: Final = 4.0
"""The number of standard errors by which an action that is dropped early is worse than the best."""
ENOUGH: Final = 12
"""The minimum number of samples before an action is dropped early."""


@dataclass
class Candidate:
    """An action, and what its playouts were worth; the n-th values of all candidates are of the same sampled game."""

    action: Any
    values: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values) if self.values else -math.inf


class Stopwatch:
    """The time for a decision. A step of the search must fit into it even if it is as slow as the slowest so far."""

    def __init__(self, start: float, seconds: float, slowest: float = 0.0) -> None:
        self.start = start
        self.seconds = seconds
        self.last = time.monotonic()
        self.slowest = slowest

    def split(self) -> None:
        now = time.monotonic()
        self.slowest = max(self.slowest, now - self.last)
        self.last = now

    def has_time(self, part: float = 1.0) -> bool:
        """Whether another step fits into the first part (0 to 1) of the time."""
        return self.last + self.slowest < self.start + part * self.seconds


def sequential_halving(
    actions: Sequence[Any],
    sample: Callable[[], Any],
    playout: Callable[[Any, Any], float],
    watch: Stopwatch,
    max_playouts: int,
) -> list[Candidate]:
    """The candidates, the best first. The actions come in an order of preference, which decides without any time.

    `sample` draws a game to try actions in, and `playout` gives the value of an action in it. `max_playouts` is
    the maximum number of playouts in total.
    """
    left = [Candidate(action) for action in actions]
    dropped: list[Candidate] = []
    phases = max(1, math.ceil(math.log2(len(left))))
    for phase in range(1, phases + 1):
        quota = max_playouts // phases
        while len(left) > 1 and quota > 0 and watch.has_time(phase / phases):
            game = sample()
            for candidate in left:
                if not watch.has_time():
                    break  # their values so far stay comparable: see `shorten`
                candidate.values.append(playout(game, candidate.action))
                watch.split()
            quota -= len(left)
            shorten(left)
            left = drop_clearly_worse(left, dropped)
        left.sort(key=lambda candidate: -candidate.mean)
        keep = math.ceil(len(left) / 2)
        dropped[:0] = left[keep:]
        left = left[:keep]
    return left + dropped


def shorten(candidates: list[Candidate]) -> None:
    """Forget values of a sampled game that not all candidates were tried in."""
    count = min(len(candidate.values) for candidate in candidates)
    for candidate in candidates:
        del candidate.values[count:]


def drop_clearly_worse(left: list[Candidate], dropped: list[Candidate]) -> list[Candidate]:
    """Those that aren't clearly worse than the best, by the differences in equal games; the others go to `dropped`."""
    count = len(left[0].values)
    if count < ENOUGH or count % 4:
        return left
    best = max(left, key=lambda candidate: candidate.mean)
    kept = []
    for candidate in left:
        gaps = [one - other for one, other in zip(best.values, candidate.values, strict=True)]
        mean = sum(gaps) / count
        error = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / (count - 1) / count)
        if mean > CLEAR * error and candidate is not best:
            dropped.insert(0, candidate)
        else:
            kept.append(candidate)
    return kept
