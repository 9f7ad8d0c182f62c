"""Shows High Card to a person."""

from collections.abc import Iterator, Sequence
from typing import Any

from referee.games import ChanceError, Event, Presenter
from referee.games.narrator import format_count
from referee.games.presenter import Menu, MenuEntry
from referee.games.rule_texts import rule_texts
from tests.games.third_game import ROUNDS, Bet, HighCard, HighCardObservation, RoundOver
from tests.games.third_game.narrator import HighCardNarrator

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


class HighCardPresenter(Presenter[KnownHighCard]):
    """Presenter of High Card."""

    game = KnownHighCard
    narrator = HighCardNarrator
    rules = rule_texts("tests.games.third_game")

    def _reveal(self, known: KnownHighCard, following: Sequence[Event]) -> None:
        for event in following:
            if isinstance(event, RoundOver) and event.round == known.round:
                known.cards = event.cards

    def table(self, observation: HighCardObservation, legal: Sequence[Any], width: int) -> Iterator[str]:
        """The card, the bets and the scores."""
        yield f"Round {observation.round} of {ROUNDS}: your card is {observation.card}"
        for seat, score in enumerate(observation.scores):
            bet = format_count(observation.bets[seat], "stakes") if seat < len(observation.bets) else "no bet yet"
            yield f"  {self.names[seat]}: {score} points, {bet}"
        yield "At stake"
        yield f"  {format_count(sum(observation.bets), 'stakes')}"

    def menu(self, observation: HighCardObservation, legal: Sequence[Bet]) -> Menu:
        """The bets."""
        entries = [MenuEntry(format_count(action.stakes, "stakes"), action) for action in legal]
        return Menu("How much do you bet?", entries)
