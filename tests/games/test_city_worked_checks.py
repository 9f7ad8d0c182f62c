"""The checks that follow from the rules: drawn, closed by one more tile, and settled."""

import pytest

from referee.games.forbidden_city.rooms import payments
from tests.games.city import City, Settled, cells

# -- values and payments --------------------------------------------------------------------------------------

ELEVEN = """
    g/woow:{}  g/wwao:d  .
    *          p/aoww:d  p/wwwo
"""
"""A room of 3 tiles with 1 dragon, when it is closed, and a passage to a room of 2 tiles with 1 dragon."""


def test_three_tiles_a_dragon_and_a_passage_to_two_tiles_with_a_dragon_are_11_the_second_gets_5() -> None:
    city = City(players=3).draw(ELEVEN.format("AA")).lay("g/owww:B")
    assert city.settled == [Settled(11, [11, 5, 0])]
    assert city.game.coins == [11, 5, 0]


def test_two_leaders_get_5_of_11_each() -> None:
    city = City(players=3).draw(ELEVEN.format("A")).lay("g/owww:B")
    assert city.settled == [Settled(11, [5, 5, 0])]


def test_beside_two_leaders_nobody_else_gets_anything() -> None:
    city = City(players=3).draw(ELEVEN.format("AA")).lay("g/owwo:BB").lay("g/woww:C", at=(-1, 0))
    assert city.settled == [Settled(12, [6, 6, 0])]


def test_a_sole_leader_gets_the_full_value_and_several_seconds_nothing() -> None:
    city = City(players=4).draw(ELEVEN.format("AA")).lay("g/owwo:B").lay("g/woww:C", at=(-1, 0))
    assert city.settled == [Settled(12, [12, 0, 0, 0])]


def test_without_advisors_nothing_is_paid() -> None:
    city = City(players=2).draw(ELEVEN.format("d")).lay("g/owww")
    assert city.settled == [Settled(14, [0, 0])]
    assert city.game.coins == [0, 0]


def test_a_player_without_an_advisor_in_the_room_is_not_second() -> None:
    city = City(players=2).draw(ELEVEN.format("A")).lay("g/owww")
    assert city.settled == [Settled(11, [11, 0])]


@pytest.mark.parametrize(
    ("value", "advisors", "paid"),
    [
        (11, [2, 1], [11, 5]),
        (11, [1, 2], [5, 11]),
        (11, [1, 1], [5, 5]),
        (11, [0, 0], [0, 0]),
        (11, [0, 1], [0, 11]),
        (11, [3, 2, 1, 0], [11, 5, 0, 0]),
        (11, [3, 1, 1, 0], [11, 0, 0, 0]),
        (11, [1, 4, 2, 1], [0, 11, 5, 0]),
        (11, [2, 2, 1, 0], [5, 5, 0, 0]),
        (11, [2, 2, 2, 1], [5, 5, 5, 0]),
        (11, [1, 1, 1, 1], [5, 5, 5, 5]),
        (1, [2, 1], [1, 0]),
        (1, [1, 1], [0, 0]),
    ],
)
def test_what_a_room_pays(value: int, advisors: list[int], paid: list[int]) -> None:
    assert payments(value, advisors) == paid


def test_advisors_next_door_decide_nothing() -> None:
    assert City().draw("*  p/wwwa:BB").lay("g/waww:A").settled == [Settled(1 + 1, [2, 0])]


# -- rooms next door ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("facing", "value"), [("a", 1 + 4), ("o", 1 + 4), ("w", 1)])
def test_an_archway_against_a_wall_is_blocked_and_the_room_behind_it_does_not_count(facing: str, value: int) -> None:
    city = City().draw(f"*  p/oww{facing}:d")
    assert city.lay("g/waww:A").settled == [Settled(value, [value, 0])]


