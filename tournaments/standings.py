"""Standings of a match: means with 95 % confidence intervals."""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from referee.outcome import Outcome
from tournaments.intervals import t_quantile
from tournaments.schedule import ScheduledGame


class Estimate(Struct, frozen=True):
    """A mean and half the width of its 95 % confidence interval, None with fewer than two samples."""

    mean: float
    margin: float | None


class Standing(Struct, frozen=True, kw_only=True):
    """One bot's row in the standings: games played, means over deals, and the number of games with a fault."""

    name: str
    games: int
    score: Estimate
    rank: Estimate
    wins: Estimate
    """The share of games won, from 0 to 1; bots that share first place share the win."""
    faults: int


def standings(names: Sequence[str], played: Iterable[tuple[ScheduledGame, Outcome]]) -> list[Standing]:
    """The standings of all bots, sorted by wins, then by mean rank. `names` are those of the bots by index."""
    games = list(played)
    found = []
    for bot, name in enumerate(names):
        own = [(game, outcome, game.seating.index(bot)) for game, outcome in games if bot in game.seating]

        def over_deals(
            value: Callable[[Outcome, int], float], own: list[tuple[ScheduledGame, Outcome, int]] = own
        ) -> Estimate:
            by_deal: dict[int, list[float]] = defaultdict(list)
            for game, outcome, seat in own:
                by_deal[game.deal].append(value(outcome, seat))
            return estimate([statistics.fmean(values) for values in by_deal.values()])

        found.append(
            Standing(
                name=name,
                games=len(own),
                score=over_deals(lambda outcome, seat: outcome.scores[seat]),
                rank=over_deals(lambda outcome, seat: outcome.ranks[seat]),
                wins=over_deals(win_share),
                faults=sum(outcome.faults[seat] is not None for _, outcome, seat in own),
            )
        )
    return sorted(found, key=lambda standing: (-standing.wins.mean, standing.rank.mean))


def win_share(outcome: Outcome, seat: int) -> float:
    """1 for a win, 1/n for a first place shared by n, else 0. A bot with a fault never wins."""
    if outcome.ranks[seat] != 1 or outcome.faults[seat] is not None:
        return 0.0
    return 1 / outcome.ranks.count(1)


def estimate(samples: Sequence[float]) -> Estimate:
    """The mean of independent samples with its 95 % confidence interval (Student's t). No samples: mean 0."""
    if not samples:
        return Estimate(0.0, None)
    mean = statistics.fmean(samples)
    if len(samples) < 2:
        return Estimate(mean, None)
    error = statistics.stdev(samples) / math.sqrt(len(samples))
    return Estimate(mean, t_quantile(len(samples) - 1) * error)
