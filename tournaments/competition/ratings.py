"""Ratings on the Elo scale with 95 % intervals over deals, and what they say of the difference between two bots.

A rating comes from one fit over all games (`fit`), its margin from the delete-one-deal jackknife. How far an interval
reaches beyond that, and whether a side is bounded at all, depends on the upsets between the bots (`upsets`).
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, Literal

from msgspec import Struct

from tournaments.competition.fit import ELO_PER_LOG, Fit, RankedGame, strengths
from tournaments.competition.intervals import MIN_DEALS, Rating, t_probability, t_quantile
from tournaments.competition.points import finished_tables
from tournaments.competition.repeats import Decided, decided, without_repeats
from tournaments.competition.rounds import GameResult, History, PlayedRound, TableResult, derived
from tournaments.competition.shrinkage import ShrunkRatings
from tournaments.competition.upsets import Upsets

STATISTICS: Final = 1
"""The version of intervals and confidences of new tournaments."""
ELO_TOLERANCE: Final = 1e-6
"""Differences in Elo below this are rounding errors."""
RULE_OF_THREE: Final = 3
"""Something that was not seen in n deals happens, with a confidence of 95 %, in at most 3/n of all."""
MAX_EXPECTED: Final = (3.69, 5.57)
"""Where no upset or one was seen, at most so many were to be expected, with a confidence of 97.5 % (Poisson): bounds
are one-sided only where upsets are that few."""
WIDEST_GAP: Final = 1600.0
"""In Elo: how far the few bots that nothing bounds are assumed to be from the others, at most, in their intervals."""
MIN_GAP_LEFT: Final = 400.0
"""In Elo: by how much the gap to such a bot may exceed that of the fit, at least."""
MAX_UNBOUNDED: Final = 0.25
"""The share of bots that nothing bounds up to which the others have intervals."""


class Ratings:
    """The ratings of all bots, by index; None for those without a game.

    Intervals are the hull of two (docs/statistics.md): the jackknife's, extended by what upsets and the weak prior
    leave open, and that under a normal prior of unknown spread. A side that upsets don't bound is None.
    """

    def __init__(self, fitted: Fit, games: Iterable[RankedGame]) -> None:
        self._fit = fitted
        self._upsets = Upsets(games)
        self._components = self._upsets.components()

    def __getitem__(self, bot: int) -> Rating | None:
        found = self.by_games(bot)
        return None if found is None else self._hull(found, bot)

    def deals(self, bot: int, other: int | None = None) -> int:
        """The number of rated deals of a bot; the smaller one of two bots."""
        own = self._fit.deals.get(bot, 0)
        return own if other is None else min(own, self._fit.deals.get(other, 0))

    def components(self) -> list[list[int]]:
        """The rated bots in groups that no chain of games connects; the largest group first."""
        return self._components

    def only(self, bot: int) -> Literal["won", "lost"] | None:
        """Whether a rated bot has only won, or only lost; a tie is neither. Of three or more seats it has won if nobody
        came ahead of it."""
        return self._upsets.only(bot)

    def difference(self, bot: int, other: int) -> Rating | None:
        """The rating of a bot less that of another. None if one has none, or no chain of games connects them."""
        found = self._difference_by_games(bot, other)
        return None if found is None else self._hull(found, bot, other)

    def better(self, bot: int, other: int) -> float | None:
        """The confidence that a bot is better than another one, from 0 to 1; ½ means no evidence.

        By Student's t, so that 0.975 is an interval that just excludes 0; but at most the confidence of the sign test
        if every deal had gone the same way. Of the two intervals the one counts that says less. None where the
        difference has no interval.
        """
        found = self._difference_by_games(bot, other)
        deals = self.deals(bot, other)
        by_games = None if found is None else better_by(found, deals)
        if by_games is None:
            return None
        shrunk = sure(*self._shrunk.estimate(bot, other), deals)
        if (by_games - 0.5) * (shrunk - 0.5) < 0:
            return 0.5  # one is for the bot, and one for the other
        return min(by_games, shrunk, key=lambda sure: abs(sure - 0.5))

    def margin(self, bot: int, other: int | None = None) -> float:
        """Half the width of the jackknife's interval of a rating, or of the difference of two, from the changes when
        each deal is left out; deals that a bot has not played hardly change its own value."""
        deals = self.deals(bot, other)
        changes = self._fit.squared_changes(bot, other)
        return t_quantile(deals - 1) * math.sqrt((deals - 1) / deals * changes)

    def by_games(self, bot: int) -> Rating | None:
        """A rating with the interval that doesn't depend on how far bots are from each other."""
        elo = self._fit.elo.get(bot)
        if elo is None:
            return None
        if self.deals(bot) < MIN_DEALS or len(self._components) > 1:
            return Rating(elo, None, None)
        margin, alike, pull = self.margin(bot), self._margin_of_alike(bot), self._fit.pull[bot]
        unseen_above, unseen_below = self._unseen(bot)
        up = _Side(self._reach(bot, max(margin, alike), above=True), pull, unseen_below)
        down = _Side(self._reach(bot, max(margin, alike), above=False), -pull, unseen_above)
        return _interval(elo, margin, alike, up, down)

    def _difference_by_games(self, bot: int, other: int) -> Rating | None:
        one, two = self._fit.elo.get(bot), self._fit.elo.get(other)
        if one is None or two is None or not self._upsets.connected(bot, other):
            return None
        deals = self.deals(bot, other)
        if deals < MIN_DEALS:
            return Rating(one - two, None, None)
        pull, t = self._fit.pull[bot] - self._fit.pull[other], t_quantile(deals - 1)
        above = self._upsets.fewest(bot, other).reach(t) * ELO_PER_LOG
        below = self._upsets.fewest(other, bot).reach(t) * ELO_PER_LOG
        up = _Side(above, pull, self._unseen_gap(other, bot))
        down = _Side(below, -pull, self._unseen_gap(bot, other))
        return _interval(one - two, self.margin(bot, other), self._margin_of_alike(bot, other), up, down)

    def _hull(self, found: Rating, bot: int, other: int | None = None) -> Rating:
        """An interval with both bounds, extended to that under a normal prior."""
        if found.low is None or found.high is None:
            return found
        mean, deviation = self._shrunk.estimate(bot, other)
        margin = t_quantile(self.deals(bot, other) - 1) * deviation
        return Rating(found.elo, min(found.low, mean - margin), max(found.high, mean + margin))

    @cached_property
    def _shrunk(self) -> ShrunkRatings:
        """Under a normal prior. The dispersion is at least what the rule of three leaves open, as are margins."""
        fit, bots = self._fit, list(self._fit.elo)
        over_deals = math.fsum((self.deals(bot) - 1) / self.deals(bot) * fit.squared_changes(bot) for bot in bots)
        dispersion = over_deals / math.fsum(map(fit.variance, bots))
        least = RULE_OF_THREE / statistics.fmean(fit.deals.values())
        return ShrunkRatings(fit.evidence, max(dispersion, least), statistics.pstdev(fit.elo.values()), fit.parameters)

    def _margin_of_alike(self, bot: int, other: int | None = None) -> float:
        """The least margin. Deals that are all alike say nothing about chance, but by the rule of three some might have
        been different; that share of the variance of independent games is assumed."""
        deals = self.deals(bot, other)
        return t_quantile(deals - 1) * math.sqrt(RULE_OF_THREE / deals * self._fit.variance(bot, other))

    def _reach(self, bot: int, margin: float, *, above: bool) -> float:
        """How far the interval of a rating extends beyond its margin: a rating is the mean difference to all bots."""
        t, elo = t_quantile(self.deals(bot) - 1), self._fit.elo
        bounded = unbounded = 0.0
        count = 0
        for other in self._upsets.few(bot, above=above):
            if other == bot:
                continue
            pair = (bot, other) if above else (other, bot)
            reach = self._upsets.fewest(*pair).reach(t) * ELO_PER_LOG
            if math.isinf(reach):
                count += 1
                unbounded += max(WIDEST_GAP - (elo[pair[0]] - elo[pair[1]]), MIN_GAP_LEFT)
            else:
                bounded += reach
        if count > MAX_UNBOUNDED * len(elo) or unbounded / len(elo) > margin:
            return math.inf
        return (bounded + unbounded) / len(elo)

    def _unseen(self, bot: int) -> tuple[float, float]:
        """As `_unseen_gap`, for a rating: upwards and downwards."""
        above, below = (set(self._upsets.few(bot, above=above)) - {bot} for above in (True, False))
        return (
            math.fsum(self._unseen_gap(bot, other) for other in above) / len(self._fit.elo),
            math.fsum(self._unseen_gap(other, bot) for other in below) / len(self._fit.elo),
        )

    def _unseen_gap(self, bot: int, other: int) -> float:
        """Where nothing bounds how much better a bot is than another one, the prior holds most of the difference: by
        how much it may be smaller than in the fit. The prior is worth `held` upsets: its pull over the variance."""
        seen = self._upsets.fewest(bot, other)
        if seen.upsets >= seen.least:
            return 0.0
        held = abs(self._fit.pull[bot] - self._fit.pull[other]) * ELO_PER_LOG / self._fit.variance(bot, other)
        return max(0.0, math.log(MAX_EXPECTED[seen.upsets] / (seen.upsets + held))) * ELO_PER_LOG


