"""Bots in bubblewrap, where it works: what they can't see and can't do, and that none of their processes is left."""

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

import referee
from referee.bots.bot_spec import BotSpec, parse_bot
from referee.games.forbidden_city import ForbiddenCity
from referee.outcome import Fault
from referee.processes.environment import EnvironmentSettingError, parse_environment
from referee.processes.limits.process_limits import DEFAULT, MIB, ProcessLimits
from referee.processes.sandbox import bubblewrap, choice
from referee.processes.sandbox.bubblewrap import Sandbox, SandboxError
from referee.processes.sandbox.visibility import KIT_TEMPLATES, visible_paths
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


def installed(folder: Path, name: str = "python") -> Path:
    """A program in a `bin` of that folder."""
    program = folder / "bin" / name
    program.parent.mkdir(parents=True)
    program.write_text("")
    program.chmod(0o755)
    return program


def test_installation_of_a_program_is_shown_whole(tmp_path: Path) -> None:
    program = installed(tmp_path / "venv")
    assert visible_paths([str(program), "bot.py"], Path("/usr"), from_command_line=True) == {
        Path("/usr"),
        tmp_path / "venv",
    }


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


def test_links_and_interpreters_are_followed_to_where_path_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}/venv/bin:{tmp_path}/real/bin:{os.environ['PATH']}")
    real = installed(tmp_path / "real")
    link = tmp_path / "venv" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../real/bin/python")
    script = tmp_path / "bot" / "run"
    script.parent.mkdir()
    script.write_text(f"#!{link} -u\n")
    script.chmod(0o755)
    assert visible_paths(["./run"], script.parent, from_command_line=True) >= {
        script.parent,
        tmp_path / "venv",
        real.parent.parent,
    }


def test_links_and_first_lines_of_a_file_that_the_organiser_names_show_nothing_else(tmp_path: Path) -> None:
    secret = installed(tmp_path / "secret", "deploy")
    folder = tmp_path / "alice"
    folder.mkdir()
    (folder / "link").symlink_to(secret)
    script = folder / "run"
    script.write_text(f'#!/usr/bin/env -S sh -c "cat {secret}" {secret}\n')
    script.chmod(0o755)
    for program in (script, folder / "link"):
        assert visible_paths([str(program)], Path("/usr"), from_command_line=True) == {Path("/usr"), folder}
    advice = Sandbox().missing_from_view([str(folder / "link")], Path("/usr"), from_command_line=True)
    assert advice is not None
    assert str(secret) in advice


class Venv(NamedTuple):
    """A virtual environment on PATH, whose Python is a link of a link to a base elsewhere, and a bot's folder."""

    venv: Path
    base: Path
    version: Path
    """A link to the base, through which that of the environment leads."""
    bot: Path


@pytest.fixture
def activated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Venv:
    made = Venv(tmp_path / "venv", tmp_path / "python" / "3.12.5", tmp_path / "python" / "3.12", tmp_path / "bot")
    installed(made.base, "python3.12")
    made.version.symlink_to("3.12.5")
    (made.venv / "bin").mkdir(parents=True)
    (made.venv / "bin/python").symlink_to(made.version / "bin/python3.12")
    (made.venv / "bin/python3").symlink_to("python")
    script = made.venv / "bin/tool"
    script.write_text(f"#!{made.venv}/bin/python3\n")
    script.chmod(0o755)
    made.bot.mkdir()
    monkeypatch.setenv("PATH", f"{made.venv}/bin:{os.environ['PATH']}")
    return made


@pytest.mark.parametrize("program", ["python3", "python", "tool"])
@pytest.mark.parametrize("from_command_line", [True, False])
def test_links_of_programs_on_path_are_followed(activated: Venv, program: str, from_command_line: bool) -> None:
    sandbox = Sandbox(hide=(activated.bot,))
    shown = sandbox.visible([program], activated.bot, from_command_line=from_command_line)
    assert shown == {activated.bot, activated.venv, activated.version, activated.base}
    assert sandbox.missing_from_view([program], activated.bot, from_command_line=from_command_line) is None


@pytest.mark.parametrize("place", ["venv", "version", "base"])
def test_no_link_of_a_program_on_path_is_followed_into_or_out_of_a_bots_folder(activated: Venv, place: str) -> None:
    another = getattr(activated, place)
    sandbox = Sandbox(hide=(activated.bot, another))
    shown = sandbox.visible(["python3"], activated.bot, from_command_line=False)
    later = {"venv": {activated.version, activated.base}, "version": {activated.base}, "base": {activated.base}}[place]
    assert shown.isdisjoint(later)
    missing = sandbox.missing_from_view(["python3"], activated.bot, from_command_line=False)
    assert missing is not None
    assert missing.startswith(f"its program {activated.base}/bin/python3.12 is not shown in the sandbox")


