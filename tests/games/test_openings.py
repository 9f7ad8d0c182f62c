"""Openings that are drawn: distinct as long as there are others, never to the end, marked as what they are."""

from collections.abc import Iterator
from random import Random

import msgspec
import pytest

from referee.games import Action, Game, Seeded, new_game
from referee.games.forbidden_city import ForbiddenCity
from referee.games.interface import DecisionEvent
from referee.games.opening import DrawnOpenings, has_choices
from referee.games.reconstruction import reconstruct
from referee.games.year_of_the_dragon import YearOfTheDragon
from tests.games.sealed_bids import SealedBids, SealedBidsConfig


def opened(game: type[Game], plies: int, number: int = 0, deal: str = "deal", seed: str = "match") -> Game:
    """A game of the default configuration after a drawn opening."""
    return DrawnOpenings(plies=plies, seed=seed).opener(game, game.Config(players=2)).begin(number, deal).game


def decisions(game: Game) -> list[DecisionEvent]:
    return [event for event, _ in game.log if isinstance(event, DecisionEvent)]


def line(game: Game) -> tuple[Action, ...]:
    return tuple(event.action for event in decisions(game))


def all_lines(game: Game, plies: int) -> Iterator[tuple[Action, ...]]:
    """Every opening of this many decisions, found in another way."""
    if plies == 0:
        yield line(game)
        return
    for action in game.legal_actions():
        following = game.copy()
        following.apply(action)
        if has_choices(following):
            yield from all_lines(following, plies - 1)


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_openings_of_a_game_without_chance_are_distinct_until_all_have_been_used(plies: int) -> None:
    expected = set(all_lines(SealedBids.new(SealedBidsConfig(), Seeded("")), plies))
    opener = DrawnOpenings(plies=plies, seed="match").opener(SealedBids, SealedBidsConfig())
    found = [line(opener.begin(number, "deal").game) for number in range(2 * len(expected))]
    assert len(expected) == 4**plies
    assert set(found[: len(expected)]) == expected
    assert found[len(expected) :] == found[: len(expected)], "they begin again"


def test_an_opening_is_the_same_wherever_and_in_whatever_order_it_is_computed() -> None:
    """In another process, for `--only`, and where deals are played in another order."""
    opener = DrawnOpenings(plies=4, seed="match").opener(SealedBids, SealedBidsConfig())
    for number in (30, 2, 17):
        own = line(opener.begin(number, "deal").game)
        assert own == line(opened(SealedBids, 4, number))
        assert own != line(opened(SealedBids, 4, number, seed="another match"))


def test_deals_differ_early_and_the_openings_of_a_game_with_chance_follow_from_the_seed_of_the_deal() -> None:
    assert len({line(opened(SealedBids, 6, number))[0] for number in range(4)}) == 4
    for game in (YearOfTheDragon, ForbiddenCity):
        first = opened(game, 6)
        assert msgspec.json.encode(first.log) == msgspec.json.encode(opened(game, 6, number=3, seed="other").log)
        assert line(first) != line(opened(game, 6, deal="another deal"))
        begun = new_game(game.name, seed="deal", players=2).log[0]
        assert first.log[0] == begun, "the draws are those of the deal"


@pytest.mark.parametrize("game", [YearOfTheDragon, ForbiddenCity, SealedBids])
def test_an_opening_never_goes_to_the_end(game: type[Game]) -> None:
    """Somebody still has a choice, however many decisions are asked for."""
    found = opened(game, 1000)
    assert has_choices(found)
    assert 1 < len(line(found)) < 1000


def test_decisions_of_an_opening_are_marked_and_forced_ones_as_forced_too() -> None:
    game = opened(YearOfTheDragon, 60)
    events = decisions(game)
    assert len(events) == 60
    assert all(event.opening for event in events)
    again = new_game("year_of_the_dragon", seed="deal", players=2)
    for event in events:
        assert event.forced == again.is_forced()
        again.apply(event.action)
    assert any(event.forced for event in events)
    assert not any(event.opening for event in decisions(again))


def test_a_game_is_reconstructed_with_its_opening() -> None:
    game = opened(YearOfTheDragon, 12)
    observation, events = msgspec.json.decode(msgspec.json.encode([game.observe(1), game.events_since(1)]))
    twin = reconstruct(YearOfTheDragon, game.public_config(), 1, observation, events, Random(1))
    assert msgspec.json.encode(twin.events_since(1)) == msgspec.json.encode(game.events_since(1))
