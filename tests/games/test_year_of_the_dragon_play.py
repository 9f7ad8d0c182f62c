"""Whole games by random decisions come to their end."""

import random

from referee.games import new_game


def test_a_random_game_lasts_twelve_rounds() -> None:
    game = new_game("year_of_the_dragon", seed=7, players=3)
    while game.turn:
        game.apply(random.Random(1).choice(game.legal_actions()))
    assert sorted(game.standing().ranks) == [1, 2, 3]
