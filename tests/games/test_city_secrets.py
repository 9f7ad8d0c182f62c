"""What is hidden in the Forbidden City (rules page, section 2.6) stays hidden: stacks, the others' hands, the last two.

`test_conformance` scrambles what is hidden now. Here the whole game so far is played again with another deal.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games import Recorded, Seeded
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.config import CityConfig
from referee.games.forbidden_city.log import StackShown
from referee.games.forbidden_city.tiles import Tile
from referee.games.interface import NOBODY, ChanceEvent, DecisionEvent
from referee.testing import finish, sent_to
from tests.games.playing import random_turns, seats

in_every_size = pytest.mark.parametrize("players", [2, 3, 4])


@pytest.fixture
def game(players: int) -> ForbiddenCity:
    """A game at its first turn."""
    return ForbiddenCity.new(CityConfig(players=players), Seeded("secrets"))


def another_deal(game: ForbiddenCity, seat: int, random: Random) -> ForbiddenCity:
    """A new game with stacks that the seat can't distinguish from those of `game` by what it has seen so far."""
    stacks: list[list[Tile]] = []
    for owner in seats(game):
        hand = game.hands[owner]
        held = [] if hand is None else [hand]
        seen = [laid.tile for laid in game.rooms.laid if laid.seat == owner]
        hidden = [*game.stacks[owner]]
        if owner == seat:
            seen += held
        else:
            hidden += held
        stacks.append([*seen, *random.sample(hidden, len(hidden))])
    return ForbiddenCity.new(game.config, Recorded({("stacks", None): stacks}))


def decisions(game: ForbiddenCity) -> Iterator[Any]:
    """The actions so far."""
    return (event.action for event, _ in game.log if isinstance(event, DecisionEvent))


@in_every_size
def test_all_that_a_seat_was_sent_would_have_been_the_same_with_another_deal(game: ForbiddenCity) -> None:
    random = Random("another deal")
    different = 0
    for _ in random_turns(game, "secrets", every=11):
        for seat in seats(game):
            original = ForbiddenCity.new(game.config, game.chance)
            other = another_deal(game, seat, random)
            for action in decisions(game):
                assert sent_to(other, seat) == sent_to(original, seat)
                original.apply(action)
                other.apply(action)
            assert sent_to(other, seat) == sent_to(original, seat)
            different += other.stacks != original.stacks and other.hands != original.hands
    assert different > 5


@in_every_size
def test_the_stacks_are_sent_to_the_record_and_to_no_seat(game: ForbiddenCity) -> None:
    finish(game, "stacks")
    draws = [(event.what, audience) for event, audience in game.log if isinstance(event, ChanceEvent)]
    assert draws == [("stacks", NOBODY)]
    for seat in seats(game):
        assert not [event for event in game.events_since(seat) if isinstance(event, ChanceEvent)]


@in_every_size
def test_the_last_two_tiles_are_shown_to_all_when_nobody_holds_a_tile_and_not_before(game: ForbiddenCity) -> None:
    def shown(seat: int) -> list[int]:
        return [event.seat for event in game.events_since(seat) if isinstance(event, StackShown)]

    for _ in random_turns(game, "shown"):
        assert not any(map(shown, seats(game)))
    assert [shown(seat) for seat in seats(game)] == [[*seats(game)]] * game.config.players


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object within a JSON value."""
    if isinstance(value, dict):
        yield value
        value = [*value.values()]
    if isinstance(value, list):
        for each in value:
            yield from objects(each)


@in_every_size
def test_tiles_carry_nothing_that_tells_equal_ones_apart(game: ForbiddenCity) -> None:
    finish(game, "tiles")
    tiles = 0
    for seat in seats(game):
        for found in objects(msgspec.json.decode(sent_to(game, seat))):
            if "edges" in found:
                assert found.keys() - {"left"} == {"edges", "parts", "picture", "count"}
                tiles += 1
    assert tiles > 100