class Strengths(Ratings):
    """Ratings without intervals, which are far faster to compute."""

    def __init__(self, games: Iterable[RankedGame]) -> None:
        self._elo = strengths(games)

    def __getitem__(self, bot: int) -> Rating | None:
        elo = self._elo.get(bot)
        return None if elo is None else Rating(elo, None, None)


def rate(games: Iterable[RankedGame]) -> Ratings:
    """One fit over all games; the order of play doesn't matter."""
    games = list(games)
    return Ratings(Fit(games), games)


def ranked_games(history: History) -> list[RankedGame]:
    """All finished games but repeats, and those whose result was set by a ruling."""
    return without_repeats([game for played in history for game in _ranked_games(played)])


@derived
def _ranked_games(played: PlayedRound) -> tuple[tuple[Decided | None, RankedGame], ...]:
    return tuple(
        (
            decided(result.table, game) if game.decisions_hash else None,
            RankedGame(game.deal, tuple(tuple(result.table.bots[position] for position in group) for group in groups)),
        )
        for result in finished_tables(played)
        for game, groups in rated_positions(result)
    )


def rated_positions(result: TableResult) -> Iterator[tuple[GameResult, tuple[tuple[int, ...], ...]]]:
    """The rated games of a table, with the positions of its bots in groups, the best first; tied ones share a group, as
    do those that forfeited: to fail is never better than to lose."""
    for game in result.games:
        if not game.by_ruling:
            yield game, in_groups(game.ranks, game.forfeits)


