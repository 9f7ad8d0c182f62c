"""Actions as indices and observations as vectors: fixed for a version, unambiguous, and without a hidden bit."""

import hashlib
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games import Codec, Game, OptionError, find_codec, find_game, new_game
from referee.games.forbidden_city.board import LayTile
from referee.games.forbidden_city.codec import REACH
from referee.games.options import options
from referee.games.year_of_the_dragon.actions import BuildFloor, GiveBack, LoseFloor
from referee.games.year_of_the_dragon.codec import FIREWORKS, PERSON_CARDS, POSITIONS, RICE
from referee.games.year_of_the_dragon.state import Palace, Task
from referee.games.year_of_the_dragon.tiles import Card
from tests.games.playing import SCRAMBLERS, Setup, games_for_learners, option_setups, random_turns, seats
from tests.games.third_game import CODEC, NARRATOR, HighCard
from tests.registered import registered

SETUPS = [setup for name in games_for_learners() for setup in option_setups(name)]
any_setup = pytest.mark.parametrize("setup", SETUPS, ids=str)

DIGESTS = {
    "year_of_the_dragon-positions-v1": (
        "ab6cd0266d3e608a17c4364ef28439e4cb3524e7fffbedb79c5c518b8af80670",
        "b7b8aceacedfd79b49ef4fce9a41688c6d7f3c226f9352e1357fd170c9d90cad",
    ),
    "forbidden_city-window41-v1": (
        "2e8c9f1dfc559abf8ebdb5d41e1bcc19a4d1263c12e4c4517662adffc7f8b7d8",
        "deb9a671c1dbe82823d124135b527ab2df29a2a4a179588849d5a4ae2baa9143",
    ),
}
"""Of the meanings, and of the indices and vectors of games played at random. An index or an element of a vector never
gets another meaning: agents that were trained with it would play nonsense.
A change needs a new version of the codec, and a new line here."""


def codec_of(game: Game) -> Codec[Any]:
    """The codec of a game in progress."""
    return find_codec(type(game))(game.public_config())


def words(action: Any) -> str:
    """An action in the order in which codecs describe it."""
    text = str(msgspec.to_builtins(action))
    return "".join(c if c.isalnum() or c in "_-" else " " for c in text)


@pytest.mark.parametrize("name", games_for_learners())
def test_the_meaning_of_every_index_and_element_is_that_of_its_version(name: str) -> None:
    codec = find_codec(find_game(name))
    players = next(option for option in options(find_game(name).Config) if option.name == "players")
    assert isinstance(players.minimum, int)
    assert isinstance(players.maximum, int)
    configs = [find_game(name).Config(players=number) for number in range(players.minimum, players.maximum + 1)]
    assert codec.digest(configs) == DIGESTS[codec.id()][0]


@pytest.mark.parametrize("name", games_for_learners())
def test_the_indices_and_vectors_of_games_are_those_of_the_version(name: str) -> None:
    digest = hashlib.sha256()
    for setup in option_setups(name)[:5]:
        game = setup.begin("version")
        codec = codec_of(game)
        for turn in random_turns(game, "version"):
            seen = game.observe(turn.seat)
            digest.update(codec.vector(seen))
            digest.update(str(sorted(codec.offers(seen, game.legal_actions()))).encode())
    assert digest.hexdigest() == DIGESTS[codec.id()][1]


@pytest.mark.parametrize("name", games_for_learners())
def test_every_index_has_a_meaning_of_its_own(name: str) -> None:
    meanings = list(find_codec(find_game(name)).meanings())
    assert len(meanings) == len(set(meanings)) == find_codec(find_game(name)).size


