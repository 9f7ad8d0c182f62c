"""The promises of every game, checked for each game of the registry with many combinations of its options.

A new game is tested as soon as it is registered. It adds an entry to `SCRAMBLERS` for what is hidden from a seat.
"""

import copy
import os
import re
import subprocess
import sys
import timeit
from collections import Counter
from functools import reduce
from operator import or_
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from rich.style import Style

from referee.errors import RefereeError
from referee.games import (
    Action,
    ChanceError,
    Game,
    GameConfig,
    IllegalAction,
    OptionError,
    Recorded,
    Seeded,
    config_from,
    find_game,
    find_narrator,
    game_names,
    new_game,
    reconstruct,
)
from referee.games.interface import ALL, NOBODY, ChanceEvent, DecisionEvent
from referee.games.options import options
from tests.games.playing import (
    SCRAMBLERS,
    Setup,
    encode,
    fingerprint,
    finish,
    log_bytes,
    option_setups,
    random_turns,
    seats,
    sent_to,
    takes_a_file,
    values_of,
)

ROOT = Path(__file__).parents[2]
SETUPS = [setup for name in game_names() for setup in option_setups(name)]
every_game = pytest.mark.parametrize("name", game_names())


@pytest.fixture(params=SETUPS, ids=str)
def setup(request: pytest.FixtureRequest) -> Setup:
    """Each game with each set of options."""
    found: Setup = request.param
    return found


@pytest.fixture
def game(setup: Setup) -> Game:
    """A game at its first decision."""
    return setup.begin(seed=f"conformance of {setup}")


# -- decisions and actions ------------------------------------------------------------------------------------


def test_while_a_turn_is_due_there_are_distinct_legal_actions_of_the_declared_type(game: Game) -> None:
    for turn in random_turns(game, "legal"):
        legal = game.legal_actions()
        assert turn.seat in seats(game)
        assert {type(action) for action in legal} == {game.actions[turn.decision]}
        assert len({encode(action) for action in legal}) == len(legal) > 0
        assert all(map(game.is_legal, legal))


def test_legal_actions_survive_the_wire(game: Game) -> None:
    for turn in random_turns(game, "wire"):
        legal = game.legal_actions()
        declared: Any = game.actions[turn.decision]
        assert msgspec.json.decode(encode(legal), type=list[declared]) == legal


def test_an_illegal_action_is_refused_and_leaves_the_game_unchanged(game: Game) -> None:
    random = Random("illegal")
    earlier: dict[bytes, Action] = {}
    refused = positions = 0
    for _ in random_turns(game, "illegal", every=5):
        positions += 1
        tries = random.sample([*earlier.values()], min(4, len(earlier)))
        tries += [Action(), far_off(random.choice(game.legal_actions()))]
        before = fingerprint(game)
        for action in tries:
            if not game.is_legal(action):
                with pytest.raises(IllegalAction):
                    game.apply(action)
                refused += 1
        assert fingerprint(game) == before
        earlier |= {encode(action): action for action in game.legal_actions()[:3]}
    assert refused >= positions > 1


def far_off(action: Action) -> Action:
    """The action with every number in it out of bounds."""
    numbers = [name for name in action.__struct_fields__ if type(getattr(action, name)) is int]
    return msgspec.structs.replace(action, **dict.fromkeys(numbers, 10**6))


def test_after_the_end_nothing_is_legal_and_the_result_stays(game: Game) -> None:
    finish(game, "end")
    before = fingerprint(game)
    last = [event for event, _ in game.log if isinstance(event, DecisionEvent)][-1].action
    assert game.turn is None
    assert game.legal_actions() == []
    with pytest.raises(IllegalAction):
        game.apply(last)
    assert fingerprint(game) == before


@every_game
def test_every_declared_decision_and_event_occurs_somewhere_in_the_spread(name: str) -> None:
    decisions, events = set(), set()
    for setup in option_setups(name):
        game = finish(setup.begin("spread"), "spread")
        decisions |= {event.decision for event, _ in game.log if isinstance(event, DecisionEvent)}
        events |= {type(event) for event, _ in game.log}
    assert decisions == set(find_game(name).actions)
    assert events | {ChanceEvent} == {*find_game(name).events, ChanceEvent, DecisionEvent}


# -- what seats are sent --------------------------------------------------------------------------------------


def test_every_seat_can_observe_at_any_time_and_decode_what_it_sees(game: Game) -> None:
    def check() -> None:
        for seat in seats(game):
            seen = encode(game.observe(seat))
            assert encode(msgspec.json.decode(seen, type=game.Observation)) == seen

    for _ in random_turns(game, "observe", every=4):
        check()
    check()


