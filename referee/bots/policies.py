"""The policies of built-in players, which a BOT names as `builtin:POLICY`."""

import random
from collections.abc import Callable
from typing import Final

from referee.games import Action

Policy = Callable[[list[Action], random.Random], Action]


def choose_random(legal: list[Action], rng: random.Random) -> Action:
    """A legal action, all with the same probability."""
    return legal[int(rng.random() * len(legal))]


POLICIES: Final[dict[str, Policy]] = {"random": choose_random, "first": lambda legal, rng: legal[0]}