@pytest.mark.parametrize("own", "owa")
@pytest.mark.parametrize("theirs", "owa")
def test_a_border_is_a_passage_if_one_side_is_an_arch_and_neither_a_wall(own: str, theirs: str) -> None:
    colour = "g" if own + theirs == "oo" else "p"
    city = City().draw(f"g/w{theirs}ww  *").lay(f"{colour}/www{own}")
    assert (city.next_door(1, 0) != []) == (own + theirs in ("aa", "ao", "oa"))
    assert (city.room(1, 0) is city.room(0, 0)) == (own + theirs == "oo")


def test_two_archways_to_the_same_neighbour_count_it_once() -> None:
    city = City().draw("""
        g/woow:A  p/wwoa
        *         p/owwa
    """)
    assert city.lay("g/oaww").settled == [Settled(4, [4, 0])]
    assert city.next_door(0, 0) == cells([(1, 0), (1, 1)])


def test_two_rooms_next_door_that_became_one_count_once() -> None:
    city = City().draw("""
        g/waoo:A  p/wwoa
        g/owow    .
        g/oaww    p/owwa
    """)
    assert city.next_door(0, 0) == cells([(1, 0)], [(1, 2)])
    assert city.lay("p/owow", at=(1, 1)).next_door(0, 0) == cells([(1, 0), (1, 1), (1, 2)])
    assert city.lay("g/woww", at=(-1, 2)).settled == [Settled(4 + 3, [7, 0])]


def test_neighbours_of_neighbours_do_not_count() -> None:
    city = City().draw("*  p/wawa:d  w/wwwa:d").lay("g/waww:A")
    assert city.settled == [Settled(1 + 4, [5, 0])]


@pytest.mark.parametrize(("next_door", "closed"), [("p/wwwa:d", True), ("p/wwoa:d", False)])
def test_a_room_next_door_counts_closed_or_not(next_door: str, closed: bool) -> None:
    city = City().draw(f"*  {next_door}")
    assert (city.room(1, 0).open_edges == 0) == closed
    assert city.lay("g/waww:A").settled == [Settled(1 + 4, [5, 0])]


# -- closing --------------------------------------------------------------------------------------------------


def test_a_tile_can_close_several_rooms_at_once_each_settled_on_its_own() -> None:
    city = City(players=3).draw("""
        .         p/wwow:C  .
        g/woww:A  *         w/wwwo:BB
    """)
    assert city.lay("g/aaaa").settled == [
        Settled(1 + 1, [2, 0, 0]),
        Settled(1 + 3, [0, 0, 0]),
        Settled(1 + 1, [0, 0, 2]),
        Settled(1 + 1, [0, 2, 0]),
    ]
    assert [event.cells for event in city.settlements] == [[(0, 0)], [(1, 0)], [(1, 1)], [(2, 0)]]


def test_a_tile_that_joins_two_rooms_and_closes_them_settles_one_room() -> None:
    city = City().draw("g/woww:A  *  g/wwwo:BB").lay("g/wowo")
    assert city.settled == [Settled(3, [1, 3])]
    assert city.settlements[0].cells == [(0, 0), (1, 0), (2, 0)]


def test_archways_and_walls_close_a_room_though_the_cell_behind_is_empty() -> None:
    assert City().lay("g/waww:A").settled == [Settled(1, [1, 0])]


def test_a_room_with_an_open_edge_that_faces_an_empty_cell_is_not_closed() -> None:
    city = City().lay("g/owww:A")
    assert city.settled == []
    assert city.room(0, 0).open_edges == 1


def test_in_a_ring_of_rooms_each_counts_its_two_neighbours_once_and_not_the_one_across() -> None:
    city = City().draw("""
        g/waaw:A  p/wwaa:A
        *         w/awwa:A
    """)
    assert city.lay("p/aaww:AA").settled == [Settled(1 + 2, [3, 0])]
    assert city.next_door(0, 0) == cells([(0, 1)], [(1, 0)])
    assert city.next_door(1, 1) == cells([(0, 1)], [(1, 0)])


def test_a_ring_in_one_room_is_one_room() -> None:
    city = City().draw("""
        g/woow:A  g/wwoo
        *         g/owwo:d
    """)
    assert city.lay("g/ooww").settled == [Settled(4 + 3, [7, 0])]


