"""A seat of a game as an environment of Gymnasium, and its opponents."""

import contextlib
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

REASON = "the packages of the extra gym are not installed (make test-gym)"
gymnasium = pytest.importorskip("gymnasium", reason=REASON)
pytest.importorskip("pettingzoo", reason=REASON)

from gymnasium.utils.env_checker import check_env  # noqa: E402

from referee.bots.bot_spec import BotSpecError  # noqa: E402
from referee.errors import RefereeError  # noqa: E402
from referee.games import OptionError, find_codec, find_game  # noqa: E402
from referee.gyms import BotSettings, NotWhole, SingleGame, single_env  # noqa: E402
from referee.players.clock import TimeControl  # noqa: E402
from referee.processes.sandbox import choice  # noqa: E402
from referee.processes.sandbox.bubblewrap import SandboxError  # noqa: E402
from tests.games.playing import NOT_WHOLE, games_for_learners  # noqa: E402
from tests.processes.sandboxed import needs_sandbox  # noqa: E402

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "bots"
WRONG = BotSettings(sandbox="on")  # type: ignore[arg-type]
UNLIMITED = BotSettings(control=TimeControl(move=60.0, startup=60.0), sandbox="none")
every_game = pytest.mark.parametrize("game", games_for_learners())


def finish(env: SingleGame, view: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """Play to the end, always by the first index; the last reward and info."""
    ended, reward = False, 0.0
    info: dict[str, Any] = {}
    while not ended:
        assert reward == 0
        view, reward, ended, truncated, info = env.step(view["action_mask"].argmax())
        assert not truncated
    return reward, info


@every_game
def test_the_check_of_gymnasium_has_nothing_to_say(game: str) -> None:
    made = gymnasium.make(f"referee.gyms:referee/{find_codec(find_game(game)).id()}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped)
    made.close()


def test_gymnasium_makes_an_environment_with_options_by_its_id() -> None:
    made = gymnasium.make("referee.gyms:referee/year_of_the_dragon-positions-v1", players=5, seat=4, great_wall=True)
    assert made.unwrapped.codec.config.players == 5
    assert made.unwrapped.codec.config.great_wall


@every_game
def test_the_same_seed_gives_the_same_game(game: str) -> None:
    results = []
    for _ in range(2):
        env = single_env(game, players=2, opponents=["builtin:random"])
        view, _ = env.reset(seed=11)
        results.append(finish(env, view))
        view, _ = env.reset()
        results.append(finish(env, view))
    assert results[:2] == results[2:]
    assert results[0] != results[1]


@every_game
def test_an_illegal_index_does_not_end_the_episode(game: str) -> None:
    env = single_env(game)
    before, _ = env.reset(seed=1)
    illegal = int(before["action_mask"].argmin())
    view, reward, ended, truncated, info = env.step(illegal)
    assert (reward, ended, truncated) == (0.0, False, False)
    assert f"index {illegal} is not a legal" in info["illegal"]
    assert {name: part.tobytes() for name, part in view.items()} == {
        name: part.tobytes() for name, part in before.items()
    }
    _, _, _, _, info = env.step(before["action_mask"].argmax())
    assert "illegal" not in info


@pytest.mark.parametrize("value", NOT_WHOLE, ids=repr)
def test_what_is_no_index_is_refused_also_from_an_opponent(value: object) -> None:
    env = single_env("forbidden_city")
    view, _ = env.reset(seed=1)
    with pytest.raises(NotWhole, match="an index must be a whole number, not "):
        env.step(value)
    env.step(view["action_mask"].argmax())
    with pytest.raises(NotWhole, match="seat must be a whole number, not "):
        single_env("forbidden_city", seat=value)  # type: ignore[arg-type]
    env = single_env("forbidden_city", seat=1, opponents=[lambda view: value])  # type: ignore[list-item,return-value]
    with pytest.raises(NotWhole, match="an index must be a whole number, not "):
        env.reset(seed=1)


def test_an_index_after_the_end_is_refused_without_an_error() -> None:
    env = single_env("forbidden_city")
    view, _ = env.reset(seed=1)
    finish(env, view)
    _, _, ended, _, info = env.step(0)
    assert ended
    assert "the game is over" in info["illegal"]


def test_the_learner_sits_where_it_is_told() -> None:
    env = single_env("year_of_the_dragon", players=3, seat=2)
    view, _ = env.reset(seed=1)
    element = [feature.name for feature in env.codec.features].index("on turn seat 0")
    assert view["observation"][element] == 1
    reward, info = finish(env, view)
    assert len(info["scores"]) == 3
    assert reward in (-1, 0, 1)


def test_functions_are_asked_like_agents() -> None:
    asked = []

    def last(view: dict[str, Any]) -> int:
        index = int(view["action_mask"].nonzero()[0][-1])
        asked.append((len(view["observation"]), index))
        return index

    env = single_env("forbidden_city", players=3, seat=1, opponents=[last, "builtin:first"])
    view, _ = env.reset(seed=1)
    finish(env, view)
    assert len(asked) > 10
    assert {length for length, _ in asked} == {env.codec.length}


@pytest.mark.slow
def test_bots_play_on_the_other_seats_and_see_what_bots_see(tmp_path: Path) -> None:
    env = single_env(
        "year_of_the_dragon",
        players=3,
        seat=1,
        opponents=[str(BOTS / "random-python"), str(BOTS / "steady-python")],
        bots=UNLIMITED,
    )
    try:
        results = []
        for _ in range(2):
            view, info = env.reset(seed=4)
            assert "faults" not in info
            results.append(finish(env, view))
        assert results[0] == results[1]
        _, info = results[0]
        assert "faults" not in info
        assert info["scores"][2] == max(info["scores"])  # steady knows the game
    finally:
        env.close()
    env.close()


def test_a_bot_that_fails_is_named_and_its_seat_is_played_at_random(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'hello':\n"
        "        print(json.dumps({'type': 'ready', 'protocol': 1, 'name': 'b'}), flush=True)\n"
        "    elif message['type'] == 'act':\n"
        "        sys.exit('lost my way')\n"
    )
    (tmp_path / "bot.toml").write_text('command = "python3 bot.py"\n')
    env = single_env("forbidden_city", opponents=[str(tmp_path)], bots=UNLIMITED)
    try:
        for seed in range(2):  # in the second game it gets a new process
            view, _ = env.reset(seed=seed)
            _, info = finish(env, view)
            assert info["faults"].keys() == {"seat_1"}
            assert info["faults"]["seat_1"].startswith("crash: ")
    finally:
        env.close()


def test_a_bot_that_exits_slowly_after_a_fault_does_not_play_the_next_game(tmp_path: Path) -> None:
    env = single_env(
        "forbidden_city", opponents=[write_bot(tmp_path, "print('x', flush=True), time.sleep(0.7)")], bots=UNLIMITED
    )
    try:
        for seed in range(2):  # both games begin with a new process, so the fault is the same
            view, _ = env.reset(seed=seed)
            _, info = finish(env, view)
            assert info["faults"]["seat_1"].startswith("bad_message: ")
    finally:
        env.close()


def test_a_bot_may_exit_after_each_game(tmp_path: Path) -> None:
    answer = "print(json.dumps({'type': 'action', 'id': message['id'], 'index': 0}), flush=True)"
    bot = write_bot(tmp_path, answer, after_the_end="time.sleep(0.1), sys.exit()")
    env = single_env("forbidden_city", opponents=[bot], bots=UNLIMITED)
    try:
        for seed in range(3):
            view, info = env.reset(seed=seed)
            assert "faults" not in info
            _, info = finish(env, view)
            assert "faults" not in info
    finally:
        env.close()


def write_bot(folder: Path, decide: str, after_the_end: str = "None") -> str:
    """A bot with these expressions for the messages `act` and `end`."""
    (folder / "bot.py").write_text(
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'hello':\n"
        "        print(json.dumps({'type': 'ready', 'protocol': 1, 'name': 'b'}), flush=True)\n"
        "    elif message['type'] == 'act':\n"
        f"        {decide}\n"
        "    elif message['type'] == 'end':\n"
        f"        {after_the_end}\n"
    )
    (folder / "bot.toml").write_text('command = "python3 bot.py"\n')
    return str(folder)


def test_an_environment_that_is_closed_says_so() -> None:
    env = single_env("forbidden_city", opponents=[str(BOTS / "random-python")], bots=UNLIMITED)
    env.close()
    with pytest.raises(RefereeError, match="it is closed"):
        env.reset()


def test_a_warning_says_that_bots_are_played_without_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "BWRAP", "no-such-program")
    with pytest.warns(UserWarning, match="sandbox: none") as warned:
        env = single_env("forbidden_city", opponents=[f"{BOTS / 'random-python'}"])
    env.close()
    assert [each.filename for each in warned] == [__file__]


@pytest.mark.slow
@needs_sandbox
def test_a_warning_says_what_the_sandbox_hides_from_a_bot(tmp_path: Path) -> None:
    shared = tmp_path / "shared.py"
    shared.write_text((BOTS / "random-python/random_bot.py").read_text())
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/bot.toml").write_text('name = "bot"\ncommand = "python3 ../shared.py"\n')
    with pytest.warns(UserWarning, match=f"^bot: {shared} is outside of its folder, so the sandbox hides it"):
        single_env("forbidden_city", opponents=[str(tmp_path / "bot")]).close()


@pytest.mark.slow
def test_no_process_is_left_of_a_program_that_forgets_to_close(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    if json.loads(line)['type'] == 'hello':\n"
        "        print(json.dumps({'type': 'ready', 'protocol': 1, 'name': 'b'}), flush=True)\n"
    )
    program = (
        "from referee.gyms import BotSettings, single_env\n"
        f"env = single_env('forbidden_city', opponents=['python3 {bot}'], bots=BotSettings(sandbox='none'))\n"
        "env.reset(seed=1)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)
    deadline = time.monotonic() + 30
    while running(str(bot)) and time.monotonic() < deadline:
        time.sleep(0.01)  # until the keeper and the kernel have ended it
    assert not running(str(bot))


def running(word: str) -> list[Path]:
    """The processes with this word in their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if word.encode() in (process / "cmdline").read_bytes():
                found.append(process)
    return found


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"seat": 2}, OptionError, "the seats are 0 to 1"),
        ({"opponents": []}, OptionError, "2 players need 1 opponents, but 0 are given"),
        ({"opponents": "builtin:random"}, OptionError, "opponents is a list"),
        ({"opponents": [Path("bots/mason-python")]}, OptionError, "invalid opponent .*: give a function, or a text"),
        ({"opponents": ["builtin:best"]}, OptionError, "unknown built-in player 'best'"),
        ({"opponents": ["no/such/bot"]}, BotSpecError, "no/such/bot"),
        ({"opponents": ["human"]}, RefereeError, "not a program"),
        (
            {"opponents": [str(BOTS / "random-python")], "bots": WRONG},
            SandboxError,
            "unknown sandbox",
        ),
        ({"opponents": ["'no-such-program'"]}, BotSpecError, "no-such-program"),
    ],
)
def test_what_is_wrong_with_an_opponent_is_said(
    options: dict[str, Any], error: type[RefereeError], message: str
) -> None:
    with pytest.raises(error, match=message):
        single_env("forbidden_city", **options)
