"""Openings that are drawn: distinct as long as there are others, never to the end, marked as what they are."""

from collections.abc import Iterator
from random import Random

import msgspec
import pytest

from referee.games import Action, Game, Seeded, new_game
from referee.games.forbidden_city import ForbiddenCity
from referee.games.interface import DecisionEvent
from referee.games.opening import DrawnOpenings, ListedOpenings, OpeningError, has_choices
from referee.games.opening_files import read_openings
from referee.games.reconstruction import reconstruct
from referee.games.year_of_the_dragon import YearOfTheDragon
from tests.game_runner.pebbles import Pebbles, PebblesConfig
from tests.games.sealed_bids import SealedBids, SealedBidsConfig
from tournaments.play.configuration import openings_of


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


def test_openings_of_a_file_that_are_equal_count_once() -> None:
    lines = '{"persons":["farmer","monk"]} {"palace":0}\n{"persons":["farmer","monk"]} {"palace":1}\n'
    found = [openings_of(YearOfTheDragon, "book", lines * 2, plies, "seed") for plies in (None, 1)]
    assert [each.source for each in found] == ["2 openings of book", "1 opening of book"]


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


def test_a_game_has_no_choices_when_only_forced_decisions_are_left() -> None:
    for heap, expected in ((1, False), (2, True)):
        game = Pebbles.new(PebblesConfig(heap=heap), Seeded("seed"))
        assert has_choices(game) == expected
        assert game.turn is not None


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


# -- files ------------------------------------------------------------------------------------------------------------


def listed(text: str, game: type[Game] = SealedBids) -> list[tuple[Action, ...]]:
    """The decisions of the openings in a file, as they are played."""
    config = game.Config(players=2)
    return [line(each.begin(game, config, "deal")) for each in read_openings("file.txt", text)]


def test_actions_are_read_as_the_game_writes_them() -> None:
    """JSON objects, arrays of them, and words; what follows a # is a comment."""
    text = """
# the first line is a comment

{"action": 1, "text": "bid 1"}  {"action":3} # and so is this
[{"action":0},{"action":2}]{"action":1}
"""
    assert [[action.action for action in found] for found in listed(text)] == [[1, 3], [0, 2, 1]]  # type: ignore[attr-defined]
    assert [each.source for each in read_openings("file.txt", text)] == ["file.txt:4", "file.txt:5"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('\n{"action":4}', r"file.txt:2: .*\"action\":4.* is not legal as decision 1 \(bid of seat 0\); legal are {"),
        ('{"action":1} {"action":1,}', "file.txt:1: invalid JSON in column 14"),
        ('{"action":1} raise', "file.txt:1: 'raise' is not legal as decision 2"),
        ('{"action":"1"}', "file.txt:1: .* is not legal as decision 1"),
        ("[" * 10**6, "file.txt:1: invalid JSON in column 1"),
        ('{"action":1}' * 8, "file.txt:1: the game is over after this opening"),
        ('{"action":1}' * 9, "file.txt:1: the game ends with decision 8 of this opening"),
    ],
)
def test_an_opening_that_cant_be_played_is_refused_with_its_line_and_what_is_legal(text: str, problem: str) -> None:
    with pytest.raises(OpeningError, match=problem):
        listed(text)


def test_openings_of_a_file_are_drawn_without_repetition_until_all_are_used() -> None:
    openings = read_openings("file.txt", "\n".join(f'{{"action":{number}}}' for number in range(4)))
    opener = ListedOpenings(listed=openings, seed="match").opener(SealedBids, SealedBidsConfig())
    found = [opener.begin(number, "deal") for number in range(8)]
    assert sorted(each.source for each in found[:4]) == [f"file.txt:{number}" for number in range(1, 5)]
    assert [each.source for each in found[4:]] == [each.source for each in found[:4]]
    others = ListedOpenings(listed=openings, seed="x").opener(SealedBids, SealedBidsConfig())
    assert [others.begin(number, "deal").source for number in range(4)] != [each.source for each in found[:4]]
    assert all(event.opening for each in found for event in decisions(each.game))
