"""Shows High Card to a person."""

from collections.abc import Iterator, Sequence
from typing import Any

from referee.games.narrator import format_count
from referee.games.presenter import Menu, MenuEntry, Presenter
from referee.games.rule_texts import rule_texts
from tests.games.third_game import ROUNDS, Bet, HighCardObservation
from tests.games.third_game.known import KnownHighCard
from tests.games.third_game.narrator import HighCardNarrator


class HighCardPresenter(Presenter[KnownHighCard]):
    """Presenter of High Card."""

    game = KnownHighCard
    narrator = HighCardNarrator
    rules = rule_texts(__file__)

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
