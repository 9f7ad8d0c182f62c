"""Every command once as a process of its own, as users start it: other tests run most of them in their own process."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.cli.bots import make_bot
from tests.cli.command import referee, referee_process
from tests.cli.test_other_commands import LOADED

pytestmark = pytest.mark.slow

FILE: Final = """
format = "round_robin"
game = "forbidden_city"
name = "Cup"
seed = "x"
deals = 1
points = "table"
[run]
sandbox = "none"
[[bot]]
builtin = "first"
[[bot]]
builtin = "random"
"""
GAME: Final = "cup/records/r01-t001-d01-s1.jsonl.gz"
REASON: Final = ("--reason", "it was late")
RUNS: Final[dict[str, tuple[int, list[str]]]] = {
    "match": (0, ["builtin:first", "builtin:random", "--games", "1", "--seed", "s", "--no-record"]),
    "game new": (0, ["mine"]),
    "bot new": (0, ["mine", "--language", "c"]),
    "bot check": (0, ["bot", "--list"]),
    "bot replay": (2, [GAME, "nowhere", "--seat", "0"]),
    "bot connect": (2, ["nowhere", "python3", "bot/bot.py"]),
    "tournament init": (0, ["new.toml"]),
    "tournament plan": (0, ["cup.toml"]),
    "tournament check": (0, ["cup.toml"]),
    "tournament run": (0, ["cup.toml", "--out", "again"]),
    "tournament resume": (0, ["cup"]),
    "tournament add": (1, ["cup", "builtin:first"]),
    "tournament withdraw": (1, ["cup", "first"]),
    "tournament replay": (0, ["cup", "r01-t001-d01-s1", *REASON]),
    "tournament standings": (0, ["cup"]),
    "tournament games": (0, ["cup"]),
    "tournament pairings": (0, ["cup"]),
    "tournament rule": (0, ["cup", "r01-t001-d01-s1", "--void", "--dry-run", *REASON]),
    "tournament penalty": (0, ["cup", "first", "--points", "-1", "--dry-run", *REASON]),
    "tournament disqualify": (0, ["cup", "first", "--dry-run", *REASON]),
    "tournament reinstate": (1, ["cup", "first"]),
    "tournament end": (1, ["cup", *REASON]),
    "tournament bye": (1, ["cup", "first", "--round", "1"]),
    "tournament pause": (1, ["cup"]),
    "tournament status": (0, ["cup"]),
    "tournament watch": (2, ["nowhere"]),
    "tournament verify": (0, ["cup"]),
    "tournament report": (0, ["cup", "-o", "site", "--replays", "none"]),
    "tournament export": (0, ["cup", "--trf", "cup.trf"]),
    "record show": (0, [GAME]),
    "record view": (0, [GAME, "-o", "game.html"]),
    "record verify": (0, ["cup"]),
    "ratings": (0, ["cup"]),
    "record export": (0, [GAME, "--csv"]),
    "sandbox": (0, ["--json"]),
    "games": (0, []),
    "schema": (0, ["-o", "schemas"]),
}
"""By command: its exit status and its arguments."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bot and a tournament that is finished."""
    folder = tmp_path_factory.mktemp("commands")
    make_bot(folder / "bot")
    (folder / "cup.toml").write_text(FILE)
    assert referee("tournament", "run", "cup.toml", cwd=folder).status == 0
    return folder


def test_every_command_is_there() -> None:
    assert set(RUNS) == {" ".join(path) for path, command in LOADED.items() if not hasattr(command, "commands")}


@pytest.mark.parametrize("command", RUNS)
def test_a_command_ends_as_a_process_with_its_status(command: str, folder: Path, tmp_path: Path) -> None:
    """Without a module that only another test has imported, it would end with a traceback."""
    status, arguments = RUNS[command]
    shutil.copytree(folder, tmp_path / "own")
    ended = referee_process(*command.split(), *arguments, cwd=tmp_path / "own")
    assert ended.status == status, ended.err
    assert ended.out if status == 0 else ended.err.startswith(("referee: ", "Usage: referee ")), ended