def test_every_event_is_of_a_declared_type_and_decodes_as_itself(game: Game) -> None:
    finish(game, "events")
    declared = (*game.events, ChanceEvent, DecisionEvent)
    assert set(game.recorded) <= set(game.events)
    decoder: Any = msgspec.json.Decoder(reduce(or_, declared))
    for event, audience in game.log:
        assert audience in (ALL, NOBODY, *seats(game))
        decoded = decoder.decode(encode(event))
        assert type(decoded) is type(event)
        assert encode(decoded) == encode(event)


def test_a_decision_is_logged_as_taken_and_as_forced_if_there_was_one_legal_action(game: Game) -> None:
    random = Random("forced")
    while game.turn is not None:
        turn, legal, position = game.turn, game.legal_actions(), len(game.log)
        assert game.is_forced() == (len(legal) == 1)
        action = random.choice(legal)
        game.apply(action)
        assert game.log[position][0] == DecisionEvent(
            seat=turn.seat, decision=turn.decision, action=action, forced=len(legal) == 1
        )


def test_a_seat_is_sent_events_for_all_and_for_itself_and_no_others(game: Game) -> None:
    since = len(game.log)
    for audience in (ALL, NOBODY, *seats(game)):
        game.emit(ChanceEvent(what=f"for {audience}", value=0), audience)
    for seat in seats(game):
        sent = [event.what for event in game.events_since(seat, since) if isinstance(event, ChanceEvent)]
        assert sent == [f"for {ALL}", f"for {seat}"]


# -- the narrator ---------------------------------------------------------------------------------------------


def test_the_narrator_describes_a_game_in_lines_that_name_every_player_and_changes_nothing(game: Game) -> None:
    names = [f"player no. {seat}" for seat in seats(game)]
    random = Random("narrator")
    narrator = find_narrator(type(game))(game, names)
    lines = [*narrator.narrate([event for event, _ in game.log])]
    while game.turn is not None:
        position = len(game.log)
        game.apply(random.choice(game.legal_actions()))
        before = fingerprint(game)
        lines += narrator.narrate([event for event, _ in game.log[position:]])
        lines += narrator.narrate_position()
        assert fingerprint(game) == before
    assert all(line.strip() and "\n" not in line for line in lines)
    assert all(any(name in line for line in lines) for name in names)


@every_game
def test_the_styles_of_the_narrator_are_understood_and_each_seat_has_one(name: str) -> None:
    narrator = find_narrator(find_game(name))
    most_seats = next(option.maximum for option in options(find_game(name).Config) if option.name == "players")
    assert isinstance(most_seats, int)
    assert len(narrator.seat_styles) >= most_seats
    for pattern, style in narrator.styles:
        assert re.compile(pattern).search("") is None
        Style.parse(style)
    for style in narrator.seat_styles:
        Style.parse(style)


def test_the_rules_do_not_import_any_narrator() -> None:
    program = "import sys, referee.games as games; assert not [m for m in sys.modules if m in sys.argv[1:]]"
    modules = [find_narrator(find_game(name)).__module__ for name in game_names()]
    subprocess.run([sys.executable, "-c", program, *modules], cwd=ROOT, check=True)


# -- the result -----------------------------------------------------------------------------------------------


def test_a_ranking_has_a_score_and_a_rank_per_seat_and_ranks_by_score(game: Game) -> None:
    def check() -> None:
        ranking = game.ranking()
        assert len(ranking.scores) == len(ranking.ranks) == len(seats(game))
        places = Counter(ranking.ranks)
        assert all(sum(places[better] for better in range(1, rank)) == rank - 1 for rank in places)
        for score, rank in zip(ranking.scores, ranking.ranks, strict=True):
            assert rank > sum(other > score for other in ranking.scores)

    for _ in random_turns(game, "ranking", every=4):
        check()
    check()


# -- copies and replays ---------------------------------------------------------------------------------------


def test_a_copy_and_its_original_are_independent(game: Game) -> None:
    for _ in random_turns(game, "copy", every=60):
        before, twin, second_copy = fingerprint(game), game.copy(), game.copy()
        assert fingerprint(twin) == before
        finish(twin, "elsewhere")
        assert fingerprint(game) == before
        finish(second_copy.copy(), "somewhere")
        assert fingerprint(second_copy) == before


