"""The sample bot quick, in C++: it plays every game without a fault, well, and in little time.

Building it takes longer than all of this. In CI `make smoke` builds, plays and checks it.
"""

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trio

from referee.bots.bot_spec import parse_bots
from referee.games import config_from, find_game
from referee.players.clock import TimeControl
from tests.cli.command import REFEREE
from tests.games.playing import Setup, option_setups
from tests.playing import play_games
from tests.processes.sandboxed import WORKING
from tournaments.play.conditions import Conditions
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Phases, rotations

ROOT = Path(__file__).parents[2]
QUICK = ROOT / "bots/quick-cpp"
KIT = ROOT / "referee/kits/templates/cpp"
CONTROL = TimeControl(move=0.5, margin=2.0, startup=60.0)
SETUPS = [*option_setups("year_of_the_dragon")[::3], *option_setups("forbidden_city")]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.check_all,
    pytest.mark.xdist_group("quick"),  # built once
    pytest.mark.skipif(shutil.which("c++") is None or shutil.which("make") is None, reason="needs c++ and make"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the bot elsewhere, built by a match: in the sandbox where there is one. A warning is an error."""
    folder = tmp_path_factory.mktemp("quick") / "a copy elsewhere"
    shutil.copytree(QUICK, folder, ignore=shutil.ignore_patterns("build"))
    makefile = (folder / "Makefile").read_text("utf-8")
    assert " -Wextra\n" in makefile
    (folder / "Makefile").write_text(makefile.replace(" -Wextra\n", " -Wextra -Werror\n"), "utf-8")
    for readable in (folder.parent, folder):
        readable.chmod(0o755)  # for bots that run as their own users
    command = ["match", folder, "builtin:random", "--games", "1", "--no-rotate", "--no-record"]
    command += ["--sandbox", "none" if WORKING is None else "bwrap", "--time-scale", "10"]  # other tests run, too
    done = subprocess.run([REFEREE, *map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def program(built: Path) -> str:
    """The command of the bot."""
    return shlex.quote(str(built / "build/bot"))


def match(program: str, setup: Setup, deals: int = 1) -> list[PlayedGame]:
    """Deals between the bot and players at random."""
    game_type = find_game(setup.game)
    config: Any = config_from(game_type.Config, setup.options, from_text=True)
    bots = parse_bots([f"quick={program}", *["builtin:random"] * (config.players - 1)])
    plan = GamePlan(game=game_type, config=config, bots=bots, conditions=Conditions(control=CONTROL, concurrency=1))
    played: list[PlayedGame] = []
    schedule = rotations(deals, config.players, f"quick plays {setup}", rotate=False)
    trio.run(play_games, plan, Phases(schedule), played.append)
    return played


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_it_plays_every_game_without_a_fault_and_wins_against_random_play(program: str, setup: Setup) -> None:
    (game,) = match(program, setup)
    assert game.outcome.faults == [None] * len(game.outcome.ranks)
    assert game.outcome.ranks[0] == 1


@pytest.mark.parametrize("setup", [Setup("year_of_the_dragon", {"players": "3"}), Setup("forbidden_city", {})], ids=str)
def test_it_has_twice_as_many_points_as_the_best_random_player(program: str, setup: Setup) -> None:
    scores = [game.outcome.scores for game in match(program, setup, deals=4)]
    assert sum(own for own, *_ in scores) >= 2 * sum(max(others) for _, *others in scores)


def test_it_has_no_copies_of_the_files_of_the_kit() -> None:
    own = {"bot.cpp", "bot.toml", "Makefile", "README.md"}
    assert {path.name for path in KIT.iterdir()} & {path.name for path in QUICK.iterdir()} == own


def test_a_match_builds_it_with_the_files_of_the_kit_where_they_are(built: Path) -> None:
    assert {path.name for path in (built / "build").iterdir()} >= {"bot", "main.o", "wire.o", "json.o"}
    assert not {path.name for path in built.iterdir()} & {"main.cpp", "wire.cpp", "json.cpp"}
