"""High Card as far as an audience knows it."""

from collections.abc import Sequence

from referee.games import ChanceError, Event
from tests.games.third_game import HighCard, RoundOver

UNKNOWN = 0
"""Stands for a card that the seat may not see."""


class KnownHighCard(HighCard):
    """High Card as far as one seat knows it."""

    __slots__ = ()

    def draw_card(self, seat: int) -> int:
        """The card, if its seat was sent it."""
        try:
            return super().draw_card(seat)
        except ChanceError:
            return UNKNOWN

    def reveal(self, following: Sequence[Event]) -> None:
        """The cards, where the decision ends the round."""
        for event in following:
            if isinstance(event, RoundOver) and event.round == self.round:
                self.cards = event.cards
