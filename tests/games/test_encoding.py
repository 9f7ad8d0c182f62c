"""What games keep encoded is, byte for byte, what encoding everything would give."""

import random

import msgspec
import pytest

from referee.games import Game, game_names, new_game


def assert_encoded(game: Game) -> None:
    """The encoded observations of all seats and legal actions are those of `observe` and `legal_actions`."""
    for seat in range(game.config.players):
        assert bytes(game.encode_observation(seat)) == msgspec.json.encode(game.observe(seat))
    assert bytes(game.encode_legal()) == msgspec.json.encode(game.legal_actions())


def play_on(game: Game, rng: random.Random, decisions: int) -> None:
    """Take some decisions at random, which nobody watches."""
    for _ in range(decisions):
        if game.turn is not None:
            game.apply(rng.choice(game.legal_actions()))


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("players", [2, 4])
def test_encoded_observations_and_legal_actions_are_the_plain_ones(name: str, players: int) -> None:
    rng = random.Random(players)
    game = new_game(name, seed=players, players=players)
    assert_encoded(game)
    while game.turn is not None:
        play_on(game, rng, rng.randrange(1, 4))
        assert_encoded(game)


@pytest.mark.parametrize("name", game_names())
def test_a_copy_and_its_original_are_encoded_independently(name: str) -> None:
    rng = random.Random(3)
    game = new_game(name, seed=3, players=3)
    while game.turn is not None:
        twin = game.copy()
        before = bytes(game.encode_observation(0))
        play_on(twin, rng, 5)
        assert_encoded(twin)
        assert bytes(game.encode_observation(0)) == before == msgspec.json.encode(game.observe(0))
        kept = bytes(twin.encode_observation(0))
        play_on(game, rng, 3)
        assert_encoded(game)
        assert bytes(twin.encode_observation(0)) == kept


def test_a_game_determinized_for_a_seat_is_encoded_as_it_is_now() -> None:
    rng = random.Random(4)
    game = new_game("forbidden_city", seed=4, players=3)
    while game.turn is not None:
        assert_encoded(game)
        assert_encoded(game.determinize(1, rng))
        play_on(game, rng, 2)
