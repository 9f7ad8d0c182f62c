"""Expansion II: the ten super events, which strike in round 7 (rules page, section 2.7)."""

from collections.abc import Sequence

import pytest

from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.log import PersonLeft
from referee.games.year_of_the_dragon.super_events import (
    assassination,
    buddha,
    charter,
    earthquake,
    flood,
    lanternfest,
    sunrise,
    tornado,
    volcanic_eruption,
)
from tests.games.dragon import PERSONS, DragonTable, floors, palace, persons


@pytest.mark.parametrize("super_event", tiles.SUPER_EVENTS)
def test_a_super_event_strikes_in_round_7_alone_after_the_event(super_event: str) -> None:
    struck = {}
    for round_no in (6, 7, 8):
        table = DragonTable(super_event=super_event)
        table.player(["monk"])
        table.rest_of_round(round_no, "drought").finish()
        struck[round_no] = table.struck()
    repeat = ["drought"] if super_event == "solar_eclipse" else []
    assert struck == {6: ["drought"], 7: ["drought", super_event, *repeat], 8: ["drought"]}


@pytest.mark.parametrize("super_event", ["earthquake", "flood", "tornado", "sunrise", "charter"])
def test_players_decide_in_order_of_play(super_event: str) -> None:
    table = DragonTable(super_event=super_event)
    for track in (3, 8, 5):
        table.player(["monk"], track=track)
    table.rest_of_round(7).finish()
    assert list(dict.fromkeys(seat for seat, _ in table.decided())) == [1, 2, 0]


def test_lanternfest_scores_2_per_person(dragon: DragonTable) -> None:
    anna, ben = dragon.player(["monk", "farmer", "farmer"]), dragon.player()
    dragon.run(lanternfest)
    assert (anna.score, ben.score) == (6, 0)


def test_buddha_scores_buddhas_times_floors_for_each_monk(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(3, "old monk", "monk", "farmer"), palace(1, "monk")])
    dragon.run(buddha)
    assert anna.score == 2 * 3 + 1 * 3 + 1 * 1


def test_earthquake_takes_two_floors_of_the_players_choice(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(3), palace(2), palace(1)])
    dragon.run(earthquake)
    assert dragon.legal() == [{"palace": 0}, {"palace": 1}, {"palace": 2}]
    dragon.answer(palace=0).answer(palace=2)
    assert floors(anna) == {0: 2, 1: 2}
    assert dragon.turn.seat == 1


def test_earthquake_takes_one_floor_from_a_player_who_has_one_and_none_from_one_who_has_none() -> None:
    table = DragonTable(players=2)
    anna, ben = table.player(palaces=[palace(1)]), table.player()
    ben.palaces.clear()
    table.run(earthquake).finish()
    assert table.decided() == [(0, "lose_floor")]
    assert floors(anna) == {}


def test_earthquake_releases_who_no_longer_fits_by_choice_among_that_palace(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(2, "monk", "farmer"), palace(2, "healer")])
    dragon.run(earthquake).answer(palace=0)
    assert dragon.legal() == [
        {"palace": 0, "person": "monk", "age": "young"},
        {"palace": 0, "person": "farmer", "age": "young"},
    ]
    dragon.answer(palace=0, person="monk", age="young")
    assert persons(anna) == {0: ["farmer"], 1: ["healer"]}
    assert floors(anna) == {0: 1, 1: 2}
    dragon.answer(palace=1)
    assert dragon.turn.seat == 1, "the healer still fits"
    assert floors(anna) == {0: 1, 1: 1}


def test_earthquake_can_release_everybody_of_a_palace_that_is_lost(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(2, "monk", "farmer"), palace(3)])
    dragon.run(earthquake).answer(palace=0).answer(palace=0, person="farmer", age="young")
    dragon.answer(palace=0).answer(palace=0, person="monk", age="young")
    assert floors(anna) == {1: 3}
    assert [left.reason for left in dragon.events(PersonLeft)] == ["earthquake"] * 2


