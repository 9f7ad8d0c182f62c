"""`referee game new` writes a package with a game that passes the conformance suite."""

import base64
import gzip
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from referee.pages.document import Document
from tests.cli.command import referee

ROOT = Path(__file__).parents[2]


def installed(folder: Path) -> dict[str, str]:
    """The environment in which the package is installed."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = folder / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    [(name, place)] = project["entry-points"]["referee.games"].items()
    (info / "entry_points.txt").write_text(f"[referee.games]\n{name} = {place}\n")
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return outer | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])}


def run(folder: Path, env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.ci_only
def test_a_new_game_passes_the_suite_and_is_played_shown_and_verified(tmp_path: Path) -> None:
    said = referee("game", "new", "stone_heap", cwd=tmp_path)
    assert said.status == 0
    assert "referee match builtin:random builtin:first --game stone_heap" in said.out
    folder = tmp_path / "stone_heap"
    assert "my_game" not in "".join(path.read_text() for path in folder.rglob("*") if path.is_file()).lower()
    env = installed(folder)
    assert " passed" in run(folder, env, "pytest", "-p", "no:cacheprovider", "tests")
    assert "stone_heap: Stone Heap\n" in run(folder, env, "referee", "games")
    match = ("match", "builtin:random", "builtin:first", "--game", "stone_heap", "--games", "2", "--record", "records")
    run(folder, env, "referee", *match, "--workers", "2", "--concurrency", "2")
    assert "4 ok" in run(folder, env, "referee", "record", "verify", "records")
    shown = run(folder, env, "referee", "record", "show", "records/0001-1.jsonl")
    assert "has the last stone" in shown
    assert b'"rules":"stone_heap 0.1.0"' in (folder / "records" / "0001-1.jsonl").read_bytes()
    run(folder, env, "referee", "record", "view", "records/0001-1.jsonl", "-o", "page.html")
    data = re.search(r'id="document">([^<]+)<', (folder / "page.html").read_text())
    assert data is not None
    document = msgspec.json.decode(gzip.decompress(base64.b64decode(data[1])), type=Document)
    assert "take 2 stones" in document.texts
    assert any(sprite.label == "0 stone" for sprite in document.sprites)
    run(folder, env, "referee", "bot", "new", "mine", "--kit", "searcher")
    searcher = f"mine={{python}} {{kits}}/searcher/searcher.py --playouts 60 --policy {folder}/mine/policy.py"
    options = ("--games", "2", "--move-time", "60s", "--seed", "7", "--sandbox", "none", "--json")
    outer = ("--env", f"PYTHONPATH={env['PYTHONPATH']}")
    against = ("match", searcher, "builtin:random", "--game", "stone_heap", *options, *outer)
    played = json.loads(run(folder, env, "referee", *against))
    assert [game["faults"] for game in played["games"]] == [[None, None]] * len(played["games"])
    assert played["standings"][0]["name"] == "mine"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Stones", "invalid name 'Stones'"),
        ("class", "invalid name 'class': it is a keyword of Python"),
        ("9men", "invalid name '9men': write a lower-case letter, and then"),
        ("../x", "invalid name '../x'"),
        ("forbidden_city", "that the referee already has"),
        ("open_spiel", "open_spiel is a game, or a source of games, that the referee already has"),
        ("tests", "the package's own tests need tests"),
        ("pytest", "the package's own tests need pytest"),
        ("referee", "is a module that Python already has here"),
        ("json", "is a module that Python already has here"),
        ("none", "the class of none would be None"),
        ("take", "the class of take would be Take"),
        ("game", "the class of game would be Game"),
        ("taken", "taken already exists"),
    ],
)
def test_names_and_folders_that_can_not_be_used_are_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "taken").write_text("mine")
    refused = referee("game", "new", name, cwd=tmp_path)
    assert refused.status == 2
    assert said in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
