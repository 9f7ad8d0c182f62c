"""The rulings Y1 to Y10, on points that the rulebooks leave open."""

from random import Random

import pytest

from referee.games.year_of_the_dragon.action_phase import choose_action
from referee.games.year_of_the_dragon.log import FinalScore, PalaceChanged
from referee.games.year_of_the_dragon.person_phase import person_phase, play_card
from referee.games.year_of_the_dragon.setup import shuffled_event_row
from referee.games.year_of_the_dragon.super_events import charter, tornado
from tests.games.dragon import PERSONS, DragonTable, floors, palace

EVENTS = {
    "d": "drought",
    "f": "dragon_festival",
    "m": "mongol_invasion",
    "c": "contagion",
    "t": "imperial_tribute",
}


class StackedBag(Random):
    """Shuffles the ten event tiles into these orders, one after the other."""

    def __init__(self, *orders: str) -> None:
        super().__init__(0)
        self.orders = list(orders)

    def shuffle(self, bag: list[str]) -> None:  # type: ignore[override]
        """The next order."""
        order = [EVENTS[letter] for letter in self.orders.pop(0)]
        assert sorted(order) == sorted(bag)
        bag[:] = order


def event_row(*orders: str) -> str:
    """The events of rounds 3 to 12 when the tiles are shuffled like this."""
    bag = StackedBag(*orders)
    row: list[str] = list(shuffled_event_row(bag))
    assert bag.orders == [], "not shuffled as often as expected"
    assert row[:2] == ["peace", "peace"]
    letters = {event: letter for letter, event in EVENTS.items()}
    return "".join(letters[event] for event in row[2:])


def test_y1_tiles_that_differ_from_their_left_neighbour_are_laid_in_a_row() -> None:
    assert event_row("dfmctdfmct") == "dfmctdfmct"


def test_y1_a_tile_equal_to_its_left_neighbour_skips_a_space_which_the_next_tile_fills() -> None:
    assert event_row("ddcmftmfct") == "dcdmftmfct"


def test_y1_a_tile_that_follows_a_pair_is_compared_with_the_pairs_second_place() -> None:
    assert event_row("ddccmmftft") == "dcdcmfmtft"


def test_y1_all_ten_are_laid_again_when_a_tile_fits_nowhere() -> None:
    assert event_row("ddccmmfftt", "tcmfdtcmfd") == "tcmfdtcmfd"


@pytest.mark.parametrize(("edition", "large"), [("anniversary", 7), ("first", 6)])
def test_y2_a_privilege_may_be_chosen_only_with_the_money_for_it(edition: str, large: int) -> None:
    sizes = {}
    for yuan in range(9):
        table = DragonTable(edition=edition)
        table.groups(["privilege"])
        table.run(choose_action, table.player(yuan=yuan))
        sizes[yuan] = [action["size"] for action in table.legal() if action["kind"] == "card"]
    assert sizes == {yuan: ["small", "large"] if yuan >= large else ["small"] if yuan >= 2 else [] for yuan in range(9)}


@pytest.mark.parametrize(("edition", "large"), [("anniversary", 7), ("first", 6)])
def test_y2_at_an_occupied_group_what_remains_after_3_yuan_must_pay_for_the_privilege(edition: str, large: int) -> None:
    table = DragonTable(edition=edition)
    first, second, third = table.player(), table.player(yuan=large + 2), table.player(yuan=large + 3)
    table.groups(["taxes", "privilege"], ["build"])
    table.run(choose_action, first).answer(kind="card", group=0, card="taxes")
    table.run(choose_action, second)
    assert not table.allows(kind="card", group=0, card="privilege", size="large")
    table.answer(kind="card", group=0, card="privilege", size="small")
    table.run(choose_action, third).answer(kind="card", group=0, card="privilege", size="large")
    assert (second.yuan, second.small_privileges) == (large + 2 - 3 - 2, 1)
    assert (third.yuan, third.large_privileges) == (0, 1)


def test_y2_the_wall_may_not_be_built_on_when_it_is_finished() -> None:
    table = DragonTable(great_wall=True)
    anna, ben, clara = (table.player() for _ in range(3))
    table.build_wall(*[anna, ben, clara] * 3, anna, ben)
    table.groups(["build_wall"])
    table.run(choose_action, clara)
    assert table.allows(kind="card", group=0, card="build_wall", wall_tile="rice")
    table.answer(kind="card", group=0, card="build_wall", wall_tile="rice")
    assert len(table.game.wall) == 12
    assert table.run(choose_action, anna).legal() == [{"kind": "replenish"}]


def test_y2_the_wall_may_not_be_built_on_by_a_player_without_wall_tiles() -> None:
    table = DragonTable(great_wall=True)
    anna = table.player()
    table.build_wall(*[anna] * 6)
    table.groups(["build_wall"])
    assert table.run(choose_action, anna).legal() == [{"kind": "replenish"}]


