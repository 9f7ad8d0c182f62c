"""Matches that are played in batches of deals, until what has been played is enough."""

from collections.abc import Sequence
from typing import Protocol

from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Tables


class Batches(Protocol):
    """Decides after each batch of deals whether the match goes on, and what tables each batch has."""

    deals: int
    """Deals of a batch. The match has no further batch that would exceed its own number of deals."""

    def tables(self, batch: int) -> Tables:
        """The tables of a batch, counted from 1."""
        ...

    def finished(self, batch: int, games: Sequence[PlayedGame]) -> bool:
        """Called with all games of a batch. Returns whether another one follows."""
        ...
