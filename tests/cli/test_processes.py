"""A command of each module in a process that has imported nothing of ours: most other tests run them in their own.

The commands of a module import in their functions what only they need, so this says nothing of the others of a module.
Every command is started in tests/hostile/test_poisoned_folders.py.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.bots import make_bot
from tests.cli.command import ENVIRONMENT, REFEREE, ended, referee
from tests.cli.loaded import all_commands
from tests.timeouts import TEST_TIMEOUT

START: Final = """
import json, os, sys
import msgspec, rich.console, rich.progress, rich.table, trio, typer
for argv in json.load(sys.stdin):
    child = os.fork()
    if child == 0:
        os.chdir(argv[0])
        for number, name in ((1, "../out"), (2, "../err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
        sys.argv = argv[1:]
        from referee.cli import main
        sys.exit(main())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""For each folder and command line a process that has imported only packages of others, which take most of the time."""
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
RUNS: Final[dict[str, tuple[int, list[str]]]] = {
    "match": (0, ["builtin:first", "builtin:random", "--games", "1", "--seed", "s", "--no-record"]),
    "game new": (0, ["mine"]),
    "bot new": (0, ["mine", "--language", "c"]),
    "bot check": (0, ["bot", "--list"]),
    "bot replay": (2, [GAME, "nowhere", "--seat", "0"]),
    "bot connect": (2, ["nowhere", "python3", "bot/bot.py"]),
    "tournament plan": (0, ["cup.toml"]),
    "tournament check": (0, ["cup.toml"]),
    "tournament run": (0, ["cup.toml", "--out", "again"]),
    "tournament standings": (0, ["cup"]),
    "tournament pairings": (0, ["cup"]),
    "tournament rule": (0, ["cup", "r01-t001-d01-s1", "--void", "--dry-run", "--reason", "late"]),
    "tournament watch": (2, ["nowhere"]),
    "tournament verify": (0, ["cup"]),
    "tournament report": (0, ["cup", "-o", "site", "--replays", "none"]),
    "tournament archive": (0, ["cup", "-o", "cup.tar.gz"]),
    "season init": (0, ["course"]),
    "record show": (0, [GAME]),
    "record view": (0, [GAME, "-o", "game.html"]),
    "record review": (0, [GAME, "--playouts", "20", "--seat", "0"]),
    "record verify": (0, ["cup"]),
    "ratings": (0, ["cup"]),
    "record export": (0, [GAME, "--csv"]),
    "sandbox": (0, ["--json"]),
    "games": (0, []),
    "schema": (0, ["-o", "schemas"]),
}
"""By command, one of each module: its exit status and its arguments."""


def test_a_command_of_every_module_is_there() -> None:
    commands = {" ".join(path): command for path, command in all_commands().items() if not hasattr(command, "commands")}
    modules = {name: command.callback.__module__ for name, command in commands.items()}
    assert sorted(modules[name] for name in RUNS) == sorted(set(modules.values()))


@pytest.mark.ci_only
def test_commands_end_with_their_status(tmp_path: Path) -> None:
    """Without a module that only another test has imported, it would end with a traceback."""
    folder = tmp_path / "own"
    folder.mkdir()
    make_bot(folder / "bot")
    (folder / "cup.toml").write_text(FILE)
    assert referee("tournament", "run", "cup.toml", cwd=folder).status == 0
    for command in RUNS:
        shutil.copytree(folder, tmp_path / command / "own")
    lines = [[str(tmp_path / name / "own"), str(REFEREE), *name.split(), *own] for name, (_, own) in RUNS.items()]
    options: dict[str, Any] = {"env": ENVIRONMENT, "text": True, "timeout": 5 * TEST_TIMEOUT}
    python = [sys.executable, "-c", START]
    done = subprocess.run(python, input=json.dumps(lines), stdout=subprocess.PIPE, check=True, **options)
    for (command, (expected, _)), status in zip(RUNS.items(), done.stdout.split(), strict=True):
        out, err = ((tmp_path / command / name).read_bytes() for name in ("out", "err"))
        run = ended(int(status), out, err)
        assert run.status == expected, (command, run.err)
        assert run.out if expected == 0 else run.err.startswith(("referee: ", "Usage: referee ")), (command, run)
