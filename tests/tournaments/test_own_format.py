"""A format is one module and one line of registry: everything else works with it as with the others."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.command import referee
from tests.timeouts import TEST_TIMEOUT
from tests.tournaments.competition.simulated import Simulation, regulations
from tests.tournaments.event.store.organiser import SEED, Organiser
from tests.tournaments.king_of_the_hill import KingOfTheHill
from tests.tournaments.samples import sample_of
from tournaments.competition.formats import EXAMPLES, FORMATS
from tournaments.competition.progress import PlannedGame
from tournaments.competition.quick_standings import quick_standings
from tournaments.competition.results import tournament_standings

ROOT = Path(__file__).parents[2]
REGISTER = "tests.tournaments.king_of_the_hill.register"
COMMAND = f"import {REGISTER}; from referee.cli import main; main()"
NAME = KingOfTheHill.name


class Ended(NamedTuple):
    """A program that has ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed."""
        return json.loads(self.out)


def run(program: Sequence[str | Path], folder: Path = ROOT) -> Ended:
    """Run a Python program."""
    outer = [name for name in os.environ if name.startswith("PYTEST_")]
    env = {name: value for name, value in os.environ.items() if name not in outer} | {"PYTHONPATH": str(ROOT)}
    argv = [sys.executable, *map(str, program)]
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, timeout=TEST_TIMEOUT, check=False)
    return Ended(done.returncode, done.stdout, done.stderr)


def tournament(*arguments: str | Path, folder: Path = ROOT) -> Ended:
    """Run `referee tournament` where the format is registered; it has to succeed."""
    ended = run(["-c", COMMAND, "tournament", *arguments], folder)
    assert ended.status == 0, ended.out + ended.err
    return ended


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The format is in the registry of this process too."""
    monkeypatch.setitem(FORMATS, NAME, KingOfTheHill)
    monkeypatch.setitem(EXAMPLES, NAME, "tests.tournaments.king_of_the_hill:example.toml")


@pytest.mark.slow
def test_the_commands_play_a_tournament_of_an_own_format_from_init_to_verify(tmp_path: Path) -> None:
    assert "king_of_the_hill" in tournament("init", "--help").out
    tournament("init", "cup.toml", "--format", NAME, folder=tmp_path)
    planned = tournament("plan", "cup.toml", "--json", folder=tmp_path).json
    assert (planned["format"], planned["rounds"], planned["games"]) == (NAME, 4, 8)
    tournament("run", "cup.toml", folder=tmp_path)
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
    bots = "".join(f'[[bot]]\nbuiltin = "random"\nname = "{name}"\n' for name in "abcd")
    (tmp_path / "cup.toml").write_text(
        f'name = "Hill"\nformat = "{NAME}"\ngame = "forbidden_city"\nseed = "{SEED}"\n[{NAME}]\nrounds = 4\n{bots}'
    )
    tournament("run", "cup.toml", folder=tmp_path)
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


@pytest.mark.slow
def test_the_tests_of_all_formats_and_the_cups_pick_it_up() -> None:
    tests = [f"tests/tournaments/{name}.py" for name in ("competition/test_progress", "competition/test_results")]
    verification = "tests/tournaments/event/store/test_verification.py"
    found = run(["-m", "pytest", "-p", REGISTER, "-n", "0", *tests, verification, "-k", NAME])
    assert found.status == 0, found.out + found.err
    assert int(found.out.splitlines()[-1].split()[0]) >= 6
    program = f"[sys.executable, '-c', {COMMAND!r}, 'tournament']"
    cups = run(["-c", f"import sys, {REGISTER}; from tests.cups import play; play(['{NAME}'], {program})"])
    assert cups.status == 0, cups.out + cups.err
    assert cups.out.startswith(f"{NAME}: ")


def test_the_king_is_first_whatever_the_points_are(registered: None) -> None:
    of = regulations(NAME, ["ada", "bea", "cleo", "dora"], rounds=3)

    def dora_beats_ada(game: PlannedGame) -> Sequence[int]:
        return [{0: 2, 3: 3}.get(bot, 1) for bot in game.bots]

    simulation = Simulation(of, dora_beats_ada)
    progress = simulation.rounds().progress
    standings = tournament_standings(progress, True)
    assert [(row.place, row.name, row.points) for row in standings.standings[:2]] == [(1, "dora", 1.0), (2, "ada", 2.0)]
    assert [row.name for row in quick_standings(progress)][:2] == ["dora", "ada"]
    assert standings.added == {"king": "dora"}


def test_of_a_format_without_an_example_init_says_which_file_is_missing(tmp_path: Path) -> None:
    without = "import tournaments.competition.formats as f; f.FORMATS['hill'] = f.Swiss; f.EXAMPLES['hill'] = '{}'; "
    for example, words in (
        (
            "tournaments.event.file:examples/hill.toml",
            "no file examples/hill.toml in the package tournaments.event.file",
        ),
        ("nowhere:hill.toml", "no file hill.toml in the package nowhere"),
    ):
        code = without.format(example) + "from referee.cli import main; main()"
        ended = run(["-c", code, "tournament", "init", tmp_path / "cup.toml", "--format", "hill"])
        assert (ended.status, ended.out) == (1, "")
        assert words in ended.err
        assert "can't write" not in ended.err
        assert not (tmp_path / "cup.toml").exists()


def test_a_format_without_a_sample_is_told_where_to_add_one() -> None:
    with pytest.raises(AssertionError, match=r"'hill' to SAMPLES in tests/tournaments/samples\.py"):
        sample_of("hill")


def test_a_folder_of_a_format_that_is_not_here_says_so(tmp_path: Path, registered: None) -> None:
    bots = "".join(f'[[bot]]\nbuiltin = "random"\nname = "{name}"\n' for name in "abc")
    (tmp_path / "cup.toml").write_text(f'format = "{NAME}"\ngame = "forbidden_city"\n{bots}')
    Organiser.begin(tmp_path / "cup.toml", tmp_path / "cup")
    ended = referee("tournament", "standings", tmp_path / "cup")
    assert ended.status == 1
    assert f"there is no format '{NAME}'" in ended.message
