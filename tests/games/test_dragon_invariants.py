"""What holds in every game of the Dragon, whatever is decided: whole games at random."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from referee.games import new_game
from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.year_of_the_dragon import YearOfTheDragon, tiles
from referee.games.year_of_the_dragon.persons import place
from referee.testing import encode, finish
from tests.games.dragon_invariants import COUNTERS, VOLCANO, EventLedger, Tile
from tests.games.playing import random_turns

seeds = st.integers(0, 2**32)


def in_every_game(test: Callable[[YearOfTheDragon, str], None]) -> Callable[..., None]:
    """Run a test on many new games for each choice of a super event, with the seed of a random player.

    A game that fails is not shrunk: other seeds give other games, not smaller ones.
    """

    @pytest.mark.parametrize("super_event", ["none", *tiles.SUPER_EVENTS, "random"])
    @settings(max_examples=2, derandomize=True, database=None, phases=[Phase.generate])
    @given(
        players=st.integers(2, 5),
        edition=st.sampled_from(["anniversary", "first"]),
        great_wall=st.booleans(),
        seed=seeds,
        decider=seeds,
    )
    def run(super_event: str, decider: int, **options: Any) -> None:
        test(new_dragon(super_event=super_event, **options), str(decider))

    wrapped: Callable[..., None] = run
    return wrapped


def new_dragon(seed: int, **options: object) -> YearOfTheDragon:
    """A new game of the Dragon with these options."""
    game = new_game(YearOfTheDragon.name, seed, **options)
    assert isinstance(game, YearOfTheDragon)
    return game


def positions(game: YearOfTheDragon, decider: str) -> Iterator[EventLedger]:
    """Play to the end by random decisions; yields the ledger of its events at the start and after each."""
    ledger = EventLedger(game.config.players)
    for _ in random_turns(game, decider):
        ledger.read(game)
        yield ledger
    ledger.read(game)
    yield ledger


@in_every_game
def test_palaces_hold_at_most_as_many_persons_as_floors_and_have_one_to_three(
    game: YearOfTheDragon, decider: str
) -> None:
    for _ in positions(game, decider):
        for player in game.players:
            assert all(len(palace.persons) <= palace.floors for palace in player.palaces)
            assert all(1 <= palace.floors <= 3 for palace in player.palaces)
            ids = [palace.id for palace in player.palaces]
            assert len(set(ids)) == len(ids)
            assert max(ids, default=-1) < player.next_palace


@in_every_game
def test_tiles_on_display_in_palaces_and_out_of_the_game_are_those_of_the_setup(
    game: YearOfTheDragon, decider: str
) -> None:
    def on_display() -> Counter[Tile]:
        young = {(person, "young"): left for person, left in game.display.young.items()}
        old = {(person, "old"): left for person, left in game.display.old.items()}
        return Counter(young | old)

    def on_the_way() -> Counter[Tile]:
        steps = [args[0] for do, _, args in game.agenda if do is place]
        waiting = Counter((tile.person, tile.age) for tile in steps)
        turn: Any = game.turn
        return waiting + Counter([(turn.person, turn.age)] if turn and turn.decision == "place_person" else [])

    setup = on_display()
    for ledger in positions(game, decider):
        housed = Counter((tile.person, tile.age) for player in game.players for tile in player.persons())
        assert min(on_display().values()) >= 0
        assert {(tile.person, tile.age) for tile in game.sold_out} == on_display().keys() - (+on_display()).keys()
        assert on_display() + housed + ledger.out_of_game + on_the_way() == setup
        assert setup - on_display() == ledger.taken


@in_every_game
def test_goods_are_never_negative_and_score_and_marker_never_fall(game: YearOfTheDragon, decider: str) -> None:
    before = [(0, 0) for _ in game.players]
    eruptions = 0
    for _ in positions(game, decider):
        assert all(getattr(player, what) >= 0 for player in game.players for what in COUNTERS)
        now = [(player.score, player.track) for player in game.players]
        assert all(new[0] >= old[0] for old, new in zip(before, now, strict=True))
        if any(new[1] < old[1] for old, new in zip(before, now, strict=True)):
            eruptions += 1
            assert {track for _, track in now} == {0}
        before = now
    assert eruptions == (game.super_event == VOLCANO)


@in_every_game
def test_a_hand_is_all_cards_less_those_played_and_discarded_and_empty_in_the_end(
    game: YearOfTheDragon, decider: str
) -> None:
    for ledger in positions(game, decider):
        for player, hand, cards in zip(game.players, game.hands, ledger.cards, strict=True):
            discarded = player.discarded if isinstance(player.discarded, list) else []
            assert Counter(hand) == +cards
            assert Counter([*hand, *player.played, *discarded]) == Counter(tiles.HAND)
            assert player.hand_size == len(hand)
        if game.turn is None or game.turn.decision == "choose_action":
            rounds = len(ledger.rounds)
            lost = 2 if game.super_event == "tornado" and rounds >= 7 else 0
            assert {len(hand) for hand in game.hands} == {max(0, 11 - rounds - lost)}
    assert game.hands == [[] for _ in game.players]


@in_every_game
def test_the_wall_never_exceeds_12_and_consists_of_the_tiles_the_players_are_short_of(
    game: YearOfTheDragon, decider: str
) -> None:
    for ledger in positions(game, decider):
        assert len(game.wall) <= 12
        assert game.wall == ledger.wall
        for player in game.players:
            unused = player.wall_tiles if isinstance(player.wall_tiles, list) else []
            assert len(unused) == len(set(unused)) == (6 * game.config.great_wall - game.wall.count(player.seat))
            assert not game.config.great_wall or set(unused) == ledger.wall_tiles[player.seat]


@in_every_game
def test_the_order_of_play_is_that_of_the_markers_and_their_stacks(game: YearOfTheDragon, decider: str) -> None:
    for ledger in positions(game, decider):
        assert sorted(game.order) == [player.seat for player in game.players]
        assert all(ahead.track >= behind.track for ahead, behind in pairwise(game.in_order()))
        assert game.order == ledger.order()


@in_every_game
def test_a_bot_that_follows_the_events_knows_the_table(game: YearOfTheDragon, decider: str) -> None:
    for ledger in positions(game, decider):
        for player in game.players:
            assert {what: getattr(player, what) for what in COUNTERS} == ledger.counters[player.seat]
            assert {palace.id: palace.floors for palace in player.palaces} == ledger.floors[player.seat]
            for palace in player.palaces:
                persons = Counter((tile.person, tile.age) for tile in palace.persons)
                assert persons == +ledger.persons[player.seat][palace.id]


@in_every_game
def test_the_action_cards_lie_in_even_groups_and_nobody_chooses_twice(game: YearOfTheDragon, decider: str) -> None:
    cards = 8 if game.config.great_wall else 7
    for _ in positions(game, decider):
        if game.round == 0:
            assert game.action_groups == []
            continue
        sizes = [len(group.cards) for group in game.action_groups]
        assert len(sizes) == game.config.players
        assert max(sizes) - min(sizes) <= 1
        assert len({card for group in game.action_groups for card in group.cards}) == sum(sizes) == cards
        chosen = [seat for group in game.action_groups for seat in group.taken_by]
        assert len(chosen) == len(set(chosen))


@in_every_game
def test_a_game_has_exactly_12_rounds_and_each_event_strikes_in_its_own(game: YearOfTheDragon, decider: str) -> None:
    *_, ledger = positions(game, decider)
    expected: list[tuple[int, str]] = list(enumerate(game.event_row, start=1))
    if game.super_event != "none":
        repeat = [expected[6]] if game.super_event == "solar_eclipse" else []
        expected[7:7] = [(7, game.super_event), *repeat]
    assert ledger.struck == expected
    assert ledger.rounds == list(range(1, 13))
    assert ledger.finals == [player.seat for player in game.players]
    assert [draw.round for draw in ledger.draws if draw.what == "action_groups"] == list(range(1, 13))
    choices = [event for event, _ in game.log if isinstance(event, DecisionEvent)]
    assert Counter(event.seat for event in choices if event.decision == "choose_action") == dict.fromkeys(
        range(game.config.players), 12
    )


def test_no_event_row_has_equal_neighbours_and_each_holds_two_of_each_from_two_peaces_on() -> None:
    rows = [new_dragon(seed).event_row for seed in range(1000)]
    for row in rows:
        assert row[:2] == ["peace", "peace"]
        assert all(left != right for left, right in pairwise(row[1:]))
        assert Counter(row) == dict.fromkeys(tiles.EVENT_TILES, 2)
    for space in range(2, 12):
        assert {row[space] for row in rows} == set(tiles.EVENT_TILES) - {"peace"}


def test_the_action_cards_are_reshuffled_in_every_round() -> None:
    game = finish(new_dragon(seed=1), "shuffled")
    deals = {
        encode(event.value) for event, _ in game.log if isinstance(event, ChanceEvent) and event.what == "action_groups"
    }
    assert len(deals) == 12


def test_a_random_super_event_is_any_of_the_ten() -> None:
    chosen = {new_dragon(seed, super_event="random").super_event for seed in range(200)}
    assert chosen == set(tiles.SUPER_EVENTS)
