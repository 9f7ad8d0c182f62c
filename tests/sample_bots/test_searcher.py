"""The sample bot searcher: its bandit finds the best action in the available time, and it keeps within its clock."""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games import Game, game_names
from referee.games.forbidden_city.policy import Gains
from referee.players.clock import TimeControl
from referee.search import Budget, Candidate, policy_for
from referee.search.halving import sequential_halving
from tests.games.playing import Setup, option_setups, random_turns
from tests.playing import play_deals

SEARCHER = Path(__file__).parents[2] / "bots/searcher-python"
TIGHT = TimeControl(move=0.02, margin=2.0, startup=60.0)
"""A short clock, with a margin for other tests that use the processor."""
AMPLE_TIME = TimeControl(move=60.0, startup=60.0)
SETUPS = [setup for name in game_names() for setup in option_setups(name)]


@pytest.fixture(scope="module", autouse=True)
def _path() -> Iterator[None]:
    """The bot's folder is on the path, as it is when the bot runs."""
    sys.path.insert(0, str(SEARCHER))
    yield
    sys.path.remove(str(SEARCHER))


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
        assert 35 <= len(tried) <= 40
        assert tried == ranked[: len(tried)]
        assert len(ranked) == 500
        assert len(ranked[0].values) >= 15


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
    command = f"{{python}} {SEARCHER / 'searcher.py'} --playouts 4"
    games = [play_deals("forbidden_city", [command, "builtin:random"], control=AMPLE_TIME) for _ in range(2)]
    assert games[0][0].outcome.scores == games[1][0].outcome.scores


def test_without_the_package_it_says_what_to_do() -> None:
    done = subprocess.run(
        [sys.executable, "-S", str(SEARCHER / "searcher.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "{python} searcher.py" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_policies_are_compared_with_other_weights() -> None:
    def compare(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, str(SEARCHER / "compare.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = compare("forbidden_city", "CLOSING=0", "--deals", "3")
    assert done.stdout.startswith("CLOSING=0: -"), done.stderr
    assert "it has CLOSING, HURRY, " in compare("forbidden_city", "CLOSE=0").stderr
