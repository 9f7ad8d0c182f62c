"""The games in OpenSpiel."""

import pickle
import random
import sys
import time
import timeit
from typing import Any

import pytest

REASON = "the packages of the extras gym and open_spiel are not installed (make test-gym)"
pytest.importorskip("pettingzoo", reason=REASON)
pytest.importorskip("gymnasium", reason=REASON)
pyspiel = pytest.importorskip("pyspiel", reason=REASON)

import numpy as np  # noqa: E402
from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402

import referee.gyms  # noqa: E402
from referee.errors import RefereeError  # noqa: E402
from tests.games.playing import games_for_learners  # noqa: E402

NAMES = referee.gyms.register_open_spiel()
every_game = pytest.mark.parametrize("name", NAMES)


def play(state: Any, seed: int, moves: int) -> Any:
    """The state after this number of random moves, or as many as there are."""
    rng = random.Random(seed)
    for _ in range(moves):
        if state.is_terminal():
            break
        actions = [each for each, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(rng.choice(actions))
    return state


def test_every_game_with_a_codec_is_registered_once() -> None:
    assert [f"python_{name}" for name in games_for_learners()] == NAMES == referee.gyms.register_open_spiel()
    assert set(NAMES) <= set(pyspiel.registered_names())


@every_game
def test_the_test_of_open_spiel_passes_with_states_that_are_serialized(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=True, verbose=False)


def test_options_are_parameters() -> None:
    game = pyspiel.load_game("python_year_of_the_dragon(players=5,great_wall=True,super_event=random)")
    assert game.num_players() == 5
    assert game.codec.config.great_wall
    assert str(pyspiel.load_game(str(game))) == str(game)
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


@every_game
def test_the_moves_of_a_history_lead_to_the_same_state(name: str) -> None:
    game = pyspiel.load_game(name)
    state = play(game.new_initial_state(), 1, 60)
    other = game.new_initial_state()
    for move in state.history():
        other.apply_action(move)
    assert str(other) == str(state)
    assert play(state, 2, 10**6).is_terminal()
    assert sum(state.returns()) == 0
    assert any(state.returns())


@every_game
def test_a_clone_is_independent_and_costs_no_more_than_a_copy_of_the_game(name: str) -> None:
    state = play(pyspiel.load_game(name).new_initial_state(), 3, 50)
    before = str(state)
    assert str(play(state.clone(), 4, 20)) != before == str(state)
    clone, copy = (
        min(timeit.repeat(copied, timer=time.process_time, number=100, repeat=5))
        for copied in (state.clone, state.position.game.copy)
    )
    assert clone < 3 * copy


def test_the_future_is_not_in_a_state() -> None:
    """The shuffle of each round is a chance node of its own: nothing before it says what it will be."""
    state = play(pyspiel.load_game("python_year_of_the_dragon").new_initial_state(), 5, 30)
    nodes = 0
    while not state.is_terminal():
        if state.is_chance_node():
            nodes += 1
            futures = {str(state.child(outcome)) for outcome in range(20)}
            assert len(futures) > 15
        state = play(state, nodes, 1)
    assert nodes > 5


@every_game
def test_a_resampled_state_looks_the_same_to_its_player_and_hides_other_things(name: str) -> None:
    state = play(pyspiel.load_game(name).new_initial_state(), 6, 25)
    while state.is_chance_node():
        state = play(state, 7, 1)
    player = state.current_player()
    sampler = random.Random(1).random
    hidden = set()
    for _ in range(5):
        twin = state.resample_from_infostate(player, sampler)
        assert twin.information_state_string(player) == state.information_state_string(player)
        assert twin.observation_tensor(player) == state.observation_tensor(player)
        assert twin.legal_actions() == state.legal_actions()
        hidden.add(str(twin))
        assert play(twin, 8, 10**6).is_terminal()
    assert len(hidden) == 5 or name == "python_year_of_the_dragon"  # hands follow from what is open there


@every_game
def test_a_search_of_open_spiel_plays(name: str) -> None:
    game = pyspiel.load_game(name)
    state = play(game.new_initial_state(), 9, 30)
    while state.is_chance_node():
        state = play(state, 10, 1)
    rng = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(
        game=game,
        evaluator=mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng),
        uct_c=2.0,
        max_simulations=4,
        random_state=rng,
    )
    assert bot.step(state) in state.legal_actions()


def test_without_open_spiel_the_function_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "referee.gyms.open_spiel")
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(RefereeError, match=r"pip install -e '\.\[openspiel\]'"):
        referee.gyms.register_open_spiel()
