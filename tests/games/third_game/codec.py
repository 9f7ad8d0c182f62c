"""High Card for learners."""

from collections.abc import Iterator, Sequence
from typing import Any

from referee.games.codec import Codec, Feature
from tests.games.third_game import MAX_BET, ROUNDS, HighCard, HighCardObservation

HIGHEST_CARD = 9


class HighCardCodec(Codec[HighCardObservation]):
    """An index for each bet; a vector has the round, the own card and the bets so far."""

    game = HighCard
    name = "bets"
    version = 1
    size = MAX_BET + 1

    @classmethod
    def meanings(cls) -> Iterator[str]:
        return (f"bet {stakes}" for stakes in range(cls.size))

    def _list_features(self) -> Iterator[Feature]:
        yield Feature("round", ROUNDS)
        yield Feature("own card", HIGHEST_CARD)
        yield from (Feature(f"bet {bet}", MAX_BET + 1) for bet in range(self.config.players))

    def indices(self, seen: HighCardObservation, legal: Sequence[Any]) -> list[int]:
        return [bet.stakes for bet in legal]

    def vector(self, seen: HighCardObservation) -> bytearray:
        """See Codec. A bet counts from 1; 0 is a seat that has not bet yet."""
        bets = [1 + bet for bet in seen.bets] + [0] * (self.config.players - len(seen.bets))
        return bytearray([seen.round, seen.card, *bets])
