"""Bots in bubblewrap, where it works: what they can't see and can't do, and that none of their processes is left."""

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

import referee
from referee.bots.bot_spec import BotSpec, parse_bot
from referee.games.forbidden_city import ForbiddenCity
from referee.outcome import Fault
from referee.processes.environment import EnvironmentSettingError, parse_environment
from referee.processes.limits.process_limits import DEFAULT, MIB, ProcessLimits
from referee.processes.sandbox import bubblewrap
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.sandbox.visibility import visible_paths
from tests.game_runner.harness import AMPLE_TIME, FIRST, Harness
from tests.processes.sandboxed import KINDS, WORKING, needs_sandbox, run
from tournaments.play.schedule import rotations

PROBE = """
    def attempt(what):
        try:
            return what()
        except Exception as error:
            return type(error).__name__
    import socket, subprocess
    from pathlib import Path
    ready()
"""


async def sandboxed(
    harness: Harness,
    bot: BotSpec,
    *,
    show: Sequence[Path] = (),
    hide: Sequence[Path] = (),
    environment: dict[str, str] | None = None,
    opponent: BotSpec = FIRST,
) -> Fault | None:
    """The fault of a bot that plays in the sandbox."""
    assert WORKING is not None
    inside = msgspec.structs.replace(WORKING, show=tuple(show), hide=tuple(hide))
    plan = harness.plan([bot, opponent], control=AMPLE_TIME)
    plan = msgspec.structs.replace(plan, sandbox=inside).with_conditions(environment=environment or {})
    [played] = await harness.run(plan, list(rotations(1, 2, "seed", rotate=False)))
    return played.outcome.faults[0]


async def attempt(harness: Harness, what: str, *, show: Sequence[Path] = (), hide: Sequence[Path] = ()) -> str:
    """What a bot in the sandbox gets when it tries this."""
    bot = harness.bot(f"{PROBE}    report(str(attempt(lambda: {what})))")
    assert await sandboxed(harness, bot, show=show, hide=hide) is None
    [reported] = harness.all_reported()
    return reported


# -- what it can't do -------------------------------------------------------------------------------------------------


@needs_sandbox
async def test_bot_plays_in_the_sandbox(harness: Harness) -> None:
    assert await sandboxed(harness, harness.bot("fork(); ready()")) is None


@needs_sandbox
async def test_what_can_be_written_is_limited(harness: Harness) -> None:
    source = f"""{PROBE}
    def fill(path):
        with open(path, "wb", buffering=0) as file:
            while file.write(bytes(65536)): pass
    for path in ("/tmp/filler", "/dev/shm/filler"):
        report(f"{{attempt(lambda: fill(path))}} {{os.path.getsize(path)}}")
    """
    assert await sandboxed(harness, harness.bot(source, tmp_mb=3)) is None
    assert harness.all_reported() == [f"OSError {3 * MIB}", f"OSError {bubblewrap.SHARED_MEMORY_MB * MIB}"]


# -- what it can't see ------------------------------------------------------------------------------------------------


@needs_sandbox
async def test_of_the_home_only_the_program_that_runs_the_bot_is_there(harness: Harness) -> None:
    home = Path.home()
    inside = await attempt(harness, f"sorted(os.listdir({str(home)!r}))")
    visible = visible_paths([sys.executable], harness.folder, from_command_line=True)
    shown = {part.relative_to(home).parts[0] for part in visible if home in part.parents}
    assert inside == (str(sorted(shown)) if shown else "FileNotFoundError")


@needs_sandbox
async def test_other_bots_and_records_are_hidden_even_within_its_own_folder(harness: Harness) -> None:
    other, records = harness.folder / "bots" / "other", harness.folder / "records"
    for folder in (other, records):
        folder.mkdir(parents=True)
        (folder / "secret").write_text("psst")
    look = f"[os.listdir(each) for each in ({str(other)!r}, {str(records)!r})]"
    assert await attempt(harness, look) == "[['secret'], ['secret']]"
    assert await attempt(harness, look, hide=[other, records, harness.folder]) == "[[], []]"
    assert await attempt(harness, f"Path({str(records)!r}, 'x').write_text('x')", hide=[records]) == "OSError"


