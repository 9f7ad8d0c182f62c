"""A third game is one package and one line in the registry: everything works with it as with the other games."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from referee.games.options import Option, options
from tests.games.playing import values_of
from tests.games.third_game import HighCard

ROOT = Path(__file__).parents[2]
REGISTER = "tests.games.third_game.register"
COMMAND = f"import {REGISTER}; from referee.cli import main; main()"


def run(program: Sequence[str], folder: Path = ROOT) -> str:
    """What a Python program writes to stdout; it must succeed."""
    outer = [name for name in os.environ if name.startswith("PYTEST_")]
    env = {name: value for name, value in os.environ.items() if name not in outer} | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, *program], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_pytest(*arguments: str) -> str:
    """The output of pytest with the third game registered."""
    return run(["-m", "pytest", "-p", REGISTER, "-n", "0", *arguments])


def test_a_third_game_passes_the_conformance_suite() -> None:
    summary = run_pytest("tests/games/test_conformance.py", "-k", HighCard.name).splitlines()[-1]
    assert int(summary.split()[0]) > 100
    assert "failed" not in summary
    assert "skipped" not in summary


def test_tests_are_collected_with_a_third_game_that_has_no_page_in_the_documentation() -> None:
    collected = run_pytest("tests", "--collect-only")
    assert "error" not in collected.splitlines()[-1]
    for test in ("test_conformance.py", "test_verify.py", "test_golden.py"):
        assert any(test in line and HighCard.name in line for line in collected.splitlines())


def test_the_commands_play_record_verify_and_show_a_third_game(tmp_path: Path) -> None:
    match = ["match", "builtin:random", "builtin:random", "--game", "high_card", "--set", "stake=1000000000000"]
    run(["-c", COMMAND, *match, "--games", "2", "--record", "records", "--sandbox", "none"], tmp_path)
    records = sorted(map(str, (tmp_path / "records").glob("*.jsonl")))
    assert len(records) == 4
    assert run(["-c", COMMAND, "record", "verify", *records]).count(": ok: ") == 4
    text = run(["-c", COMMAND, "record", "show", records[0]])
    assert text.startswith("High Card\n  players 2, stake 1000000000000\n")
    assert "Round 20 of 20: the cards are " in text


def test_the_commands_list_a_third_game_and_its_schema() -> None:
    assert "high_card: High Card" in run(["-c", COMMAND, "games"])
    assert '"high_card-action-bet"' in run(["-c", COMMAND, "schema"])


def test_of_a_huge_range_the_bounds_the_default_and_a_few_values_between_are_tried() -> None:
    (stake,) = [option for option in options(HighCard.Config) if option.name == "stake"]
    assert stake.maximum == 10**12
    start = time.perf_counter()
    values = list(map(int, values_of(stake)))
    assert time.perf_counter() - start < 1
    assert {1, stake.default, 10**12} <= set(values)
    assert 3 < len(values) < 10
    assert all(1 <= value <= 10**12 for value in values)


def test_of_a_small_range_every_value_is_tried() -> None:
    assert values_of(Option(name="players", values="2 to 5", default=3, description="")) == ["2", "3", "4", "5"]
