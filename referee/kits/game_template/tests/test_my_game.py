"""The conformance suite of games, and tests of the rules."""

from my_game import PACKAGE
from my_game.rules import MyGame, Take

from referee.games import new_game
from referee.testing import GameTests


class TestMyGame(GameTests):
    """What the referee needs of every game."""

    game = MyGame
    package = PACKAGE


def test_the_last_stone_wins() -> None:
    game = new_game("my_game", seed=1, stones=10)
    while game.turn:
        last = game.turn.seat
        game.apply(Take(count=1))
    assert game.ranking().ranks[last] == 1
