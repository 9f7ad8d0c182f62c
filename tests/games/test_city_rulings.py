"""The rulings F1 to F8, on points that the rulebook leaves open."""

import pytest

from referee.games import Seeded
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.config import CityConfig
from referee.games.forbidden_city.log import StackShown, TileLaid
from tests.games.city import City, Settled
from tests.games.playing import random_turns


@pytest.mark.parametrize(("rotation", "edges"), [(0, "waoo"), (1, "owao"), (2, "oowa"), (3, "aoow")])
def test_f1_a_tile_is_laid_in_any_of_four_rotations_clockwise(rotation: int, edges: str) -> None:
    city = City().draw(f"w/wwww  g/waoo@{rotation}")
    assert "".join(side.edge for side in city.game.board.turned[1, 0]) == edges
    assert city.ways("g/waoo", (2, 0)) != []


@pytest.mark.parametrize(("rotation", "colours"), [(0, "ggpp"), (1, "pggp"), (2, "ppgg"), (3, "gppg")])
def test_f1_the_parts_of_a_diagonal_tile_turn_with_it(rotation: int, colours: str) -> None:
    city = City().draw(f"w/wwww  gp/wooa@{rotation}")
    assert "".join(side.colour[0] for side in city.game.board.turned[1, 0]) == colours


def test_f2_no_passage_leads_through_a_diagonal_wall() -> None:
    city = City().lay("gp/aaaa:A")
    assert city.settled == [Settled(1, [1, 0]), Settled(1, [0, 0])]
    assert city.next_door(0, 0, part=0) == city.next_door(0, 0, part=1) == []


def test_f3_cells_of_the_start_tile_count_as_tiles_of_their_rooms() -> None:
    assert City(start_tile="garden").lay("g/wwow:A", at=(0, 2)).settled == [Settled(2, [2, 0])]


def test_f3_gardens_and_the_temple_are_not_rooms() -> None:
    game = ForbiddenCity.new(CityConfig(start_tile="garden"), Seeded(1))
    assert sorted(cell for room in game.rooms.by_id.values() for cell in room.cells) == [
        (-1, 0),
        (0, -1),
        (0, 1),
        (1, 0),
    ]
    city = City(start_tile="garden").lay("g/waaw:A", at=(-1, 2))
    assert city.settled == [Settled(1, [1, 0])], "an archway to a garden leads nowhere"


@pytest.mark.parametrize(("players", "turns"), [(2, 28), (3, 22), (4, 22)])
def test_f4_the_last_two_tiles_of_each_stack_are_never_drawn(players: int, turns: int) -> None:
    game = ForbiddenCity.new(CityConfig(players=players), Seeded("f4"))
    last_two = [stack[1::-1] for stack in game.stacks]
    for _ in random_turns(game, "f4"):
        assert all(len(stack) >= 2 for stack in game.stacks)
    laid = [event.seat for event, _ in game.log if isinstance(event, TileLaid)]
    assert [laid.count(seat) for seat in range(players)] == [turns] * players
    assert [event.tiles for event, _ in game.log if isinstance(event, StackShown)] == last_two


def test_f5_rooms_closed_at_once_are_settled_in_the_order_of_their_smallest_cells() -> None:
    city = City().draw("""
        .       p/wwow:A  .
        w/woww  *         w/wwwo:B
        .       p/owww    .
    """)
    city.lay("gg/aaaa")
    assert [min(event.cells) for event in city.settlements] == [(0, 1), (1, 0), (1, 1), (1, 1), (1, 2), (2, 1)]


def test_f5_the_smallest_cell_is_that_of_the_room_first_by_x_then_by_y() -> None:
    city = City().draw("""
        p/woww  p/wowo  p/wwoo
        .       g/woww  *
    """)
    city.lay("w/awwa")
    assert [event.cells for event in city.settlements] == [[(0, 1), (1, 1), (2, 1)], [(1, 0)], [(2, 0)]]


@pytest.mark.parametrize(
    ("picture", "closing"),
    [
        ("p/woow p/wowo . \n gp/owwo:A@1 g/wowo g/owwo", (2, 1)),
        ("p/woow p/wowo p/wwoo \n gp/owwo:A@1 g/wowo .", (2, 0)),
    ],
    ids=["the green room is longer", "the pink room is longer"],
)
def test_f5_of_rooms_with_the_same_smallest_cell_that_of_the_first_part_there_is_settled_first(
    picture: str, closing: tuple[int, int]
) -> None:
    city = City().draw(picture).lay("w/wwww", at=closing)
    green, pink = city.room(0, 0, 0), city.room(0, 0, 1)
    assert min(green.cells) == min(pink.cells) == (0, 0)
    assert [event.cells for event in city.settlements] == [sorted(green.cells), sorted(pink.cells), [closing]]


def test_f6_a_diagonal_tile_may_count_in_two_rooms_but_its_picture_only_in_that_of_its_part() -> None:
    city = City().draw("""
        .         g/wwow:A  .
        p/woww:B  *         .
    """)
    assert city.lay("gp/owwo:d").settled == [Settled(2, [0, 2]), Settled(2 + 3, [5, 0])]


def test_f7_equal_coins_share_the_rank() -> None:
    city = City(players=4)
    for coins, ranks in (
        ([5, 9, 5, 1], [2, 1, 2, 4]),
        ([7, 7, 7, 7], [1, 1, 1, 1]),
        ([0, 3, 3, 9], [4, 2, 2, 1]),
    ):
        city.game.coins = coins
        assert city.game.ranking().scores == coins
        assert city.game.ranking().ranks == ranks


def test_f8_a_room_pays_its_full_value_however_many_coins_the_box_holds() -> None:
    dragons = " ".join(["g/wowo:d"] * 30)
    city = City().draw(f"g/woww:A {dragons} *").lay("g/wwwo")
    assert city.settled == [Settled(32 + 90, [122, 0])]