def in_groups(ranks: Sequence[int], forfeits: Sequence[bool]) -> tuple[tuple[int, ...], ...]:
    """The positions of ranks in groups, the best first; those that forfeited come last, tied."""
    groups: dict[tuple[bool, int], list[int]] = defaultdict(list)
    for position, (rank, forfeit) in enumerate(zip(ranks, forfeits, strict=True)):
        groups[forfeit, 0 if forfeit else rank].append(position)
    return tuple(tuple(groups[place]) for place in sorted(groups))


def widest_half_width(history: History, bots: Iterable[int]) -> float | None:
    """Half the width of the widest interval of these bots as shown; None while one of them has too few deals.

    Bots that have only won or only lost are left out: their ratings are unbounded, however much they play. Of others
    without an interval, such as where groups are far apart, the jackknife's margin counts. 0 if no bots are left.
    """
    ratings = rate(ranked_games(history))
    widest = 0.0
    for bot in bots:
        if ratings.deals(bot) < MIN_DEALS:
            return None
        rating = ratings[bot]
        if rating is not None and rating.low is not None and rating.high is not None:
            widest = max(widest, (rating.high - rating.low) / 2)
        elif ratings.only(bot) is None:
            widest = max(widest, ratings.margin(bot))
    return widest


class _Side(Struct, frozen=True):
    """What bounds an interval to one side of its value."""

    reach: float
    """How far it reaches beyond the margin; infinity where nothing bounds it."""
    pull: float
    """How much further the value would be to this side without the prior."""
    unseen: float
    """How far the true value may be to this side because nothing bounds the other one."""

    def distance(self, margin: float) -> float | None:
        """From the value to the bound, if there is one. Independent parts add up in quadrature (Zou and Donner,
        "Construction of confidence limits about effect measures", Statistics in Medicine 27, 2008)."""
        if math.isinf(self.reach):
            return None
        return math.hypot(margin, self.reach + max(self.pull, 0.0), self.unseen)


def _interval(value: float, margin: float, alike: float, above: _Side, below: _Side) -> Rating:
    """The interval around a value. `alike`: the least margin where both sides are bounded."""
    if not math.isinf(above.reach + below.reach):
        margin = max(margin, alike)
    up, down = above.distance(margin), below.distance(margin)
    return Rating(value, None if down is None else value - down, None if up is None else value + up)


def better_by(difference: Rating, deals: int) -> float | None:
    """The confidence that a difference is above 0, by its interval; None if it has none."""
    if difference.low is None or difference.high is None:
        return None
    elo = difference.elo
    return sure(elo, (elo - difference.low if elo > 0 else difference.high - elo) / t_quantile(deals - 1), deals)


def sure(difference: float, error: float, deals: int) -> float:
    """The confidence that a difference with this standard error is above 0."""
    if abs(difference) < ELO_TOLERANCE:
        return 0.5
    sure = t_probability(difference / error, deals - 1) if error > ELO_TOLERANCE else float(difference > 0)
    return min(max(sure, 0.5**deals), 1 - 0.5**deals)
