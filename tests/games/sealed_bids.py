"""Sealed Bids, a game whose decisions are hidden: both seats bid at the same time, then both bids are shown.

An action has a text that says nothing: two actions with one number are equal. A seat that may only bid 3 is forced.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta, Struct

from referee.games import Action, Chance, Event, Game, GameConfig, Narrator, Ranking, Turn
from referee.games.interface import DecisionEvent, Traits
from referee.games.narrator import SECTION, Said

ROUNDS = 4
NARRATOR = "tests.games.sealed_bids:SealedBidsNarrator"
KNOWN = "tests.games.sealed_bids:KnownSealedBids"


class SealedBidsConfig(GameConfig, frozen=True, kw_only=True):
    """Options of Sealed Bids."""

    players: Annotated[int, Meta(ge=2, le=2, description="number of players")] = 2


class Bid(Action, frozen=True, kw_only=True, eq=False):
    """Bid this number. The text is for people."""

    action: int
    text: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bid) and self.action == other.action

    def __hash__(self) -> int:
        return hash(self.action)


class Shown(Event, frozen=True, kw_only=True, tag="shown"):
    """The bids of a round."""

    bids: list[int]


class SealedBidsObservation(Struct, frozen=True, kw_only=True):
    """The scores."""

    round: int
    scores: list[int]


class SealedBids(Game):
    """Sealed Bids."""

    __slots__ = ("bids", "scores")

    name = "sealed_bids"
    title = "Sealed Bids"
    Config = SealedBidsConfig
    Observation = SealedBidsObservation
    actions = {"bid": Bid}  # noqa: RUF012 (declared ClassVar in Game)
    events = (Shown,)
    recorded = (Shown,)
    traits = Traits(hidden=True, searchable=False, chance=False)
    hides_decisions = True

    bids: list[list[int]]
    """Of each round, in the order of the seats."""
    scores: list[int]

    @classmethod
    def new(cls, config: SealedBidsConfig, chance: Chance) -> Self:
        """No bids yet."""
        game = cls(config, chance)
        game.bids, game.scores = [[]], [0, 0]
        game.turn = Turn(seat=0, decision="bid")
        return game

    def decision_audience(self, turn: Turn, action: Any) -> int | None:
        """Only the seat itself."""
        return turn.seat

    def _list_legal(self) -> list[Action]:
        return [Bid(action=value, text=f"bid {value}") for value in range(4)]

    def _carry_out(self, turn: Turn, action: Bid) -> None:
        self.bids[-1].append(action.action)
        if turn.seat == 0:
            self.turn = Turn(seat=1, decision="bid")
            return
        first, second = self.bids[-1]
        self.scores[0 if first > second else 1] += abs(first - second)
        self.emit(Shown(bids=self.bids[-1]))
        if len(self.bids) < ROUNDS:
            self.bids.append([])
            self.turn = Turn(seat=0, decision="bid")

    def observe(self, seat: int) -> SealedBidsObservation:
        """The scores."""
        return SealedBidsObservation(round=len(self.bids), scores=self.scores)

    def ranking(self) -> Ranking:
        """Most points first."""
        ranks = [1 + sum(other > score for other in self.scores) for score in self.scores]
        return Ranking(scores=self.scores[:], ranks=ranks)

    def public_config(self) -> SealedBidsConfig:
        """The options as given."""
        return self.config  # type: ignore[no-any-return]

    def copy(self, chance: Chance | None = None) -> Self:
        """An independent copy."""
        twin = type(self)(self.config, self.chance if chance is None else chance)
        twin.turn, twin.log = self.turn, self.log[:]
        twin.bids, twin.scores = [bids[:] for bids in self.bids], self.scores[:]
        return twin


class KnownSealedBids(SealedBids):
    """Sealed Bids as far as an audience knows it: the bids of others come with the end of the round."""

    __slots__ = ()

    def take_hidden(self, following: Sequence[Event]) -> None:
        """The bid that the end of the round shows; 0 stands for one that is not shown yet."""
        shown = next((event.bids for event in following if isinstance(event, Shown)), [0, 0])
        due = range(len(self.bids[-1]), 2) if isinstance(following[0], Shown) else [len(self.bids[-1])]
        for seat in due:
            self.apply(Bid(action=shown[seat]))


class SealedBidsNarrator(Narrator[SealedBids]):
    """Narrator of Sealed Bids."""

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """The bids, as the actions say them."""
        for event in events:
            match event:
                case DecisionEvent(seat=seat, action=action):
                    yield Said(f"{self.names[seat]}: {msgspec.json.encode(action).decode()}")
                case Shown(bids=bids):
                    yield Said(f"Bids: {bids[0]} and {bids[1]}", SECTION)
