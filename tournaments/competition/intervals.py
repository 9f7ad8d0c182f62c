"""Confidence intervals (95 %) over deals: of means, of shares, and of differences between bots.

Everything here is computed from one value per deal. Games of one deal share its luck and are not independent:
their mean is one sample.
"""

import math
import statistics
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

T_QUANTILES: Final = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
"""Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom (any table of it)."""

MIN_DEALS: Final = 7
"""Deals that an interval needs to be shown, in matches as in tournaments. With fewer it is so wide, and depends so much
on how a few deals happen to be distributed, that it would only mislead."""
MIN_DEALS_FOR_SHARE: Final = 4
"""With fewer deals the interval of a share covers nearly all from 0 to 1."""
ELO_DIGITS: Final = 1
"""Decimals of ratings as shown, and as used to order a ladder: more would be meaningless, and the last digits of a
float may differ from machine to machine."""


class Estimate(Struct, frozen=True):
    """A mean over deals with its 95 % confidence interval; the bounds are None where there are too few deals."""

    mean: float
    margin: float | None = None
    """Half the width of the t interval, None with fewer than two deals. The interval of a share is computed in another
    way."""
    low: float | None = None
    high: float | None = None


class Rating(Struct, frozen=True):
    """A rating on the Elo scale, with mean 0 over all rated bots, or the difference of two.

    `low` and `high` are its 95 % interval. If only one of them is given, it is a bound to that side, and nothing bounds
    the other; none with fewer than seven deals.
    """

    elo: float
    low: float | None
    high: float | None

    def rounded(self) -> "Rating":
        low, high = (None if bound is None else round(bound, ELO_DIGITS) + 0.0 for bound in (self.low, self.high))
        # Adding 0 turns -0.0 into 0.0.
        return Rating(round(self.elo, ELO_DIGITS) + 0.0, low, high)


def t_quantile(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's t.

    Beyond the table: the normal quantile with the first two terms of its expansion in 1/freedom
    (Abramowitz and Stegun 26.7.5), exact to three decimals there.
    """
    if freedom <= len(T_QUANTILES):
        return T_QUANTILES[freedom - 1]
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def t_probability(t: float, freedom: int) -> float:
    """The probability that Student's t is at most `t` (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine = math.cos(angle)
    term = cosine if freedom % 2 else 1.0
    total = 0.0 if freedom == 1 else term
    for divisor in range(3 if freedom % 2 else 2, freedom - 1, 2):
        term *= cosine**2 * (divisor - 1) / divisor
        total += term
    inside = math.sin(angle) * total
    if freedom % 2:
        inside = (angle + inside) * 2 / math.pi
    return min(max((1 + inside) / 2, 0.0), 1.0)


def t_margin(samples: Sequence[float]) -> float:
    """Half the width of the t interval around the mean of two or more independent samples."""
    return t_quantile(len(samples) - 1) * statistics.stdev(samples) / math.sqrt(len(samples))


def mean_interval(samples: Sequence[float]) -> Estimate:
    """The mean of independent samples with the t interval around it; no bounds for a single one. No samples: mean 0."""
    mean = statistics.fmean(samples) if samples else 0.0
    if len(samples) < 2:
        return Estimate(mean)
    margin = t_margin(samples)
    return Estimate(mean, margin, mean - margin, mean + margin)


def share_interval(shares: Sequence[float], games_per_deal: float) -> Estimate:
    """The interval of a share that is the mean of one share per deal, each from 0 to 1. It never leaves 0 to 1.

    `games_per_deal` is a mean if some deals have fewer games than others.

    Wilson's interval with the effective number of games (Kish) and Student's t for the normal quantile, which is Korn
    and Graubard's correction for few clusters (Survey Methodology 24, 1998); Dean and Pagano compare it with others
    (Journal of Survey Statistics and Methodology 3, 2015). The effective number is p(1 − p) over the squared standard
    error of the mean over deals. It is capped at the number of games, since few deals may by chance agree too
    well; if every deal gives 0, or every deal 1, it is the number of deals. Covers at least 94 % in simulations of 4
    to 30 deals; the t interval falls to 18 % there.
    """
    deals = len(shares)
    mean, t_half = statistics.fmean(shares), t_margin(shares) if deals > 1 else None
    if deals < MIN_DEALS_FOR_SHARE:
        return Estimate(mean, t_half)
    spread = mean * (1 - mean)
    per_game = t_quantile(deals - 1) ** 2 / effective_games(shares, games_per_deal)
    centre = (mean + per_game / 2) / (1 + per_game)
    margin = math.sqrt(per_game * spread + per_game**2 / 4) / (1 + per_game)
    return Estimate(mean, t_half, min(max(centre - margin, 0.0), mean), max(min(centre + margin, 1.0), mean))


def effective_games(shares: Sequence[float], games_per_deal: float) -> float:
    """The number of independent games that would say as much of the mean of two or more shares, one per deal (Kish)."""
    deals, mean = len(shares), statistics.fmean(shares)
    spread = mean * (1 - mean)
    squared_error = statistics.variance(shares) / deals
    limit = deals * games_per_deal if spread else deals
    return min(spread / squared_error, limit) if squared_error else limit


def confidence(differences: Sequence[float]) -> float | None:
    """The confidence that the mean over all deals is above 0: 1 minus the p-value of the one-sided t test.

    ½ means no evidence; from 0.975 on the t interval is above 0. If all deals agree, they say nothing about their
    spread, and the sign test is used instead. None with fewer than two deals.
    """
    deals = len(differences)
    if deals < 2:
        return None
    mean = statistics.fmean(differences)
    error = statistics.stdev(differences) / math.sqrt(deals)
    if error:
        return t_probability(mean / error, deals - 1)
    if mean == 0:
        return 0.5
    return 1 - 0.5**deals if mean > 0 else 0.5**deals
