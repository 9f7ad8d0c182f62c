"""Plays the policy with other weights against itself: what a rule of thumb is worth, without any search.

    .venv/bin/python bots/searcher-python/compare.py year_of_the_dragon MORTAR=0
    .venv/bin/python bots/searcher-python/compare.py forbidden_city RIVALS=0 --deals 50

Each deal is played from both seats. The result is the mean lead per deal, with its 95 % confidence interval.
"""

import argparse
import math
import sys
from random import Random
from statistics import mean, stdev

from referee.games import new_game
from referee.games.policy import Policy
from referee.games.registry import find_policy
from referee.search import with_weights


def lead(game_name: str, deal: int, seat: int, changed: type[Policy], original: type[Policy]) -> int:
    """How far a changed policy is ahead in the end, from this seat."""
    game, random = new_game(game_name, f"compare {deal}", players=2), Random(deal)
    while game.turn is not None:
        own = game.turn.seat
        policy = (changed if own == seat else original)(game, own, random)
        game.apply(policy.candidates(game)[0])
    scores = game.ranking().scores
    return scores[seat] - scores[1 - seat]


def main() -> None:
    parser = argparse.ArgumentParser(description="Play the policy with other weights against itself.")
    parser.add_argument("game", choices=("year_of_the_dragon", "forbidden_city"))
    parser.add_argument("weights", nargs="+", metavar="WEIGHT=VALUE")
    parser.add_argument("--deals", type=int, default=100)
    asked = parser.parse_args()
    weights = {weight: float(value) for weight, _, value in (each.partition("=") for each in asked.weights)}
    original = find_policy(type(new_game(asked.game, "compare", players=2)))
    assert original is not None
    try:
        changed = with_weights(original, weights)
    except ValueError as error:
        sys.exit(f"compare: {error}")
    leads = [mean(lead(asked.game, deal, seat, changed, original) for seat in (0, 1)) for deal in range(asked.deals)]
    interval = 1.96 * stdev(leads) / math.sqrt(len(leads)) if len(leads) > 1 else math.inf
    print(f"{' '.join(asked.weights)}: {mean(leads):+.1f} ± {interval:.1f} per deal, {asked.deals} deals")


if __name__ == "__main__":
    main()
