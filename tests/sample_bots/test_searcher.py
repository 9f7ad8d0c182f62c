"""Search: it finds the best action within its budget; and the sample bot searcher, which keeps within its clock."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games import Game, Ranking, Seeded, find_game, game_names, new_game
from referee.games.forbidden_city.policy import Gains
from referee.games.interface import DecisionEvent
from referee.players.clock import TimeControl
from referee.processes.sandbox.visibility import KIT_TEMPLATES
from referee.search import Budget, Candidate, RandomPlayouts, decisions_left, evaluate, policy_for
from referee.search.evaluation import FORESIGHT
from referee.search.halving import sequential_halving
from referee.search.playouts import CUT, LAST_CUT
from tests.game_runner.pebbles import Pebbles, PebblesConfig, Take, Taken
from tests.games.playing import Setup, random_turns, some_setups
from tests.playing import play_deals

SEARCHER = Path(__file__).parents[2] / "bots/searcher-python"
PROGRAM = KIT_TEMPLATES / "searcher"
TIGHT = TimeControl(move=0.02, margin=2.0, startup=60.0)
"""A short clock, with a margin for other tests that use the processor."""
AMPLE_TIME = TimeControl(move=60.0, startup=60.0)
SETUPS = [setup for name in game_names() for setup in some_setups(name)]


@pytest.fixture(scope="module", autouse=True)
def _path() -> Iterator[None]:
    """The bot's folder is on the path, as it is when the bot runs."""
    sys.path.insert(0, str(PROGRAM))
    yield
    sys.path.remove(str(PROGRAM))


def part(name: str) -> Any:
    """A module of the bot."""
    return importlib.import_module(name)


