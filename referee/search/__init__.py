"""Search with the rules of any game: what each action of a decision is worth to its seat, as far as playouts can tell.

>>> from random import Random
>>> from referee.games import new_game
>>> from referee.search import Budget, evaluate, policy_for
>>> game, random = new_game("forbidden_city", seed=1, players=2), Random(1)
>>> ranked = evaluate(game, game.turn.seat, policy_for(type(game)), random, Budget(playouts=100))
>>> best, second = ranked[:2]
>>> best.estimate().mean >= second.estimate().mean
True
>>> best.lead_over(second).playouts == second.estimate().playouts > 1
True

Everything is pure: a clock is passed in, and the same generator gives the same answer.
"""

from referee.search.evaluation import decisions_left, evaluate, policy_for, why_unsearchable
from referee.search.halving import Budget, Candidate, Estimate
from referee.search.playouts import RandomPlayouts
from referee.search.weights import weights_of, with_weights

__all__ = [
    "Budget",
    "Candidate",
    "Estimate",
    "RandomPlayouts",
    "decisions_left",
    "evaluate",
    "policy_for",
    "weights_of",
    "why_unsearchable",
    "with_weights",
]
