"""Standings of a match: means with 95 % confidence intervals, and differences between pairs of bots."""

import statistics
from array import array
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, groupby
from typing import Protocol

from msgspec import Struct

from referee.outcome import Outcome
from tournaments.competition.intervals import (
    MIN_DEALS,
    Estimate,
    confidence,
    mean_interval,
    share_interval,
)
from tournaments.competition.points import SeatWins, count_seat_wins, mean, points_of_ranks
from tournaments.competition.repeats import Decided, Line, around, as_decided, observation, observed
from tournaments.competition.rounds import Points


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
    """Two bots compared over the same deals: by how much `a` scores better than `b`, and with what confidence.

    By game points in place of scores if one of them has committed a fault: what a substitute scores, or a game that was
    broken off, is not to be better than a loss.
    """

    a: str
    """The bot with the better mean score."""
    b: str
    deals: int
    score: Estimate
    """The mean difference per deal; for a deal, the mean over its games is taken."""
    by_points: bool
    """Whether `score` and `better` are about game points."""
    ahead: Estimate | None
    """The share of games in which `a` is ranked above `b`; games in which both share a rank count half. None if they
    don't meet."""
    better: float | None
    """The confidence that `a` scores better, from 0.5 to 1: the one-sided confidence of the paired t test.
    None with fewer than MIN_DEALS deals."""


def decided(game: SeatedGame, outcome: Outcome) -> Decided:
    """A game of a match as far as it can be a repeat."""
    return as_decided(game.deal, game.seating, outcome.faults, outcome.decisions_hash)


def match_standings(
    names: Sequence[str], played: Iterable[tuple[SeatedGame, Outcome]], repeated: Collection[Line] = ()
) -> list[Standing]:
    """The standings of all bots, sorted by wins, then by mean rank. `names`: of the bots, by index; `played`: the games
    in the order of their deals; `repeated`: see `repeating`."""
    tallies = [Tally() for _ in names]
    for deal in by_deals(played):
        for bot, tally in enumerate(tallies):
            own = [(game, outcome) for game, outcome in deal if bot in game.seating]
            tally.add([(outcome, game.seating.index(bot)) for game, outcome in own], own, repeated)
    found = [tally.standing(name) for name, tally in zip(names, tallies, strict=True)]
    return sorted(found, key=lambda standing: (-standing.wins.mean, standing.rank.mean))


def seat_standings(
    seats: int, played: Iterable[tuple[SeatedGame, Outcome]], repeated: Collection[Line] = ()
) -> list[Standing]:
    """The results of each seat, whoever sat there. `played` and `repeated` as for `match_standings`."""
    tallies = [Tally() for _ in range(seats)]
    for deal in by_deals(played):
        for seat, tally in enumerate(tallies):
            tally.add([(outcome, seat) for _, outcome in deal], deal, repeated)
    return [tally.standing(f"seat {seat}") for seat, tally in enumerate(tallies)]


def compare_pairs(
    names: Sequence[str], played: Iterable[tuple[SeatedGame, Outcome]], repeated: Collection[Line] = ()
) -> list[PairComparison]:
    """Every pair of bots that met in a game, in the order of `names`; or, if they never met, that played the same deals
    at tables of their own. `played` and `repeated` as for `match_standings`.

    Both had the same deals and the same seats, so their difference on a deal is free of its luck; it is far more
    precise than a comparison of their intervals.
    """
    pairs = [PairTally(a, b) for a, b in combinations(range(len(names)), 2)]
    for deal in by_deals(played):
        for pair in pairs:
            pair.add(deal, repeated)
    return [_comparison(names, pair) for pair in pairs if pair.samples]


def by_deals(played: Iterable[tuple[SeatedGame, Outcome]]) -> Iterator[list[tuple[SeatedGame, Outcome]]]:
    """The games of each deal, from games in the order of their deals."""
    for _, games in groupby(played, key=lambda each: each[0].deal):
        yield list(games)


def seat_wins(played: Iterable[tuple[SeatedGame, Outcome]]) -> SeatWins:
    return count_seat_wins(((game.deal, around(game.seating)), outcome.ranks) for game, outcome in played)


class Tally:
    """What a bot has reached: a mean for each deal that it has played. Arrays, as matches can be long."""

    def __init__(self) -> None:
        self.games = 0
        self.faults = 0
        self.scores = array("d")
        self.ranks = array("d")
        self.wins = array("d")
        self.observations: list[Hashable] = []
        """By deal; empty where each is an observation of its own."""

    def add(
        self,
        own: Sequence[tuple[Outcome, int]],
        deal: Sequence[tuple[SeatedGame, Outcome]],
        repeated: Collection[Line],
    ) -> None:
        """Add a deal: its games, each with the seat that is counted."""
        if own:
            self.games += len(own)
            self.faults += sum(outcome.faults[seat] is not None for outcome, seat in own)
            self.scores.append(statistics.fmean(outcome.scores[seat] for outcome, seat in own))
            self.ranks.append(statistics.fmean(outcome.ranks[seat] for outcome, seat in own))
            self.wins.append(statistics.fmean(win_share(outcome, seat) for outcome, seat in own))
            if repeated:
                self.observations.append(_observation(deal, repeated))

    def standing(self, name: str) -> Standing:
        return Standing(
            name=name,
            games=self.games,
            score=estimate(self.scores, self.observations),
            rank=estimate(self.ranks, self.observations),
            wins=estimate_share(self.wins, self.games, self.observations),
            faults=self.faults,
        )


