"""No Python that the program starts imports from the current folder, which may be a stranger's."""

import ast
import itertools
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cli import build_group
from tests.cli.bots import BOT, make_bot
from tests.cli.command import ENVIRONMENT, REFEREE
from tests.timeouts import TEST_TIMEOUT

ROOT: Final = Path(__file__).parents[2]
OWN_PYTHON: Final = "referee/own_python.py"
FOR_BOTS: Final = {
    "referee/bots/bot_spec.py": "the Python of a bot's command",
    "referee/processes/sandbox/visibility.py": "a folder that is shown to bots",
    "tournaments/play/cluster/dask_workers.py": "what stands for it in a bot's command on another machine",
    "tournaments/play/cluster/machine.py": "likewise",
    "referee/processes/selftest/keeper_report.py": "finding a process of its own",
}
"""Where `sys.executable` starts nothing of ours."""


def python_uses(tree: ast.AST) -> Iterator[ast.expr | None]:
    """For each `sys.executable`: the word after it in a command, or None if it is not in one."""
    after = {
        id(element): following
        for node in ast.walk(tree)
        if isinstance(node, ast.List | ast.Tuple)
        for element, following in itertools.pairwise([*node.elts, None])
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable":
            yield after.get(id(node))


def test_nothing_else_starts_a_python() -> None:
    """Each is isolated (-I), or comes from `referee.own_python`."""
    found = set()
    for package in ("protocol", "referee", "tournaments"):
        for path in (ROOT / package).rglob("*.py"):
            name, source = str(path.relative_to(ROOT)), path.read_text()
            if "templates" in path.parts:
                continue  # of starter kits: they are bots'
            if name != OWN_PYTHON:
                for word in ("get_context", "set_start_method", "SpawnContext(", "Pool()", "multiprocessing.Process"):
                    assert word not in source, f"{name}: {word} is for {OWN_PYTHON}"
                if "ProcessPoolExecutor(" in source:
                    assert "mp_context=context" in source, name
                    assert "from referee.own_python import spawning" in source, name
            for option in python_uses(ast.parse(source)) if "sys.executable" in source else ():
                if not (isinstance(option, ast.Constant) and str(option.value)[:2] in ("-I", "-P")):
                    found.add(name)
    assert found == FOR_BOTS.keys()


def test_multiprocessing_starts_them_likewise(poisoned: Path) -> None:
    code = (
        "from referee.own_python import spawning\n"
        "with spawning() as context:\n"
        "    child = context.Process(target=print, args=('played',))\n"
        "    child.start()\n"
        "child.join()\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=poisoned,
        capture_output=True,
        text=True,
        check=True,
        timeout=TEST_TIMEOUT,
    )
    assert done.stdout == "played\n"
    assert not (poisoned / "imported").exists()


# -- every command ------------------------------------------------------------------------------------------------


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The words of every command that the program has."""
    group = group.load() if hasattr(group, "load") else group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, (*path, name))
    if path and not hasattr(group, "commands"):
        yield " ".join(path)


CUP: Final = f"""
format = "swiss"
game = "year_of_the_dragon"
seats = 2
deals = 5
[swiss]
rounds = 3
[run]
workers = 2
on_round = "{REFEREE} tournament pause"
{"".join(f'[[bot]]{chr(10)}name = "{name}"{chr(10)}builtin = "random"{chr(10)}' for name in "abcd")}
"""
"""More games in a round than a report draws in one process. It pauses after the first one."""
BUILTIN: Final = ("builtin:random", "builtin:random")
WHY: Final = ("--reason", "x")
COMMANDS: Final[tuple[tuple[str, ...], ...]] = (
    (
        "match",
        *BUILTIN,
        "--games",
        "2",
        "--workers",
        "2",
        "--concurrency",
        "2",
        "--record",
        "records",
        "--report",
        "page.html",
    ),
    ("record verify", "records"),
    ("record show", "records/0001-1.jsonl"),
    ("record view", "records/0001-1.jsonl", "-o", "game.html"),
    ("record review", "records/0001-1.jsonl", "--playouts", "20", "--seat", "0"),
    ("record export", "records", "--csv", "-o", "games.csv"),
    ("bot check", "BOT", "--quick", "--games", "1", "--game", "year_of_the_dragon", "--sandbox", "none"),
    ("bot replay", "records/0001-1.jsonl", "BOT", "--seat", "0", "--sandbox", "none"),
    ("bot connect", "1", "echo"),
    ("bot new", "mine", "--language", "python"),
    ("game new", "ours"),
    ("tournament init", "new.toml"),
    ("tournament check", "cup.toml"),
    ("tournament plan", "cup.toml"),
    ("tournament run", "cup.toml", "--out", "cup"),
    ("tournament add", "cup", "builtin:random", "--owner", "x"),
    ("tournament withdraw", "cup", "d", *WHY),
    ("tournament reinstate", "cup", "d", *WHY),
    ("tournament bye", "cup", "d", "--round", "3"),
    ("tournament penalty", "cup", "a", "--points", "-1", *WHY),
    ("tournament disqualify", "cup", "c", *WHY),
    ("tournament rule", "cup", "r01-t001-d01-s1", "--void", *WHY),
    ("tournament replay", "cup", "r01-t001-d01-s2", *WHY),
    ("tournament pause", "cup"),
    ("tournament end", "cup", *WHY),
    ("tournament resume", "cup"),
    ("tournament standings", "cup"),
    ("tournament games", "cup"),
    ("tournament pairings", "cup"),
    ("tournament status", "cup"),
    ("tournament verify", "cup"),
    ("tournament export", "cup", "--trf", "cup.trf"),
    ("tournament report", "cup"),
    ("tournament watch", "cup"),
    ("tournament archive", "cup", "-o", "cup.tar.gz"),
    ("tournament extend", "cup", "late=builtin:first", "--rounds", "1"),
    ("season init", "course"),
    ("season play", "course"),
    ("season standings", "course"),
    ("season report", "course"),
    ("ratings", "cup", "records"),
    ("sandbox",),
    ("games",),
    ("schema",),
)
EXTRAS: Final = (
    ("pyspiel", ("match", *BUILTIN, "--game", "open_spiel:go", "--set", "board_size=5", "--games", "1", "--no-record")),
    ("pyarrow", ("record export", "records", "--parquet", "-o", "games.parquet")),
    ("distributed", ("match", *BUILTIN, "--games", "1", "--no-record", "--executor", "dask://127.0.0.1:9")),
)
"""Commands that need packages of an extra."""
FAIL: Final = {"bot connect": 1, "bot replay": 3, "tournament pause": 1}
"""The status of commands that have nothing to do here, or that refuse it."""


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every module that a process of ours may import says so, as a bot of another folder."""
    here = tmp_path_factory.mktemp("poisoned")
    for name in sorted({*sys.stdlib_module_names, "referee", "protocol", "tournaments", "trio", "msgspec", "typer"}):
        poison = f"open({str(here / 'imported')!r}, 'a').write({name!r} + '\\n')\nraise SystemExit(99)\n"
        if name in ("referee", "multiprocessing"):
            (here / name).mkdir()
            (here / name / "__init__.py").write_text(poison)
        else:
            (here / f"{name}.py").write_text(poison)
    make_bot(here.parent / f"{here.name}-bot", BOT)
    (here / "cup.toml").write_text(CUP)
    return here


def run(here: Path, words: tuple[str, ...]) -> tuple[int, str]:
    """The status of a command in this folder, and what it wrote. One that serves pages is ended once it does."""
    argv = [str(REFEREE), *words[0].split(), *(word.replace("BOT", f"{here}-bot") for word in words[1:])]
    with subprocess.Popen(
        argv, cwd=here, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        out = b""
        if words[0] == "tournament watch":
            while b"http" not in out:
                out += process.stdout.readline() or pytest.fail(out.decode())
            process.send_signal(signal.SIGINT)
        out += process.communicate(timeout=3 * TEST_TIMEOUT)[0]
        return process.returncode, out.decode()


@pytest.mark.ci_only
@pytest.mark.timeout(1200)
def test_no_command_imports_from_the_folder_it_stands_in(poisoned: Path) -> None:
    assert {words[0] for words in COMMANDS} == {*commands(build_group())}
    wrong: list[tuple[tuple[str, ...], str]] = []
    for words in COMMANDS:
        status, out = run(poisoned, words)
        if words[0] != "sandbox" and status != FAIL.get(words[0], 0):  # that depends on the machine
            wrong.append((words, f"status {status}: {out}"))
        if (poisoned / "imported").exists():
            wrong.append((words, f"imported {(poisoned / 'imported').read_text()}"))
            (poisoned / "imported").unlink()
    assert wrong == []
    assert len([*(poisoned / "cup-report" / "replays").iterdir()]) > 16, "the report was drawn by one process"


@pytest.mark.ci_only
@pytest.mark.parametrize(("package", "words"), EXTRAS, ids=[package for package, _ in EXTRAS])
def test_nor_does_one_that_needs_an_extra(poisoned: Path, package: str, words: tuple[str, ...]) -> None:
    pytest.importorskip(package)
    if not (poisoned / "records").exists():
        run(poisoned, COMMANDS[0])
    status, out = run(poisoned, words)
    assert not (poisoned / "imported").exists()
    assert status == (package == "distributed"), out  # there is no scheduler at this address
