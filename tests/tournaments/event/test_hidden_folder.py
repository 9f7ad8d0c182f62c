"""No bot in the sandbox can read anything in the folder of its tournament, wherever that lies."""

from pathlib import Path
from typing import Final

import msgspec
import pytest

from referee.processes.sandbox.bubblewrap import SandboxError
from tests.processes.sandboxed import needs_sandbox
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.readiness import check_readiness, tournament_preflight

SPY: Final = """
import json, os, sys

found = []
for place in sys.argv[1:]:
    for folder, _, files in os.walk(place):
        for name in files:
            try:
                found.append(open(os.path.join(folder, name)).read())
            except OSError:
                pass
sys.exit("it sees " + json.dumps(found))
"""
"""Ends with all that it can read in the folders that it is given."""
TOURNAMENT: Final = """
format = "round_robin"
game = "year_of_the_dragon"
[run]
sandbox = "bwrap"
[[bot]]
builtin = "random"
[[bot]]
"""
SECRET: Final = "the seed of the deals"


def made(folder: Path, bot: str, *, seed: str = "") -> TournamentSpec:
    """A tournament with that bot."""
    (folder / "cup.toml").write_text(seed + TOURNAMENT + bot)
    return read_tournament(folder / "cup.toml")


def tournament_folder(path: Path) -> Path:
    """The folder of a tournament that is being played."""
    (path / "records").mkdir(parents=True)
    (path / "manifest.json").write_text(SECRET)
    (path / "records" / "r01-t001-d01-s1.jsonl.gz").write_text(SECRET)
    return path


async def seen(spec: TournamentSpec, folder: Path) -> str:
    """What the spy says that it sees."""
    preflight = tournament_preflight(spec, lambda notice: None, folder, collect=True)
    results = await check_readiness(spec, preflight, lambda result: None, lambda notice: None)
    assert not results[1].ready
    return results[1].stderr


def spy_folder(path: Path, *places: Path) -> Path:
    path.mkdir(parents=True)
    (path / "spy.py").write_text(SPY)
    command = msgspec.json.encode(["python3", "-SE", "spy.py", *map(str, places)]).decode()
    (path / "bot.toml").write_text(f"command = {command}")
    return path


@needs_sandbox
@pytest.mark.parametrize("place", ["spy/cup", "cup", "bots/../cup"], ids=["inside", "beside", "by another way"])
async def test_a_bot_in_a_folder_sees_nothing_of_it(tmp_path: Path, place: str) -> None:
    (tmp_path / "bots").mkdir()
    spy_folder(tmp_path / "spy", tmp_path / "spy" / "cup", tmp_path / "cup")
    (tmp_path / "spy" / "own").write_text("its own file")
    spec = made(tmp_path, 'path = "spy"')
    assert await seen(spec, tournament_folder(tmp_path / place)) == "it sees []\n"


@needs_sandbox
@pytest.mark.parametrize("through_link", [False, True], ids=["by its name", "by a symbolic link"])
async def test_a_bot_beside_the_tournament_file_sees_nothing_of_it(tmp_path: Path, through_link: bool) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    (home / "spy.py").write_text(SPY)
    (home / "own").mkdir()
    (home / "own" / "weights").write_text("its own file")
    at = tmp_path / "link" if through_link else home
    spec = made(at, 'command = "python3 -SE spy.py cup own"')
    assert await seen(spec, tournament_folder(at / "cup")) == 'it sees ["its own file"]\n'


@needs_sandbox
def test_a_bot_that_would_need_to_see_it_is_refused(tmp_path: Path) -> None:
    folder = tournament_folder(tmp_path / "cup")
    spy_folder(folder / "late")
    spec = made(tmp_path, 'path = "cup/late"')
    with pytest.raises(SandboxError, match=r"needs to see .*cup, but that keeps the records"):
        tournament_preflight(spec, lambda notice: None, folder)
    spec = made(tmp_path, 'builtin = "first"\n[[bot]]\ncommand = "true"')
    shown = spec.with_conditions(show=(folder / "records",))
    with pytest.raises(SandboxError, match="needs to see"):
        tournament_preflight(shown, lambda notice: None, folder)


@needs_sandbox
def test_the_organiser_is_told_of_a_bot_that_can_read_the_seed_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "spy.py").write_text(SPY)
    bot = 'command = "python3 spy.py"'
    told: list[str] = []
    tournament_preflight(made(tmp_path, bot, seed='seed = "1234"'), told.append)
    assert any("spy can read the seed in" in line for line in told)
    told.clear()
    tournament_preflight(made(tmp_path, bot), told.append)
    assert not any("can read the seed" in line for line in told)