@any_setup
def test_every_legal_action_has_an_index_of_its_own_that_says_what_it_is(setup: Setup) -> None:
    game = setup.begin("indices")
    codec = codec_of(game)
    meanings = list(codec.meanings())
    for turn in random_turns(game, "indices"):
        seen, legal = game.observe(turn.seat), game.legal_actions()
        indices = codec.indices(seen, legal)
        assert len(set(indices)) == len(legal)
        for index, action in zip(indices, legal, strict=True):
            assert 0 <= index < codec.size
            said = meanings[index].split()
            assert said[0] == turn.decision
            # Palaces are said by position, so numbers may differ; names may not.
            assert {word for word in words(action).split() if word.isalpha()} >= {
                word for word in said[1:] if word.isalpha() and word != "replenish"
            } - {"refuse", "replace", "rice", "fireworks"}
        assert codec.offers(seen, legal) == dict(zip(indices, legal, strict=True))


def test_cards_that_are_played_or_discarded_are_counted_by_kind() -> None:
    game = new_game("year_of_the_dragon", seed="cards")
    codec, seen = codec_of(game), game.observe(0)
    before = codec.vector(seen)

    def elements(pile: str, card: Card) -> dict[int, int]:
        own, *others = seen.players  # type: ignore[attr-defined]
        changed = msgspec.structs.replace(own, **{pile: [card, card]})
        vector = codec.vector(msgspec.structs.replace(seen, players=[changed, *others]))
        return {index: value for index, value in enumerate(vector) if value != before[index]}

    found = [elements(pile, card) for pile in ("played", "discarded") for card in PERSON_CARDS]
    assert all([*each.values()] == [2] for each in found)
    assert len({index for each in found for index in each}) == 2 * len(PERSON_CARDS)


@any_setup
def test_a_vector_contains_nothing_that_is_hidden_from_its_seat(setup: Setup) -> None:
    game = setup.begin("twins")
    codec = codec_of(game)
    random = Random("twins")
    for turn in random_turns(game, "twins", every=7):
        for seat in seats(game):
            vector = codec.vector(game.observe(seat))
            assert len(vector) == codec.length
            twin = game.determinize(seat, random)
            assert codec.vector(twin.observe(seat)) == vector
            scramble = SCRAMBLERS[game.name]
            if scramble is not None:
                other = game.copy()
                scramble(other, seat, random, deciding=turn.seat == seat)
                assert codec.vector(other.observe(seat)) == vector
            if turn.seat == seat:
                assert codec.indices(twin.observe(seat), twin.legal_actions()) == codec.indices(
                    game.observe(seat), game.legal_actions()
                )
    assert codec.vector(game.observe(0))[: codec.config.players + 4]  # also after the end


@pytest.mark.parametrize("name", games_for_learners())
def test_a_vector_changes_whenever_something_open_does(name: str) -> None:
    game = new_game(name, seed="changes")
    codec = codec_of(game)
    before = b""
    for turn in random_turns(game, "changes"):
        vector = bytes(codec.vector(game.observe(turn.seat)))
        assert vector != before
        before = vector


@pytest.mark.parametrize("name", games_for_learners())
def test_a_bot_gets_the_same_from_the_lines_that_it_is_sent(name: str) -> None:
    game = new_game(name, seed="wire")
    codec = codec_of(game)
    start = msgspec.to_builtins({"config": game.public_config()})
    start["config"]["of a later version"] = 1
    own = find_codec(type(game)).of_start(start)
    for turn in random_turns(game, "wire", every=5):
        seen, legal = game.observe(turn.seat), game.legal_actions()
        act = msgspec.json.decode(msgspec.json.encode({"decision": turn.decision, "observation": seen, "legal": legal}))
        assert own.of_message(act) == (codec.vector(seen), codec.indices(seen, legal))


@pytest.mark.parametrize("name", games_for_learners())
def test_the_features_name_each_element_once(name: str) -> None:
    codec = codec_of(new_game(name, seed=1))
    assert len({feature.name for feature in codec.features}) == codec.length
    assert all(feature.scale > 0 for feature in codec.features)


