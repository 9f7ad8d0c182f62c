"""Fixtures of the referee's tests."""

import contextlib
import gc
import itertools
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
from _pytest.assertion import rewrite
from _pytest.pathlib import import_path, module_name_from_path
from _pytest.runner import runtestprotocol
from _pytest.warnings import catch_warnings_for_item
from execnet import gateway_base, gateway_io
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from xdist.scheduler import LoadGroupScheduling

from referee.processes.limits.machine import cores
from tests.cli.command import text_streams
from tests.forked import fork, fork_module
from tests.game_runner.harness import Harness
from tests.game_runner.pebbles import registered_pebbles
from tournaments.competition.formats import designs, round_robin, table_search

# As in an activated environment. Another `python3` may be a script that looks for the right one first (pyenv): it takes
# several times as long to start as a bot.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

# What runs in the background of a script ignores it, and whatever that starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


# On a busy machine an example, or drawing it, may take any time. Each run draws others, so it needs fewer than usual.
settings.register_profile("busy machine", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")
# Nor does every process parse all modules for their constants, of which examples would be made: it takes as long as
# importing them, and what is drawn would depend on what has been imported.
providers._get_local_constants = lambda: providers._local_constants

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("protocol", "referee", "tournaments", "tests")
FOLDERS: Final = itertools.count()
COLLECTIONS: Final = pytest.StashKey[int]()
"""How many full garbage collections there were before the last test."""


def pytest_xdist_auto_num_workers() -> int:
    """Up to three processes for each core, as tests with clocks and processes wait half of the time."""
    return cores() + min(4, 2 * cores())


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests without a group are one with their file: one process makes what they share. Files come in the order of
    `pytest_collection_modifyitems`, not by their number of tests."""
    if config.option.dist != "loadgroup":
        return None
    config.option.loadscopereorder = False
    scheduler = LoadGroupScheduling(config, log)
    group_of = scheduler._split_scope
    scheduler._split_scope = lambda nodeid: group_of(nodeid).partition("::")[0]
    return scheduler


@pytest.hookimpl(tryfirst=True)  # before those are left out that aren't to be run
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test with several cases, `make quick` runs only the first one: mark all others as slow.

    Files with tests for CI come first: they take the longest, and would be the last to end.
    """
    long = {item.path for item in items if item.get_closest_marker("ci_only")}
    items.sort(key=lambda item: item.path not in long)
    seen: set[str] = set()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if name in seen:
            item.add_marker(pytest.mark.slow)
        seen.add(name)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A process of pytest-xdist tells no more than it must: each message costs as much as the smallest tests."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the tests that were skipped, by reason."""
    reports = terminalreporter.getreports("skipped")
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count} skipped: {reason}")


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that other users may read: as root, bots run as users of their own. Unlike that of pytest it gets its
    number without a look at all others, of which there are thousands."""
    path = tmp_path_factory.getbasetemp() / f"{re.sub(r'[^0-9A-Za-z_]', '_', request.node.name)[:30]}{next(FOLDERS)}"
    path.mkdir()
    path.chmod(0o755)
    return path


@pytest.fixture
def harness(tmp_path: Path, pebbles_known: None) -> Iterator[Harness]:
    """Makes bots and plays games between them.

    Registers Pebbles: looking up an unregistered game searches all installed packages, which is slow.
    """
    harness = Harness(tmp_path)
    yield harness
    harness.close()


@pytest.fixture
def pebbles_known() -> Iterator[None]:
    """The tests' own game is registered, so that its records can be replayed."""
    with registered_pebbles():
        yield


@pytest.fixture
def forked_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers and the process that serves pages are forks of the tests' process, and import nothing."""
    monkeypatch.setattr("tournaments.play.worker_process.start_module", fork_module)
    monkeypatch.setattr("referee.live.client.start_module", fork_module)


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill bots almost at once after `quit`: for those that don't exit by themselves."""
    monkeypatch.setattr("referee.players.connect.QUIT_GRACE", 0.05)


