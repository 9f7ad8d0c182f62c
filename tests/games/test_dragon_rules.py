"""The basic game, rule by rule: components, order of play, draft, actions, persons, scoring (rules page, section 2)."""

from itertools import combinations

import pytest

from referee.games import IllegalAction
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.action_phase import action_phase, choose_action, military_parade
from referee.games.year_of_the_dragon.log import PersonLeft
from referee.games.year_of_the_dragon.palaces import build_floors, decay
from referee.games.year_of_the_dragon.person_phase import person_phase, play_card
from referee.games.year_of_the_dragon.scoring import final_scoring, scoring_phase
from referee.games.year_of_the_dragon.setup import draft
from tests.games.dragon import PERSONS, DragonTable, floors, palace, persons

PERSON_TABLE = {  # value, symbols, tiles with 5, 4, 3 and 2 players
    "craftsman": (2, 1, (10, 8, 6, 4)),
    "court_lady": (1, 1, (10, 8, 6, 4)),
    "tax_collector": (3, 3, (10, 8, 6, 4)),
    "pyrotechnist": (5, 1, (6, 5, 4, 3)),
    "old pyrotechnist": (3, 2, (4, 3, 2, 1)),
    "warrior": (5, 1, (6, 5, 4, 3)),
    "old warrior": (3, 2, (4, 3, 2, 1)),
    "monk": (6, 1, (6, 5, 4, 3)),
    "old monk": (2, 2, (4, 3, 2, 1)),
    "healer": (4, 1, (6, 5, 4, 3)),
    "old healer": (1, 2, (4, 3, 2, 1)),
    "farmer": (4, 1, (6, 5, 4, 3)),
    "old farmer": (1, 2, (4, 3, 2, 1)),
    "scholar": (4, 2, (6, 5, 4, 3)),
    "old scholar": (2, 3, (4, 3, 2, 1)),
}


# -- components -----------------------------------------------------------------------------------------------


def test_there_are_these_kinds_of_person_tiles_and_no_others() -> None:
    assert set(PERSONS) == set(PERSON_TABLE)


@pytest.mark.parametrize("name", PERSON_TABLE)
def test_a_person_tile_has_the_value_symbols_and_supply_of_the_table(name: str) -> None:
    value, symbols, supply = PERSON_TABLE[name]
    tile = PERSONS[name]
    table = DragonTable()
    anna = table.player([name])
    table.game.move_in(anna, anna.palaces[1], tile, "test")
    assert anna.track == value
    assert anna.symbols(tile.person) == 2 * symbols
    assert [DragonTable(players=n).game.display.left(tile.person, tile.age) for n in (5, 4, 3, 2)] == [*supply]


@pytest.mark.parametrize(
    ("great_wall", "players", "sizes"),
    [
        (False, 2, [4, 3]),
        (False, 3, [3, 2, 2]),
        (False, 4, [2, 2, 2, 1]),
        (False, 5, [2, 2, 1, 1, 1]),
        (True, 2, [4, 4]),
        (True, 3, [3, 3, 2]),
        (True, 4, [2, 2, 2, 2]),
        (True, 5, [2, 2, 2, 1, 1]),
    ],
)
def test_all_action_cards_are_dealt_into_groups_as_even_as_possible(
    great_wall: bool, players: int, sizes: list[int]
) -> None:
    table = DragonTable(players=players, great_wall=great_wall).run(action_phase)
    groups = [group.cards for group in table.game.action_groups]
    assert sorted(map(len, groups), reverse=True) == sizes
    cards = {"taxes", "build", "harvest", "fireworks", "military_parade", "research", "privilege"}
    assert sorted(card for group in groups for card in group) == sorted(
        cards | ({"build_wall"} if great_wall else set())
    )


# -- order of play --------------------------------------------------------------------------------------------


def test_the_furthest_marker_goes_first_and_on_one_space_the_last_to_arrive(dragon: DragonTable) -> None:
    anna, ben, clara = (dragon.player(track=track) for track in (4, 7, 4))
    assert dragon.game.in_order() == [ben, clara, anna]
    dragon.game.move(anna, 3, "test")
    assert dragon.game.in_order() == [anna, ben, clara]