# -- sequential halving -----------------------------------------------------------------------------------------------


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock that the search reads."""
    return Clock()


def halve(
    values: list[float],
    clock: Clock,
    seconds: float,
    max_playouts: int = 10**9,
    step: float = 0.0,
    noise: float = 1.0,
    late: float = 0.0,
    slow: float = 1.0,
) -> list[Candidate]:
    """The candidates after a search among actions of these values, each playout of which takes `step` seconds.

    One in ten takes `slow` times as long.
    """
    random = Random("halving")

    def playout(luck: float, action: int) -> float:
        clock.now += step * (slow if random.random() < 0.1 else 1)
        return values[action] + luck + random.gauss(0, noise)

    budget = Budget(max_playouts, seconds, clock=clock, start=100.0, slowest=late)
    return sequential_halving(range(len(values)), lambda: random.gauss(0, 50), playout, budget)


def test_the_best_action_is_found_although_luck_is_far_greater_than_the_differences(clock: Clock) -> None:
    values = [0.0, 0.2, 3.0, 0.4, 2.5, 1.0, -2.0, 2.0]
    ranked = halve(values, clock, seconds=1.0, max_playouts=4000)
    assert ranked[0].action == 2
    assert sorted(candidate.action for candidate in ranked) == list(range(8))


def test_most_playouts_are_spent_on_the_best_actions(clock: Clock) -> None:
    ranked = halve([0.1 * place for place in range(16)], clock, seconds=1.0, max_playouts=1600, noise=5.0)
    counts = [len(candidate.values) for candidate in ranked]
    assert counts[0] == counts[1] >= 3 * counts[-1] > 0
    assert sum(counts) <= 1600 + 16


def test_of_hundreds_of_actions_only_as_many_are_tried_as_the_budget_can_tell_apart(clock: Clock) -> None:
    for ranked in (
        halve([1.0] * 500, clock, seconds=9.0, max_playouts=200),
        halve([1.0] * 500, Clock(), seconds=0.2, step=0.001),
    ):
        tried = [candidate for candidate in ranked if candidate.values]
        assert 75 <= len(tried) <= 80
        assert tried == ranked[: len(tried)]
        assert len(ranked) == 500
        assert len(ranked[0].values) >= 10


@pytest.mark.parametrize("slow", [1, 10])
def test_it_ends_in_time_also_if_playouts_take_longer_now_and_then(clock: Clock, slow: int) -> None:
    ranked = halve([0.0] * 9, clock, seconds=0.5, step=0.001, noise=9.0, slow=slow)
    assert len(ranked) == 9
    assert 100.4 < clock.now <= 100.5 + 0.001 * slow


def test_with_no_time_the_preferred_action_is_kept_and_nothing_is_tried(clock: Clock) -> None:
    for seconds, late in ((0.0, 0.0), (-1.0, 0.0), (0.05, 0.06)):
        ranked = halve([0.0, 9.0, 9.0], clock, seconds=seconds, max_playouts=100, late=late)
        assert [candidate.action for candidate in ranked] == [0, 1, 2]
        assert not any(candidate.values for candidate in ranked)


def test_a_clear_case_is_decided_before_the_time_is_over(clock: Clock) -> None:
    assert halve([0.0, 100.0, 0.0], clock, seconds=10.0, step=0.001)[0].action == 1
    assert clock.now < 101.0


def test_how_much_better_an_action_is_has_a_smaller_error_than_its_value(clock: Clock) -> None:
    best, other = halve([1.0, 0.5], clock, seconds=1.0, max_playouts=100)
    lead = best.lead_over(other)
    assert lead.playouts == best.estimate().playouts == 50
    assert abs(lead.mean - 0.5) < 3 * lead.error
    assert 0.1 < lead.error < 0.3 < best.estimate().error


# -- games without a policy -------------------------------------------------------------------------------------------


class LastPebble(Pebbles):
    """Whoever takes the last pebble wins: until then nobody has a point."""

    __slots__ = ()

    def ranking(self) -> Ranking:
        last = next((event.seat for event, _ in reversed(self.log) if isinstance(event, Taken)), None)
        scores = [int(seat == last and not self.heap) for seat in range(self.config.players)]
        return Ranking(scores=scores, ranks=[2 - score for score in scores] if any(scores) else [1] * len(scores))


def heap(game: type[Pebbles], pebbles: int, players: int = 2) -> Pebbles:
    """A new game."""
    return game.new(PebblesConfig(players=players, heap=pebbles), Seeded(1))


def decisions(game: Game) -> int:
    """How many were made after the first one."""
    return sum(isinstance(event, DecisionEvent) for event, _ in game.log) - 1


def searched(game: Game, playouts: int, seed: int = 1) -> list[Candidate]:
    """The candidates after a search with random playouts for the seat whose turn it is."""
    assert game.turn is not None
    seat, random = game.turn.seat, Random(seed)
    return evaluate(game, seat, RandomPlayouts, random, Budget(playouts))


@pytest.mark.parametrize(("pebbles", "best"), [(3, 3), (5, 1), (6, 2), (7, 3)])
def test_the_action_that_wins_whatever_the_rival_does_is_found(pebbles: int, best: int) -> None:
    ranked = searched(heap(LastPebble, pebbles), 600)
    assert ranked[0].action == Take(count=best)
    assert ranked[0].mean > 0.6 > ranked[1].mean


def test_at_a_table_of_three_a_seat_expects_its_rivals_to_play_for_themselves() -> None:
    """With five pebbles, any number leaves enough for a rival to win, if not the next one then the one after it."""
    assert max(candidate.mean for candidate in searched(heap(LastPebble, 5, players=3), 900)) < 0.5


def test_a_long_game_is_cut_off_and_judged_by_its_scores() -> None:
    game = heap(Pebbles, 100_000)
    for own, other in ((900, 0), (0, 900)):
        game.taken = [own, other]
        twin = game.copy()
        twin.apply(Take(count=1))
        assert (RandomPlayouts(game, 0, Random(1)).playout(twin) > 0.5) is (own > other)
        assert decisions(twin) <= CUT + 1
    assert searched(heap(Pebbles, 9), 600)[0].action == Take(count=3)


def test_a_long_game_whose_scores_say_nothing_is_played_on_and_then_counts_as_even() -> None:
    game = heap(LastPebble, 100_000)
    twin = game.copy()
    twin.apply(Take(count=1))
    assert RandomPlayouts(game, 0, Random(1)).playout(twin) == 0.5
    assert decisions(twin) >= LAST_CUT
    assert game.heap == 100_000


def test_the_same_generator_gives_the_same_answer() -> None:
    one, same, other = ([each.values for each in searched(heap(LastPebble, 21), 200, seed)] for seed in (1, 1, 2))
    assert one == same != other


def test_actions_that_are_named_are_compared_instead_of_the_candidates() -> None:
    pair = [Take(count=1), Take(count=2)]
    ranked = evaluate(heap(LastPebble, 6), 0, RandomPlayouts, Random(1), Budget(100), pair)
    assert [each.action for each in ranked] == [Take(count=2), Take(count=1)]
    assert ranked[0].lead_over(ranked[1]).mean > 0


def test_a_policy_sees_nothing_that_its_seat_does_not_know() -> None:
    game: Any = new_game("forbidden_city", 1, players=2)

    class Nosy(RandomPlayouts):
        def __init__(self, shown: Any, seat: int, random: Random) -> None:
            super().__init__(shown, seat, random)
            assert shown.observe(seat) == game.observe(seat)
            assert shown.stacks != game.stacks

        def candidates(self, shown: Any) -> list[Any]:
            assert shown.stacks != game.stacks
            return shown.legal_actions()[:2]  # type: ignore[no-any-return]

        def playout(self, shown: Any) -> float:
            assert shown.stacks[0] != game.stacks[0][1:]
            return 0.0

    assert len(evaluate(game, game.turn.seat, Nosy, Random(1), Budget(10))) == 2


def test_the_decisions_left_are_those_of_one_seat() -> None:
    for pebbles, fewest, most in ((20, 3, 8), (100_000, FORESIGHT / 2, FORESIGHT / 2)):
        assert fewest <= decisions_left(heap(LastPebble, pebbles), 0, RandomPlayouts, Random(1)) <= most


def test_in_games_of_openspiel_it_wins_at_once_and_stops_the_rival() -> None:
    """By playouts in the library's own position: they are several times as fast as those of `Game.apply`."""
    pytest.importorskip("pyspiel", reason="needs OpenSpiel: make open-spiel")
    assert policy_for(find_game("open_spiel:connect_four")).__name__ == "OpenSpielPlayouts"
    for moves in ("010101", "01020"):  # three in column 0: one's own, or the rival's
        game = new_game("open_spiel:connect_four", 1)
        for column in moves:
            game.apply(game.legal_actions()[int(column)])
        assert game.turn is not None
        ranked = evaluate(game, game.turn.seat, policy_for(type(game)), Random(1), Budget(700))
        assert ranked[0].action.action == 0


