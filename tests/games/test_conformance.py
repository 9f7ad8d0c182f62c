"""The promises of every game, checked for each game of the registry with many combinations of its options.

Those that the games of others make as well are in `referee.testing`.

A new game is tested as soon as it is registered. It adds an entry to `SCRAMBLERS` for what is hidden from a seat.
"""

import copy
import os
import re
import subprocess
import sys
import timeit
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.style import Style

from referee.conformance.variants import Variant
from referee.errors import RefereeError
from referee.games import (
    ChanceError,
    Game,
    IllegalAction,
    OptionError,
    find_game,
    find_narrator,
    game_names,
    new_game,
)
from referee.games.interface import ALL, NOBODY, ChanceEvent, DecisionEvent
from referee.games.options import options
from referee.games.registry import GamePackage
from referee.testing import GameTests, fingerprint, finish, sent_to
from tests.games.playing import (
    SCRAMBLERS,
    Setup,
    log_bytes,
    option_setups,
    random_turns,
    seats,
    some_setups,
    takes_a_file,
    values_of,
)

ROOT = Path(__file__).parents[2]
SETUPS = [setup for name in game_names() for setup in some_setups(name)]
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


@pytest.mark.parametrize("promise", [name for name in dir(GameTests) if name.startswith("test_")])
def test_the_published_suite_passes(setup: Setup, promise: str) -> None:
    rules = find_game(setup.game)

    class OneSetup(GameTests):
        game = rules
        package = GamePackage(rules)

        def variants(self) -> list[Variant]:
            return [Variant(game=rules, name=str(setup), config=setup.begin(seed=1).config)]

    getattr(OneSetup(), promise)()


# -- decisions and events --------------------------------------------------------------------------------------


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


def test_a_seat_is_sent_events_for_all_and_for_itself_and_no_others(game: Game) -> None:
    since = len(game.log)
    for audience in (ALL, NOBODY, *seats(game)):
        game.emit(ChanceEvent(what=f"for {audience}", value=0), audience)
    for seat in seats(game):
        sent = [event.what for event in game.events_since(seat, since) if isinstance(event, ChanceEvent)]
        assert sent == [f"for {ALL}", f"for {seat}"]


# -- the narrator ---------------------------------------------------------------------------------------------


@every_game
def test_the_styles_of_the_narrator_are_understood_and_each_seat_has_one(name: str) -> None:
    narrator = find_narrator(find_game(name))
    max_seats = next(option.maximum for option in options(find_game(name).Config) if option.name == "players")
    assert isinstance(max_seats, int)
    assert len(narrator.seat_styles) >= max_seats
    for pattern, style in narrator.styles:
        assert re.compile(pattern).search("") is None
        Style.parse(style)
    for style in narrator.seat_styles:
        Style.parse(style)


@pytest.mark.slow
def test_the_rules_do_not_import_any_narrator() -> None:
    program = (
        "import sys, referee.games as games; list(map(games.find_game, games.game_names()));"
        "assert not [m for m in sys.modules if m in sys.argv[1:]]"
    )
    modules = [find_narrator(find_game(name)).__module__ for name in game_names()]
    subprocess.run([sys.executable, "-c", program, *modules], cwd=ROOT, check=True)


# -- copies and replays ---------------------------------------------------------------------------------------


@pytest.mark.slow
@every_game
def test_a_copy_is_far_cheaper_than_a_deep_copy(name: str) -> None:
    game = new_game(name, seed=1)
    for _ in random_turns(game, "cheap"):
        if len(game.log) > 50:
            break
    shallow = min(timeit.repeat(game.copy, number=10, repeat=3))
    deep = min(timeit.repeat(lambda: copy.deepcopy(game), number=10, repeat=3))
    assert 10 * shallow < deep


@pytest.mark.ci_only
@every_game
def test_games_are_the_same_in_every_process(name: str) -> None:
    game, narrator = find_game(name), find_narrator(find_game(name))
    program = (
        "import sys\n"
        "from referee.games import GamePackage, registry\n"
        "from referee.testing import finish, fingerprint\n"
        "from tests.games.playing import option_setups\n"
        f"from {game.__module__} import {game.__name__} as game\n"
        f"registry._registry[game.name] = GamePackage(game, '{narrator.__module__}:{narrator.__name__}')\n"
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


# -- options --------------------------------------------------------------------------------------------------


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


def test_a_determinized_copy_depends_on_its_random_and_not_on_what_is_hidden(game: Game) -> None:
    random = Random("hidden")
    for turn in random_turns(game, "determinized", every=29):
        one = game.determinize(turn.seat, Random(1))
        if SCRAMBLERS[game.name] is not None:
            assert fingerprint(scrambled(game, turn.seat, random).determinize(turn.seat, Random(1))) == fingerprint(one)
        futures = [log_bytes(finish(game.determinize(turn.seat, Random(seed)), "future")) for seed in (1, 1, 2, 3)]
        assert futures[0] == log_bytes(finish(one, "future")) == futures[1]
        assert len(game.log) > 60 or len(set(futures)) == 3, "no draw to come differs"
