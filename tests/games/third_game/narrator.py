"""Describes High Card to people."""

from collections.abc import Iterator, Sequence

from referee.games import Event, Narrator
from referee.games.interface import DecisionEvent
from referee.games.narrator import SECTION, Said, format_count
from tests.games.third_game import ROUNDS, Bet, HighCard, RoundOver


class HighCardNarrator(Narrator[HighCard]):
    """Narrator of High Card."""

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """A line per bet, and one for the end of a round."""
        for event in events:
            match event:
                case DecisionEvent(seat=seat, action=Bet(stakes=stakes)):
                    yield Said(f"{self.names[seat]} bets {format_count(stakes, 'stakes')}")
                case RoundOver(round=number, cards=cards, winner=winner, scores=scores):
                    wins = "nobody wins" if winner is None else f"{self.names[winner]} wins"
                    yield Said(
                        f"Round {number} of {ROUNDS}: the cards are {', '.join(map(str, cards))}; {wins}", SECTION
                    )
                    yield Said(f"{'Final scores' if number == ROUNDS else 'Scores'}: {', '.join(map(str, scores))}")