def test_a_copy_behaves_like_its_original(game: Game) -> None:
    twins = [game.copy() for _ in random_turns(game, "same", every=20)]
    for twin in twins:
        script = [event.action for event, _ in game.log[len(twin.log) :] if isinstance(event, DecisionEvent)]
        for action in script:
            twin.apply(action)
        assert fingerprint(twin) == fingerprint(game)
    assert len(twins) > 1


@pytest.mark.slow
def test_a_copy_is_far_cheaper_than_a_deep_copy(game: Game) -> None:
    for _ in random_turns(game, "cheap"):
        if len(game.log) > 50:
            break
    shallow = min(timeit.repeat(game.copy, number=10, repeat=3))
    deep = min(timeit.repeat(lambda: copy.deepcopy(game), number=10, repeat=3))
    assert 10 * shallow < deep


def test_the_same_seed_and_decisions_give_the_same_game_byte_for_byte(setup: Setup) -> None:
    first, second = (finish(setup.begin(seed=7), "same decisions") for _ in range(2))
    assert fingerprint(first) == fingerprint(second)


def test_the_draws_of_a_seed_do_not_depend_on_what_is_decided(setup: Setup) -> None:
    first, second = (finish(setup.begin(seed=7), decider) for decider in ("one", "another"))
    draws = [[event for event, _ in game.log if isinstance(event, ChanceEvent)] for game in (first, second)]
    assert log_bytes(first) != log_bytes(second)
    assert draws[0] == draws[1]


@pytest.mark.slow
@every_game
def test_games_are_the_same_in_every_process(name: str) -> None:
    game, narrator = find_game(name), find_narrator(find_game(name))
    program = (
        "import sys\n"
        "from referee.games import register\n"
        "from tests.games.playing import finish, fingerprint, option_setups\n"
        f"from {game.__module__} import {game.__name__} as game\n"
        f"register(game, narrator='{narrator.__module__}:{narrator.__name__}')\n"
        f"for setup in option_setups({name!r}):\n"
        "    sys.stdout.buffer.write(fingerprint(finish(setup.begin(1), 'process')))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs != {b""}


def test_a_game_can_be_replayed_from_its_log_without_the_seed(game: Game) -> None:
    finish(game, "replay")
    lines = [msgspec.json.decode(encode(event)) for event, _ in game.log]
    draws = [line for line in lines if line["type"] == "chance"]
    chance = Recorded({(line["what"], line.get("round")): line["value"] for line in draws})
    replayed = type(game).new(game.config, chance)
    for line in lines:
        if line["type"] == "decision":
            assert replayed.turn is not None
            declared = replayed.actions[replayed.turn.decision]
            replayed.apply(msgspec.convert(line["action"], declared))
    assert log_bytes(replayed) == log_bytes(game)
    assert fingerprint(replayed) == fingerprint(game)


# -- options --------------------------------------------------------------------------------------------------


def test_the_public_config_leaves_nothing_to_chance(setup: Setup, game: Game) -> None:
    public = game.public_config()
    assert isinstance(public, GameConfig)
    assert isinstance(public, game.Config)
    assert finish(game, "public").public_config() == public
    resolved: Any = {"seed": 0, **msgspec.to_builtins(public)}
    for seed in range(5):
        assert new_game(setup.game, **{**resolved, "seed": seed}).public_config() == public


@pytest.mark.parametrize("error", [IllegalAction, OptionError, ChanceError])
def test_every_public_error_of_the_rules_is_a_referee_error(error: type[Exception]) -> None:
    assert issubclass(error, RefereeError)


def test_an_unknown_game_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(OptionError) as refusal:
        new_game("tiddlywinks", seed=1)
    assert all(name in str(refusal.value) for name in game_names())


@every_game
def test_an_unknown_option_is_refused_with_the_names_of_those_there_are(name: str) -> None:
    with pytest.raises(OptionError) as refusal:
        new_game(name, seed=1, colour="purple")
    assert all(option.name in str(refusal.value) for option in options(find_game(name).Config))


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        (name, option, value)
        for name in game_names()
        for option in options(find_game(name).Config)
        for value in ("no such value", "-1", -1, None)
        if not (isinstance(value, str) and takes_a_file(option))
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_those_that_are(name: str, option: Any, value: object) -> None:
    with pytest.raises(OptionError) as refusal:
        new_game(name, seed=1, **{option.name: value})
    assert option.values in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name in game_names() for option in options(find_game(name).Config)]
)
def test_an_option_left_out_has_its_default_which_is_one_of_its_values(name: str, option: Any) -> None:
    assert getattr(new_game(name, seed=1).config, option.name) == option.default
    assert str(option.default).lower() in values_of(option)