def test_a_marker_that_does_not_move_stays_where_it_is_in_its_stack(dragon: DragonTable) -> None:
    anna, ben = dragon.player(track=4), dragon.player(track=4)
    dragon.game.move(anna, 0, "test")
    assert dragon.game.in_order()[:2] == [ben, anna]


def test_everyone_acts_once_in_order_of_play(dragon: DragonTable) -> None:
    for track in (3, 8, 5):
        dragon.player(track=track)
    dragon.run(action_phase)
    while dragon.due:
        dragon.answer(kind="replenish")
    assert dragon.decided() == [(seat, "choose_action") for seat in (1, 2, 0)]


def test_a_parade_changes_the_order_of_the_person_phase_that_follows(dragon: DragonTable) -> None:
    for track in (4, 3, 2):
        dragon.player(["old warrior"] if track == 2 else (), track=track, hand=["monk"])
    dragon.run(military_parade, dragon.game.players[2])
    dragon.run(person_phase).finish()
    assert [seat for seat, decision in dragon.decided() if decision == "play_card"] == [2, 0, 1]


# -- draft ----------------------------------------------------------------------------------------------------


def test_the_first_seat_may_draft_any_two_different_types_each_pair_listed_once(dragon: DragonTable) -> None:
    dragon.run(draft, dragon.player())
    assert [tuple(action["persons"]) for action in dragon.legal()] == [*combinations(sorted(tiles.FACTS), 2)]


@pytest.mark.parametrize("pair", [["scholar", "farmer"], ["farmer", "scholar"]])
def test_a_pair_is_accepted_in_either_order_and_placed_in_the_given_one(dragon: DragonTable, pair: list[str]) -> None:
    anna = dragon.player()
    dragon.run(draft, anna).answer(persons=pair)
    asked = []
    for home in (0, 1):
        asked.append(dragon.turn.person)
        dragon.answer(palace=home)
    assert asked == pair
    assert persons(anna) == {0: pair[:1], 1: pair[1:]}


def test_both_drafted_persons_may_go_to_one_palace(dragon: DragonTable) -> None:
    anna = dragon.player()
    dragon.run(draft, anna).answer(persons=["monk", "farmer"]).answer(palace=1).answer(palace=1)
    assert persons(anna) == {0: [], 1: ["monk", "farmer"]}
    assert anna.track == 6 + 4


def test_a_pair_that_an_earlier_seat_took_may_not_be_taken_in_either_order(dragon: DragonTable) -> None:
    anna, ben = dragon.player(), dragon.player()
    dragon.run(draft, anna).answer(persons=["scholar", "farmer"]).finish()
    dragon.run(draft, ben)
    assert len(dragon.legal()) == 36 - 1
    for pair in (["farmer", "scholar"], ["scholar", "farmer"]):
        with pytest.raises(IllegalAction):
            dragon.answer(persons=pair)
    dragon.answer(persons=["farmer", "monk"])


# -- action phase ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("yuan", "gets"), [(0, [3]), (2, [1]), (3, []), (8, [])])
def test_replenishing_fills_up_to_3_yuan(dragon: DragonTable, yuan: int, gets: list[int]) -> None:
    anna = dragon.player(yuan=yuan)
    dragon.groups(["taxes"])
    dragon.run(choose_action, anna).answer(kind="replenish")
    assert dragon.changes(anna, "yuan") == gets


def test_a_group_that_another_player_chose_costs_3_yuan_and_is_closed_to_those_with_less(
    dragon: DragonTable,
) -> None:
    anna, ben, clara = dragon.player(), dragon.player(yuan=2), dragon.player(yuan=3)
    dragon.groups(["taxes", "harvest"], ["research"])
    free = [{"kind": "card", "group": 1, "card": "research"}, {"kind": "replenish"}]
    dragon.run(choose_action, anna).answer(kind="card", group=0, card="taxes")
    assert dragon.run(choose_action, ben).legal() == free
    dragon.answer(kind="replenish").run(choose_action, clara)
    assert dragon.allows(kind="card", group=0, card="harvest")
    dragon.answer(kind="card", group=0, card="taxes")
    assert dragon.changes(clara, "yuan") == [-3, +2], "a card may be used again by a later player"
    assert [group.taken_by for group in dragon.game.action_groups] == [[anna.seat, clara.seat], []]


