"""What holds in every Forbidden City, whatever is decided: whole games at random."""

import copy
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from referee.games import Seeded
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.board import LayTile
from referee.games.forbidden_city.config import CityConfig
from referee.games.forbidden_city.log import RoomSettled, StackShown, TileLaid
from referee.games.forbidden_city.tile_set import TileSet
from referee.games.forbidden_city.tiles import OWNERS, Tile
from referee.testing import finish
from tests.cases import some_in_ci
from tests.games.city_invariants import Survey, edges, fair_pay, neighbour
from tests.games.playing import seats

pytestmark = pytest.mark.xdist_group("city invariants")  # decisions are chosen once


def random_tile_set(random: Random) -> TileSet:
    """Tiles of all kinds in one to three colours, different for each owner, many of them symmetrical or diagonal."""
    colours = ["green", "pink", "white"][: random.randint(1, 3)]

    def random_tile() -> Tile:
        shut = random.sample(range(4), random.choice([1, 1, 1, 2, 3, 4]))
        shape = "".join(random.choice("wa") if side in shut else "o" for side in range(4))
        parts = tuple(random.choice(colours) for _ in range(random.choice([1, 1, 2])))
        return random.choice(
            [
                Tile(shape, parts, "none", 0),
                Tile(shape, parts, "dragon", 1),
                Tile(shape, parts, "advisors", 1),
                Tile(shape, parts, "advisors", 2),
            ]
        )

    def random_tiles(kinds: int) -> tuple[Tile, ...]:
        return tuple(random_tile() for _ in range(kinds) for _ in range(2))

    owned, two = random.randint(4, 12), random.randint(0, 2)
    return TileSet(
        colours=tuple(colours),
        owned={owner: random_tiles(owned) for owner in OWNERS},
        two={owner: random_tiles(two) if owner in OWNERS[:2] else () for owner in OWNERS},
    )