def test_the_folder_in_which_the_organiser_types_a_command_is_no_bots_folder(activated: Venv, tmp_path: Path) -> None:
    sandbox = Sandbox(hide=(activated.bot, tmp_path), typed=frozenset({tmp_path}))
    for folder, from_command_line in ((activated.bot, False), (tmp_path, True)):
        assert activated.base in sandbox.visible(["python3"], folder, from_command_line=from_command_line)


def test_of_a_link_to_a_program_among_other_files_only_the_program_is_shown(activated: Venv, tmp_path: Path) -> None:
    program = installed(tmp_path / "private", "tool").rename(tmp_path / "private" / "program")
    (activated.venv / "bin/mine").symlink_to(program)
    assert Sandbox().visible(["mine"], activated.bot, from_command_line=False) == {
        activated.bot, activated.venv, program,
    }  # fmt: skip


def test_an_interpreter_that_is_not_shown_is_named(tmp_path: Path) -> None:
    hidden, folder = installed(tmp_path / "private", "python3"), tmp_path / "bot"
    folder.mkdir()
    (folder / "run").write_text(f"#!{hidden}\n")
    (folder / "run").chmod(0o755)
    missing = Sandbox().missing_from_view(["./run"], folder, from_command_line=False)
    assert missing is not None
    assert missing.startswith(f"its program {hidden} is not shown in the sandbox")


def test_pipe_in_place_of_a_program_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run", 0o755)
    assert visible_paths(["./run"], tmp_path, from_command_line=False) == {tmp_path}


def test_link_in_a_home_makes_nothing_outside_visible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "pics").symlink_to(elsewhere)
    monkeypatch.setenv("HOME", str(home))
    assert home / "pics" not in visible_paths(["sh", "pics"], home, from_command_line=False)


def test_build_can_write_to_nothing_around_what_is_hidden(tmp_path: Path) -> None:
    inner = tmp_path / "sub" / "other"
    inner.mkdir(parents=True)
    sandbox = Sandbox(hide=(inner,))
    building = " ".join(sandbox.wrap(["true"], tmp_path, DEFAULT, {}, writable=True).argv)
    playing = " ".join(sandbox.wrap(["true"], tmp_path, DEFAULT, {}).argv)
    assert f"--tmpfs {tmp_path / 'sub'} " in building
    assert f"--tmpfs {inner} " in playing


@pytest.mark.parametrize("from_command_line", [True, False])
def test_command_that_comes_with_a_bot_shows_nothing_beyond_its_folder_and_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_command_line: bool
) -> None:
    folder, keys, tools = tmp_path / "bot", tmp_path / "keys", tmp_path / "tools"
    folder.mkdir()
    keys.mkdir()
    (keys / "id_rsa").write_text("secret")
    program = installed(tmp_path / "private", "tool")
    (folder / "link").symlink_to(program)
    installed(tools, "tool")
    monkeypatch.setenv("PATH", f"{tools}/bin:{os.environ['PATH']}")
    base = {folder}
    named = {tmp_path / "private"} if from_command_line else set()
    assert visible_paths([str(program)], folder, from_command_line=from_command_line) == base | named
    assert visible_paths(["./link"], folder, from_command_line=from_command_line) == base
    assert visible_paths(["sh", str(keys / "id_rsa")], folder, from_command_line=from_command_line) >= base
    assert (
        keys in visible_paths(["sh", str(keys / "id_rsa")], folder, from_command_line=from_command_line)
    ) == from_command_line
    assert visible_paths(["tool"], folder, from_command_line=from_command_line) == base | {tools}


@pytest.mark.parametrize("from_command_line", [True, False])
def test_of_a_bot_in_the_home_only_the_files_that_it_names_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_command_line: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "diary").write_text("")
    shown = visible_paths(["sh", "bot.py", "../../etc/shadow"], tmp_path, from_command_line=from_command_line)
    assert tmp_path / "bot.py" in shown
    assert tmp_path not in shown
    assert not any(part in (tmp_path / "diary").parents for part in shown)


def test_program_in_the_home_is_shown_without_what_else_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for prefix in (tmp_path, tmp_path / ".local", tmp_path / ".cargo"):
        program = installed(prefix)
        assert prefix not in visible_paths([str(program)], Path("/usr"), from_command_line=True)
        assert program.parent in visible_paths([str(program)], Path("/usr"), from_command_line=True)


