"""No Python that the program starts imports from the current folder, which may be a stranger's, and no command needs a
module that only another one has imported: here they are run in processes that have imported nothing of ours.
"""

import ast
import itertools
import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.bots import BOT, make_bot
from tests.cli.command import ENVIRONMENT, REFEREE, Run, ended
from tests.cli.loaded import all_commands
from tests.cli.test_pseudonyms import PAUSE
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


@pytest.mark.slow
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


CUP: Final = f"""
format = "swiss"
game = "year_of_the_dragon"
seats = 2
[swiss]
rounds = 3
[run]
on_round = "./pause.sh"
{"".join(f'[[bot]]{chr(10)}name = "{name}"{chr(10)}builtin = "random"{chr(10)}' for name in "abcd")}
"""
"""It pauses after the first round."""
MATCH: Final = ("builtin:random", "builtin:random")
WHY: Final = ("--reason", "x")
COMMANDS: Final[tuple[tuple[str, ...], ...]] = (
    ("match", *MATCH, "--games", "2", "--workers", "2", "--concurrency", "2", "--record", "records"),
    ("record verify", "records"),
    ("record show", "records/0001-1.jsonl"),
    ("record view", "records/0001-1.jsonl", "-o", "game.html"),
    ("record review", "records/0001-1.jsonl", "--time", "100ms", "--seat", "0"),
    ("record export", "records", "--csv", "-o", "games.csv"),
    ("bot check", "BOT", "--only", "handshake", "--sandbox", "none"),
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
    ("tournament report", "cup", "--replays", "none"),
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
    ("pyspiel", ("match", *MATCH, "--game", "open_spiel:go", "--set", "board_size=5", "--games", "1", "--no-record")),
    ("pyarrow", ("record export", "records", "--parquet", "-o", "games.parquet")),
    ("distributed", ("match", *MATCH, "--games", "1", "--no-record", "--executor", "dask://127.0.0.1:9")),
)
"""Commands that need packages of an extra."""
LEFT_TO_CHECK_ALL: Final = frozenset(
    {"tournament init", "season standings", "season report"}
    | {f"tournament {name}" for name in ("add", "withdraw", "reinstate", "bye", "penalty", "disqualify", "replay")}
    | {f"tournament {name}" for name in ("pause", "resume", "games", "status", "export")}
)
"""Others of their modules are run in CI."""
FAIL: Final = {"bot connect": 1, "bot replay": 3, "tournament pause": 1}
"""The status of commands that have nothing to do here, or that refuse it."""
START: Final = """
import json, os, sys
import msgspec, rich.console, rich.progress, rich.table, trio, typer
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{os.pardir}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = json.loads(line)
        from referee.cli import main
        sys.exit(main())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""For each command line a process that has imported only packages of others, which take most of the time."""


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return poisoned_folder(tmp_path_factory)


def poisoned_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
    (here / "pause.sh").write_text(PAUSE)
    (here / "pause.sh").chmod(0o755)
    return here


def argv(here: Path, words: tuple[str, ...]) -> list[str]:
    """A command in this folder."""
    return [str(REFEREE), *words[0].split(), *(word.replace("BOT", f"{here}-bot") for word in words[1:])]


def watched(here: Path, words: tuple[str, ...]) -> Run:
    """A command that serves pages, and is ended once it says where; all that it wrote, as its output."""
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(argv(here, words), cwd=here, env=ENVIRONMENT, **streams) as process:
        assert process.stdout is not None
        out = b""
        while b"http" not in out:
            out += process.stdout.readline() or pytest.fail(out.decode())
        process.send_signal(signal.SIGINT)
        out += process.communicate(timeout=TEST_TIMEOUT)[0]
    return ended(process.returncode, out, b"")


def run(here: Path, commands: Iterable[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], Run]]:
    """Run commands in this folder, one after another. One that serves pages is started as users do."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    # Without the first folder of sys.path, which would be this one.
    with subprocess.Popen([sys.executable, "-P", "-c", START], cwd=here, env=ENVIRONMENT, **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for words in commands:
            if words[0] == "tournament watch":
                yield words, watched(here, words)
                continue
            print(json.dumps(argv(here, words)), file=process.stdin, flush=True)
            status = int(process.stdout.readline())
            yield words, ended(status, *((here.parent / name).read_bytes() for name in ("out", "err")))


def check_commands(here: Path, commands: Iterable[tuple[str, ...]]) -> None:
    wrong: list[object] = []
    for words, found in run(here, commands):
        if words[0] != "sandbox" and found.status != FAIL.get(words[0], 0):  # that depends on the machine
            wrong.append((words, found))
        if not (found.out if found.status in (0, 3) else found.err.startswith("referee: ")):
            wrong.append((words, found))
        if (here / "imported").exists():
            wrong.append((words, f"imported {(here / 'imported').read_text()}"))
            (here / "imported").unlink()
    assert wrong == []


def test_a_command_of_each_module_is_run_in_ci_and_every_one_in_the_end() -> None:
    modules = {
        " ".join(path): command.callback.__module__
        for path, command in all_commands().items()
        if not hasattr(command, "commands")
    }
    assert {words[0] for words in COMMANDS} == modules.keys()
    assert {modules[name] for name in modules.keys() - LEFT_TO_CHECK_ALL} == {*modules.values()}


@pytest.mark.ci_only
def test_a_command_of_each_module_imports_what_it_needs_and_nothing_from_the_folder(
    poisoned: Path,
) -> None:
    """The commands of a module import in their functions what only they need, so this says little of the others."""
    check_commands(poisoned, [words for words in COMMANDS if words[0] not in LEFT_TO_CHECK_ALL])


@pytest.mark.check_all
@pytest.mark.timeout(1200)
def test_so_does_every_command(tmp_path_factory: pytest.TempPathFactory) -> None:
    check_commands(poisoned_folder(tmp_path_factory), COMMANDS)


@pytest.mark.ci_only
@pytest.mark.parametrize(("package", "words"), EXTRAS, ids=[package for package, _ in EXTRAS])
def test_so_does_one_that_needs_an_extra(poisoned: Path, package: str, words: tuple[str, ...]) -> None:
    pytest.importorskip(package)
    if not (poisoned / "records").exists():
        check_commands(poisoned, COMMANDS[:1])
    [(_, found)] = run(poisoned, [words])
    assert not (poisoned / "imported").exists()
    assert found.status == (package == "distributed"), found  # there is no scheduler at this address