# -- non-interference: a seat is sent nothing that it may not know --------------------------------------------


def test_what_a_seat_is_sent_does_not_depend_on_draws_still_to_come(game: Game) -> None:
    for _ in random_turns(game, "future", every=7):
        twin = game.copy(chance=Seeded("another future"))
        for seat in seats(game):
            assert sent_to(twin, seat) == sent_to(game, seat)


@every_game
def test_every_game_has_an_entry_for_what_is_hidden_from_a_seat(name: str) -> None:
    scrambler = SCRAMBLERS[name]  # fails with what to add where
    assert scrambler is None or callable(scrambler)


def test_what_a_seat_is_sent_does_not_depend_on_what_is_hidden_from_it(game: Game) -> None:
    if SCRAMBLERS[game.name] is None:
        pytest.skip("nothing is hidden in this game")
    random = Random("hidden")
    effective = positions = 0
    for turn in random_turns(game, "hidden", every=7):
        positions += 1
        for seat in seats(game):
            twin = scrambled(game, seat, random)
            assert sent_to(twin, seat) == sent_to(game, seat)
            effective += any(sent_to(twin, other) != sent_to(game, other) for other in seats(game))
            if turn.seat == seat:
                original, twin = game.copy(), scrambled(game, seat, random, deciding=True)
                action = random.choice(game.legal_actions())
                for table in (original, twin):
                    table.apply(action)
                assert sent_to(twin, seat) == sent_to(original, seat)
    assert effective >= positions // 2 > 0


def scrambled(game: Game, seat: int, random: Random, *, deciding: bool = False) -> Game:
    """A copy in which everything that the seat may not see is replaced by something else."""
    twin = game.copy()
    scramble = SCRAMBLERS[game.name]
    assert scramble is not None
    scramble(twin, seat, random, deciding=deciding)
    twin._legal = None  # the copy shares the list of the original: let it list again
    return twin


# -- what a seat can search in --------------------------------------------------------------------------------------


def test_a_determinized_copy_shows_its_seat_the_same_and_leaves_the_original_alone(game: Game) -> None:
    random = Random("determinized")
    for turn in random_turns(game, "determinized", every=11):
        before = fingerprint(game)
        for seat in (turn.seat, random.choice(seats(game))):
            assert sent_to(game.determinize(seat, random), seat) == sent_to(game, seat)
        assert fingerprint(game) == before
    assert sent_to(game.determinize(0, random), 0) == sent_to(game, 0)


def test_a_determinized_copy_depends_on_its_random_and_not_on_what_is_hidden(game: Game) -> None:
    random = Random("hidden")
    for turn in random_turns(game, "determinized", every=29):
        one = game.determinize(turn.seat, Random(1))
        if SCRAMBLERS[game.name] is not None:
            assert fingerprint(scrambled(game, turn.seat, random).determinize(turn.seat, Random(1))) == fingerprint(one)
        futures = [log_bytes(finish(game.determinize(turn.seat, Random(seed)), "future")) for seed in (1, 1, 2, 3)]
        assert futures[0] == log_bytes(finish(one, "future")) == futures[1]
        assert len(game.log) > 60 or len(set(futures)) == 3, "no draw to come differs"


def test_a_seat_can_reconstruct_the_game_from_its_messages_and_play_on_with_it(game: Game) -> None:
    random = Random("reconstructed")
    config = config_from(game.Config, msgspec.to_builtins(game.public_config()))
    for turn in random_turns(game, "reconstructed", every=17):
        for seat in (turn.seat, random.choice(seats(game))):
            assert_reconstructed(game, config, seat, random)
    assert_reconstructed(game, config, 0, random)


def assert_reconstructed(game: Game, config: GameConfig, seat: int, random: Random) -> None:
    """Check that a game from a seat's messages, as on the wire, looks the same to it and can be played to its end."""
    events = game.events_since(seat)
    observation, on_wire = msgspec.json.decode(encode([game.observe(seat), events]))
    twin = reconstruct(type(game), config, seat, observation, on_wire, random)
    assert twin.observe(seat) == game.observe(seat)
    named = [event for event in events if not (isinstance(event, ChanceEvent) and event.what in on_config(config))]
    assert twin.events_since(seat) == named, "only draws that the config names may be missing"
    if game.turn is not None and game.turn.seat == seat:
        assert twin.legal_actions() == game.legal_actions()
    assert finish(twin, "on").turn is None


def on_config(config: GameConfig) -> tuple[str, ...]:
    """The names of its options."""
    return config.__struct_fields__
