"""The Forbidden City: start tile, tile set, where a tile may lie, turn order, the end (rules page, section 2)."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from referee.games import ChanceError, Recorded, Seeded
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.board import Cell, LayTile
from referee.games.forbidden_city.config import CityConfig
from referee.games.forbidden_city.log import RoomSettled, StackShown, TileLaid
from referee.games.forbidden_city.start_tile import START_TILES, StartTile
from referee.games.forbidden_city.tile_set import reconstructed
from referee.games.forbidden_city.tiles import OWNERS, Tile
from referee.testing import encode, finish
from tests.games.city import City, tile
from tests.games.playing import random_turns

# -- the start tile -------------------------------------------------------------------------------------------

NORTH_WEST, NORTH, NORTH_EAST = (-1, 1), (0, 1), (1, 1)
WEST, TEMPLE, EAST = (-1, 0), (0, 0), (1, 0)
SOUTH_WEST, SOUTH, SOUTH_EAST = (-1, -1), (0, -1), (1, -1)
BLOCK: list[Cell] = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
SIDES_UP: list[StartTile] = ["garden", "advanced"]


def start_edges(side_up: StartTile) -> dict[tuple[Cell, Cell], str]:
    """The edge of each cell of the start tile towards each of its four neighbours."""
    return {
        ((x, y), (x + dx, y + dy)): edge
        for (x, y), part in START_TILES[side_up].items()
        for (dx, dy), edge in zip([(0, 1), (1, 0), (0, -1), (-1, 0)], part.edges, strict=True)
    }


@pytest.mark.parametrize("side_up", SIDES_UP)
def test_the_start_tile_is_a_block_of_nine_cells_without_pictures_around_a_walled_temple(side_up: StartTile) -> None:
    start = START_TILES[side_up]
    assert sorted(start) == sorted(BLOCK)
    assert (start[TEMPLE].edges, start[TEMPLE].parts) == ("wwww", ())
    assert {(part.picture, part.count) for part in start.values()} == {("none", 0)}


def test_the_garden_side_has_four_walled_gardens_and_four_rooms_that_open_outwards() -> None:
    start = START_TILES["garden"]
    gardens = [NORTH_WEST, NORTH_EAST, SOUTH_EAST, SOUTH_WEST]
    rooms = {NORTH: ("green",), EAST: ("pink",), SOUTH: ("white",), WEST: ("green",)}
    assert {cell: start[cell].parts for cell in BLOCK if start[cell].parts} == rooms
    for (cell, neighbour), edge in start_edges("garden").items():
        assert edge == ("o" if neighbour not in BLOCK and cell not in gardens else "w")


def test_the_advanced_side_has_four_rooms_of_two_cells_with_archways_between_them() -> None:
    rooms = {"NW+N": {NORTH_WEST, NORTH}, "NE+E": {NORTH_EAST, EAST}}
    rooms |= {"SE+S": {SOUTH_EAST, SOUTH}, "SW+W": {SOUTH_WEST, WEST}}
    colours = {"NW+N": "green", "NE+E": "pink", "SE+S": "white", "SW+W": "green"}
    for name, room in rooms.items():
        assert {START_TILES["advanced"][cell].parts for cell in room} == {(colours[name],)}
    for (cell, neighbour), edge in start_edges("advanced").items():
        if TEMPLE in (cell, neighbour):
            assert edge == "w"
        elif neighbour not in BLOCK or {cell, neighbour} in rooms.values():
            assert edge == "o"
        else:
            assert edge == "a"


@pytest.mark.parametrize(("side_up", "rooms"), [("garden", [1] * 4), ("advanced", [2] * 4)])
def test_no_room_of_the_start_tile_is_closed_or_settled_at_the_beginning(side_up: StartTile, rooms: list[int]) -> None:
    game = ForbiddenCity.new(CityConfig(start_tile=side_up), Seeded(1))
    assert [len(room.cells) for room in game.rooms.by_id.values()] == rooms
    assert all(room.open_edges > 0 for room in game.rooms.by_id.values())
    assert not [event for event, _ in game.log if isinstance(event, RoomSettled)]


# -- the tile set ---------------------------------------------------------------------------------------------

NEXT = {"g": "p", "p": "w", "w": "g"}
SECTION_3 = ["{c}/wooo:d", "{c}/wooo:AA", "{c}/aooo:A", "{c}/wwoo:A", "{c}/waoo:AA", "{c}/woao:A", "{c}/wawo:A"]
SECTION_3 += ["{c}{next}/wooa:A"]
MARKED_2 = ["{c}/wooo:A", "{c}/wwoo:d"]


def tiles_of(kinds: Sequence[str]) -> Counter[Tile]:
    """Each kind once in each colour."""
    return Counter(tile(kind.format(c=colour, next=NEXT[colour])) for kind in kinds for colour in "gpw")


@pytest.mark.parametrize(("players", "size"), [(2, 30), (3, 24), (4, 24)])
def test_every_player_has_24_tiles_and_6_more_with_two_players(players: int, size: int) -> None:
    expected = tiles_of([*SECTION_3, *(MARKED_2 if players == 2 else [])])
    assert expected.total() == size
    assert set(expected.values()) == {1}, "no two tiles of a player are alike"
    for seat in range(players):
        assert Counter(reconstructed().stack(seat, players)) == expected


def test_the_colours_by_seat_are_purple_yellow_red_and_blue() -> None:
    assert OWNERS == ("purple", "yellow", "red", "blue")
    assert {owner: len(tiles) for owner, tiles in reconstructed().owned.items()} == dict.fromkeys(OWNERS, 24)
    assert {owner: len(tiles) for owner, tiles in reconstructed().two.items()} == {
        "purple": 6, "yellow": 6, "red": 0, "blue": 0,
    }  # fmt: skip


# -- where a tile may lie -------------------------------------------------------------------------------------


def test_the_first_tile_may_lie_at_the_twelve_cells_beside_the_start_tile() -> None:
    game = ForbiddenCity.new(CityConfig(), Seeded(1))
    ring = [cell for cell in product((-2, -1, 0, 1, 2), repeat=2) if sorted(map(abs, cell)) in ([0, 2], [1, 2])]
    places = {(way.x, way.y) for way in game.legal_actions() if isinstance(way, LayTile)}
    assert places == set(ring)
    assert len(ring) == 12


def test_two_colours_are_never_joined_and_a_wall_or_an_archway_parts_them() -> None:
    city = City(start_tile="garden")
    north_of_green = (0, 2)
    assert city.ways("g/wooo", north_of_green) == [0, 1, 2, 3]
    assert city.ways("p/wooo", north_of_green) == [2]
    assert city.ways("p/aooo", north_of_green) == [2]
    assert city.ways("p/waoo", north_of_green) == [1, 2]
    assert city.ways("gp/wooa", north_of_green) == [1, 2, 3]
    assert city.ways("p/wooo", (-1, 2)) == [0, 1, 2, 3], "a garden's wall"


def test_every_neighbour_of_the_cell_has_its_say() -> None:
    city = City().draw("""
        g/woww  *
        .       p/owww
    """)
    assert city.ways("g/wooo", city.gap) == [2], "a wall to the pink room, in the south"
    assert city.ways("p/wooo", city.gap) == [3], "a wall to the green room, in the west"
    assert city.ways("w/wooo", city.gap) == []
    assert city.ways("w/wwoo", city.gap) == [2]
    assert city.ways("gp/wooa", city.gap) == [0, 2, 3]


def test_a_tile_that_fits_no_neighbour_may_not_lie_there() -> None:
    city = City().draw("""
        .       w/wwow  .
        w/wowo  *       w/wwwo
    """)
    assert city.ways("g/wooo", city.gap) == []
    assert city.ways("g/waww", city.gap) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "rotations"),
    [
        ("g/wooo:d", [0, 1, 2, 3]),
        ("g/waoo", [0, 1, 2, 3]),
        ("g/wowo", [0, 1]),
        ("g/awaw:AA", [0, 1]),
        ("g/wwww:A", [0]),
        ("gp/wwww", [0, 1, 2, 3]),
        ("gg/wwww", [0, 1]),
        ("gg/wwww:d", [0, 1, 2, 3]),
        ("gg/wowo", [0, 1]),
        ("gg/wwoo", [0, 1, 2, 3]),
        ("gg/wowo:A", [0, 1, 2, 3]),
    ],
)
def test_of_rotations_that_look_the_same_the_smallest_is_legal(text: str, rotations: list[int]) -> None:
    city = City().draw("w/wwww  *")
    assert city.ways(text, city.gap) == rotations


# -- rooms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [(0, 0), (1, 0), (2, 0)])
def test_rooms_that_become_one_keep_the_oldest_number(last: Cell) -> None:
    row = [(0, 0), (1, 0), (2, 0)]
    city = City()
    for cell in [*(cell for cell in row if cell != last), last]:
        city.lay("g/wowo", at=cell)
    assert [room.id for room in city.game.rooms.by_id.values()] == [0]
    city = City().draw("g/wowo  *  g/wowo  .  g/wowo").lay("g/wowo").lay("g/wowo", at=(3, 0))
    assert [(room.id, len(room.cells)) for room in city.game.rooms.by_id.values()] == [(0, 5)]


def test_rooms_joined_in_a_copy_stay_apart_in_the_original() -> None:
    city = City().draw("g/wowo  .  g/wowo  .  g/wowo")
    city.copy().lay("g/wowo", at=(3, 0)).lay("g/wowo", at=(1, 0))
    city.lay("g/wowo", at=(1, 0))
    assert sorted(city.room(0, 0).cells) == [(0, 0), (1, 0), (2, 0)]
    assert city.room(4, 0).cells == [(4, 0)]


# -- on the wire ----------------------------------------------------------------------------------------------


def test_actions_tiles_and_settled_rooms_have_the_shape_of_the_protocol() -> None:
    assert encode(LayTile(x=1, y=-2, rotation=0)) == b'{"x":1,"y":-2,"rotation":0}'
    assert encode(tile("g/woao:AA")) == b'{"edges":"woao","parts":["green"],"picture":"advisors","count":2}'
    assert encode(tile("gp/wooa")) == b'{"edges":"wooa","parts":["green","pink"],"picture":"none","count":0}'
    city = City().draw("g/woww:A  *").lay("g/wwwo:BB")
    settled = b'{"type":"settled","seat":1,"cells":[[0,0],[1,0]],"value":2,"paid":[1,2]}'
    assert encode(city.settlements) == b"[" + settled + b"]"
    assert encode(CityConfig()) == b'{"players":2,"start_tile":"garden","tile_set":"reconstructed"}'


# -- turns and the end ----------------------------------------------------------------------------------------


def game_with(stacks: list[list[Tile]], **options: Any) -> ForbiddenCity:
    """A new game with these stacks, the top first."""
    return ForbiddenCity.new(CityConfig(players=len(stacks), **options), Recorded({("stacks", None): stacks}))


def ordered(players: int, *last_two: Sequence[str]) -> list[list[Tile]]:
    """Every player's tiles, those named last."""
    stacks = []
    for seat in range(players):
        stack = reconstructed().stack(seat, players)
        for text in last_two[seat] if seat < len(last_two) else ():
            stack.remove(tile(text))
            stack.append(tile(text))
        stacks.append(stack)
    return stacks


