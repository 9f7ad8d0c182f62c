"""A third game is one package and one line in the registry: everything works with it as with the other games."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.conformance.suite import LEVELS
from tests.cli.command import referee
from tests.games.third_game import NARRATOR, HighCard
from tests.registered import registered

ROOT = Path(__file__).parents[2]
REGISTER = "tests.games.third_game.register"
TIME_SCALE = ("--time-scale", "10")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that registers the third game in every process whose PYTHONPATH has it, workers of tournaments too."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "sitecustomize.py").write_text(f"import {REGISTER}\n")
    return folder


def run(site: Path, *arguments: str, folder: Path = ROOT) -> str:
    """What `referee`, which knows the third game as its workers do, writes to stdout; it must succeed."""
    with registered(HighCard, narrator=NARRATOR):
        done = referee(*arguments, cwd=folder, PYTHONPATH=f"{ROOT}{os.pathsep}{site}", COLUMNS="400")
    assert done.status == 0, done.err
    return done.out


def run_pytest(*arguments: str, plugin: str = "tests.games.third_game.scrambler", fails: bool = False) -> str:
    """The output of pytest with the third game registered; it must succeed, unless it `fails`."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env |= {"PYTHONPATH": str(ROOT), "COLUMNS": "400"}
    command = [sys.executable, "-m", "pytest", "-p", plugin, "-n", "0", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout


@pytest.mark.check_all
def test_a_third_game_passes_the_conformance_suite_and_a_person_plays_it() -> None:
    suite = ("test_conformance.py", "test_presenters.py", "test_rule_texts.py")
    tests = [*(f"tests/games/{name}" for name in suite), "tests/players/human/test_player.py"]
    summary = run_pytest("-rA", "--tb=no", *tests, "-k", HighCard.name).splitlines()
    passed = [line.removeprefix("PASSED tests/") for line in summary if line.startswith("PASSED ")]
    assert not [line for line in summary if line.startswith(("FAILED ", "ERROR ", "SKIPPED "))]
    assert sum(line.startswith("games/test_conformance.py") for line in passed) > 100
    assert {line.partition("::")[0] for line in passed} == {test.removeprefix("tests/") for test in tests}


@pytest.mark.check_all
def test_tests_are_collected_with_a_third_game_that_has_no_page_in_the_documentation() -> None:
    collected = run_pytest("tests", "--collect-only")
    assert "error" not in collected.splitlines()[-1]
    for test in ("test_conformance.py", "test_verify.py", "test_golden.py"):
        assert any(test in line and HighCard.name in line for line in collected.splitlines())


@pytest.mark.slow
def test_the_commands_play_record_verify_and_show_a_third_game(tmp_path: Path, site: Path) -> None:
    match = ["match", "builtin:random", "builtin:random", "--game", "high_card", "--set", "stake=1000000000000"]
    run(site, *match, "--games", "2", "--record", "records", "--sandbox", "none", folder=tmp_path)
    records = sorted(map(str, (tmp_path / "records").glob("*.jsonl")))
    assert len(records) == 4
    assert run(site, "record", "verify", *records).count(": ok: ") == 4
    text = run(site, "record", "show", records[0])
    assert text.startswith("High Card\n  players 2, stake 1000000000000\n")
    assert "Round 20 of 20: the cards are " in text


def test_the_commands_list_a_third_game_and_its_schema(site: Path) -> None:
    assert "high_card: High Card" in run(site, "games")
    assert '"high_card-action-bet"' in run(site, "schema")


@pytest.mark.ci_only
def test_a_new_bot_plays_a_third_game_and_passes_all_checks_in_it(tmp_path: Path, site: Path) -> None:
    said = run(site, "bot", "new", "newcomer", "--language", "python", folder=tmp_path)
    assert "referee match newcomer builtin:random --game high_card" in said
    match = ["match", "newcomer", "builtin:random", "--game", "high_card", "--games", "1", "--no-record", *TIME_SCALE]
    assert "High Card: 2 games" in run(site, *match, folder=tmp_path)
    check = ["bot", "check", "newcomer", "--game", "high_card", "--strict", "--quick", "--games", "4", "--json"]
    report = json.loads(run(site, *check, *TIME_SCALE, folder=tmp_path))
    levels = {each["id"].partition(".")[0] for each in report["checks"] if each["status"] == "pass"}
    assert levels >= {level.name for level in LEVELS} - {"optional"}


@pytest.mark.ci_only
def test_a_tournament_of_a_third_game_in_worker_processes(tmp_path: Path, site: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    run(site, "tournament", "check", "cup.toml", folder=tmp_path)
    run(site, "tournament", "run", "cup.toml", folder=tmp_path)
    assert "High Card" in run(site, "tournament", "standings", "cup", folder=tmp_path)
    run(site, "tournament", "verify", "cup", folder=tmp_path)


CUP = """
name = "cards"
format = "round_robin"
game = "high_card"
seats = 2
deals = 2
seed = "cards"

[options]
stake = 5

[run]
workers = 2

[[bot]]
builtin = "random"

[[bot]]
builtin = "first"

[[bot]]
builtin = "random"
name = "dice"
"""


@pytest.mark.check_all
def test_what_the_tests_lack_of_a_game_is_named_with_the_place_where_it_goes() -> None:
    scrambler = "add to SCRAMBLERS in tests/games/playing.py what high_card hides"
    missing = {
        "tests/games/test_conformance.py": scrambler,
        "tests/games/test_presenters.py": scrambler,
        "tests/golden/test_golden.py": "add playthroughs of high_card to PLAYTHROUGHS in tests/golden/playthrough.py",
    }
    arguments = ("--tb=short", "--no-header", "-rfE", "-k", "high_card", *missing)
    done = run_pytest(*arguments, plugin=REGISTER, fails=True)
    for test, words in missing.items():
        assert re.search(rf"^(FAILED|ERROR) {test}\S* - .*{words}", done, re.MULTILINE), done
    assert "KeyError" not in done
