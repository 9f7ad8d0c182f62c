"""What a decision cost: the action taken against the best one found, under several policies of playing on.

One policy is not enough. Its playouts are biased, and an interval over playouts doesn't contain that bias. So sampled
games are played on by several policies in turn, and what an action is worth to each of them is an opinion of its own.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import cycle
from random import Random
from typing import Any, Final, NamedTuple

from referee.games import Game
from referee.games.policy import Policy
from referee.search.halving import Budget, Candidate, sequential_halving
from referee.search.playouts import RandomPlayouts
from referee.search.weights import weights_of, with_weights

VARIANTS: Final = 8
"""The number of policies that a policy with weights is varied to, itself included."""
CHANGE: Final = 1 / 3
"""The part by which each weight is larger or smaller in a variant."""
LEARNS: Final = 5
"""The number of policies without weights: they learn for no decision of a playout, for one, and so on."""


@cache
def variants(policy: type[Policy]) -> list[type[Policy]]:
    """The policy, and others like it, the same ones every time; only itself if it has nothing that can be varied.

    Its weights are changed at random; one that has none, but plays at random, learns for fewer or more decisions.
    """
    if policy is not RandomPlayouts and (weights := weights_of(policy)):
        random = Random(0)
        changes = [
            {name: value * (1 + random.choice((-CHANGE, CHANGE))) for name, value in weights.items()}
            for _ in range(VARIANTS - 1)
        ]
        return [policy, *(with_weights(policy, changed) for changed in changes)]
    if issubclass(policy, RandomPlayouts):
        others = [learns for learns in range(LEARNS) if learns != policy.learns]
        return [policy, *(type(policy.__name__, (policy,), {"learns": learns}) for learns in others[: LEARNS - 1])]
    return [policy]


class Pair(NamedTuple):
    """What two actions were worth in the same sampled game."""

    better: float
    taken: float


class _Sampled(NamedTuple):
    game: Game
    policy: Policy


class Reviewer:
    """Judges one decision of `seat`, which is due in `game`, by what the seat may know. Changes nothing.

    Raises IllegalAction if the game is not searchable.
    """

    def __init__(self, game: Game, seat: int, policies: Sequence[type[Policy]], random: Random) -> None:
        self._draw: Callable[[], Game] = lambda: game.determinize(seat, random)
        self._policies = [policy(self._draw(), seat, random) for policy in policies]

    def ranked(self, taken: Any, budget: Budget) -> list[Candidate]:
        """The action taken and the candidates of all policies, the best first on average over the policies."""
        known, actions = self._draw(), [taken]
        for policy in self._policies:
            actions += [action for action in policy.candidates(known) if action not in actions]
        return sequential_halving(actions, self._sampler(), _playout, budget)

    def pairs(self, better: Any, taken: Any, budget: Budget) -> list[list[Pair]]:
        """By policy what two actions were worth in new games; two playouts each, and every policy has as many."""
        sample, used = self._sampler(), 0
        pairs: list[list[Pair]] = [[] for _ in self._policies]
        while used + 2 * len(pairs) <= budget.playouts and budget.has_time():
            for of_policy in pairs:
                sampled = sample()
                of_policy.append(Pair(_playout(sampled, better), _playout(sampled, taken)))
            budget.split()
            used += 2 * len(pairs)
        return pairs

    def _sampler(self) -> Callable[[], _Sampled]:
        turns = cycle(self._policies)
        return lambda: _Sampled(self._draw(), next(turns))


def _playout(sampled: _Sampled, action: Any) -> float:
    game = sampled.game.copy()
    game.apply(action)
    return sampled.policy.playout(game)
