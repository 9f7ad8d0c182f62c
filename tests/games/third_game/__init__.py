"""High Card, a game that the referee does not know: the tests add it to the registry as a third game.

In each round every seat is dealt a card that the others may not see, and bets in turn. The highest card among those
who bet wins all bets of the round; a tie wins nothing.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Any, Self

from msgspec import Meta, Struct

from referee.games import Action, Chance, Event, Game, GameConfig, Ranking, Turn
from referee.games.interface import ChanceEvent, Traits

NARRATOR = "tests.games.third_game.narrator:HighCardNarrator"
PRESENTER = "tests.games.third_game.presenter:HighCardPresenter"
KNOWN = "tests.games.third_game.known:KnownHighCard"
CODEC = "tests.games.third_game.codec:HighCardCodec"
ROUNDS = 20
MAX_BET = 2
Card = Annotated[int, Meta(ge=1, le=9)]


class HighCardConfig(GameConfig, frozen=True, kw_only=True):
    """Options of High Card."""

    players: Annotated[int, Meta(ge=2, le=4, description="number of players")] = 2
    stake: Annotated[int, Meta(ge=1, le=10**12, description="points of a bet of 1")] = 1


class Bet(Action, frozen=True, kw_only=True):
    """Bet this many stakes; 0 passes."""

    stakes: int


class HighCardObservation(Struct, frozen=True, kw_only=True):
    """The table as one seat sees it."""

    seat: int
    turn: Turn | None
    round: int
    card: int
    bets: list[int]
    scores: list[int]


class RoundOver(Event, frozen=True, kw_only=True, tag="round_over"):
    """The cards of a round are shown, and the bets are paid to the winner, if there is one."""

    round: int
    cards: list[int]
    winner: int | None
    scores: list[int]


class HighCard(Game):
    """High Card."""

    __slots__ = ("bets", "cards", "round", "scores")

    traits = Traits(hidden=True)
    name = "high_card"
    title = "High Card"
    Config = HighCardConfig
    Observation = HighCardObservation
    actions = {"bet": Bet}  # noqa: RUF012 (declared ClassVar in Game)
    events = (RoundOver,)
    recorded = (RoundOver,)

    config: HighCardConfig
    round: int
    cards: list[int]
    """By seat, each hidden from the others."""
    bets: list[int]
    """The bets of this round, in order of seats."""
    scores: list[int]

    @classmethod
    def new(cls, config: HighCardConfig, chance: Chance) -> Self:
        """A new game, up to the first bet."""
        game = cls(config, chance)
        game.round = 0
        game.scores = [0] * config.players
        game.deal()
        return game

    def deal(self) -> None:
        """Begin the next round."""
        self.round += 1
        self.bets = []
        self.cards = [self.draw_card(seat) for seat in range(self.config.players)]
        self.turn = Turn(seat=0, decision="bet")

    def draw_card(self, seat: int) -> int:
        """A card that only its seat may see."""

        def sample(random: Random) -> int:
            return random.randint(1, 9)

        return self.draw(f"card_{seat}", sample, Card, lambda card: None, round_no=self.round, audience=seat)

    def _list_legal(self) -> list[Action]:
        return [Bet(stakes=stakes) for stakes in range(MAX_BET + 1)]

    def _carry_out(self, turn: Turn, action: Bet) -> None:
        self.bets.append(action.stakes)
        if len(self.bets) < self.config.players:
            self.turn = Turn(seat=turn.seat + 1, decision="bet")
            return
        self.pay()
        if self.round < ROUNDS:
            self.deal()

    def pay(self) -> None:
        """End the round."""
        highest = max((card for card, bet in zip(self.cards, self.bets, strict=True) if bet), default=None)
        best = [seat for seat, card in enumerate(self.cards) if self.bets[seat] and card == highest]
        winner = best[0] if len(best) == 1 else None
        if winner is not None:
            for seat, bet in enumerate(self.bets):
                self.scores[seat] -= bet * self.config.stake
            self.scores[winner] += sum(self.bets) * self.config.stake
        self.emit(RoundOver(round=self.round, cards=self.cards, winner=winner, scores=self.scores[:]))

    def observe(self, seat: int) -> HighCardObservation:
        """The own card, the bets and the scores."""
        return HighCardObservation(
            seat=seat, turn=self.turn, round=self.round, card=self.cards[seat], bets=self.bets, scores=self.scores
        )

    def ranking(self) -> Ranking:
        """Most points first."""
        ranks = [1 + sum(other > score for other in self.scores) for score in self.scores]
        return Ranking(scores=self.scores[:], ranks=ranks)

    def public_config(self) -> HighCardConfig:
        """The options as given."""
        return self.config

    def determinize(self, seat: int, random: Random) -> Self:
        """Other cards in the other hands, and in the log."""
        twin = super().determinize(seat, random)
        if twin.turn is None:
            return twin
        twin.cards = [card if owner == seat else random.randint(1, 9) for owner, card in enumerate(twin.cards)]
        for position, (event, audience) in enumerate(twin.log):
            if isinstance(event, ChanceEvent) and event.round == self.round and audience is not None:
                twin.log[position] = (
                    ChanceEvent(what=event.what, round=event.round, value=twin.cards[audience]),
                    audience,
                )
        return twin

    @classmethod
    def hidden_draws(
        cls, config: Any, seat: int, observation: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
    ) -> dict[tuple[str, int | None], Any]:
        """The cards of others: those that were shown, and any in this round."""
        shown = {event["round"]: event["cards"] for event in events if event["type"] == "round_over"}
        return {
            (f"card_{other}", round_no): shown[round_no][other] if round_no in shown else 1
            for other in range(config.players)
            if other != seat
            for round_no in range(1, observation["round"] + 1)
        }

    def copy(self, chance: Chance | None = None) -> Self:
        """An independent copy."""
        twin: Any = object.__new__(type(self))
        twin.config, twin.chance = self.config, self.chance if chance is None else chance
        twin.turn, twin.log, twin._legal = self.turn, self.log[:], self._legal
        twin.round, twin.cards = self.round, self.cards[:]
        twin.bets, twin.scores = self.bets[:], self.scores[:]
        result: Self = twin
        return result