class PairTally:
    """Two bots: for each deal the difference of their mean scores, and the share of games in which each is ahead.

    Either they meet in every deal, or they never do, as where each plays with the field.
    """

    def __init__(self, a: int, b: int) -> None:
        self.a = a
        self.b = b
        self.met = 0
        """The number of games with both."""
        self.ahead = array("d")
        self.behind = array("d")
        self.faults = 0
        """The number of their faults."""
        self._points = array("d")
        self._scores = array("d")
        self.observations: list[Hashable] = []
        """By sample; empty where each is an observation of its own."""

    @property
    def samples(self) -> Sequence[float]:
        return self._points if self.faults else self._scores

    def add(self, deal: Sequence[tuple[SeatedGame, Outcome]], repeated: Collection[Line]) -> None:
        a, b = self.a, self.b
        common = [(game, outcome) for game, outcome in deal if a in game.seating and b in game.seating]
        if common:
            met = [(outcome, game.seating.index(a), game.seating.index(b)) for game, outcome in common]
            self.met += len(met)
            self.ahead.append(statistics.fmean(share_ahead(outcome, own, other) for outcome, own, other in met))
            self.behind.append(statistics.fmean(share_ahead(outcome, other, own) for outcome, own, other in met))
        elif not all(any(bot in game.seating for game, _ in deal) for bot in (a, b)):
            return
        own = common or [(game, outcome) for game, outcome in deal if a in game.seating or b in game.seating]
        self._scores.append(float(mean_score(own, a) - mean_score(own, b)))
        self._points.append(float(mean_points(own, a) - mean_points(own, b)))
        self.faults += sum(
            outcome.faults[game.seating.index(bot)] is not None
            for game, outcome in own
            for bot in (a, b)
            if bot in game.seating
        )
        if repeated:
            self.observations.append(_observation(own, repeated))


def _observation(games: Sequence[tuple[SeatedGame, Outcome]], repeated: Collection[Line]) -> Hashable:
    return observation(games[0][0].deal, (decided(game, outcome) for game, outcome in games), repeated)


def _comparison(names: Sequence[str], pair: PairTally) -> PairComparison:
    """A pair, with the better bot first."""
    a, b, ahead, samples = pair.a, pair.b, pair.ahead, pair.samples
    if statistics.fmean(samples) < 0:
        a, b, ahead, samples = b, a, pair.behind, array("d", (-sample for sample in samples))
    own = observed(samples, pair.observations)
    return PairComparison(
        a=names[a],
        b=names[b],
        deals=len(samples),
        score=estimate(samples, pair.observations),
        by_points=pair.faults > 0,
        ahead=estimate_share(ahead, pair.met, pair.observations) if ahead else None,
        better=confidence(own) if len(own) >= MIN_DEALS else None,
    )


def mean_score(games: Iterable[tuple[SeatedGame, Outcome]], bot: int) -> Fraction:
    """The mean score of a bot in those of the games in which it sits. A fraction: rounding errors would make equal
    differences look unequal."""
    scores = [outcome.scores[game.seating.index(bot)] for game, outcome in games if bot in game.seating]
    return Fraction(sum(scores), len(scores))


def mean_points(games: Iterable[tuple[SeatedGame, Outcome]], bot: int) -> Points:
    """The mean game points of a bot in those of the games in which it sits; a fault is a forfeit."""
    return mean(
        points_of_ranks(tuple(outcome.ranks), tuple(fault is not None for fault in outcome.faults))[
            game.seating.index(bot)
        ]
        for game, outcome in games
        if bot in game.seating
    )


def share_ahead(outcome: Outcome, seat: int, other: int) -> float:
    """1 for a seat that is ranked above the other, 0 for one below, 0.5 for the same rank."""
    own, others = outcome.ranks[seat], outcome.ranks[other]
    return 0.5 if own == others else float(own < others)


def means_by_deal(values: Iterable[tuple[Hashable, float]]) -> list[float]:
    """The mean of each deal, from deals with values: the rotations of a deal are one sample."""
    by_deal: dict[Hashable, list[float]] = defaultdict(list)
    for deal, value in values:
        by_deal[deal].append(value)
    return [statistics.fmean(deal) for deal in by_deal.values()]


def win_share(outcome: Outcome, seat: int) -> float:
    """1 for a win, 1/n for a first place shared by n, else 0. A bot with a fault never wins."""
    if outcome.ranks[seat] != 1 or outcome.faults[seat] is not None:
        return 0.0
    return 1 / outcome.ranks.count(1)


# -- intervals ------------------------------------------------------------------------------------------------


def estimate(samples: Sequence[float], observations: Sequence[Hashable] = ()) -> Estimate:
    """The mean of samples, one per deal, with its t interval, as shown. No samples: mean 0. `observations`: what each
    deal is a part of, where not each is an observation of its own."""
    own = observed(samples, observations)
    return shown(mean_interval(own), len(own))


def estimate_share(samples: Sequence[float], games: int, observations: Sequence[Hashable] = ()) -> Estimate:
    """Mean of shares, one per deal, over this many games in all; its interval stays within 0 to 1."""
    own = observed(samples, observations)
    return shown(share_interval(own, games / len(samples)), len(own)) if samples else Estimate(0.0)


def shown(found: Estimate, deals: int) -> Estimate:
    """The estimate, without bounds if there are fewer than MIN_DEALS deals."""
    return found if deals >= MIN_DEALS else Estimate(found.mean, found.margin)
