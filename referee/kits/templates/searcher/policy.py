"""How all seats play in the playouts of this bot's search. docs/bots/search.md says more."""

from typing import Any

from referee.games import Action
from referee.search import RandomPlayouts


class Policy(RandomPlayouts):
    """Plays at random until you edit it."""

    # learns = 0  # once `choose` is better than random

    def choose(self, game: Any) -> Action:
        """What the seat whose turn it is (`game.turn.seat`) does. It has to be quick: it is called in all playouts."""
        legal: list[Action] = game.legal_actions()
        return self.random.choice(legal)