CONFIGURATIONS = [
    (players, start_tile, ("reconstructed", "random")[(number + number // 2 + last) % 2])
    for last in range(2)
    for number, (players, start_tile) in enumerate(product("234", ("garden", "advanced")))
]
"""In the first half each number of players, and each start tile, is with both tile sets."""
GAMES = 1
"""Of every configuration."""
DECISIONS: dict[str, list[Any]] = {}
"""Those of every random player: each test plays the same games, and choosing takes the longest."""


def in_every_game(test: Callable[[ForbiddenCity, str], None]) -> Callable[..., None]:
    """Run a test on some new games of every configuration, with the name of a random player that plays no other."""

    @pytest.mark.parametrize("configuration", some_in_ci(CONFIGURATIONS, CONFIGURATIONS[:6]), ids="-".join)
    def run(configuration: tuple[str, Any, str]) -> None:
        players, start_tile, tile_set = int(configuration[0]), *configuration[1:]
        for number in range(GAMES):
            name = f"{players}-{start_tile}-{tile_set}-{number}"
            config = CityConfig(players=players, start_tile=start_tile)
            if tile_set == "random":
                tiles = random_tile_set(Random(name))
                config = CityConfig(players=players, start_tile=start_tile, tile_set="random.toml", tiles=tiles)
            test(ForbiddenCity.new(config, Seeded(name)), name)

    wrapped: Callable[..., None] = run
    return wrapped


def positions(game: ForbiddenCity, decider: str) -> Iterator[None]:
    """Play to the end by the decisions of a random player. Yields at the start and after each tile."""
    if decider not in DECISIONS:
        DECISIONS[decider] = [*decisions(game.copy(), decider)]
    for action in DECISIONS[decider]:
        yield
        game.apply(action)
    yield


def decisions(game: ForbiddenCity, decider: str) -> Iterator[Any]:
    """Those of a whole game: at random or preferring many neighbours or large rooms, so that rings occur."""
    random = Random(decider)

    def facing(way: Any) -> Iterator[str]:
        """The two edges at each border of the tile if laid there."""
        assert game.turn is not None
        tile = game.hands[game.turn.seat]
        assert tile is not None
        for side, edge in enumerate(edges(tile, way.rotation)):
            beyond = game.board.turned.get(neighbour((way.x, way.y), side))
            if beyond is not None:
                yield edge.kind + beyond[(side + 2) % 4].edge

    def neighbours(way: Any) -> int:
        return len([*facing(way)])

    def joins(way: Any) -> int:
        return [*facing(way)].count("oo")

    def chance(way: Any) -> int:
        return 0

    while game.turn is not None:
        ways = random.sample(game.legal_actions(), len(game.legal_actions()))
        chosen = max(ways, key=random.choice([neighbours, joins, chance]))
        yield chosen
        game.apply(chosen)


def tiles_laid(game: ForbiddenCity, seat: int) -> list[Tile]:
    """The tiles of a seat on the table."""
    return [laid.tile for laid in game.rooms.laid if laid.seat == seat]


# -- the table ------------------------------------------------------------------------------------------------


@in_every_game
def test_cells_are_distinct_and_connected_and_no_border_joins_two_colours(game: ForbiddenCity, decider: str) -> None:
    for _ in positions(game, decider):
        survey = Survey(game.rooms.laid, game.config.players)
        assert len(survey.laid) == len(game.rooms.laid)
        assert survey.is_connected()
        for _, own, _, facing in survey.borders():
            assert own.kind + facing.kind != "oo" or own.colour == facing.colour


@in_every_game
def test_rooms_grown_tile_by_tile_are_those_of_a_flood_fill(game: ForbiddenCity, decider: str) -> None:
    for _ in positions(game, decider):
        surveyed = Survey(game.rooms.laid, game.config.players).rooms()
        room_of = {parts: game.rooms.room_of(min(parts)) for parts in surveyed}
        assert sorted(room.id for room in room_of.values()) == sorted(game.rooms.by_id)
        for parts, expected in surveyed.items():
            room = room_of[parts]
            assert all(game.rooms.room_of(part) is room for part in parts)
            assert len(room.cells) == len(set(room.cells))
            assert set(room.cells) == expected.cells
            assert room.colour == expected.colour
            assert room.open_edges == expected.open_edges
            assert room.advisors == expected.advisors
            assert room.dragons == expected.dragons
            assert len(room.passages) == len(set(room.passages))
            assert {*room.passages} == {room_of[other].id for other in expected.next_door}


@in_every_game
def test_every_tile_on_the_board_names_the_rooms_of_its_parts(game: ForbiddenCity, decider: str) -> None:
    for _ in positions(game, decider):
        surveyed = Survey(game.rooms.laid, game.config.players).rooms()
        for seat in seats(game):
            seen = game.observe(seat)
            rooms = {room.id: room for room in seen.rooms}
            found = {(laid.x, laid.y, part): room for laid in seen.board for part, room in enumerate(laid.rooms)}
            assert [len(laid.rooms) for laid in seen.board] == [len(laid.tile.parts) for laid in seen.board]
            for parts, expected in surveyed.items():
                (room,) = {found.pop(part) for part in parts}
                assert set(rooms[room].cells) == expected.cells
            assert not found


@in_every_game
def test_legal_is_every_cell_in_every_rotation_tried_out(game: ForbiddenCity, decider: str) -> None:
    for _ in positions(game, decider):
        if game.turn is not None:
            tile = game.hands[game.turn.seat]
            assert tile is not None
            legal = [(way.x, way.y, way.rotation) for way in game.legal_actions() if isinstance(way, LayTile)]
            assert len(legal) == len(set(legal)) > 0
            assert set(legal) == Survey(game.rooms.laid, game.config.players).legal(tile)


# -- settling -------------------------------------------------------------------------------------------------


@in_every_game
def test_every_room_is_settled_once_when_it_closes_for_what_the_rules_say(game: ForbiddenCity, decider: str) -> None:
    closed_before: set[frozenset[Any]] = set()
    seen = 0
    for _ in positions(game, decider):
        events = [event for event, _ in game.log[seen:]]
        seen = len(game.log)
        rooms = Survey(game.rooms.laid, game.config.players).rooms()
        closed = {parts for parts, room in rooms.items() if room.open_edges == 0}
        assert closed_before <= closed, "settled rooms never change"
        expected = []
        for parts in closed - closed_before:
            value = rooms[parts].own_value + sum(rooms[other].own_value for other in rooms[parts].next_door)
            expected.append((sorted(rooms[parts].cells), value, fair_pay(value, rooms[parts].advisors)))
        settled = [event for event in events if isinstance(event, RoomSettled)]
        emitted = [(event.cells, event.value, event.paid) for event in settled]
        assert sorted(emitted) == sorted(expected)
        assert [min(cells) for cells, _, _ in emitted] == sorted(min(cells) for cells, _, _ in emitted)
        assert {event.seat for event in settled} <= {e.seat for e in events if isinstance(e, TileLaid)}
        for room in game.rooms.by_id.values():
            assert isinstance(room.value, int) == (room.open_edges == 0)
        closed_before = closed


@in_every_game
def test_coins_never_fall_and_are_the_sum_of_what_was_paid(game: ForbiddenCity, decider: str) -> None:
    before = [0] * game.config.players
    for _ in positions(game, decider):
        assert all(now >= then for now, then in zip(game.coins, before, strict=True))
        before = game.coins[:]
        paid = [event.paid for event, _ in game.log if isinstance(event, RoomSettled)]
        shown = {event.seat: event.paid for event, _ in game.log if isinstance(event, StackShown)}
        assert game.coins == [sum(each[seat] for each in paid) + shown.get(seat, 0) for seat in seats(game)]


# -- tiles ----------------------------------------------------------------------------------------------------


@in_every_game
def test_hands_stacks_and_laid_tiles_are_the_tile_set(game: ForbiddenCity, decider: str) -> None:
    sets = [Counter(game.config.loaded_tiles().stack(seat, game.config.players)) for seat in seats(game)]
    for _ in positions(game, decider):
        for seat in seats(game):
            hand = game.hands[seat]
            held = [] if hand is None else [hand]
            assert Counter([*held, *game.stacks[seat], *tiles_laid(game, seat)]) == sets[seat]


@in_every_game
def test_each_lays_all_but_two_tiles_one_by_one_in_turn(game: ForbiddenCity, decider: str) -> None:
    size = len(game.config.loaded_tiles().stack(0, game.config.players))
    for _ in positions(game, decider):
        laid = [each.seat for each in game.rooms.laid[9:]]
        assert laid == [number % game.config.players for number in range(len(laid))]
        assert all(len(stack) >= 2 for stack in game.stacks)
    assert len(laid) == (size - 2) * game.config.players
    assert game.hands == [None] * game.config.players
    assert [len(stack) for stack in game.stacks] == [2] * game.config.players


@in_every_game
def test_what_is_left_for_a_seat_is_each_set_less_the_tiles_on_the_table_and_in_the_own_hand(
    game: ForbiddenCity, decider: str
) -> None:
    sets = [Counter(game.config.loaded_tiles().stack(seat, game.config.players)) for seat in seats(game)]
    for _ in positions(game, decider):
        for seat in seats(game):
            seen = game.observe(seat)
            assert seen.hand == game.hands[seat]
            for owner in seats(game):
                own_hand = [seen.hand] if owner == seat and seen.hand is not None else []
                expected = sets[owner] - Counter(tiles_laid(game, owner)) - Counter(own_hand)
                left = {Tile(kind.edges, kind.parts, kind.picture, kind.count): kind.left[owner] for kind in seen.left}
                assert len(left) == len(seen.left)
                assert +Counter(left) == expected
                assert expected.total() == seen.stacks[owner] + (seen.in_hand[owner] if owner != seat else 0)


# -- copies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_a_pickled_or_deeply_copied_game_has_the_same_demands(
    duplicate: Callable[[ForbiddenCity], ForbiddenCity],
) -> None:
    """They are looked up by identity."""
    game = ForbiddenCity.new(CityConfig(players=3), Seeded("demands"))
    random = Random("demands")
    for _ in range(20):
        game.apply(random.choice(game.legal_actions()))
    twin = duplicate(game)
    for each, same in zip(game.board.free_cells.values(), twin.board.free_cells.values(), strict=True):
        assert each.demand is same.demand
    assert finish(twin, "on").log == finish(game, "on").log
