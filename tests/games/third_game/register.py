"""Adds High Card to the registry of the process that imports this, for example `pytest -p` with this module.

The line with `register` is all that a game needs in `referee/games/__init__.py`.
"""

from random import Random
from typing import Any

from referee.games import register
from tests.games.playing import SCRAMBLERS, seats
from tests.games.third_game import HighCard


def scramble_high_card(game: Any, seat: int, random: Random, *, deciding: bool) -> None:
    """Give the other seats other cards, unless the decision of the seat ends the round, which shows them."""
    assert isinstance(game, HighCard)
    if deciding and seat == seats(game)[-1]:
        return
    for other in seats(game):
        if other != seat:
            game.cards[other] = random.randint(1, 9)


register(HighCard, narrator="tests.games.third_game.narrator:HighCardNarrator")
SCRAMBLERS[HighCard.name] = scramble_high_card