@pytest.mark.parametrize(("goods", "given"), [(0, 0), (1, 0), (2, 1), (5, 2), (6, 3)])
def test_flood_takes_half_of_all_goods_rounded_down(goods: int, given: int) -> None:
    table = DragonTable(players=2)
    anna = table.player(yuan=goods // 2, rice=goods - goods // 2)
    asked = table.decisions_of(flood, anna)
    assert asked == ["give_back"] * (given > 0)
    assert anna.yuan + anna.rice + anna.fireworks == goods - given


def test_solar_eclipse_scores_the_festival_again_with_the_fireworks_that_are_left() -> None:
    table = DragonTable(players=2, super_event="solar_eclipse")
    anna, ben = table.player(fireworks=4), table.player(fireworks=3)
    table.rest_of_round(7, "dragon_festival")
    assert table.changes(anna, "score", "dragon_festival") == [6, 6]
    assert table.changes(ben, "score", "dragon_festival") == [3, 3]
    assert (anna.fireworks, ben.fireworks) == (1, 0)


def test_volcanic_eruption_puts_all_markers_on_0_and_keeps_their_order(dragon: DragonTable) -> None:
    anna, ben, clara = (dragon.player(track=track) for track in (5, 9, 5))
    before = dragon.game.in_order()
    dragon.run(volcanic_eruption)
    assert [anna.track, ben.track, clara.track] == [0, 0, 0]
    assert dragon.game.in_order() == before == [ben, clara, anna]


def test_tornado_takes_two_cards_of_choice_from_each_player_in_order(dragon: DragonTable) -> None:
    for hand in (["monk", "wild", "wild", "farmer"], ["monk", "farmer", "healer", "scholar"], ["monk"]):
        dragon.player(hand=hand)
    dragon.run(tornado)
    assert dragon.legal() == [{"card": "monk"}, {"card": "wild"}, {"card": "farmer"}]
    dragon.answer(card="wild").answer(card="wild")
    assert dragon.turn.seat == 1
    dragon.finish()
    assert dragon.decided() == [(seat, "discard_card") for seat in (0, 0, 1, 1, 2)]
    assert dragon.game.hands == [["monk", "farmer"], ["healer", "scholar"], []]
    assert [player.hand_size for player in dragon.game.players] == [2, 2, 0]


def test_sunrise_gives_each_player_in_order_a_young_person_of_another_type(dragon: DragonTable) -> None:
    anna, ben, clara = (dragon.player() for _ in range(3))
    dragon.run(sunrise)
    assert dragon.legal() == [{"person": person} for person in tiles.FACTS]
    dragon.answer(person="monk").answer(palace=1)
    assert persons(anna) == {0: [], 1: ["monk"]}
    assert anna.track == 6
    assert dragon.turn.seat == ben.seat
    assert {"person": "monk"} not in dragon.legal()
    dragon.answer(person="farmer").answer(palace=0)
    assert dragon.turn.seat == clara.seat
    assert [action["person"] for action in dragon.legal()] == [
        person for person in tiles.FACTS if person not in ("monk", "farmer")
    ]


def test_sunrise_needs_no_card(dragon: DragonTable) -> None:
    anna = dragon.player(hand=[])
    dragon.run(sunrise).answer(person="monk").answer(palace=0)
    assert (anna.person_count(), anna.hand_size, anna.played) == (1, 0, [])


@pytest.mark.parametrize("refuse", [True, False])
def test_sunrise_with_full_palaces_replaces_or_refuses(dragon: DragonTable, refuse: bool) -> None:
    anna = dragon.player(palaces=[palace(1, "monk")])
    dragon.run(sunrise).answer(person="farmer")
    replacement = {"palace": 0, "replace": {"person": "monk", "age": "young"}}
    assert dragon.legal() == [replacement, {"refuse": True}]
    dragon.answer(**{"refuse": True} if refuse else replacement)
    assert persons(anna) == {0: ["monk" if refuse else "farmer"]}
    assert anna.track == (0 if refuse else 4)


def test_sunrise_passes_by_those_for_whom_nothing_is_left_to_choose(dragon: DragonTable) -> None:
    dragon.sell_out(*[name for name in PERSONS if name not in ("monk", "old farmer")])
    anna = dragon.player()
    assert dragon.decisions_of(sunrise, anna) == ["take_person", "place_person"]
    assert {seat for seat, _ in dragon.decided()} == {anna.seat}


def test_assassination_takes_all_privileges_before_they_are_scored() -> None:
    table = DragonTable(super_event="assassination")
    anna = table.player(small_privileges=2, large_privileges=1)
    table.rest_of_round(7)
    assert (anna.small_privileges, anna.large_privileges) == (0, 0)
    assert table.changes(anna, "score", "privileges") == []


def test_assassination_leaves_everything_else(dragon: DragonTable) -> None:
    anna = dragon.player(["monk"], small_privileges=1, score=5, rice=1)
    dragon.run(assassination)
    assert (anna.score, anna.rice, anna.yuan, anna.person_count()) == (5, 1, 6, 1)


@pytest.mark.parametrize(
    ("court", "chosen", "what", "brings"),
    [
        (["court_lady", "court_lady"], "court_lady", "score", 2),
        (["tax_collector", "tax_collector"], "tax_collector", "yuan", 6),
        (["pyrotechnist", "old pyrotechnist"], "pyrotechnist", "fireworks", 3),
        (["farmer", "old farmer", "monk"], "farmer", "rice", 3),
        (["scholar", "old scholar"], "scholar", "score", 5),
        (["monk", "old monk", "old monk"], "monk", "score", 2 + 4 + 4),
        (["warrior", "old warrior"], "warrior", "track", 3),
    ],
)
def test_charter_brings_the_benefit_of_one_type_by_the_symbols_on_own_tiles_alone(
    dragon: DragonTable, court: Sequence[str], chosen: str, what: str, brings: int
) -> None:
    anna = dragon.player(court)
    dragon.run(charter).answer(person=chosen)
    assert dragon.due is None
    assert dragon.changes(anna, what) == [brings]
    assert sum(len(dragon.changes(anna, other)) for other in ("score", "yuan", "track", "rice")) <= 1


def test_charter_craftsmen_build_a_floor_per_hammer(dragon: DragonTable) -> None:
    anna = dragon.player(["craftsman", "craftsman"])
    dragon.run(charter).answer(person="craftsman").answer(palace=0).answer(palace=2)
    assert dragon.due is None
    assert floors(anna) == {0: 3, 1: 2, 2: 1}


def test_charter_offers_the_types_in_the_players_palaces_each_once(dragon: DragonTable) -> None:
    dragon.player(["monk", "old monk", "farmer"])
    dragon.run(charter)
    assert dragon.legal() == [{"person": "monk"}, {"person": "farmer"}]
