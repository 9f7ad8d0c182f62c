"""Drawing again what a seat of a game of OpenSpiel doesn't know: another history that looks the same to the seat.

A history is a list of draws and decisions, each with its player, which is negative for a draw. The library's own
function for this is not used: it is there for few games, and wrong for some of them.
"""

from collections.abc import Callable
from random import Random
from typing import Any, Final

from referee.adapters.open_spiel.deals import FIRST_DRAWS, redealt
from referee.games.interface import IllegalAction

MAX_ATTEMPTS: Final = 200
"""Histories that are begun, at most, to find one."""

History = list[tuple[int, int]]


def redrawn_history(state: Any, seat: int, view: Callable[[Any], Any], random: Random) -> History:
    """A history of a game that is not over, whose draws and decisions of others the seat can't tell from the original.

    `view` is what the seat sees of a position. Raises IllegalAction if no history was found.
    """
    original, name = _history(state), state.get_game().get_type().short_name
    if name == "gin_rummy":
        return _redrawn_gin_rummy(state, seat, random)
    if name in FIRST_DRAWS:
        draws = [action for player, action in original if player < 0]
        return redealt(state.get_game(), seat, state.current_player(), draws, original[len(draws) :], random)
    position = state.get_game().new_initial_state()
    views = []
    for _, action in original:
        position.apply_action(action)
        views.append((position.current_player(), view(position)))
    for _ in range(MAX_ATTEMPTS):
        history = _attempt(state.get_game().new_initial_state(), seat, original, view, views, random)
        if len(history) == len(original):
            return history
    raise IllegalAction(f"found no other game that looks the same to seat {seat} in {MAX_ATTEMPTS} attempts")


def _attempt(
    position: Any, seat: int, original: History, view: Callable[[Any], Any], views: list[Any], random: Random
) -> History:
    """A history from its start as far as there is a next draw or decision that looks the same as the original one."""
    history: History = []
    for (player, taken), seen in zip(original, views, strict=True):
        if player < 0:
            outcomes = {action: random.random() ** (1 / weight) for action, weight in position.chance_outcomes()}
            possible = sorted(outcomes, key=outcomes.__getitem__, reverse=True)
        else:
            legal = position.legal_actions()
            possible = [taken] if player == seat else random.sample(legal, len(legal))
        for action in possible:
            following = position.child(action)
            if (following.current_player(), view(following)) == seen:
                history.append((player, action))
                position = following
                break
        else:
            break
    return history


def _history(state: Any) -> History:
    return [(each.player, each.action) for each in state.full_history()]


def _redrawn_gin_rummy(state: Any, seat: int, random: Random) -> History:
    """The library's function for gin rummy changes the position only, which then doesn't follow from its history.

    Of what the opponent has drawn, the cards that it has discarded are at any of its draws before that, and the others
    are any of those that the seat hasn't seen. The seat doesn't know in which order its own hand was dealt.
    """
    history, rules = _history(state), state.get_game()
    opponent, hand_size = 1 - seat, rules.get_parameters()["hand_size"]
    unseen = set(range(rules.max_chance_outcomes())) - {card for player, card in history if player < 0}
    drawn: set[int] = set()
    free: list[int] = []
    for number, (player, action) in enumerate(history):
        owner = history[number - 1][0] if number > 2 * hand_size else number // hand_size
        if player < 0 and owner == opponent:
            drawn.add(action)
            free.append(number)
        elif player == opponent and action in drawn:
            drawn.remove(action)
            history[free.pop(random.randrange(len(free)))] = (-1, action)
    phase = state.current_phase().name
    is_shown = phase == "LAYOFF" or (phase == "KNOCK" and state.current_player() == opponent)
    for number, card in zip(free, random.sample(sorted(drawn if is_shown else drawn | unseen), len(free)), strict=True):
        history[number] = (-1, card)
    own = slice(seat * hand_size, (seat + 1) * hand_size)
    history[own] = random.sample(sorted(history[own]), hand_size)
    return history