@needs_sandbox
async def test_folder_outside_is_seen_only_if_the_organiser_shows_it(
    harness: Harness, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    outside.chmod(0o755)
    (outside / "model").write_text("weights")
    look = f"Path({str(outside / 'model')!r}).read_text()"
    assert await attempt(harness, look) == "FileNotFoundError"
    assert await attempt(harness, look, show=[outside]) == "weights"


@needs_sandbox
async def test_a_socket_that_is_shown_to_one_bot_is_not_there_for_its_opponent(
    harness: Harness, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = str(tmp_path_factory.mktemp("private") / "socket")
    look = f"(sorted(os.listdir({str(Path(place).parent)!r})), socket.socket(socket.AF_UNIX).connect({place!r}))"
    bots = [
        harness.bot(f"{PROBE}    report({name!r} + str(attempt(lambda: {look})))", name) for name in ("friend", "other")
    ]
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        Path(place).chmod(0o666)
        listening.listen()
        shown = msgspec.structs.replace(bots[0], show=(Path(place),))
        assert await sandboxed(harness, shown, opponent=bots[1]) is None
    assert sorted(harness.all_reported()) == ["friend(['socket'], None)", "otherFileNotFoundError"]


@needs_sandbox
async def test_environment_is_a_documented_few(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "swordfish")
    bot = harness.bot("report(json.dumps(dict(os.environ))); ready()")
    assert await sandboxed(harness, bot, environment={"WANTED": "yes"}) is None
    [reported] = harness.all_reported()
    env = msgspec.json.decode(reported)
    assert env["WANTED"] == "yes"
    assert env["HOME"] == env["TMPDIR"] == "/tmp"
    assert set(env) - {"LC_CTYPE"} <= {"PATH", "LANG", "HOME", "TMPDIR", "RUSTUP_HOME", "WANTED", "PWD"}


async def test_environment_is_clean_without_the_sandbox_too(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "swordfish")
    await harness.play_one(harness.bot("report(' '.join(sorted(os.environ))); ready()"), FIRST)
    [reported] = harness.all_reported()
    assert set(reported.split()) - {"LC_CTYPE"} <= {"PATH", "LANG", "HOME", "TMPDIR", "RUSTUP_HOME"}


def test_variables_are_passed_on_or_set() -> None:
    assert parse_environment(["PATH", "A=1", "B=", "C=x=y"]) == {
        "PATH": os.environ["PATH"],
        "A": "1",
        "B": "",
        "C": "x=y",
    }
    for wrong in ("NO_SUCH_VARIABLE_HERE", "=x", "A=\0"):
        with pytest.raises(EnvironmentSettingError, match="write"):
            parse_environment([wrong])


# -- what of the organiser's machine is visible -----------------------------------------------------------------------


@needs_sandbox
def test_the_referees_python_imports_the_rules_and_sees_no_more_of_their_folder() -> None:
    """Also where the package is not installed, but a link to the folder of its source (`pip install -e`)."""
    root = Path(referee.__file__).parents[1]
    source = f"""
from pathlib import Path
from referee.games import find_game
print(find_game("forbidden_city").title, *(path.name for path in Path({str(root)!r}).iterdir() if path.is_file()))
"""
    done = run("root" if os.geteuid() == 0 else "user", [sys.executable, "-c", source])
    installed = Path(sys.prefix) in root.parents
    assert done.stdout.startswith(ForbiddenCity.title), done.stderr
    assert installed or done.stdout.strip() == ForbiddenCity.title


def test_build_can_write_to_nothing_around_what_is_hidden(tmp_path: Path) -> None:
    inner = tmp_path / "sub" / "other"
    inner.mkdir(parents=True)
    sandbox = Sandbox(hide=(inner,))
    building = " ".join(sandbox.wrap(["true"], tmp_path, DEFAULT, {}, writable=True).argv)
    playing = " ".join(sandbox.wrap(["true"], tmp_path, DEFAULT, {}).argv)
    assert f"--tmpfs {tmp_path / 'sub'} " in building
    assert f"--tmpfs {inner} " in playing


def test_a_command_line_is_the_organisers_and_a_bot_toml_is_not(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('command = "sh run"')
    assert not parse_bot(str(tmp_path)).from_command_line
    assert parse_bot("sh -c true").from_command_line


# -- the end, and where there is none ---------------------------------------------------------------------------------


ENDS = {
    "exit": ("ready(); receive('act'); sys.exit(3)", "crash: exited with status 3 at act 1"),
    "end by a signal": (
        "ready(); receive('act'); os.kill(os.getpid(), 9)",
        "crash: exited with status 137 (SIGKILL) at act 1",
    ),
}


@pytest.mark.slow
@needs_sandbox
@pytest.mark.usefixtures("short_grace")
@pytest.mark.parametrize(("source", "fault"), ENDS.values(), ids=ENDS)
async def test_nothing_is_left_of_a_sandboxed_bot_after(harness: Harness, source: str, fault: str) -> None:
    assert str(await sandboxed(harness, harness.bot(f"fork(); {source}"))).startswith(fault)


@pytest.mark.parametrize("kind", KINDS)
def test_kernel_ends_a_fork_bomb(kind: str) -> None:
    source = "import os, time\nfor n in range(100):\n  if not os.fork(): time.sleep(9)\n"
    done = run(kind, ["/usr/bin/python3", "-c", source], limits=ProcessLimits(processes=40))
    assert "BlockingIOError" in done.stderr
