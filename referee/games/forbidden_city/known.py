"""The Forbidden City as far as one seat knows it."""

from collections.abc import Sequence
from typing import Final

from referee.games.forbidden_city.game import ForbiddenCity
from referee.games.forbidden_city.log import StackShown, TileLaid
from referee.games.forbidden_city.tiles import Tile
from referee.games.interface import Event

FACE_DOWN: Final = Tile("wwww", (), "none", 0)
"""Stands for every tile that the seat may not see."""


class KnownCity(ForbiddenCity):
    """A game in which every tile in a stack or in a hand is FACE_DOWN, until `reveal` shows what it was."""

    __slots__ = ()

    def deal_stacks(self) -> None:
        """Face down."""
        self.stacks = [[FACE_DOWN] * len(tiles) for tiles in self.own_tiles()]

    def reveal(self, events: Sequence[Event]) -> None:
        """Show the tiles that the events after a decision show, before it is applied: the one laid, and the last ones.

        Events of later decisions may follow; what they show is shown when it is their turn.
        """
        laid = next((event for event in events if isinstance(event, TileLaid)), None)
        if laid is not None:
            self.hold(laid.seat, laid.tile)
        for event in events:
            if isinstance(event, StackShown):
                self.stacks[event.seat] = event.tiles[::-1]

    def hold(self, seat: int, tile: Tile) -> None:
        """Put the tile that a seat holds into its hand."""
        self.hands[seat] = tile
        self._legal = None
