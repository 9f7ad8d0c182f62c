"""Expansion I: the Great Wall (rules page, section 2.6)."""

import pytest

from referee.games import IllegalAction
from referee.games.year_of_the_dragon.action_phase import choose_action
from referee.games.year_of_the_dragon.great_wall import wall_scoring
from referee.games.year_of_the_dragon.log import WallBuilt
from referee.games.year_of_the_dragon.tiles import EventTile
from tests.games.dragon import DragonTable, floors, palace


@pytest.fixture
def wall() -> DragonTable:
    """A table for three with the Great Wall, where build_wall alone may be chosen."""
    table = DragonTable(great_wall=True)
    table.groups(["build_wall"])
    return table


@pytest.mark.parametrize(
    ("tile", "what", "brings"),
    [
        ("rice", "rice", 1),
        ("fireworks", "fireworks", 1),
        ("yuan", "yuan", 2),
        ("person_track", "track", 3),
        ("points", "score", 3),
    ],
)
def test_a_wall_tile_brings_what_it_shows(wall: DragonTable, tile: str, what: str, brings: int) -> None:
    anna = wall.player()
    wall.run(choose_action, anna).answer(kind="card", group=0, card="build_wall", wall_tile=tile)
    assert wall.due is None
    assert wall.changes(anna, what) == [brings]
    assert wall.game.wall == [anna.seat]


def test_the_palace_tile_builds_a_floor_at_once(wall: DragonTable) -> None:
    anna = wall.player(palaces=[palace(3), palace(2)])
    wall.run(choose_action, anna).answer(kind="card", group=0, card="build_wall", wall_tile="palace")
    assert wall.legal() == [{"palace": 1}, {"palace": 2}]
    wall.answer(palace=2)
    assert wall.due is None
    assert floors(anna) == {0: 3, 1: 2, 2: 1}


def test_each_of_the_six_wall_tiles_may_be_used_once(wall: DragonTable) -> None:
    anna = wall.player()
    tiles_left = ["rice", "fireworks", "palace", "yuan", "person_track", "points"]
    wall.run(choose_action, anna)
    assert [action.get("wall_tile") for action in wall.legal()] == [*tiles_left, None]
    wall.answer(kind="card", group=0, card="build_wall", wall_tile="rice").run(choose_action, anna)
    assert [action.get("wall_tile") for action in wall.legal()] == [*tiles_left[1:], None]
    with pytest.raises(IllegalAction):
        wall.answer(kind="card", group=0, card="build_wall", wall_tile="rice")


def test_the_wall_is_common_and_grows_by_one_whoever_builds(wall: DragonTable) -> None:
    anna, ben = wall.player(), wall.player()
    for builder, tile in ((ben, "rice"), (anna, "rice"), (ben, "yuan")):
        wall.run(choose_action, builder).answer(kind="card", group=0, card="build_wall", wall_tile=tile)
    assert wall.game.wall == [ben.seat, anna.seat, ben.seat]
    assert [event.length for event in wall.events(WallBuilt)] == [1, 2, 3]


def test_without_the_expansion_nobody_has_wall_tiles_or_sees_a_wall(dragon: DragonTable) -> None:
    seen = dragon.seen_by(0)
    assert "wall" not in seen
    assert "wall_tiles" not in seen["players"][0]


@pytest.mark.parametrize("round_no", [4, 5])
def test_a_wall_that_reaches_the_round_scores_a_point_per_own_tile(wall: DragonTable, round_no: int) -> None:
    anna, ben, clara = wall.player(["monk"]), wall.player(["monk"]), wall.player(["monk"])
    wall.build_wall(anna, ben, anna, anna, ben)
    wall.game.round = round_no
    wall.run(wall_scoring)
    assert wall.due is None
    assert [anna.score, ben.score, clara.score] == [3, 2, 0]


def test_a_wall_short_of_the_round_costs_those_with_the_fewest_tiles_a_person_each(wall: DragonTable) -> None:
    anna, ben, clara = wall.player(["monk"]), wall.player(["monk"]), wall.player(["monk"])
    wall.build_wall(anna, ben, anna, clara)
    wall.game.round = 5
    wall.run(wall_scoring).finish()
    assert wall.decided() == [(ben.seat, "release_person"), (clara.seat, "release_person")]
    assert [anna.score, ben.score, clara.score] == [0, 0, 0]


def test_having_no_tile_in_the_wall_counts_as_fewest(wall: DragonTable) -> None:
    anna, ben = wall.player(["monk"]), wall.player(["monk"])
    clara = wall.player(["monk", "farmer"])
    wall.build_wall(anna, ben, ben)
    wall.game.round = 12
    wall.run(wall_scoring).finish()
    assert wall.decided() == [(clara.seat, "release_person")]
    assert clara.person_count() == 1


def test_players_with_the_fewest_tiles_release_in_order_of_play(wall: DragonTable) -> None:
    for track in (3, 8, 5):
        wall.player(["monk"], track=track)
    wall.run(wall_scoring).finish()
    assert [seat for seat, _ in wall.decided()] == [1, 2, 0]


@pytest.mark.parametrize("event", ["peace", "drought", "contagion"])
def test_the_wall_is_not_scored_in_a_round_without_mongols(wall: DragonTable, event: EventTile) -> None:
    anna = wall.player(["warrior", "monk"])
    wall.build_wall(*[anna] * 6)
    wall.rest_of_round(4, event).finish()
    assert "great_wall" not in wall.reasons()


@pytest.mark.parametrize(("tiles", "points"), [(11, []), (12, [4])])
def test_the_goal_of_the_last_wall_scoring_is_12(wall: DragonTable, tiles: int, points: list[int]) -> None:
    anna, ben, clara = (wall.player(["monk"]) for _ in range(3))
    wall.build_wall(*([anna, ben, clara] * 4)[:tiles])
    wall.rest_of_round(12).finish()
    assert wall.changes(anna, "score", "great_wall") == points
    assert [anna.person_count(), ben.person_count(), clara.person_count()] == [1, 1, 1 if points else 0]


def test_mongols_in_round_12_score_the_wall_twice(wall: DragonTable) -> None:
    anna, ben, clara = (wall.player(["monk", "warrior"]) for _ in range(3))
    wall.build_wall(*[anna, ben, clara] * 4)
    wall.rest_of_round(12, "mongol_invasion").finish()
    assert wall.changes(anna, "score", "great_wall") == [4, 4]
