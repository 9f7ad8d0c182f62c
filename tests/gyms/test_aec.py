"""The games as environments of PettingZoo."""

import copy
import subprocess
import sys
import timeit
import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

REASON = "the packages of the extra gym are not installed (make test-gym)"
pytest.importorskip("pettingzoo", reason=REASON)
pytest.importorskip("gymnasium", reason=REASON)

import numpy as np  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it imports games of its own in a way that it deprecates
    from pettingzoo.test import api_test, seed_test

from referee.errors import RefereeError  # noqa: E402
from referee.games import OptionError, find_codec, find_game  # noqa: E402
from referee.gyms import AecGame, NotOffered, NotWhole, aec_env  # noqa: E402
from referee.gyms.episode import whole  # noqa: E402
from tests.games.playing import NOT_WHOLE, games_for_learners  # noqa: E402
from tests.games.third_game import CODEC, NARRATOR, HighCard  # noqa: E402
from tests.registered import registered  # noqa: E402

every_game = pytest.mark.parametrize("game", games_for_learners())


def play(env: AecGame, seed: str) -> Iterator[str]:
    """Play to the end at random; yields each agent before it acts."""
    random = Random(seed)
    for agent in env.agent_iter():
        observation, _, termination, _, _ = env.last()
        yield agent
        env.step(None if termination else random.choice(observation["action_mask"].nonzero()[0]))


def views(env: AecGame) -> list[Any]:
    """Everything that agents are told now."""
    seen = [env.observe(agent) for agent in env.possible_agents]
    told = [env.agent_selection, env.rewards, env.terminations, env.infos]
    return [[(view["observation"].tobytes(), view["action_mask"].tobytes()) for view in seen], *told]