def test_y3_a_wild_card_brings_nothing_when_no_tile_is_on_display(dragon: DragonTable) -> None:
    anna = dragon.player(hand=["wild"])
    dragon.sell_out(*PERSONS)
    assert dragon.run(play_card, anna).legal() == [{"card": "wild"}]
    dragon.answer(card="wild")
    assert dragon.due is None
    assert (anna.person_count(), anna.track, anna.played) == (0, 0, ["wild"])


def test_y4_a_player_with_an_empty_hand_skips_the_person_phase(dragon: DragonTable) -> None:
    dragon.player(hand=["monk"])
    ben = dragon.player(hand=[])
    dragon.player(hand=["farmer"])
    assert dragon.decisions_of(person_phase, ben) == []
    assert [seat for seat, decision in dragon.decided() if decision == "play_card"] == [0, 2]


def test_y5_decay_comes_after_event_wall_and_super_event_and_right_before_scoring() -> None:
    table = DragonTable(players=2, great_wall=True, super_event="lanternfest")
    anna = table.player(palaces=[palace(2, "monk", "warrior"), palace(2)])
    ben = table.player(palaces=[palace(1, "warrior"), palace(1, "healer")])
    table.build_wall(*[anna] * 4, *[ben] * 3)
    table.rest_of_round(7, "mongol_invasion").finish()
    assert table.reasons() == ["mongol_invasion", "great_wall", "lanternfest", "decay", "palaces"]


def test_y5_decay_comes_once_a_round_even_when_the_event_strikes_twice() -> None:
    table = DragonTable(super_event="solar_eclipse")
    anna = table.player(palaces=[palace(1, "monk"), palace(3)])
    table.rest_of_round(7, "contagion").finish()
    assert floors(anna) == {1: 2}
    assert anna.score == 1
    decayed = [event.palace for event in table.events(PalaceChanged) if event.seat == anna.seat]
    assert decayed == [0, 1]


def test_y5_a_palace_that_the_super_event_fills_does_not_decay() -> None:
    table = DragonTable(super_event="sunrise")
    anna = table.player(palaces=[palace(1)])
    table.rest_of_round(7).finish()
    assert floors(anna) == {0: 1}


def test_y6_the_wall_is_scored_once_and_after_the_repeat_when_an_eclipse_repeats_the_mongols() -> None:
    table = DragonTable(players=2, great_wall=True, super_event="solar_eclipse")
    anna, ben = table.player(["warrior"]), table.player(["warrior"])
    table.build_wall(*[anna] * 5, *[ben] * 2)
    table.rest_of_round(7, "mongol_invasion").finish()
    assert table.changes(anna, "score", "great_wall") == [5]
    assert table.changes(ben, "score", "great_wall") == [2]
    assert table.reasons()[:4] == ["mongol_invasion", "solar_eclipse", "mongol_invasion", "great_wall"]


def test_y7_the_last_wall_scoring_comes_after_round_12_and_before_the_final_scoring_without_decay() -> None:
    table = DragonTable(players=2, great_wall=True)
    anna = table.player(palaces=[palace(2, "farmer")])
    ben = table.player(palaces=[palace(1, "monk")], yuan=0)
    table.build_wall(anna, anna)
    table.rest_of_round(12)
    assert table.reasons() == ["peace", "palaces"]
    assert table.due == (ben.seat, "release_person")
    table.finish()
    assert floors(ben) == {0: 1}, "an empty palace must not decay any more"
    assert table.changes(ben, "score") == [1]
    final = {event.seat: event for event in table.events(FinalScore)}
    assert (final[ben.seat].persons, final[ben.seat].monks, final[ben.seat].score) == (0, 0, 1)


def test_y8_charter_warriors_move_the_marker_by_their_helmets(dragon: DragonTable) -> None:
    anna = dragon.player(["warrior", "old warrior"], track=4)
    ben = dragon.player(track=6)
    dragon.run(charter).answer(person="warrior")
    assert anna.track == 4 + 3
    assert dragon.game.in_order()[:2] == [anna, ben]


def test_y8_charter_healers_may_be_chosen_and_bring_nothing(dragon: DragonTable) -> None:
    dragon.player(["healer", "monk"])
    dragon.run(charter)
    assert {"person": "healer"} in dragon.legal()
    before = len(dragon.game.log)
    dragon.answer(person="healer")
    assert dragon.game.log[before + 1 :] == []
    assert dragon.due is None


def test_y9_a_player_without_persons_skips_the_charter(dragon: DragonTable) -> None:
    dragon.player(["monk"])
    ben = dragon.player()
    dragon.player(["farmer"])
    assert dragon.decisions_of(charter, ben) == []
    assert dragon.decided() == [(0, "choose_type"), (2, "choose_type")]


def test_y10_tornado_discards_lie_open_for_every_seat(dragon: DragonTable) -> None:
    anna = dragon.player(hand=["monk", "wild", "farmer", "healer"])
    dragon.run(tornado).answer(card="wild").answer(card="farmer")
    for seat in range(3):
        assert dragon.seen_by(seat)["players"][anna.seat]["discarded"] == ["wild", "farmer"]
        actions = [getattr(event, "action", None) for event in dragon.game.events_since(seat)]
        assert [getattr(action, "card", None) for action in actions if action is not None] == ["wild", "farmer"]
