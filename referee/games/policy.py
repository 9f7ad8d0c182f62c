"""The interface of a policy: what a search needs to know of a game beside its rules (docs/bots/search.md)."""

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, Literal, Protocol

from referee.games.interface import Action

Measure = Literal["lead", "result"]
"""`lead`: over the rivals, in points of the rules. `result`: from 0 (last) to 1 (first), points counting a little."""


class Policy(Protocol):
    """Made for a decision that is due: by the game, the seat that searches, and a generator for its own choices.

    A search calls `candidates` once, and `playout` for each sampled game, after an action of the seat. What doesn't
    change between playouts is best computed when the policy is made.
    """

    measures: ClassVar[Measure]
    """What its values are."""

    def __init__(self, game: Any, seat: int, random: Random) -> None: ...

    def candidates(self, game: Any) -> Sequence[Action]:
        """Legal actions worth a try, at least one, the preferred first: without enough time the last are not tried."""

    def playout(self, game: Any) -> float:
        """Play the game on for all seats, to its end or as far as it makes sense; its value for the seat then.

        The game belongs to the playout, and may be left in any state.
        """
