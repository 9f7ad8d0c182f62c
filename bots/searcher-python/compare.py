"""Plays the policy with other weights against itself: what a rule of thumb is worth, without any search.

    .venv/bin/python bots/searcher-python/compare.py year_of_the_dragon MORTAR=0
    .venv/bin/python bots/searcher-python/compare.py forbidden_city RIVALS=0 --deals 50

Each deal is played from both seats. The result is the mean lead per deal, with its 95 % confidence interval.
"""

import argparse
import importlib.util
import math
import sys
from pathlib import Path
from statistics import mean, stdev
from types import ModuleType
from typing import Any, Final

from referee.games import new_game

POLICIES: Final = {
    "year_of_the_dragon": ("dragon_policy", "DragonPolicy"),
    "forbidden_city": ("city_policy", "CityPolicy"),
}
"""By game the module and the class of its policy."""


def load(name: str, weights: dict[str, float]) -> ModuleType:
    """A separate copy of a policy's module, with these weights."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for weight, value in weights.items():
        if not isinstance(getattr(module, weight, None), float):
            known = (each for each, its in vars(module).items() if each.isupper() and isinstance(its, float))
            sys.exit(f"compare: {name}.py has no weight {weight}; it has {', '.join(known)}")
        setattr(module, weight, value)
    return module


def lead(game_name: str, deal: int, seat: int, changed: Any, original: Any) -> int:
    """How far a changed policy is ahead in the end, from this seat."""
    game = new_game(game_name, f"compare {deal}", players=2)
    while game.turn is not None:
        own = game.turn.seat
        policy = (changed if own == seat else original)(game, own)
        game.apply(policy.candidates(game)[0])
    scores = game.ranking().scores
    return scores[seat] - scores[1 - seat]


def main() -> None:
    parser = argparse.ArgumentParser(description="Play the policy with other weights against itself.")
    parser.add_argument("game", choices=POLICIES)
    parser.add_argument("weights", nargs="+", metavar="WEIGHT=VALUE")
    parser.add_argument("--deals", type=int, default=100)
    asked = parser.parse_args()
    weights = {weight: float(value) for weight, _, value in (each.partition("=") for each in asked.weights)}
    name, policy = POLICIES[asked.game]
    changed, original = (getattr(load(name, each), policy) for each in (weights, {}))
    leads = [mean(lead(asked.game, deal, seat, changed, original) for seat in (0, 1)) for deal in range(asked.deals)]
    interval = 1.96 * stdev(leads) / math.sqrt(len(leads)) if len(leads) > 1 else math.inf
    print(f"{' '.join(asked.weights)}: {mean(leads):+.1f} ± {interval:.1f} per deal, {asked.deals} deals")


if __name__ == "__main__":
    main()