def test_organiser_is_warned_of_what_the_sandbox_hides_from_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder, program = tmp_path / "bot", installed(tmp_path / "private", "tool")
    folder.mkdir()
    assert Sandbox().missing_from_view([str(program)], folder, from_command_line=True) is None
    assert (
        Sandbox(show=(tmp_path / "private",)).missing_from_view([str(program)], folder, from_command_line=False) is None
    )
    advice = Sandbox().missing_from_view([str(program)], folder, from_command_line=False)
    assert advice is not None
    assert advice.startswith(f"its program {program} is not shown in the sandbox; put its folder on PATH, or show it")
    advice = Sandbox().missing_from_view(["sh", "-c", "true"], tmp_path, from_command_line=True)
    assert advice is not None
    assert advice.startswith(f"the sandbox shows only the files in {tmp_path} that its command names")
    assert Sandbox().missing_from_view(["sh", "-c", "true"], folder, from_command_line=False) is None


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


def test_sandbox_that_does_not_work_is_an_error_only_where_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "BWRAP", "no-such-program")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    chosen, words = choice.choose("auto")
    assert chosen is None
    assert words.startswith("sandbox: none, as bubblewrap is not installed")
    with pytest.raises(SandboxError, match=r"sandbox bwrap: bubblewrap is not installed"):
        choice.choose("bwrap")


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            "setting up uid map: Permission denied",
            "AppArmor allows user namespaces only to programs that have a profile",
        ),
        ("loopback: Failed RTM_NEWADDR: Operation not permitted", "(kernel.apparmor_restrict_unprivileged_userns = 1"),
        (
            "No permissions to create a new namespace, likely because the kernel does not allow non-privileged user"
            " namespaces. On e.g. debian this can be enabled with 'sysctl kernel.unprivileged_userns_clone=1'.",
            "only to root (kernel.unprivileged_userns_clone = 0), or a container does: sysctl -w kernel.unpriv",
        ),
        (
            "Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
            "(user.max_user_namespaces and other max_…_namespaces): sysctl -w user.max_user_namespaces=10000",
        ),
        ("Can't mount proc on /newroot/proc: Operation not permitted", "--security-opt systempaths=unconfined"),
        (
            "Creating new namespace failed: Operation not permitted",
            "refused here, as in containers: start the container",
        ),
        ("pivot_root: Invalid argument", "--security-opt seccomp=unconfined"),
    ],
)
def test_why_bubblewrap_does_not_work_is_explained_with_a_remedy(
    said: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = installed(tmp_path, "bwrap")
    failing.write_text(f'#!/bin/sh\nprintf "bwrap: %s\\n" "{said}" >&2\nexit 1\n')
    monkeypatch.setenv("PATH", f"{failing.parent}:{os.environ['PATH']}")
    sandbox, notice = choice.choose("auto")
    assert sandbox is None
    assert f"none, as bubblewrap doesn't work here: bwrap: {said.removesuffix('.')} (" in notice
    assert cause in notice


def test_sandbox_is_left_out_on_request() -> None:
    chosen, words = choice.choose("none")
    assert chosen is None
    assert "as you asked" in words


@pytest.mark.parametrize("kind", KINDS)
def test_kernel_ends_a_fork_bomb(kind: str) -> None:
    source = "import os, time\nfor n in range(100):\n  if not os.fork(): time.sleep(9)\n"
    done = run(kind, ["/usr/bin/python3", "-c", source], limits=ProcessLimits(processes=40))
    assert "BlockingIOError" in done.stderr


def test_unreadable_folder_on_path_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbidden = f"/home/{'x' * 300}/.local/bin"  # any error of the system will do: root may look everywhere
    with pytest.raises(OSError, match="File name too long"):
        Path(forbidden).is_dir()
    monkeypatch.setenv("PATH", f"{forbidden}:{os.environ['PATH']}")
    assert tmp_path in visible_paths(["sh"], tmp_path, from_command_line=False)


def test_the_files_of_the_kits_are_shown_to_a_command_that_names_them_and_to_no_other(tmp_path: Path) -> None:
    for word, shown in ((f"KIT={KIT_TEMPLATES}/cpp", True), ("KIT=../cpp", False), (str(KIT_TEMPLATES.parent), False)):
        paths = visible_paths(["sh", word], tmp_path, from_command_line=False)
        assert (KIT_TEMPLATES in paths) == shown
        assert KIT_TEMPLATES.parent not in paths
