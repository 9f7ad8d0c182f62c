"""Random playouts of a game of OpenSpiel in the library's own position, several times as fast as by `Game.apply`."""

from collections.abc import Iterable, Sequence
from typing import Any

from referee.games import Action
from referee.search.halving import MANY
from referee.search.playouts import RandomPlayouts


class OpenSpielPlayouts(RandomPlayouts):
    """The policy of a search for all games of OpenSpiel."""

    def candidates(self, game: Any) -> Sequence[Action]:
        """Of many actions only one that wins at once, or those that take from the rival one with which it would win at
        once, if there are any: random playouts are blind to lines of five. (Teytaud, Teytaud: On the huge benefit of
        decisive moves in Monte-Carlo tree search algorithms, CIG 2010.)
        """
        legal: Sequence[Any] = super().candidates(game)
        state = game.state
        if len(legal) < MANY or state.is_simultaneous_node():
            return legal
        numbers = {each.action: each for each in legal}
        winning = winning_actions(state, numbers)
        if winning:
            return [numbers[winning[0]]]
        threats: set[int] = set()
        for number in list(numbers)[:2]:  # one of the two doesn't take the threat itself
            following = state.child(number)
            if not following.is_terminal() and 0 <= following.current_player() != self.seat:
                threats |= {*winning_actions(following, following.legal_actions())}
        answers = [number for number in threats & numbers.keys() if not winning_actions(state.child(number), threats)]
        return [numbers[number] for number in answers] or legal

    def key(self, action: Any) -> int:
        number: int = action.action
        return number

    def length(self, game: Any) -> int:
        return len(game.state.history())

    def taken_since(self, game: Any, length: int) -> set[int]:
        return {each.action for each in game.state.full_history()[length:] if each.player == self.seat}

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


def winning_actions(state: Any, actions: Iterable[int]) -> list[int]:
    """Those of the actions with which the player whose turn it is wins at once."""
    player = state.current_player()
    following = {action: state.child(action) for action in {*actions} & {*state.legal_actions()}}
    return [action for action, end in following.items() if end.is_terminal() and end.returns()[player] > 0]
