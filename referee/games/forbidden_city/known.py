"""The Forbidden City as far as one seat knows it."""

from collections.abc import Sequence
from typing import Final

from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.log import StackShown, TileLaid
from referee.games.forbidden_city.tiles import Tile
from referee.games.forbidden_city.view import Observation
from referee.games.interface import Event

FACE_DOWN: Final = Tile("wwww", (), "none", 0)
"""Stands for every tile hidden from the seat."""


class KnownCity(ForbiddenCity):
    """A game in which every tile in a stack or a hand is FACE_DOWN until `reveal` shows it."""

    __slots__ = ()

    def deal_stacks(self) -> None:
        self.stacks = [[FACE_DOWN] * len(tiles) for tiles in self.stock().tiles]

    def reveal(self, events: Sequence[Event]) -> None:
        """Show the tiles in the events after a decision, before it is applied: the one laid, and the last ones.

        Events of later decisions may follow; their tiles are shown in later calls.
        """
        laid = next((event for event in events if isinstance(event, TileLaid)), None)
        if laid is not None:
            self.hold(laid.seat, laid.tile)
        for event in events:
            if isinstance(event, StackShown):
                self.stacks[event.seat] = event.tiles[::-1]

    def reveal_observation(self, observation: Observation) -> None:
        if observation.hand is not None:
            self.hold(observation.seat, observation.hand)

    def hold(self, seat: int, tile: Tile) -> None:
        self.hands[seat] = tile
        self._legal = None
