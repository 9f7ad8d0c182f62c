"""Standings of a match: means with 95 % confidence intervals, and differences between pairs of bots."""

import itertools
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from referee.outcome import Outcome
from tournaments.schedule import ScheduledGame

T_QUANTILES: Final = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
"""Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom (any table of it)."""
MIN_DEALS: Final = 7
"""Deals that an interval needs, here as in tournaments. With fewer it is so wide, and depends so much on how a few
deals happen to be distributed, that it would only mislead."""
MAX_FRACTION_STEPS: Final = 1000
"""Steps of a continued fraction that converges in a few dozen, or at the utmost in a few hundred."""


class Estimate(Struct, frozen=True):
    """A mean and half the width of its t interval, None with fewer than two samples.

    `low` and `high` are the 95 % confidence interval to show, None with fewer than MIN_DEALS samples.
    """

    mean: float
    margin: float | None
    low: float | None = None
    high: float | None = None


class Standing(Struct, frozen=True, kw_only=True):
    """One bot's row in the standings: games played, means over deals, and the number of games with a fault."""

    name: str
    games: int
    score: Estimate
    rank: Estimate
    wins: Estimate
    """The share of games won, from 0 to 1; bots that share first place share the win."""
    faults: int


class Difference(Struct, frozen=True, kw_only=True):
    """By how much the scores of bot `a` are better than those of `b` on the same deals, and how sure that is."""

    a: str
    """The bot with the better mean score."""
    b: str
    deals: int
    score: Estimate
    """Of the differences per deal; of a deal, the mean over its games."""
    ahead: Estimate
    """The share of games in which `a` is ranked above `b`; games in which both share a rank count half."""
    better: float | None
    """How sure it is that `a` makes the better scores, from 0.5 to 1: the one-sided confidence of the paired t test.
    None with fewer than MIN_DEALS deals."""


def standings(names: Sequence[str], played: Iterable[tuple[ScheduledGame, Outcome]]) -> list[Standing]:
    """The standings of all bots, sorted by wins, then by mean rank. `names` are those of the bots by index."""
    games = list(played)
    found = []
    for bot, name in enumerate(names):
        own = [(game, outcome, game.seating.index(bot)) for game, outcome in games if bot in game.seating]

        def over_deals(
            value: Callable[[Outcome, int], float], own: list[tuple[ScheduledGame, Outcome, int]] = own
        ) -> list[float]:
            return means_by_deal((game.deal, value(outcome, seat)) for game, outcome, seat in own)

        found.append(
            Standing(
                name=name,
                games=len(own),
                score=estimate(over_deals(lambda outcome, seat: outcome.scores[seat])),
                rank=estimate(over_deals(lambda outcome, seat: outcome.ranks[seat])),
                wins=estimate_share(over_deals(win_share), len(own)),
                faults=sum(outcome.faults[seat] is not None for _, outcome, seat in own),
            )
        )
    return sorted(found, key=lambda standing: (-standing.wins.mean, standing.rank.mean))


def pair_differences(names: Sequence[str], played: Iterable[tuple[ScheduledGame, Outcome]]) -> list[Difference]:
    """Every pair of bots that met in a game, in the order of `names`.

    Both had the same deals and the same seats, so their difference on a deal is free of its luck; it is far more
    precise than a comparison of their intervals.
    """
    games = list(played)
    pairs = []
    for a, b in itertools.combinations(range(len(names)), 2):
        met = [
            (game.deal, outcome, game.seating.index(a), game.seating.index(b))
            for game, outcome in games
            if a in game.seating and b in game.seating
        ]
        if not met:
            continue
        score = means_by_deal((deal, outcome.scores[i] - outcome.scores[j]) for deal, outcome, i, j in met)
        ahead = means_by_deal((deal, share_ahead(outcome, i, j)) for deal, outcome, i, j in met)
        first, second = a, b
        if statistics.fmean(score) < 0:
            first, second = b, a
            score, ahead = [-value for value in score], [1 - value for value in ahead]
        pairs.append(
            Difference(
                a=names[first],
                b=names[second],
                deals=len(score),
                score=estimate(score),
                ahead=estimate_share(ahead, len(met)),
                better=probability_positive(score) if len(score) >= MIN_DEALS else None,
            )
        )
    return pairs


def share_ahead(outcome: Outcome, seat: int, other: int) -> float:
    """1 for a seat that is ranked above the other, 0 for one below, 0.5 for the same rank."""
    own, others = outcome.ranks[seat], outcome.ranks[other]
    return 0.5 if own == others else float(own < others)


