"""Random playouts of a game of OpenSpiel in the library's own position, several times as fast as by `Game.apply`."""

from typing import Any

from referee.search.playouts import RandomPlayouts


class OpenSpielPlayouts(RandomPlayouts):
    """The policy of a search for all games of OpenSpiel."""

    def play_on(self, game: Any, most: int) -> int:
        """As in RandomPlayouts; only the library's position of the game is played on."""
        state, random = game.state, self.random
        for made in range(most):
            while state.is_chance_node():
                values, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(values, weights)[0])
            if state.is_terminal():
                return made
            if state.is_simultaneous_node():
                options = [state.legal_actions(seat) or [0] for seat in range(game.config.players)]
                state.apply_actions([game.pending.get(seat, random.choice(own)) for seat, own in enumerate(options)])
                game.pending = {}
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(random.random() * len(legal))])
        return most
