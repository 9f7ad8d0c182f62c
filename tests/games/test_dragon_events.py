"""The six events of the basic game, rule by rule (rules page, section 2.3)."""

import pytest

from referee.games import IllegalAction
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.event_phase import (
    contagion,
    dragon_festival,
    drought,
    imperial_tribute,
    mongol_invasion,
)
from tests.games.dragon import PERSONS, DragonTable, palace, persons


def test_peace_changes_nothing(dragon: DragonTable) -> None:
    anna = dragon.player(["monk"], yuan=0, fireworks=1)
    dragon.strike("peace")
    assert dragon.due is None
    assert (anna.person_count(), anna.yuan, anna.fireworks, anna.score) == (1, 0, 1, 0)


@pytest.mark.parametrize("event", ["imperial_tribute", "drought", "mongol_invasion", "contagion"])
def test_persons_are_released_in_order_of_play(dragon: DragonTable, event: tiles.EventTile) -> None:
    for track in (3, 8, 5):
        dragon.player(["monk"], track=track, yuan=3)
    dragon.strike(event).finish()
    assert dragon.decided() == [(seat, "release_person") for seat in (1, 2, 0)]


@pytest.mark.parametrize("event", ["imperial_tribute", "mongol_invasion", "contagion"])
def test_each_kind_of_person_in_each_palace_may_be_released_and_is_listed_once(
    dragon: DragonTable, event: tiles.EventTile
) -> None:
    dragon.player(palaces=[palace(3, "monk", "monk", "old monk"), palace(2, "monk")], yuan=3)
    dragon.strike(event)
    assert dragon.legal() == [
        {"palace": 0, "person": "monk", "age": "young"},
        {"palace": 0, "person": "monk", "age": "old"},
        {"palace": 1, "person": "monk", "age": "young"},
    ]


@pytest.mark.parametrize(("yuan", "paid", "released"), [(0, 0, 4), (1, 1, 3), (4, 4, 0), (9, 4, 0)])
def test_tribute_takes_money_first_and_a_person_for_each_yuan_missing(
    dragon: DragonTable, yuan: int, paid: int, released: int
) -> None:
    anna = dragon.player(["monk", "farmer", "scholar", "healer", "warrior"], yuan=yuan)
    asked = dragon.decisions_of(imperial_tribute, anna)
    assert asked == ["release_person"] * released
    assert anna.yuan == yuan - paid


def test_drought_with_too_little_rice_takes_all_of_it_and_hits_the_palaces_of_ones_choice(
    dragon: DragonTable,
) -> None:
    anna = dragon.player(palaces=[palace(2, "monk", "farmer"), palace(1, "healer"), palace(2, "scholar")], rice=1)
    dragon.run(drought)
    assert anna.rice == 0
    dragon.answer(palace=0, person="farmer", age="young")
    assert {action["palace"] for action in dragon.legal()} == {1, 2}, "palace 0 was hit already"
    with pytest.raises(IllegalAction):
        dragon.answer(palace=0, person="monk", age="young")
    dragon.answer(palace=2, person="scholar", age="young")
    assert dragon.due is None
    assert persons(anna) == {0: ["monk"], 1: ["healer"], 2: []}


@pytest.mark.parametrize(
    ("fireworks", "points", "left"),
    [
        ((5, 4, 3), [6, 3, 0], [2, 2, 3]),
        ((4, 4, 1), [6, 6, 3], [2, 2, 0]),
        ((4, 1, 1), [6, 3, 3], [2, 0, 0]),
        ((1, 0, 0), [6, 0, 0], [0, 0, 0]),
        ((0, 0, 0), [0, 0, 0], [0, 0, 0]),
        ((2, 2, 2), [6, 6, 6], [1, 1, 1]),
    ],
)
def test_festival_rewards_most_and_second_most_fireworks_ties_alike(
    dragon: DragonTable, fireworks: tuple[int, ...], points: list[int], left: list[int]
) -> None:
    guests = [dragon.player(fireworks=number) for number in fireworks]
    dragon.run(dragon_festival)
    assert [guest.score for guest in guests] == points
    assert [guest.fireworks for guest in guests] == left


@pytest.mark.parametrize(
    ("helmets", "released"), [((0, 1, 1), [0]), ((2, 4, 2), [0, 2]), ((0, 0, 4), [0, 1]), ((1, 1, 1), [0, 1, 2])]
)
def test_mongols_take_a_person_from_those_with_the_fewest_helmets(
    dragon: DragonTable, helmets: tuple[int, ...], released: list[int]
) -> None:
    courts = {0: ["monk"], 1: ["warrior"], 2: ["warrior", "warrior"], 4: ["old warrior", "old warrior"]}
    players = [dragon.player(courts[number]) for number in helmets]
    dragon.run(mongol_invasion).finish()
    assert [seat for seat, _ in dragon.decided()] == released
    assert tuple(player.score for player in players) == helmets


@pytest.mark.parametrize(
    ("healers", "released"),
    [([], 3), (["healer"], 2), (["old healer"], 1), (["healer", "old healer"], 0), (["old healer"] * 2, 0)],
)
def test_contagion_takes_three_persons_one_fewer_per_mortar(
    dragon: DragonTable, healers: list[str], released: int
) -> None:
    anna = dragon.player([*healers, "monk", "farmer", "scholar"])
    assert dragon.decisions_of(contagion, anna) == ["release_person"] * released


def test_mortars_count_before_anyone_leaves(dragon: DragonTable) -> None:
    anna = dragon.player(["healer", "monk", "farmer", "scholar"])
    dragon.run(contagion).answer(palace=0, person="healer", age="young").finish()
    assert dragon.decided() == [(anna.seat, "release_person")] * 2


def test_no_event_touches_the_display(dragon: DragonTable) -> None:
    for _ in range(3):
        dragon.player(["monk", "farmer"], yuan=0)
    before = {name: dragon.game.display.left(tile.person, tile.age) for name, tile in PERSONS.items()}
    for event in tiles.EVENT_TILES:
        dragon.strike(event).finish()
    after = {name: dragon.game.display.left(tile.person, tile.age) for name, tile in PERSONS.items()}
    assert sum(player.person_count() for player in dragon.game.players) == 0
    assert after == before