@pytest.fixture
def short_search(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Search a twentieth as long for tables: for tests of what holds however good the tables are."""
    monkeypatch.setattr(designs, "ROUND_STEPS", 1000)
    monkeypatch.setattr(table_search, "MIN_SEARCH_STEPS", 1000)
    caches = round_robin._even, round_robin._even_apart
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A module all of whose tests have a mark that is left out (`-m "not slow and …"`) is not even imported."""
    terms = str(config.getoption("markexpr")).split(" and ")
    if collection_path.suffix != ".py" or not all(re.fullmatch(r"not \w+", term) for term in terms):
        return None
    marks = "|".join(term.removeprefix("not ") for term in terms)
    left_out = re.compile(rf"^pytestmark = (\[\s*)?pytest\.mark\.({marks})(,|\]?$)", re.MULTILINE)
    return left_out.search(collection_path.read_text("utf-8")) is not None or None


def pytest_collection() -> None:
    """Thousands of tests are made, and none is garbage: looking for it takes a fifth of the time of collection."""
    gc.disable()


def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """The processes that run tests are forks of this one, which has imported all modules: it takes most of the time of
    collection. In a new clone they are compiled before."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    modules = [path for path in paths if "templates" not in path.parts and is_needed(path, config)]
    if not sys.dont_write_bytecode:
        compile_modules(modules, config)
    gc.disable()
    with catch_warnings_for_item(config=config, ihook=config.hook, when="collect", item=None):
        for path in modules:
            if path.name == "conftest.py" or path.name.startswith("test_"):
                try:
                    import_path(path, mode="importlib", root=config.rootpath, consider_namespace_packages=False)
                except (Exception, pytest.skip.Exception):  # each process that collects it says why
                    sys.modules.pop(module_name_from_path(path, config.rootpath), None)
    gateway_io.Popen2IOMaster = ForkedProcess  # type: ignore[misc]


class ForkedProcess(gateway_io.Popen2IOMaster):
    """A process of pytest-xdist, to which the code that it runs is sent."""

    def __init__(self, args: list[str], execmodel: gateway_base.ExecModel) -> None:
        self.popen = fork(args, run_what_is_sent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        gateway_base.Popen2IO.__init__(self, self.popen.stdin, self.popen.stdout, execmodel)


def run_what_is_sent() -> None:
    """As `python -c "exec(eval(sys.stdin.readline()))"` does."""
    sys.argv = ["-c"]
    sys.modules["__main__"] = main = ModuleType("__main__")
    sys.stdin, sys.stdout, sys.stderr = text_streams()
    exec(eval(sys.stdin.readline()), vars(main))


def compile_modules(modules: Sequence[Path], config: pytest.Config) -> None:
    """Compile all modules that have changed, a share on each core."""
    processes = []
    for number in range(cores()):
        process = os.fork()
        if not process:
            with contextlib.suppress(BaseException):
                for path in modules[number :: cores()]:
                    # What can't be compiled or written here fails, if at all, where it is imported.
                    with contextlib.suppress(OSError, SyntaxError):
                        compile_module(path, config)
            os._exit(0)
        processes.append(process)
    for process in processes:
        os.waitpid(process, 0)


def compile_module(path: Path, config: pytest.Config) -> None:
    """Write the bytecode of a module, unless it is there: as pytest rewrites it if it has tests."""
    state = config.stash.get(rewrite.assertstate_key, None)  # None: with --assert=plain nothing is rewritten
    rewritten = state is not None and (path.match("test_*.py") or path.name == "conftest.py")
    tag = rewrite.PYC_TAIL if rewritten else f".{sys.implementation.cache_tag}.pyc"
    compiled = rewrite.get_cache_dir(path) / f"{path.stem}{tag}"
    if compiled.exists():
        with compiled.open("rb") as file:
            if file.read(12)[8:] == int(path.stat().st_mtime).to_bytes(4, "little"):
                return
    if state is not None and rewritten:
        compiled.parent.mkdir(parents=True, exist_ok=True)
        source, code = rewrite._rewrite_test(path, config)
        rewrite._write_pyc(state, code, source, compiled)
    else:
        SourceFileLoader(path.stem, str(path)).get_code(path.stem)  # which writes the file


def is_needed(path: Path, config: pytest.Config) -> bool:
    """Whether a module is a test of those that will be collected, or no test."""
    if not path.name.startswith("test_"):
        return True
    folders = [ROOT / each.partition("::")[0] for each in config.args]
    ignored = [ROOT / each for each in config.getoption("ignore") or ()]
    return (
        any(path.is_relative_to(folder) for folder in folders)
        and not any(path.is_relative_to(folder) for folder in ignored)
        and not pytest_ignore_collect(path, config)
    )


def pytest_collection_finish() -> None:
    """Nor will they be looked at again while the tests run, of whose time the usual thresholds would take 5 %."""
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Exempt what has survived a full collection from later ones: modules, caches and reports take 0.2 s each time.

    Garbage is collected before, because what is frozen never warns of a file that was not closed. Not while a test
    runs: Hypothesis looks for referrers of its generators, and what is frozen isn't among them.
    """
    collections = gc.get_stats()[2]["collections"]
    if collections != item.config.stash.get(COLLECTIONS, collections):
        gc.collect()
        gc.freeze()
        collections += 1
    item.config.stash[COLLECTIONS] = collections