def test_numbers_that_are_higher_than_a_byte_are_cut() -> None:
    game: Any = new_game("year_of_the_dragon", seed=1)
    game.players[0].score = 1000
    codec = codec_of(game)
    element = [feature.name for feature in codec.features].index("seat 0 score")
    assert codec.vector(game.observe(0))[element] == 255
    city: Any = new_game("forbidden_city", seed=1)
    city.coins[1] = 1000
    codec = codec_of(city)
    element = [feature.name for feature in codec.features].index("seat 1 coins")
    assert codec.vector(city.observe(0))[element] == 255


def test_palaces_are_numbered_by_position_also_after_one_was_lost() -> None:
    game: Any = new_game("year_of_the_dragon", seed=1)
    codec = codec_of(game)
    player = game.players[0]
    game.turn = Task(seat=0, decision="lose_floor", left=1)
    legal = [LoseFloor(palace=1)]
    (second,) = codec.indices(game.observe(0), legal)
    del player.palaces[0]
    (first,) = codec.indices(game.observe(0), legal)
    assert second == first + 1


def test_what_is_beyond_the_indices_of_the_dragon_is_not_offered() -> None:
    game: Any = new_game("year_of_the_dragon", seed=1)
    codec = codec_of(game)
    game.players[0].palaces = [Palace(number, 1) for number in range(POSITIONS)]
    game.turn = Task(seat=0, decision="build_floor", left=1)
    built = [BuildFloor(palace=POSITIONS - 1), BuildFloor(palace=POSITIONS)]
    assert [index < 0 for index in codec.indices(game.observe(0), built)] == [False, True]
    game.turn = Task(seat=0, decision="give_back", left=1)
    given = [
        GiveBack(yuan=0, rice=RICE - 1, fireworks=FIREWORKS - 1),
        GiveBack(yuan=0, rice=RICE, fireworks=0),
        GiveBack(yuan=0, rice=0, fireworks=FIREWORKS),
    ]
    assert [index < 0 for index in codec.indices(game.observe(0), given)] == [False, True, True]
    assert list(codec.offers(game.observe(0), given).values()) == given[:1]


def test_cells_outside_the_window_of_the_city_are_not_offered() -> None:
    game = new_game("forbidden_city", seed=1)
    codec = codec_of(game)
    cells = [(REACH, -REACH), (REACH + 1, 0), (0, -REACH - 1)]
    actions = [LayTile(x=x, y=y, rotation=3) for x, y in cells]
    assert [index < 0 for index in codec.indices(game.observe(0), actions)] == [False, True, True]


def test_tiles_outside_the_window_of_the_city_are_not_in_vectors() -> None:
    game: Any = new_game("forbidden_city", seed=1)
    codec = codec_of(game)
    for turn in random_turns(game, "outside"):
        seen = game.observe(turn.seat)
        at_edge = msgspec.structs.replace(seen.board[-1], x=REACH, y=-REACH)
        outside = msgspec.structs.replace(at_edge, x=REACH + 1)
        vector = codec.vector(seen)
        seen.board.append(outside)
        assert codec.vector(seen) == vector
        seen.board.append(at_edge)
        assert len(codec.vector(seen)) == len(vector)
        assert codec.vector(seen) != vector


def test_a_game_without_a_codec_says_so() -> None:
    with registered(HighCard, narrator=NARRATOR), pytest.raises(OptionError, match="high_card has no codec"):
        find_codec(HighCard)


def test_the_codec_of_another_game_is_found_beside_it() -> None:
    with registered(HighCard, narrator=NARRATOR, codec=CODEC):
        game = new_game("high_card", seed=1)
        codec = codec_of(game)
        assert codec.id() == "high_card-bets-v1"
        assert list(codec.offers(game.observe(0), game.legal_actions())) == [0, 1, 2]
        assert codec.vector(game.observe(0)) == bytes([1, game.observe(0).card, 0, 0])  # type: ignore[attr-defined]