def test_of_many_actions_only_one_that_wins_or_those_that_stop_the_rival_are_candidates() -> None:
    """Five in a row on 225 fields: random playouts hardly ever make such a row."""
    pytest.importorskip("pyspiel", reason="needs OpenSpiel: make open-spiel")
    for moves, best in (([0, 100, 1, 50, 2, 102, 3], 4), ([0, 100, 1, 50, 2, 102, 3, 150], 4)):
        game = new_game("open_spiel:gomoku", 1)
        for move in moves:
            game.apply(next(action for action in game.legal_actions() if number_of(action) == move))
        assert [number_of(action) for action in policy_at(game).candidates(game)] == [best]


def number_of(action: Any) -> int:
    """The number of an action in OpenSpiel."""
    number: int = action.action
    return number


def test_of_many_actions_those_are_tried_first_that_were_good_anywhere_in_playouts() -> None:
    """In Pebbles whoever takes most wins, so that it is always good to take three."""
    game = heap(Pebbles, 5)
    policy, takes = RandomPlayouts(game, 0, Random(1)), [Take(count=count) for count in (1, 2, 3)]
    assert policy.preferred(takes) == 0
    for number in range(90):
        twin = game.copy()
        twin.apply(takes[number % 3])
        policy.playout(twin)
        policy.preferred(takes)
    assert policy.preferred(takes) == 2
    values = [0.0] * 499 + [9.0]
    for preferred, found in ((None, False), (lambda left: len(left) - 1, True)):
        ranked = sequential_halving(range(500), lambda: 0.0, lambda _, action: values[action], Budget(200), preferred)
        assert (ranked[0].action == 499) is found


# -- policies ---------------------------------------------------------------------------------------------------------


def policy_at(game: Game) -> Any:
    """The policy of the searcher for the seat whose turn it is."""
    assert game.turn is not None
    return policy_for(type(game))(game, game.turn.seat, Random(1))


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_candidates_are_legal_and_playouts_leave_the_game_alone(setup: Setup) -> None:
    game = setup.begin("playouts")
    for _ in random_turns(game, "playouts", every=19):
        policy, legal = policy_at(game), game.legal_actions()
        candidates = policy.candidates(game)
        assert len(candidates) == len({msgspec.json.encode(action) for action in candidates}) > 0
        assert all(action in legal for action in candidates)
        before = msgspec.json.encode(game.log)
        twin = game.determinize(policy.seat, Random(1))
        assert isinstance(policy.playout(twin), float)
        assert msgspec.json.encode(game.log) == before