def test_tiles_are_laid_in_the_order_of_the_stack_from_the_top() -> None:
    stacks = ordered(3)
    game = finish(game_with(stacks), "stack")
    laid = [event for event, _ in game.log if isinstance(event, TileLaid)]
    for seat, stack in enumerate(stacks):
        assert [event.tile for event in laid if event.seat == seat] == stack[:-2]


def test_a_tile_is_laid_and_settled_before_the_next_one_is_drawn_and_the_next_player_is_asked() -> None:
    game = game_with(ordered(2))
    first, second = game.hands[0], game.stacks[0][-1]
    game.apply(game.legal_actions()[0])
    assert game.rooms.laid[-1].tile == first
    assert game.hands[0] == second
    assert game.turn is not None
    assert (game.turn.seat, game.turn.decision) == (1, "lay_tile")


def test_at_the_end_everyone_shows_two_tiles_for_2_coins_per_advisor_and_3_per_dragon() -> None:
    last_two = [
        ["g/wooo:d", "p/wooo:AA"],
        ["w/wooo:d", "g/wooo:d"],
        ["g/aooo:A", "gp/wooa:A"],
        ["p/waoo:AA", "w/waoo:AA"],
    ]
    game = game_with(ordered(4, *last_two))
    coins = [0] * 4
    for _ in random_turns(game, "end"):
        assert not [event for event, _ in game.log if isinstance(event, StackShown)]
        coins = game.coins[:]
    settled = [event.paid for event, _ in game.log[-8:] if isinstance(event, RoomSettled)]
    coins = [sum(each) for each in zip(coins, *settled, strict=True)]
    shown = [event for event, _ in game.log[-4:] if isinstance(event, StackShown)]
    assert [(event.seat, event.tiles) for event in shown] == [(s, [*map(tile, two)]) for s, two in enumerate(last_two)]
    assert [event.paid for event in shown] == [3 + 4, 6, 4, 8]
    assert game.coins == [event.coins for event in shown] == [c + e.paid for c, e in zip(coins, shown, strict=True)]
    assert game.ranking().scores == game.coins


STACKS = ordered(3)


@pytest.mark.parametrize(
    "stacks",
    [
        "tiles",
        [["tile"]],
        STACKS[:2],
        [*STACKS, STACKS[0]],
        [STACKS[0], STACKS[1], STACKS[2][1:]],
        [STACKS[0], STACKS[1], [*STACKS[2], STACKS[2][0]]],
        [STACKS[0], STACKS[1], [*STACKS[2][1:], STACKS[2][1]]],
        [STACKS[0], STACKS[1], [*STACKS[2][1:], tile("g/wwww")]],
    ],
)
def test_recorded_stacks_that_are_not_the_players_tiles_are_refused(stacks: Any) -> None:
    with pytest.raises(ChanceError) as refusal:
        ForbiddenCity.new(CityConfig(players=3), Recorded({("stacks", None): stacks}))
    assert (refusal.value.name, refusal.value.missing) == ("stacks", False)
