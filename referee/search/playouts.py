"""The policy for a game that has none of its own: any legal action is tried, and playouts are random."""

import math
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, Final

from referee.games import Action, Game, Ranking
from referee.games.policy import Measure

CUT: Final = 100
"""Decisions after which a playout ends if the scores tell the seats apart."""
LAST_CUT: Final = 1000
"""Decisions after which it ends in any case."""
LEAD_SHARE: Final = 0.1
"""The part of a value that the points decide, the rest is the rank."""


class RandomPlayouts:
    """Random play to the end; in a long game until the scores say who is ahead. A `Policy` for every game."""

    measures: ClassVar[Measure] = "result"

    def __init__(self, game: Game, seat: int, random: Random) -> None:
        self.seat = seat
        self.random = random

    def candidates(self, game: Any) -> Sequence[Action]:
        """All legal actions in random order."""
        legal = game.legal_actions()
        return self.random.sample(legal, len(legal))

    def playout(self, game: Any) -> float:
        """See `result`."""
        decisions = 0
        while decisions < LAST_CUT:
            made = self.play_on(game, CUT)
            decisions += made
            ranking = game.ranking()
            if made < CUT or len(set(ranking.scores)) > 1:
                break
        return result(ranking, self.seat)

    def play_on(self, game: Any, most: int) -> int:
        """Play up to this number of random decisions. Returns how many were made: fewer if the game is over."""
        draw = self.random.random
        for made in range(most):
            if game.turn is None:
                return made
            legal = game.legal_actions()
            game.apply(legal[int(draw() * len(legal))])
        return most


def result(ranking: Ranking, seat: int) -> float:
    """The result of a seat from 0 (last) to 1 (first): the part of its rivals that it is ahead of, ties being half.

    The points count a little, so that more of them are better where the rank is certain.
    """
    own, score = ranking.ranks[seat], ranking.scores[seat]
    rivals = len(ranking.ranks) - 1
    ahead = sum((rank > own) + (rank == own) / 2 for rank in ranking.ranks) - 0.5
    others = (sum(ranking.scores) - score) / rivals
    spread = math.fabs(score) + math.fabs(others)
    margin = (score - others) / spread if spread else 0.0
    return (1 - LEAD_SHARE) * ahead / rivals + LEAD_SHARE * (1 + margin) / 2