# These two tests of PettingZoo know only their own environments, whose observations are dicts as well.
@pytest.mark.filterwarnings("ignore:Observation")
@pytest.mark.filterwarnings("ignore:Environment has not defined a render")
@every_game
def test_the_tests_of_pettingzoo_pass(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    for wire in (False, True):
        api_test(aec_env(game, wire=wire), num_cycles=200)
        seed_test(lambda: aec_env(game), num_cycles=60)
    assert "Passed API test" in capsys.readouterr().out


@every_game
def test_the_id_has_the_name_and_the_version_of_the_codec(game: str) -> None:
    env = aec_env(game)
    assert str(env) == env.metadata["name"] == env.codec.id()


@every_game
def test_a_seed_gives_the_same_games_and_without_one_they_differ(game: str) -> None:
    one, other = aec_env(game), aec_env(game)
    one.reset(seed=7)
    other.reset(seed=7)
    first = views(one)
    assert views(other) == first
    one.reset()
    other.reset()
    assert views(one) == views(other) != first
    other.reset(seed=8)
    assert views(other) != first


@every_game
def test_rewards_come_at_the_end_and_sum_to_zero(game: str) -> None:
    env = aec_env(game, players=3)
    env.reset(seed=3)
    for _ in play(env, "rewards"):
        if not all(env.terminations.values()):
            assert not any(env.rewards.values())
            continue
        ranks = env.episode.game.ranking().ranks
        for seat, agent in enumerate(env.possible_agents):
            if agent in env.agents:
                better, worse = sum(r < ranks[seat] for r in ranks), sum(r > ranks[seat] for r in ranks)
                assert env._cumulative_rewards[agent] == (worse - better) / 2
                assert env.infos[agent]["score"] == env.episode.game.ranking().scores[seat]
    assert env.agents == []


@every_game
def test_an_illegal_index_is_refused_and_changes_nothing(game: str) -> None:
    env = aec_env(game)
    env.reset(seed=1)
    before = views(env)
    illegal = int(env.observe(env.agent_selection)["action_mask"].argmin())
    for index in (illegal, -1, env.codec.size):
        with pytest.raises(NotOffered, match=f"index {index} is not a legal"):
            env.step(index)
        assert views(env) == before


@pytest.mark.parametrize("value", NOT_WHOLE, ids=repr)
def test_what_is_no_index_is_refused_and_changes_nothing(value: object) -> None:
    env = aec_env("year_of_the_dragon")
    env.reset(seed=1)
    before = views(env)
    with pytest.raises(NotWhole, match="an index must be a whole number, not "):
        env.step(value)
    assert views(env) == before
    with pytest.raises(NotWhole, match="seed must be a whole number, not "):
        env.reset(seed=value if value is not None else 1.5)  # type: ignore[arg-type]
    env.step(env.observe(env.agent_selection)["action_mask"].argmax())


def test_numbers_of_numpy_are_whole_or_not_as_those_of_python() -> None:
    assert [whole(value) for value in (3, np.int8(3), np.uint64(3), np.array(3))] == [3] * 4
    for value in (np.True_, np.float32(1), np.array([1]), np.array([0, 1], np.int8), np.array(True)):
        with pytest.raises(NotWhole):
            whole(value)


@every_game
def test_a_clone_is_independent_and_costs_what_a_copy_of_the_game_costs(game: str) -> None:
    env = aec_env(game)
    env.reset(seed=5)
    for number, agent in enumerate(play(env, "clones")):
        if number == 30:
            twin = copy.deepcopy(env)
            before = views(env)
            assert views(twin) == before
            twin.step(int(twin.observe(agent)["action_mask"].argmax()))
            assert views(env) == before != views(twin)
            for _ in play(twin, "further"):
                pass
            assert views(env) == before
            clone = min(timeit.repeat(lambda: copy.deepcopy(env), number=100, repeat=5))
            of_game = min(timeit.repeat(env.episode.game.copy, number=100, repeat=5))
            assert clone < 4 * of_game
            break


@every_game
def test_a_determinized_clone_looks_the_same_and_has_another_future(game: str) -> None:
    env = aec_env(game)
    env.reset(seed=5)
    futures = set()
    for number, agent in enumerate(play(env, "twins")):
        if number < 10:
            continue
        for seed in range(5):
            twin = env.determinize(agent, seed)
            assert twin.observe(agent)["observation"].tobytes() == env.observe(agent)["observation"].tobytes()
            assert twin.observe(agent)["action_mask"].tobytes() == env.observe(agent)["action_mask"].tobytes()
            for _ in play(twin, "the same decisions, as far as they are legal"):
                pass
            futures.add(str(twin.episode.game.ranking().scores))
        break
    assert len(futures) > 1
    assert env.determinize(agent, 1).episode.game.log is not env.episode.game.log


@every_game
def test_a_determinized_clone_keeps_what_the_agent_was_told_and_nothing_of_others(game: str) -> None:
    env = aec_env(game, wire=True)
    env.reset(seed=5)
    agent = next(agent for number, agent in enumerate(play(env, "told")) if number == 10)
    twin = env.determinize(agent, 1)
    assert twin.infos[agent] == env.infos[agent]
    assert twin.infos[agent]["act"]["events"]
    assert all("act" not in twin.infos[other] for other in env.agents if other != agent)
    for _ in play(env, "to the end"):
        pass
    over = env.determinize(agent, 1)
    assert (over.rewards, over.infos) == (env.rewards, env.infos)


@every_game
def test_the_view_of_the_wire_is_what_a_bot_would_be_sent(game: str) -> None:
    env = aec_env(game, wire=True)
    env.reset(seed=2)
    known: dict[str, list[Any]] = {agent: [] for agent in env.possible_agents}
    for agent in play(env, "wire"):
        act = env.infos[agent]["act"]
        known[agent] += act["events"]
        if env.terminations[agent]:
            break
        codec = find_codec(type(env.episode.game)).of_start({"config": {"players": len(env.possible_agents)}})
        vector, indices = codec.of_message(act)
        assert vector == env.observe(agent)["observation"].tobytes()
        assert sorted(indices) == env.observe(agent)["action_mask"].nonzero()[0].tolist()
        sent = env.episode.game.events_since(env.possible_agents.index(agent))
        assert len(known[agent]) == len(sent)


def test_a_game_of_another_package_is_an_environment_too() -> None:
    with registered(HighCard, narrator=NARRATOR, codec=CODEC):
        env = aec_env("high_card", players=3)
        env.reset(seed=1)
        assert sum(1 for _ in play(env, "bets")) > 20


def test_where_no_action_has_an_index_the_environment_plays_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_codec(find_game("forbidden_city")), "indices", lambda self, seen, legal: [-1] * len(legal))
    env = aec_env("forbidden_city")
    env.reset(seed=1)
    assert all(env.terminations.values())
    assert env.infos["seat_0"]["outside"] > 40


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": "forbidden_city", "players": 9}, "players=9"),
        ({"game": "forbidden_city", "great_wall": True}, "unknown option 'great_wall'"),
    ],
)
def test_a_wrong_game_or_option_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        aec_env(**options)


def test_without_the_extra_the_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith("referee.gyms")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(RefereeError, match=r"pip install -e '\.\[gym\]'"):
        __import__("referee.gyms")


def test_all_names_can_be_imported_without_open_spiel() -> None:
    program = "import sys; sys.modules['pyspiel'] = None; from referee.gyms import *; register_open_spiel()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "pip install -e '.[openspiel]'" in done.stderr.splitlines()[-1]