def means_by_deal(values: Iterable[tuple[int, float]]) -> list[float]:
    """The mean of each deal, from deals with values: the rotations of a deal are one sample."""
    by_deal: dict[int, list[float]] = defaultdict(list)
    for deal, value in values:
        by_deal[deal].append(value)
    return [statistics.fmean(deal) for deal in by_deal.values()]


def win_share(outcome: Outcome, seat: int) -> float:
    """1 for a win, 1/n for a first place shared by n, else 0. A bot with a fault never wins."""
    if outcome.ranks[seat] != 1 or outcome.faults[seat] is not None:
        return 0.0
    return 1 / outcome.ranks.count(1)


# -- intervals ------------------------------------------------------------------------------------------------


def estimate(samples: Sequence[float]) -> Estimate:
    """The mean of independent samples with its t interval. No samples: mean 0."""
    if not samples:
        return Estimate(0.0, None)
    mean = statistics.fmean(samples)
    if len(samples) < 2:
        return Estimate(mean, None)
    margin = t_quantile(len(samples) - 1) * standard_error(samples)
    if len(samples) < MIN_DEALS:
        return Estimate(mean, margin)
    return Estimate(mean, margin, mean - margin, mean + margin)


def estimate_share(samples: Sequence[float], games: int) -> Estimate:
    """Mean of shares, one of each deal, from so many games in all; its interval stays within 0 to 1."""
    found = estimate(samples)
    if len(samples) < MIN_DEALS:
        return found
    return Estimate(found.mean, found.margin, *share_interval(samples, games))


def share_interval(samples: Sequence[float], games: int) -> tuple[float, float]:
    """The 95 % confidence interval of a mean of shares, one of each deal, from so many games in all.

    Wilson's score interval with the effective sample size, as for samples in clusters (Franco, Little, Louis, Slud:
    Comparative study of confidence intervals for proportions in complex sample surveys, 2019), and with Student's t for
    the normal quantile, as there may be few deals. The effective sample size is the number of games that would have the
    same variance if all were independent: at most `games`; and the number of deals where all shares are 0 or all are 1,
    as then nothing is known of their variance.
    """
    share, deals = min(max(statistics.fmean(samples), 0.0), 1.0), len(samples)
    variance, spread = statistics.variance(samples) / deals, share * (1 - share)
    effective = deals if spread < 1e-12 else spread / max(variance, spread / games)
    weight = t_quantile(deals - 1) ** 2 / effective
    centre = (share + weight / 2) / (1 + weight)
    half = math.sqrt(weight * (spread + weight / 4)) / (1 + weight)
    return max(0.0, centre - half), min(1.0, centre + half)


def standard_error(samples: Sequence[float]) -> float:
    """The standard error of the mean of two or more independent samples."""
    return statistics.stdev(samples) / math.sqrt(len(samples))


def probability_positive(samples: Sequence[float]) -> float:
    """How sure it is that the mean behind two or more independent samples is above 0, by Student's t.

    Where all samples are the same they show nothing of their spread, and the sign test takes its place.
    """
    mean, error = statistics.fmean(samples), standard_error(samples)
    if error == 0:
        against = 0.5 ** len(samples)
        return 0.5 if mean == 0 else 1 - against if mean > 0 else against
    return t_cdf(mean / error, len(samples) - 1)


# -- Student's t ----------------------------------------------------------------------------------------------


def t_quantile(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's t.

    Beyond the table: the normal quantile with the first two terms of its expansion in 1/freedom
    (Abramowitz and Stegun 26.7.5), exact to three decimals there.
    """
    if freedom <= len(T_QUANTILES):
        return T_QUANTILES[freedom - 1]
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def t_cdf(t: float, freedom: int) -> float:
    """The probability that Student's t is at most `t` (Abramowitz and Stegun 26.7.1 with 26.5.27)."""
    tail = incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
    return 1 - tail if t > 0 else tail


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b) for 0 <= x <= 1.

    By its continued fraction (DLMF 8.17.22), which converges fast for x < (a + 1) / (a + b + 2); beyond it by
    I_x(a, b) = 1 - I_1-x(b, a) (DLMF 8.17.4).
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta) / a
    fraction, c, d = 1.0, 1.0, 0.0  # evaluated from its beginning, by Lentz's method
    for step in range(1, MAX_FRACTION_STEPS):
        m, odd = divmod(step, 2)
        if odd:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + term * d)
        c = 1 + term / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front / fraction
