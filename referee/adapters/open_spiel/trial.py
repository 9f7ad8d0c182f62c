"""Loads a game with parameters, and plays the beginning of it, in a process of its own: it may crash or hang.

Exit status 0: it can be played; 1: the first line of stdout says what is wrong.
"""

import json
import resource
import sys
from random import Random
from typing import Any, Final

from referee.adapters.open_spiel.library import library

TRIAL_MOVES: Final = 60
TRIAL_SECONDS: Final = 5
"""Limit of CPU time; the parent limits the elapsed time."""
TRIAL_BYTES: Final = 4 * 1024**3
MAX_TRIAL_ACTIONS: Final = 20_000
"""More would make the line of a question, which lists all legal actions, too long."""


def main(name: str, parameters: str) -> None:
    """Try a game with parameters as JSON."""
    resource.setrlimit(resource.RLIMIT_CPU, (TRIAL_SECONDS, TRIAL_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (TRIAL_BYTES, TRIAL_BYTES))
    try:
        game = library().load_game(name, json.loads(parameters))
        play(game)
    except (RuntimeError, ValueError, MemoryError, TypeError) as error:
        sys.stdout.write(str(error) or type(error).__name__)
        sys.exit(1)


def play(game: Any) -> None:
    """Play some random moves, and look at the position from every seat."""
    random, state = Random(1), game.new_initial_state()
    kind = game.get_type()
    for _ in range(TRIAL_MOVES):
        if state.is_terminal():
            break
        if state.is_chance_node():
            state.apply_action(random.choice(state.chance_outcomes())[0])
            continue
        for seat in range(game.num_players()):
            if kind.provides_observation_string:
                state.observation_string(seat)
            if kind.provides_information_state_string:
                state.information_state_string(seat)
        if state.is_simultaneous_node():
            legal = [state.legal_actions(seat) for seat in range(game.num_players())]
            state.apply_actions([random.choice(each) if each else 0 for each in legal])
            continue
        actions = state.legal_actions()
        if not 0 < len(actions) <= MAX_TRIAL_ACTIONS:
            raise ValueError(f"a position has {len(actions)} legal actions, expected 1 to {MAX_TRIAL_ACTIONS}")
        state.apply_action(random.choice(actions))
    state.returns()