@pytest.mark.parametrize(
    ("card", "court", "what", "brings"),
    [
        ("taxes", [], "yuan", 2),
        ("harvest", [], "rice", 1),
        ("fireworks", [], "fireworks", 1),
        ("fireworks", ["pyrotechnist", "old pyrotechnist"], "fireworks", 4),
        ("military_parade", [], "track", 1),
        ("research", [], "score", 1),
    ],
)
def test_an_action_counts_the_symbols_on_its_card_and_on_own_persons(
    dragon: DragonTable, card: tiles.ActionCard, court: list[str], what: str, brings: int
) -> None:
    anna = dragon.player(court)
    dragon.groups([card])
    dragon.run(choose_action, anna).answer(kind="card", group=0, card=card)
    assert dragon.due is None
    assert dragon.changes(anna, what) == [brings]


def test_several_new_palaces_may_arise_from_one_build_but_none_of_more_than_3_floors(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(3)])
    dragon.run(build_floors, anna, 4, "build").answer(palace=1).answer(palace=1).answer(palace=1)
    assert dragon.legal() == [{"palace": 2}]
    dragon.answer(palace=2)
    assert floors(anna) == {0: 3, 1: 3, 2: 1}


@pytest.mark.parametrize(("edition", "large"), [("anniversary", 7), ("first", 6)])
@pytest.mark.parametrize("size", ["small", "large"])
def test_one_privilege_is_bought_at_the_price_of_the_edition(edition: str, large: int, size: str) -> None:
    table = DragonTable(edition=edition)
    anna = table.player(yuan=20)
    table.groups(["privilege"])
    table.run(choose_action, anna).answer(kind="card", group=0, card="privilege", size=size)
    assert table.due is None
    assert anna.yuan == 20 - (large if size == "large" else 2)
    assert (anna.small_privileges, anna.large_privileges) == ((0, 1) if size == "large" else (1, 0))


# -- person phase ---------------------------------------------------------------------------------------------


def test_a_card_takes_a_young_or_an_old_tile_of_its_type(dragon: DragonTable) -> None:
    anna = dragon.player(hand=["monk", "court_lady"])
    assert dragon.run(play_card, anna).legal() == [
        {"card": "monk", "person": "monk", "age": "young"},
        {"card": "monk", "person": "monk", "age": "old"},
        {"card": "court_lady", "person": "court_lady", "age": "young"},
    ]
    dragon.answer(card="monk", person="monk", age="old").answer(palace=1)
    assert persons(anna) == {0: [], 1: ["old monk"]}
    assert (anna.track, anna.hand_size, anna.played) == (2, 1, ["monk"])
    assert dragon.game.hands[anna.seat] == ["court_lady"]


def test_a_wild_card_takes_any_tile_on_display(dragon: DragonTable) -> None:
    dragon.sell_out("old monk", "court_lady")
    dragon.run(play_card, dragon.player(hand=["wild", "wild"]))
    offered = [PERSONS[name] for name in PERSONS if name not in ("old monk", "court_lady")]
    assert dragon.legal() == [{"card": "wild", "person": tile.person, "age": tile.age} for tile in offered]


def test_a_new_person_brings_nothing_by_itself(dragon: DragonTable) -> None:
    anna = dragon.player(hand=["tax_collector"])
    dragon.run(play_card, anna).finish()
    assert (anna.yuan, anna.score, anna.track) == (6, 0, 3)


def test_a_card_whose_type_is_wholly_gone_may_be_played_and_brings_nothing(dragon: DragonTable) -> None:
    dragon.sell_out("monk", "old monk")
    anna = dragon.player(hand=["monk", "farmer"])
    dragon.run(play_card, anna)
    assert dragon.legal()[0] == {"card": "monk"}
    assert {"card": "farmer"} not in dragon.legal()
    dragon.answer(card="monk")
    assert dragon.due is None
    assert (anna.person_count(), anna.track, anna.hand_size) == (0, 0, 1)


