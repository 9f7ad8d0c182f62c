"""Standings of a match: means with 95 % confidence intervals, and differences between pairs of bots."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Protocol

from msgspec import Struct

from referee.outcome import Outcome
from tournaments.competition.intervals import (
    MIN_DEALS,
    Estimate,
    PairDifference,
    confidence,
    mean_interval,
    pair_differences,
    share_interval,
)


class SeatedGame(Protocol):
    """A game of a match: its deal, and by seat the index of the bot."""

    @property
    def deal(self) -> int: ...

    @property
    def seating(self) -> tuple[int, ...]: ...


class Standing(Struct, frozen=True, kw_only=True):
    """One bot's row in the standings: games played, means over deals, and the number of games with a fault."""

    name: str
    games: int
    score: Estimate
    rank: Estimate
    wins: Estimate
    """The share of games won, from 0 to 1; bots that share first place share the win."""
    faults: int


class PairComparison(Struct, frozen=True, kw_only=True):
    """Two bots compared over the same deals: by how much `a` scores better than `b`, and with what confidence."""

    a: str
    """The bot with the better mean score."""
    b: str
    deals: int
    score: Estimate
    """The mean difference per deal; for a deal, the mean over its games is taken."""
    ahead: Estimate | None
    """The share of games in which `a` is ranked above `b`; games in which both share a rank count half. None if they
    don't meet."""
    better: float | None
    """The confidence that `a` scores better, from 0.5 to 1: the one-sided confidence of the paired t test.
    None with fewer than MIN_DEALS deals."""


def match_standings(names: Sequence[str], played: Iterable[tuple[SeatedGame, Outcome]]) -> list[Standing]:
    """The standings of all bots, sorted by wins, then by mean rank. `names`: of the bots, by index."""
    games = list(played)
    found = []
    for bot, name in enumerate(names):
        own = [(game, outcome, game.seating.index(bot)) for game, outcome in games if bot in game.seating]

        def over_deals(
            value: Callable[[Outcome, int], float], own: list[tuple[SeatedGame, Outcome, int]] = own
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


def compare_pairs(names: Sequence[str], played: Iterable[tuple[SeatedGame, Outcome]]) -> list[PairComparison]:
    """Every pair of bots that met in a game, in the order of `names`; or, if they never met, that played the same deals
    at tables of their own.

    Both had the same deals and the same seats, so their difference on a deal is free of its luck; it is far more
    precise than a comparison of their intervals.
    """
    games = list(played)
    found = []
    for pair in combinations(range(len(names)), 2):
        common = [(game, outcome) for game, outcome in games if set(pair) <= set(game.seating)]
        deals = [{bot: deal[bot] for bot in pair if bot in deal} for deal in mean_scores(common or games)]
        for difference in pair_differences(deals):
            found.append(_comparison(names, difference, common))
    return found


def _comparison(
    names: Sequence[str], pair: PairDifference, common: Sequence[tuple[SeatedGame, Outcome]]
) -> PairComparison:
    """A pair, with the better bot first. `common`: the games in which both were."""
    a, b, samples = pair.a, pair.b, pair.samples
    if pair.difference.mean < 0:
        a, b, samples = b, a, [-sample for sample in samples]
    met = [(game.deal, share_ahead(outcome, game.seating.index(a), game.seating.index(b))) for game, outcome in common]
    return PairComparison(
        a=names[a],
        b=names[b],
        deals=len(samples),
        score=estimate(samples),
        ahead=estimate_share(means_by_deal(met), len(met)) if met else None,
        better=confidence(samples) if len(samples) >= MIN_DEALS else None,
    )


def mean_scores(games: Iterable[tuple[SeatedGame, Outcome]]) -> list[dict[int, Fraction]]:
    """By deal, the mean score of each bot that played it."""
    deals: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for game, outcome in games:
        for bot, score in zip(game.seating, outcome.scores, strict=True):
            deals[game.deal][bot].append(score)
    return [{bot: Fraction(sum(scores), len(scores)) for bot, scores in deal.items()} for deal in deals.values()]


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
    """The mean of independent samples with its t interval, as shown. No samples: mean 0."""
    return shown(mean_interval(samples), len(samples))


def estimate_share(samples: Sequence[float], games: int) -> Estimate:
    """Mean of shares, one per deal, over this many games in all; its interval stays within 0 to 1."""
    return shown(share_interval(samples, games / len(samples)), len(samples)) if samples else Estimate(0.0)


def shown(found: Estimate, deals: int) -> Estimate:
    """The estimate, without bounds if there are fewer than MIN_DEALS deals."""
    return found if deals >= MIN_DEALS else Estimate(found.mean, found.margin)
