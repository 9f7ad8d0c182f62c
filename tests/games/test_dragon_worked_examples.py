"""The worked examples of the rulebooks."""

from referee.games.year_of_the_dragon.action_phase import (
    build,
    choose_action,
    harvest,
    military_parade,
    research,
)
from referee.games.year_of_the_dragon.event_phase import (
    contagion,
    dragon_festival,
    drought,
    imperial_tribute,
    mongol_invasion,
)
from referee.games.year_of_the_dragon.log import PersonLeft
from referee.games.year_of_the_dragon.scoring import final_scoring, scoring_phase
from referee.games.year_of_the_dragon.setup import draft
from referee.games.year_of_the_dragon.super_events import flood
from tests.games.dragon import DragonTable, floors, palace


def test_taxes_of_two_tax_collectors_at_an_occupied_group_cost_3_and_bring_8(dragon: DragonTable) -> None:
    clara = dragon.player()
    anna = dragon.player(["tax_collector", "tax_collector"])
    dragon.groups(["taxes", "build"], ["harvest"])
    dragon.run(choose_action, clara).answer(kind="card", group=0, card="taxes")
    dragon.run(choose_action, anna).answer(kind="card", group=0, card="taxes")
    assert dragon.changes(clara, "yuan") == [+2]
    assert dragon.changes(anna, "yuan") == [-3, +8]


def test_build_with_two_craftsmen_raises_a_one_floor_palace_by_two_and_starts_a_new_one(
    dragon: DragonTable,
) -> None:
    emil = dragon.player(palaces=[palace(1, "craftsman"), palace(2, "craftsman")])
    dragon.run(build, emil).answer(palace=0).answer(palace=0).answer(palace=2)
    assert dragon.due is None
    assert floors(emil) == {0: 3, 1: 2, 2: 1}


def test_harvest_with_a_young_and_an_old_farmer_brings_4_rice(dragon: DragonTable) -> None:
    anna = dragon.player(["farmer", "old farmer"])
    dragon.run(harvest, anna)
    assert anna.rice == 4


def test_parade_with_two_old_warriors_moves_5_spaces(dragon: DragonTable) -> None:
    ben = dragon.player(["old warrior", "old warrior"], track=10)
    dragon.run(military_parade, ben)
    assert ben.track == 15


def test_research_with_a_young_and_an_old_scholar_scores_6(dragon: DragonTable) -> None:
    dora = dragon.player(["scholar", "old scholar"])
    dragon.run(research, dora)
    assert dora.score == 6


def test_tribute_with_2_yuan_takes_them_and_two_persons(dragon: DragonTable) -> None:
    clara = dragon.player(["monk", "farmer", "scholar"], yuan=2)
    assert dragon.decisions_of(imperial_tribute, clara) == ["release_person", "release_person"]
    assert clara.yuan == 0
    assert clara.person_count() == 1


def test_drought_with_three_inhabited_palaces_and_4_rice_takes_3(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(2, "monk"), palace(1, "farmer"), palace(2), palace(1, "healer")], rice=4)
    assert dragon.decisions_of(drought, anna) == []
    assert anna.rice == 1
    assert anna.person_count() == 3


def test_drought_without_rice_takes_a_person_from_each_of_three_palaces(dragon: DragonTable) -> None:
    ben = dragon.player(
        palaces=[
            palace(2, "monk", "farmer"),
            palace(3, "healer", "scholar"),
            palace(3, "warrior", "monk"),
            palace(2),
        ]
    )
    assert dragon.decisions_of(drought, ben) == ["release_person"] * 3
    assert {left.palace for left in dragon.events(PersonLeft)} == {0, 1, 2}
    assert ben.person_count() == 3


def test_festival_of_3_3_2_and_1_fireworks_scores_6_6_3_and_0() -> None:
    table = DragonTable(players=4)
    guests = [table.player(fireworks=number) for number in (3, 3, 2, 1)]
    table.run(dragon_festival)
    assert [guest.score for guest in guests] == [6, 6, 3, 0]
    assert [sum(table.changes(guest, "fireworks")) for guest in guests] == [-2, -2, -1, 0]


def test_mongols_at_3_3_2_1_and_1_helmets_score_as_many_and_the_last_two_release_one_each() -> None:
    table = DragonTable(players=5)
    threes = [table.player(["old warrior", "warrior"]) for _ in range(2)]
    two = table.player(["warrior", "warrior"])
    ones = [table.player(["warrior", "monk"]) for _ in range(2)]
    table.run(mongol_invasion).finish()
    assert [player.score for player in (*threes, two, *ones)] == [3, 3, 2, 1, 1]
    assert table.decided() == [(one.seat, "release_person") for one in ones]
    assert [one.person_count() for one in ones] == [1, 1]


def test_contagion_with_two_young_healers_takes_one_person(dragon: DragonTable) -> None:
    clara = dragon.player(["healer", "healer", "monk"])
    assert dragon.decisions_of(contagion, clara) == ["release_person"]
    assert clara.person_count() == 2


def test_scoring_of_three_palaces_two_court_ladies_and_a_large_privilege_brings_7(dragon: DragonTable) -> None:
    dora = dragon.player(palaces=[palace(2, "court_lady"), palace(1, "court_lady"), palace(1)], large_privileges=1)
    dragon.run(scoring_phase)
    assert dora.score == 7


def test_final_scoring_of_seven_persons_two_monks_and_what_is_sold_brings_25(dragon: DragonTable) -> None:
    anna = dragon.player(
        palaces=[
            palace(2, "monk", "farmer"),
            palace(3, "old monk", "healer", "scholar"),
            palace(2, "warrior", "craftsman"),
        ],
        rice=1,
        fireworks=2,
        yuan=4,
    )
    dragon.run(final_scoring)
    assert anna.score == 25


def test_flood_takes_3_of_3_yuan_2_rice_and_2_fireworks_in_any_mix(dragon: DragonTable) -> None:
    ben = dragon.player(yuan=3, rice=2, fireworks=2)
    dragon.run(flood)
    assert dragon.due == (ben.seat, "give_back")
    assert {sum(mix.values()) for mix in dragon.legal()} == {3}
    assert len(dragon.legal()) == 8
    dragon.answer(yuan=1, rice=2, fireworks=0)
    assert (ben.yuan, ben.rice, ben.fireworks) == (2, 0, 2)


def test_draft_lands_on_7_on_7_on_top_of_it_and_on_8(dragon: DragonTable) -> None:
    anna, ben, clara = players = [dragon.player() for _ in range(3)]
    pairs = ["scholar", "tax_collector"], ["farmer", "tax_collector"], ["farmer", "scholar"]
    for player, pair in zip(players, pairs, strict=True):
        dragon.run(draft, player).answer(persons=pair).finish()
    assert [player.track for player in players] == [7, 7, 8]
    assert dragon.game.in_order() == [clara, ben, anna]
