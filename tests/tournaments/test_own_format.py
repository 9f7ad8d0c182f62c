"""A format is one module and one line of registry: everything else works with it as with the others."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.cli.command import Run, assert_error, referee
from tests.timeouts import TEST_TIMEOUT
from tests.tournaments.competition.simulated import Simulation, regulations
from tests.tournaments.event.store.organiser import SEED, Organiser
from tests.tournaments.king_of_the_hill import KingOfTheHill
from tournaments.competition.formats.registry import EXAMPLES, FORMATS, register
from tournaments.competition.formats.swiss import Swiss
from tournaments.competition.games import PlannedGame
from tournaments.competition.quick_standings import QuickStandings
from tournaments.competition.results import tournament_standings

ROOT: Final = Path(__file__).parents[2]
REGISTER: Final = "tests.tournaments.king_of_the_hill.register"
COMMAND: Final = f"import {REGISTER}; from referee.cli import main; main()"
NAME: Final = KingOfTheHill.name
BOTS: Final = "".join(f'[[bot]]\nbuiltin = "random"\nname = "{name}"\n' for name in "abcd")
FILE: Final = (
    f'name = "Hill"\nformat = "{NAME}"\ngame = "forbidden_city"\nseed = "{SEED}"\n[{NAME}]\nrounds = 4\n{BOTS}'
)


def run(*program: str) -> str:
    """What a Python program writes to stdout, in a process of its own; it must succeed."""
    outer = [name for name in os.environ if name.startswith("PYTEST_")]
    env = {name: value for name, value in os.environ.items() if name not in outer} | {"PYTHONPATH": str(ROOT)}
    argv = [sys.executable, *program]
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, timeout=TEST_TIMEOUT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tournament(*arguments: str | Path, cwd: Path | None = None) -> Run:
    """Run `referee tournament`; it has to succeed."""
    ended = referee("tournament", *arguments, cwd=cwd)
    assert ended.status == 0, ended.out + ended.err
    return ended


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The format is in the registry, as after `register`."""
    monkeypatch.setitem(FORMATS, NAME, KingOfTheHill)
    monkeypatch.setitem(EXAMPLES, NAME, "tests.tournaments.king_of_the_hill:example.toml")


@pytest.mark.slow
def test_the_commands_play_a_tournament_of_an_own_format_from_init_to_verify(tmp_path: Path, registered: None) -> None:
    tournament("init", "cup.toml", "--format", NAME, cwd=tmp_path)
    planned = tournament("plan", "cup.toml", "--json", cwd=tmp_path).json
    assert (planned["format"], planned["rounds"], planned["games"]) == (NAME, 4, 8)
    tournament("run", "cup.toml", cwd=tmp_path)
    standings = tournament("standings", tmp_path / "cup", "--json").json
    king = standings["added"]["king"]
    assert standings["standings"][0]["name"] == king
    assert standings["standings"][0]["tiebreaks"] == {}
    assert (standings["round"], standings["finished"], standings["sprt"]) == (4, True, None)
    assert f"king: {king}" in tournament("standings", tmp_path / "cup").out.splitlines()
    last = tournament("pairings", tmp_path / "cup", "--json").json["rounds"][-1]["tables"][0]
    assert king in last["bots"]
    verified = tournament("verify", tmp_path / "cup", "--json").json
    assert (verified["ok"], verified["unchecked"]) == (True, [])
    manifest = json.loads((tmp_path / "cup" / "manifest.json").read_text())
    assert manifest["regulations"]["pairing"] == f"{NAME}/1"


@pytest.mark.slow
def test_an_interrupted_tournament_of_an_own_format_is_resumed_to_the_same_end(
    tmp_path: Path, registered: None
) -> None:
    (tmp_path / "cup.toml").write_text(FILE)
    tournament("run", "cup.toml", cwd=tmp_path)
    cup = Organiser.begin(tmp_path / "cup.toml", tmp_path / "interrupted")
    cup.play_rounds(1)
    cup.pair()
    assert cup.progress.current is not None
    cup.play_game(cup.progress.current.missing()[0])
    tournament("resume", tmp_path / "interrupted")
    for command in ("standings", "games", "pairings"):
        resumed = tournament(command, tmp_path / "interrupted", "--json").json
        assert resumed == tournament(command, tmp_path / "cup", "--json").json
    assert tournament("verify", tmp_path / "interrupted", "--json").json["differences"] == []


@pytest.mark.ci_only
def test_the_tests_of_all_formats_pick_it_up() -> None:
    tests = [f"tests/tournaments/{name}.py" for name in ("competition/test_progress", "competition/test_results")]
    verification = "tests/tournaments/event/store/test_verification.py"
    found = run("-m", "pytest", "-p", REGISTER, "-n", "0", *tests, verification, "-k", NAME)
    assert int(found.splitlines()[-1].split()[0]) >= 6


def test_the_king_is_first_whatever_the_points_are(registered: None) -> None:
    of = regulations(NAME, ["ada", "bea", "cleo", "dora"], rounds=3)

    def dora_beats_ada(game: PlannedGame) -> Sequence[int]:
        return [{0: 2, 3: 3}.get(bot, 1) for bot in game.bots]

    simulation = Simulation(of, dora_beats_ada)
    progress = simulation.rounds().progress
    standings = tournament_standings(progress, True)
    assert [(row.place, row.name, row.points) for row in standings.standings[:2]] == [(1, "dora", 1.0), (2, "ada", 2.0)]
    assert [row.name for row in QuickStandings().rows(progress)][:2] == ["dora", "ada"]
    assert standings.added == {"king": "dora"}


@pytest.mark.parametrize(
    ("example", "missing"),
    [
        ("tournaments.event.file:examples/hill.toml", "examples/hill.toml in the package tournaments.event.file"),
        ("nowhere:hill.toml", "hill.toml in the package nowhere"),
    ],
)
def test_of_a_format_without_an_example_init_says_which_file_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: str, missing: str
) -> None:
    monkeypatch.setitem(FORMATS, "hill", Swiss)
    monkeypatch.setitem(EXAMPLES, "hill", example)
    ended = referee("tournament", "init", tmp_path / "cup.toml", "--format", "hill")
    assert_error(ended, 1, f"the format 'hill' has no example: there is no file {missing}")
    assert not (tmp_path / "cup.toml").exists()


def test_a_folder_of_a_format_that_is_not_here_says_so(
    tmp_path: Path, registered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cup.toml").write_text(FILE)
    Organiser.begin(tmp_path / "cup.toml", tmp_path / "cup")
    monkeypatch.delitem(FORMATS, NAME)
    assert_error(referee("tournament", "standings", tmp_path / "cup"), 1, f"unknown format '{NAME}'")


@pytest.mark.parametrize("name", ["swiss", "run"])
def test_a_name_that_is_taken_is_refused(name: str) -> None:
    class Taken(KingOfTheHill, frozen=True):
        pass

    Taken.name = name
    with pytest.raises(ValueError, match=f"the name '{name}' is taken"):
        register(Taken)
