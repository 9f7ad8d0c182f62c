"""Trying what `determinize` draws in games of OpenSpiel, of which only some can draw again what a seat doesn't know.

python -m tests.adapters.open_spiel_samples [NAME…]     try these, or all, and say how many samples were bad, and how
"""

import re
import sys
import time
from collections import Counter
from random import Random
from typing import Any, Final

from msgspec.structs import replace

from referee.adapters.open_spiel import catalogue
from referee.adapters.open_spiel.games import OpenSpielGame
from referee.conformance.variants import variants
from referee.games import Seeded, find_game, find_source
from referee.testing import check_sample, decisions, fingerprint, finish
from tests.adapters.open_spiel_games import lookalike

SAMPLES: Final = 500
"""Drawn of a game with hidden information."""
PUBLIC_SAMPLES: Final = 20
"""Drawn of another game, of which a determinized copy is a copy with other draws."""
POSITIONS: Final = 20
"""Positions of a game, at most, in each of which every seat draws a sample."""


def draw_samples(rules: Any, wanted: int) -> tuple[int, int, Counter[str]]:
    """Draw samples of a game, whether or not it says that it is searchable, from positions of several deals, each with
    other options.

    Returns how many were drawn, with how many of them another game was compared that looks the same to the seat, and
    how many were bad in which way. In a game without secrets a draw may leave no trace, and is not drawn again.
    """
    tried: type[OpenSpielGame] = type(
        rules.__name__, (rules,), {"__slots__": (), "traits": replace(rules.traits, searchable=True)}
    )
    drawn = compared = deal = 0
    problems: Counter[str] = Counter()
    has_secrets = catalogue.has_secrets(rules.kind)
    configs = [each.config for each in variants(rules)] if has_secrets else [rules.Config()]
    while drawn < wanted and not (problems.total() == drawn > 0):
        game, random = tried.new(configs[deal % len(configs)], Seeded(deal)), Random(deal)
        deal += 1
        step = 1 + len(decisions(finish(game.copy(), "length"))) // min(POSITIONS, 1 + wanted // game.config.players)
        while game.turn is not None and drawn < wanted:
            for seat in range(game.config.players):
                drawn += 1
                try:
                    check_sample(game, seat, random)
                    other = lookalike(game, seat, random) if has_secrets else None
                    if other is not None:
                        compared += 1
                        one, two = (each.determinize(seat, Random(drawn)) for each in (game, other))
                        assert fingerprint(one) == fingerprint(two), "it depends on what is hidden"
                except Exception as error:
                    problems[re.sub(r"\d+", "…", f"{type(error).__name__}: {error}".splitlines()[0][:60])] += 1
            for _ in range(step):
                if game.turn is not None:
                    game.apply(random.choice(game.legal_actions()))
    return drawn, compared, problems


def main() -> None:
    """Try the games named on the command line, or all."""
    names = sys.argv[1:] or [f"open_spiel:{name}" for name in find_source("open_spiel").names()]
    for name in names:
        started = time.process_time()
        rules: Any = find_game(name)
        drawn, compared, problems = draw_samples(
            rules, SAMPLES if catalogue.has_secrets(rules.kind) else PUBLIC_SAMPLES
        )
        bad = ", ".join(f"{number} × {problem}" for problem, number in problems.most_common())
        sys.stdout.write(
            f"{name:40} {drawn:5} samples, {compared:5} compared, {problems.total():5} bad"
            f" {time.process_time() - started:6.1f} s  {bad}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