def test_a_passage_from_a_room_into_itself_adds_nothing() -> None:
    city = City().draw("""
        g/woow:A  g/wwao
        *         g/awwo:d
    """)
    assert city.lay("g/ooww").settled == [Settled(4 + 3, [7, 0])]
    assert city.next_door(0, 0) == []


def test_a_passage_between_rooms_that_became_one_adds_nothing() -> None:
    city = City().draw("""
        *       g/wwoo
        g/oaww  g/owwa
    """)
    assert city.next_door(0, 0) == cells([(1, 0), (1, 1)])
    assert city.lay("g/woow:A").settled == [Settled(4, [4, 0])]
    assert city.next_door(0, 0) == []


# -- the start tile -------------------------------------------------------------------------------------------


def test_a_room_around_a_garden_is_closed_by_the_gardens_walls() -> None:
    city = City(start_tile="garden").draw(
        """
        g/woow:A  g/wooo  g/wwoo
        g/ooow    #       #
        *         #       #
        """,
        west=-2,
    )
    assert city.settled == []
    assert city.lay("g/ooww").settled == [Settled(7, [7, 0])]
    assert set(city.settlements[0].cells) == {(-2, 0), (-2, 1), (-2, 2), (-1, 2), (0, 2), (0, 1), (-1, 0)}


def test_a_wall_laid_against_the_start_tile_closes_a_room_of_the_start_tile_alone() -> None:
    city = City(start_tile="garden").lay("p/oowo:AA", at=(0, 2))
    assert [(event.cells, event.value, event.paid) for event in city.settlements] == [([(0, 1)], 1, [0, 0])]


def test_an_archway_laid_against_the_start_tile_closes_its_room_and_counts() -> None:
    city = City(start_tile="garden").lay("p/ooao:AA", at=(0, 2))
    assert city.settled == [Settled(1 + 1, [0, 0])]


def test_a_room_of_the_advanced_start_tile_counts_those_that_its_archways_lead_to() -> None:
    city = City(start_tile="advanced").draw(
        """
        .       w/owww  *
        w/owww  #       #
        """,
        west=-2,
        south=1,
    )
    assert city.settled == []
    assert city.lay("g/wwow:A").settled == [Settled(3 + 2 + 2, [7, 0])]


# -- diagonal tiles -------------------------------------------------------------------------------------------


def test_a_diagonal_tile_counts_in_both_rooms_and_its_picture_only_in_that_of_its_own_part() -> None:
    city = City().draw("""
        .         g/wwow:A  .
        p/woww:B  *         g/wwwo
    """)
    assert city.lay("gp/oowo:d").settled == [Settled(2, [0, 2]), Settled(3 + 3, [6, 0])]
    assert [event.cells for event in city.settlements] == [[(0, 0), (1, 0)], [(1, 0), (1, 1), (2, 0)]]


def test_the_advisors_on_a_diagonal_tile_stay_in_their_own_part_when_it_is_turned() -> None:
    city = City().draw("""
        .       p/wwow:B  .
        p/woww  *         g/wwwo:B
    """)
    assert city.lay("gp/oaoo:AA@1").settled == [Settled(3, [0, 3]), Settled(2, [2, 1])]


def test_a_diagonal_tile_both_of_whose_parts_belong_to_one_room_counts_once() -> None:
    city = City().draw("""
        g/woow:A  g/wwoo
        g/ooww    *
    """)
    assert city.lay("gg/owwo:d").settled == [Settled(4 + 3, [7, 0])]
    assert city.settlements[0].cells == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_diagonal_tile_next_door_counts_in_each_of_its_rooms() -> None:
    city = City().draw("""
        .         g/wwow   .
        p/woww:d  gp/oaao  w/wwoa:A
        .         w/aoww   *
    """)
    assert city.lay("w/owwo").settled == [Settled(3 + (2 + 3) + 2, [10, 0])]
    assert city.next_door(2, 0) == cells([(0, 1), (1, 1)], [(1, 1), (1, 2)])
