"""The sample bot mason: its model of the game is right, it beats random play, and it never commits a fault."""

import importlib.util
from functools import cache
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import msgspec
import pytest

from referee.games import Game, new_game
from referee.games.forbidden_city.rooms import payments
from referee.players.clock import TimeControl
from tests.playing import play_deals

pytestmark = pytest.mark.slow

MASON = str(Path(__file__).parents[2] / "bots/mason-python")
AMPLE_TIME = TimeControl(move=30.0, startup=30.0)
"""Generous, so that a bot does not lose on time because other tests run at the same time."""


@cache
def mason() -> Any:
    """The bot as a module."""
    spec = importlib.util.spec_from_file_location("mason", f"{MASON}/mason.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_wire(value: object) -> Any:
    """A value as a bot reads it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def positions(players: int, start_tile: str) -> list[Game]:
    """A game by random decisions, at every turn and at the end."""
    game = new_game("forbidden_city", f"books of {players}", players=players, start_tile=start_tile)
    random = Random("books")
    found = [game.copy()]
    while game.turn is not None:
        game.apply(random.choice(game.legal_actions()))
        found.append(game.copy())
    return found


# -- what it knows ----------------------------------------------------------------------------------------------------


def shown(seen: Any) -> list[Any]:
    """The rooms that the referee shows: their contents and their value."""
    points = {room["id"]: len(room["cells"]) + 3 * room["dragons"] for room in seen["rooms"]}
    return sorted(
        (
            sorted(tuple(cell) for cell in room["cells"]),
            room["open_edges"],
            room["advisors"],
            room["dragons"],
            points[room["id"]] + sum(points[door] for door in room["passages"]),
        )
        for room in seen["rooms"]
    )


def predicted(table: Any, change: Any) -> list[Any]:
    """The same for the rooms as the bot expects them after a change."""
    rooms = dict.fromkeys([*change.values(), *(room for number, room in table.rooms.items() if number not in change)])
    return sorted(
        (sorted(room.cells), room.open, room.advisors, room.dragons, table.value(room, change)) for room in rooms
    )


@pytest.mark.parametrize(("players", "start_tile"), [(2, "garden"), (3, "advanced"), (4, "garden")])
def test_it_predicts_the_rooms_that_the_referee_shows_after_a_tile_is_laid(players: int, start_tile: str) -> None:
    random = Random("prediction")
    for game in positions(players, start_tile)[:-1:3]:
        assert game.turn is not None
        seat = game.turn.seat
        seen = on_wire(game.observe(seat))
        table = mason().Table(seen)
        assert predicted(table, {}) == shown(seen)
        for action in random.sample(game.legal_actions(), min(5, len(game.legal_actions()))):
            laid = on_wire(action)
            after = game.copy()
            after.apply(action)
            change = table.lay(laid["x"], laid["y"], seen["hand"], laid["rotation"])
            assert predicted(table, change) == shown(on_wire(after.observe(seat)))


@pytest.mark.parametrize("advisors", [[3, 1], [2, 2], [0, 1], [0, 0], [2, 1, 1], [1, 2, 2, 1], [3, 2, 1, 0]], ids=str)
def test_it_knows_who_is_paid(advisors: list[int]) -> None:
    for value in (4, 11):
        assert mason().payments(value, advisors) == payments(value, advisors)


def test_valuing_an_action_does_not_change_the_table() -> None:
    game = positions(2, "garden")[30]
    assert game.turn is not None
    seen, legal = on_wire(game.observe(game.turn.seat)), on_wire(game.legal_actions())
    table = mason().Table(seen)
    judged = [table.judge(seen["hand"], action) for action in legal]
    assert [table.judge(seen["hand"], action) for action in reversed(legal)] == judged[::-1]
    assert len(set(judged)) > 3


# -- how it plays -----------------------------------------------------------------------------------------------------


def duel(deal: int, seat: int) -> tuple[int, int]:
    """A game of two in this process, at this seat against random play: the coins of both, the bot's first."""
    game, random = new_game("forbidden_city", f"duel {deal}", players=2), Random(f"random player of duel {deal}")
    while game.turn is not None:
        legal = game.legal_actions()
        mine = game.turn.seat == seat
        place = mason().choose(on_wire(game.observe(seat)), on_wire(legal)) if mine else random.randrange(len(legal))
        game.apply(legal[place])
    scores = game.ranking().scores
    return scores[seat], scores[1 - seat]


@pytest.mark.ci_only
@pytest.mark.parametrize("deals", [10, pytest.param(100, marks=pytest.mark.check_all)])
def test_in_both_rotations_it_beats_random_play_in_95_percent_with_3_times_the_coins(deals: int) -> None:
    games = [duel(deal, seat) for deal in range(deals) for seat in (0, 1)]
    assert mean(own > other for own, other in games) >= 0.95
    assert sum(own for own, _ in games) >= 3 * sum(other for _, other in games)


@pytest.mark.parametrize("players", [3, 4])
def test_it_beats_several_random_players_too(players: int) -> None:
    bots = [MASON, *["builtin:random"] * (players - 1)]
    for played in play_deals("forbidden_city", bots, 2, rotate=True, control=AMPLE_TIME, start_tile="advanced"):
        assert played.outcome.ranks[played.game.seating.index(0)] == 1
