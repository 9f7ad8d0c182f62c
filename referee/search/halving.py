"""Sequential halving: which of several actions is best, as far as playouts can tell within a budget.

The budget is divided into phases. In each phase every action that is left is tried in the same sampled games (common
random numbers: an action isn't preferred for having met a luckier shuffle), and then the worse half is dropped. So
most of the budget is spent on telling the best few apart. (Karnin, Koren, Somekh: Almost Optimal Exploration in
Multi-Armed Bandits, ICML 2013.)
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

CLEARLY_WORSE: Final = 4.0
"""The number of standard errors by which an action that is dropped early is worse than the best."""
LEAST_SAMPLES: Final = 12
"""The minimum number of samples before an action is dropped early."""
MANY: Final = 50
"""The number of actions from which on it matters which are tried first."""
FIRST_PASS: Final = 0.4
"""The part of the budget in which each action is tried once. Those that it doesn't suffice for are not tried at all:
of hundreds of actions only as many are compared as can be told apart."""


class Estimate(NamedTuple):
    """A mean over playouts, and its standard error, which is infinite with fewer than two of them."""

    mean: float
    error: float
    playouts: int


@dataclass(slots=True)
class Candidate:
    """An action, and what its playouts were worth; the n-th values of all candidates are of the same sampled game."""

    action: Any
    values: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """Minus infinity without playouts."""
        return sum(self.values) / len(self.values) if self.values else -math.inf

    def estimate(self) -> Estimate:
        """The value of the action."""
        return _estimate(self.values)

    def lead_over(self, other: "Candidate") -> Estimate:
        """How much better the action is than another, by the sampled games in which both were tried."""
        return _estimate([own - its for own, its in zip(self.values, other.values, strict=False)])


def _estimate(values: Sequence[float]) -> Estimate:
    count = len(values)
    if not count:
        return Estimate(-math.inf, math.inf, 0)
    mean = sum(values) / count
    if count == 1:
        return Estimate(mean, math.inf, 1)
    return Estimate(mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count), count)


class Budget:
    """What a decision may cost: a number of playouts, and seconds.

    A playout must fit into the time even if it is as slow as the slowest so far. `clock` is read after each playout;
    the time runs from `start` on that clock. Without a clock only playouts count.
    """

    def __init__(
        self,
        playouts: int = sys.maxsize,
        seconds: float = math.inf,
        *,
        clock: Callable[[], float] = lambda: 0.0,
        start: float = 0.0,
        slowest: float = 0.0,
    ) -> None:
        self.playouts = playouts
        self.seconds = seconds
        self.start = start
        self.slowest = slowest
        """The longest time between two splits, in seconds."""
        self._clock = clock
        self._last = clock()

    def split(self) -> None:
        """A playout has ended."""
        now = self._clock()
        self.slowest = max(self.slowest, now - self._last)
        self._last = now

    def has_time(self, part: float = 1.0) -> bool:
        """Whether another playout fits into the first part (0 to 1) of the time."""
        return self._last + self.slowest < self.start + part * self.seconds


def sequential_halving(
    actions: Sequence[Any],
    sample: Callable[[], Any],
    playout: Callable[[Any, Any], float],
    budget: Budget,
    preferred: Callable[[Sequence[Any]], int] | None = None,
) -> list[Candidate]:
    """The candidates, the best first. The actions come in an order of preference, which decides without any time.

    `sample` draws a game to try actions in, and `playout` gives the value of an action in it. `preferred`: which of
    MANY actions, as far as they haven't been tried, is tried next; by default the first.
    """
    candidates = [Candidate(action) for action in actions]
    left = _first_pass(candidates, sample, playout, budget, preferred if len(actions) >= MANY else None)
    dropped = candidates[len(left) :]
    tried = len(left) if left[0].values else 0
    phases = max(1, math.ceil(math.log2(len(left))))
    for phase in range(1, phases + 1):
        quota = budget.playouts // phases - (tried if phase == 1 else 0)
        while len(left) > 1 and quota > 0 and budget.has_time(phase / phases):
            game = sample()
            for candidate in left:
                if not budget.has_time():
                    break  # their values so far stay comparable: see `_shorten`
                candidate.values.append(playout(game, candidate.action))
                budget.split()
            quota -= len(left)
            _shorten(left)
            left = _drop_clearly_worse(left, dropped)
        left.sort(key=lambda candidate: -candidate.mean)
        keep = math.ceil(len(left) / 2)
        dropped[:0] = left[keep:]
        left = left[:keep]
    return left + dropped


def _first_pass(
    candidates: list[Candidate],
    sample: Callable[[], Any],
    playout: Callable[[Any, Any], float],
    budget: Budget,
    preferred: Callable[[Sequence[Any]], int] | None,
) -> list[Candidate]:
    """Those that are compared, each tried in the same game; all of them, untried, if there is no time at all."""
    if len(candidates) == 1 or budget.playouts <= 0 or not budget.has_time(FIRST_PASS):
        return candidates
    game = sample()
    most = max(2, math.floor(FIRST_PASS * budget.playouts))
    for number in range(len(candidates)):
        if number == most or not budget.has_time(FIRST_PASS):
            return candidates[:number]
        if preferred is not None:
            place = number + preferred([candidate.action for candidate in candidates[number:]])
            candidates.insert(number, candidates.pop(place))
        candidate = candidates[number]
        candidate.values.append(playout(game, candidate.action))
        budget.split()
    return candidates


def _shorten(candidates: list[Candidate]) -> None:
    """Forget values of a sampled game that not all candidates were tried in."""
    count = min(len(candidate.values) for candidate in candidates)
    for candidate in candidates:
        del candidate.values[count:]


def _drop_clearly_worse(left: list[Candidate], dropped: list[Candidate]) -> list[Candidate]:
    """Those that aren't clearly worse than the best, by the differences in equal games; the others go to `dropped`."""
    count = len(left[0].values)
    if count < LEAST_SAMPLES or count % 4:
        return left
    best = max(left, key=lambda candidate: candidate.mean)
    kept = []
    for candidate in left:
        lead = best.lead_over(candidate)
        if candidate is not best and lead.mean > CLEARLY_WORSE * lead.error:
            dropped.insert(0, candidate)
        else:
            kept.append(candidate)
    return kept
