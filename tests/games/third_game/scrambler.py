"""Says what High Card hides from a seat, which the conformance suite asks. For `pytest -p` with this module."""

from random import Random
from typing import Any

from tests.games.playing import SCRAMBLERS, seats
from tests.games.third_game import HighCard, register


def scramble_high_card(game: Any, seat: int, random: Random, *, deciding: bool) -> None:
    """Give the other seats other cards, unless the decision of the seat ends the round, which shows them."""
    assert isinstance(game, HighCard)
    if deciding and seat == seats(game)[-1]:
        return
    for other in seats(game):
        if other != seat:
            game.cards[other] = random.randint(1, 9)


__all__ = ["register"]

SCRAMBLERS[HighCard.name] = scramble_high_card