@pytest.mark.slow
def test_in_the_dragon_the_policy_alone_has_far_more_points_than_random_play() -> None:
    own = other = 0
    for deal in range(10):
        game = Setup("year_of_the_dragon", {"players": 2}).begin(deal)
        random = Random(deal)
        while game.turn is not None:
            mine = game.turn.seat == deal % 2
            game.apply(policy_at(game).candidates(game)[0] if mine else random.choice(game.legal_actions()))
        scores = game.ranking().scores
        own, other = own + scores[deal % 2], other + scores[1 - deal % 2]
    assert own > 1.5 * other


def test_the_value_of_an_action_in_the_city_is_the_coins_it_brings_when_all_is_closed() -> None:
    """After the last tile nothing is promised any more: the gain is the change of the lead."""
    for deal in range(6):
        game = finish_but_one(Setup("forbidden_city", {"players": 2, "start_tile": "advanced"}).begin(deal))
        assert game.turn is not None
        seat = game.turn.seat
        before = game.coins[seat] - game.coins[1 - seat]
        gains = Gains(game, seat, game.hands[seat])
        for action in game.legal_actions()[::5]:
            twin = game.copy()
            twin.lay_tile(seat, action)
            assert gains.of(action) == pytest.approx(twin.coins[seat] - twin.coins[1 - seat] - before)


def finish_but_one(game: Any) -> Any:
    """The game by random decisions before its last one."""
    random = Random("last")
    while sum(map(bool, game.hands)) > 1 or game.stacks[game.turn.seat][2:]:
        game.apply(random.choice(game.legal_actions()))
    return game


# -- the program ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "players", "options"),
    [
        ("year_of_the_dragon", 2, {"super_event": "tornado"}),
        ("year_of_the_dragon", 3, {"great_wall": True, "super_event": "random"}),
        ("year_of_the_dragon", 5, {"edition": "first", "super_event": "charter"}),
        ("forbidden_city", 2, {}),
        ("forbidden_city", 4, {"start_tile": "advanced"}),
    ],
)
def test_it_plays_every_game_without_a_fault_on_a_short_clock(game: str, players: int, options: dict[str, Any]) -> None:
    (played,) = play_deals(game, [str(SEARCHER), *["builtin:random"] * (players - 1)], control=TIGHT, **options)
    assert played.outcome.faults == [None] * players


def test_it_shares_out_a_bank() -> None:
    config = {"players": 2, "start_tile": "garden", "tile_set": "reconstructed"}
    start = {
        "game": "forbidden_city",
        "config": config,
        "seat": 0,
        "bot_seed": 1,
        "clock": {"bank_ms": 28_000, "increment_ms": 100},
    }
    player = part("searcher").Player(start, 100)
    game = Setup("forbidden_city", config).begin("bank")
    bank, spent = 28.0, []
    for turn in random_turns(game, "bank"):
        if turn.seat == 0:
            spent.append(player.seconds({"time_ms": bank * 1000}, game))
            bank += 0.1 - spent[-1]
            assert bank > 0
    assert min(spent) > 0.4
    assert sum(spent) > 14


@pytest.mark.slow
def test_with_a_number_of_playouts_a_seed_gives_the_same_game_again() -> None:
    command = f"{{python}} {PROGRAM / 'searcher.py'} --playouts 4"
    games = [play_deals("forbidden_city", [command, "builtin:random"], control=AMPLE_TIME) for _ in range(2)]
    assert games[0][0].outcome.scores == games[1][0].outcome.scores


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "arguments", "said"),
    [
        ("open_spiel:battleship", [], "can't search open_spiel:battleship: its rules can't draw again what a seat"),
        ("nosuch", [], "unknown game 'nosuch'"),
        ("forbidden_city", ["--policy", "missing.py"], "can't use the policy in missing.py"),
    ],
)
def test_it_says_why_it_can_not_play(game: str, arguments: list[str], said: str) -> None:
    if game.startswith("open_spiel"):
        pytest.importorskip("pyspiel", reason="needs OpenSpiel: make open-spiel")
    start = json.dumps({"type": "start", "game": game})
    command = [sys.executable, str(PROGRAM / "searcher.py"), *arguments]
    done = subprocess.run(command, input=start, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_package_it_says_what_to_do() -> None:
    done = subprocess.run(
        [sys.executable, "-S", str(PROGRAM / "searcher.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "{python} {kits}/searcher/searcher.py" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_policies_are_compared_with_other_weights() -> None:
    def compare(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, str(SEARCHER / "compare.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = compare("forbidden_city", "CLOSING=0", "--deals", "3")
    assert done.stdout.startswith("CLOSING=0: -"), done.stderr
    assert "it has CLOSING, HURRY, " in compare("forbidden_city", "CLOSE=0").stderr
