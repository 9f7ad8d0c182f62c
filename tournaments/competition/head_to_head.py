"""What the games of two bots against each other say that a ranking can't: cycles, and results far from the expected.

Both are named only beyond chance: where there are none, at most 5 % of all rankings name one. The bound is that of
Hoeffding ("Probability inequalities for sums of bounded random variables", Journal of the American Statistical
Association 58, 1963): that the mean of n games is x or further away where e is true has a probability of at most
2 · exp(−n · (x · ln(x ÷ e) + (1 − x) · ln((1 − x) ÷ (1 − e)))); and each of all pairs has an equal part of the 5 %
(Bonferroni). n is the effective number of games, as in intervals of shares.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final

from msgspec import Struct

from tournaments.competition.fit import ELO_PER_LOG, RankedGame
from tournaments.competition.intervals import MIN_DEALS, effective_games
from tournaments.competition.rounds import Deal

CHANCE: Final = 0.05
"""How likely cycles may be named where there are none, and likewise misfits."""
MIN_MISFIT: Final = 0.1
"""Smaller differences from the expected share are not named: no model of games is exact."""

Pair = tuple[int, int]
"""Two bots, the lower index first."""


class Duel(Struct, frozen=True):
    """The games of two bots against each other that they have not tied."""

    share: float
    """Of these the first bot has come ahead in: the mean over deals."""
    effective: float
    """As many independent games would say as much."""

    def contradicts(self, expected: float, pairs: int) -> bool:
        """Whether this share of the first bot is ruled out, if it is one of so many pairs."""
        distance = math.fsum(
            own * math.log(own / other)
            for own, other in ((self.share, expected), (1 - self.share, 1 - expected))
            if own > 0
        )
        return self.effective * distance > math.log(2 * pairs / CHANCE)

    @classmethod
    def over_games(cls, duels: Sequence["Duel"]) -> "Duel":
        """Those of two bots in several games, each of which has the same weight."""
        effective = len(duels) ** 2 / math.fsum(1 / duel.effective for duel in duels)
        return cls(fmean(duel.share for duel in duels), effective)


class Cycle(Struct, frozen=True):
    """Bots each of which is better than the next one against each other, and the last than the first."""

    bots: list[str]
    shares: list[float]
    """Of each against the next one."""


class Misfit(Struct, frozen=True):
    """A pair of bots whose games against each other are far from what the ranking says."""

    bot: str
    other: str
    share: float
    """Of the bot, in games that were not tied."""
    expected: float
    """By the ranking."""


def duels_of(games: Iterable[RankedGame], bots: Mapping[int, int]) -> dict[Pair, Duel]:
    """Those of each two bots with enough deals for an interval. `bots`: by their index in games that in pairs."""
    ahead: dict[Pair, dict[Deal, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        better: list[int] = []
        for group in game.groups:
            tied = [bots[bot] for bot in group if bot in bots]
            for bot in tied:
                for other in better:
                    ahead[min(bot, other), max(bot, other)][game.deal].append(other < bot)
            better += tied
    return {pair: _duel(list(by_deal.values())) for pair, by_deal in ahead.items() if len(by_deal) >= MIN_DEALS}


def _duel(by_deal: Sequence[Sequence[bool]]) -> Duel:
    shares = [fmean(deal) for deal in by_deal]
    return Duel(fmean(shares), effective_games(shares, fmean(map(len, by_deal))))


def misfits(duels: Mapping[Pair, Duel], elo: Mapping[int, float], name: Callable[[int], str]) -> list[Misfit]:
    """The pairs whose result the ratings contradict, the worst first. `name`: of a bot."""
    found = []
    for (bot, other), duel in duels.items():
        expected = 1 / (1 + math.exp((elo[other] - elo[bot]) / ELO_PER_LOG))
        if abs(duel.share - expected) >= MIN_MISFIT and duel.contradicts(expected, len(duels)):
            one, two, share = name(bot), name(other), duel.share
            if share < 0.5:
                one, two, share, expected = two, one, 1 - share, 1 - expected
            found.append(Misfit(one, two, round(share, 3), round(expected, 3)))
    return sorted(found, key=lambda misfit: (-abs(misfit.share - misfit.expected), misfit.bot, misfit.other))


def cycles(duels: Mapping[Pair, Duel], name: Callable[[int], str]) -> list[Cycle]:
    """For each bot that is in a cycle a shortest one, the shortest first."""
    beaten: dict[int, dict[int, float]] = defaultdict(dict)
    """By bot those that it is better than, with its share."""
    for (bot, other), duel in sorted(duels.items()):
        if duel.contradicts(0.5, len(duels)):
            winner, loser = (bot, other) if duel.share > 0.5 else (other, bot)
            beaten[winner][loser] = max(duel.share, 1 - duel.share)
    found = set()
    for bot in list(beaten):
        paths: list[tuple[int, ...]] = [(bot,)]
        seen: set[int] = set()
        for path in paths:  # grows while it is read: a search by breadth
            if bot in beaten[path[-1]]:
                first = path.index(min(path))
                found.add(path[first:] + path[:first])
                break
            paths += [(*path, other) for other in beaten[path[-1]] if other not in seen]
            seen.update(beaten[path[-1]])
    return [
        Cycle(
            [name(bot) for bot in cycle],
            [round(beaten[bot][other], 3) for bot, other in zip(cycle, cycle[1:] + cycle[:1], strict=True)],
        )
        for cycle in sorted(found, key=lambda cycle: (len(cycle), cycle))
    ]
