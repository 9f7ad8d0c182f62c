"""Bots of simulated tournaments: each has a strength, a luck of its own in each deal, and a policy.

In a game a bot performs by its strength, its luck in that deal, and chance: performance = strength + luck + Gumbel
noise. The ranks are the order of performances; those who are close to each other are tied. Luck is what makes the
rotations of a deal depend on each other.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Final, Literal, NamedTuple

from msgspec import structs

from tests.tournaments.competition.simulated import stored
from tournaments.competition.fit import ELO_PER_LOG, RankedGame, strengths
from tournaments.competition.games import PlannedGame, StoredGame
from tournaments.competition.rounds import Deal

LUCK: Final = 0.7
"""Standard deviation of a bot's luck in a deal, on the scale of the logarithm of strengths: 120 Elo."""
TIE: Final = 0.1
"""Performances that differ by less are tied."""
EXTREME: Final = 10**9
"""The score of a bot that loses on purpose, negated; of one that is let win."""
TRUTH_DEALS: Final = 4000
ROUNDING: Final = 1e-9

Act = Literal["play", "win", "lose", "fail"]
"""Win, lose: come first or last by legal moves. Fail: forfeit, as a bot does that exits before it is ready."""
SCORES: Final[dict[Act, int]] = {"win": EXTREME, "lose": -EXTREME, "fail": -EXTREME}


class Situation(NamedTuple):
    """What a policy may look at."""

    game: PlannedGame
    bot: int
    luck: float
    """Of the bot in this deal, on the scale of the logarithm of strengths."""
    before: Sequence[StoredGame]
    """The games that were played at this table before."""


Policy = Callable[[Situation], Act]


class Field:
    """The bots of one tournament. Bot i has the strength `elos[i]`."""

    def __init__(
        self,
        elos: Sequence[float],
        seed: object,
        *,
        luck: float = LUCK,
        tie: float = TIE,
        policies: Mapping[int, Policy] | None = None,
        openings: int | None = None,
        repeating: float = 1.0,
    ) -> None:
        """`openings`: from how many of them deals of a game without chance are drawn; None: the game has chance.
        `repeating`: the share of games without chance in which no bot deviates from the line that the same bots in the
        same seats always play after this opening."""
        self._strengths = [elo / ELO_PER_LOG for elo in elos]
        self._seed = str(seed)
        self._luck, self._tie = 0.0 if openings else luck, tie
        self._policies = dict(policies or {})
        self._openings, self._repeating = openings, repeating
        self._played: dict[tuple[int, int], list[StoredGame]] = defaultdict(list)

    def play(self, planned: PlannedGame, deals_of: str) -> StoredGame:
        """The game as it ends."""
        before = self._played[planned.round, planned.table]
        dealt = Random(f"{self._seed}/{planned.round}/{deals_of == 'table' and planned.table}/{planned.deal}")
        luck = [dealt.gauss(0, self._luck) for _ in self._strengths]
        situations = [Situation(planned, bot, luck[bot], before) for bot in planned.bots]
        acts = [self._policies.get(own.bot, _honest)(own) for own in situations]
        line, chance = "", Random(f"{self._seed}/{planned.game_id}")
        if self._openings:
            opening = Random(f"{self._seed}/opening {planned.deal}").randrange(self._openings)
            repeats = chance.random() < self._repeating
            line = self.line(planned.bots, opening) if repeats else f"{self._seed}/{planned.game_id}"
            chance = Random(line)
        performed = self._performed(planned.bots, luck, chance)
        scores = [SCORES.get(act, score) for act, score in zip(acts, performed, strict=True)]
        failed = [bot for bot, act in zip(planned.bots, acts, strict=True) if act == "fail"]
        game = structs.replace(stored(planned, scores, failed), decisions_hash=line)
        before.append(game)
        return game

    def line(self, bots: Sequence[int], opening: int) -> str:
        """What bots by seat play after an opening if none deviates."""
        return f"{self._seed}/{bots}/{opening}"

    def points_of_line(self, bots: Sequence[int], opening: int) -> float:
        """The points of the bot in seat 0 of a game for two in which none deviates."""
        one, two = self._performed(bots, [0.0] * len(self._strengths), Random(self.line(bots, opening)))
        return 0.5 if one == two else float(one > two)

    def _performed(self, bots: Sequence[int], luck: Sequence[float], chance: Random) -> list[int]:
        own = [self._strengths[bot] + luck[bot] - math.log(chance.expovariate(1)) for bot in bots]
        return levels(own, self._tie)

    def truth(self, seats: int) -> list[float]:
        """The ratings that very many deals at tables drawn by lot tend to, by bot. Equal bots have equal ones, and
        where strengths mirror each other around 0 so do these, so the error of the simulation is small."""
        own = self._strengths
        if not any(own):
            return [0.0] * len(own)
        games = []
        random = Random(self._seed)
        for _ in range(TRUTH_DEALS):
            order = random.sample(range(len(own)), len(own))
            for start in range(0, len(order) - seats + 1, seats):
                bots = order[start : start + seats]
                performances = [
                    own[bot] + random.gauss(0, self._luck) - math.log(random.expovariate(1)) for bot in bots
                ]
                by_level = defaultdict(list)
                for bot, level in zip(bots, levels(performances, self._tie), strict=True):
                    by_level[-level].append(bot)
                games.append(RankedGame(Deal(0), tuple(tuple(by_level[level]) for level in sorted(by_level))))
        fitted = strengths(games)
        order = sorted(range(len(own)), key=own.__getitem__)
        mirrored = dict(zip(order, reversed(order), strict=True))
        symmetric = all(abs(own[bot] + own[other]) < ROUNDING for bot, other in mirrored.items())
        alike = defaultdict(list)
        for bot, other in mirrored.items():
            alike[own[bot]].append((fitted[bot] - fitted[other]) / 2 if symmetric else fitted[bot])
        return [statistics.fmean(alike[value]) for value in own]


def levels(performances: Sequence[float], tie: float) -> list[int]:
    """How many levels each performance is above the last one; those that differ by less than `tie` share a level."""
    order = sorted(range(len(performances)), key=performances.__getitem__)
    found, level = [0] * len(performances), 0
    for before, own in pairwise(order):
        level += performances[own] - performances[before] >= tie
        found[own] = level
    return found


def normal(bots: int, spread: float) -> list[float]:
    """Strengths in Elo at the quantiles of a normal distribution, with this standard deviation among them."""
    found = [statistics.NormalDist().inv_cdf((bot + 0.5) / bots) for bot in range(bots)]
    deviation = statistics.pstdev(found)
    return [spread * value / deviation for value in found]


def tiers(bots: int, top: int, apart: float, within: float = 100.0) -> list[float]:
    """`top` bots in an upper tier, the others in a lower one, each evenly spread; mean 0."""
    found = []
    for size, middle in ((top, apart), (bots - top, 0.0)):
        found += [middle + within * (place / (size - 1) - 0.5) if size > 1 else middle for place in range(size)]
    mean = math.fsum(found) / bots
    return [elo - mean for elo in found]


def _honest(own: Situation) -> Act:
    return "play"