def test_a_person_must_move_in_while_there_is_room(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(1, "monk"), palace(2, "farmer"), palace(1)], hand=["healer"])
    dragon.run(play_card, anna).answer(card="healer", person="healer", age="young")
    assert dragon.legal() == [{"palace": 1}, {"palace": 2}]


FULL = [palace(3, "monk", "monk", "farmer"), palace(1, "farmer")]


def test_with_full_palaces_any_own_person_may_be_replaced_and_the_marker_moves(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=FULL, hand=["healer"])
    dragon.run(play_card, anna).answer(card="healer", person="healer", age="young")
    assert dragon.legal() == [
        {"palace": 0, "replace": {"person": "monk", "age": "young"}},
        {"palace": 0, "replace": {"person": "farmer", "age": "young"}},
        {"palace": 1, "replace": {"person": "farmer", "age": "young"}},
        {"refuse": True},
    ]
    dragon.answer(palace=0, replace={"person": "monk", "age": "young"})
    assert persons(anna) == {0: ["monk", "farmer", "healer"], 1: ["farmer"]}
    assert anna.track == 4


def test_a_new_person_may_be_refused_and_never_returns_to_the_display(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=FULL, hand=["healer"])
    before = {name: dragon.game.display.left(tile.person, tile.age) for name, tile in PERSONS.items()}
    dragon.run(play_card, anna).answer(card="healer", person="healer", age="young").answer(refuse=True)
    after = {name: dragon.game.display.left(tile.person, tile.age) for name, tile in PERSONS.items()}
    assert after == {**before, "healer": before["healer"] - 1}
    assert len(dragon.events(PersonLeft)) == 1
    assert persons(anna) == {0: ["monk", "monk", "farmer"], 1: ["farmer"]}
    assert anna.track == 0


def test_a_player_without_palaces_can_only_refuse(dragon: DragonTable) -> None:
    anna = dragon.player(hand=["monk"])
    anna.palaces.clear()
    dragon.run(play_card, anna).answer(card="monk", person="monk", age="young")
    assert dragon.legal() == [{"refuse": True}]


# -- decay, scoring, ranking ----------------------------------------------------------------------------------


def test_a_palace_without_a_person_loses_a_floor_and_is_gone_at_none(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(3), palace(1), palace(2, "monk"), palace(1)])
    dragon.run(decay)
    assert floors(anna) == {0: 2, 2: 2}


def test_the_id_of_a_lost_palace_is_not_used_again(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(2, "monk"), palace(1)])
    dragon.run(decay).run(build_floors, anna, 1, "build")
    assert dragon.legal() == [{"palace": 0}, {"palace": 2}]


def test_scoring_counts_uninhabited_palaces_and_every_dragon_on_privileges(dragon: DragonTable) -> None:
    anna = dragon.player(palaces=[palace(1), palace(3)], small_privileges=2, large_privileges=2)
    dragon.run(scoring_phase)
    assert anna.score == 2 + 2 * 1 + 2 * 2


@pytest.mark.parametrize(("yuan", "points"), [(0, 0), (2, 0), (3, 1), (5, 1), (6, 2)])
def test_every_full_3_yuan_are_a_point_in_the_end(dragon: DragonTable, yuan: int, points: int) -> None:
    anna = dragon.player(yuan=yuan)
    dragon.run(final_scoring)
    assert anna.score == points


def test_among_tied_players_the_one_further_ahead_in_order_of_play_ranks_better() -> None:
    table = DragonTable(players=5)
    for score, track in ((50, 9), (60, 4), (60, 7), (50, 9), (70, 1)):
        table.player(score=score, track=track)
    ranking = table.game.ranking()
    assert ranking.scores == [50, 60, 60, 50, 70]
    assert ranking.ranks == [5, 3, 2, 4, 1]
