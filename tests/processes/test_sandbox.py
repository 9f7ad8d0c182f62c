"""The sandbox: what bots in it can and can't see and do, which tools make it, and who runs in it."""

import os
import resource
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import pytest

from referee.bots.bot_spec import BotSpec, parse_bot
from referee.files import find_program, find_symlink, find_tool
from referee.games.forbidden_city import ForbiddenCity
from referee.outcome import Fault
from referee.processes.environment import EnvironmentSettingError, environment, parse_environment
from referee.processes.launch import Command, SpawnError, without_sandbox
from referee.processes.limits.process_limits import DEFAULT, MIB, ProcessLimits, capped_limits, max_processes
from referee.processes.sandbox import bubblewrap
from referee.processes.sandbox.bubblewrap import WRAPPER_ENVIRONMENT, Sandbox
from tests.cli.command import in_shell, referee
from tests.game_runner.harness import AMPLE_TIME, FIRST, Harness
from tests.processes.sandboxed import KINDS, WORKING, needs_root, needs_sandbox, run
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
    opponent: BotSpec = FIRST,
) -> Fault | None:
    """The fault of a bot that plays in the sandbox."""
    assert WORKING is not None
    inside = msgspec.structs.replace(WORKING, show=tuple(show), hide=tuple(hide))
    plan = msgspec.structs.replace(harness.plan([bot, opponent], control=AMPLE_TIME), sandbox=inside)
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


@pytest.mark.parametrize("in_sandbox", [True, False])
def test_environment_is_a_documented_few(in_sandbox: bool) -> None:
    variables = environment({"WANTED": "yes"}, sandboxed=in_sandbox)
    assert set(variables) - {"RUSTUP_HOME"} == {"PATH", "LANG", "HOME", "TMPDIR", "WANTED"}
    assert variables["HOME"] == variables["TMPDIR"]
    assert variables["HOME"] == "/tmp" or not in_sandbox


def test_variables_are_passed_on_or_set() -> None:
    assert parse_environment(["PATH", "A=1", "B=", "C=x=y"]) == {
        "PATH": os.environ["PATH"],
        "A": "1",
        "B": "",
        "C": "x=y",
    }
    for wrong in ("NO_SUCH_VARIABLE_HERE", "=x", "1X=3", "A=\0"):
        with pytest.raises(EnvironmentSettingError, match="write"):
            parse_environment([wrong])


# -- what of the organiser's machine is visible -----------------------------------------------------------------------


@needs_sandbox
def test_the_referees_python_imports_the_rules_and_sees_no_more_of_their_folder() -> None:
    """Also where the package is not installed, but a link to the folder of its source (`pip install -e`)."""
    root = Path(bubblewrap.__file__).parents[3]
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
    building = " ".join(sandbox.wrap(Command(("true",), tmp_path), DEFAULT, {}, writable=True).argv)
    playing = " ".join(sandbox.wrap(Command(("true",), tmp_path), DEFAULT, {}).argv)
    assert f"--tmpfs {tmp_path / 'sub'} " in building
    assert f"--tmpfs {inner} " in playing


def test_a_command_line_is_the_organisers_and_a_bot_toml_is_not(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('command = "sh run"')
    assert not parse_bot(str(tmp_path)).from_command_line
    assert parse_bot("sh -c true").from_command_line


AS_ROOT: Final = Sandbox(setpriv="/usr/bin/setpriv")
needs_gcc: Final = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def executable(path: Path, text: str = "#!/bin/sh\necho mine\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


# -- tools ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", ".", "bot", "{bot}", "{link}"], ids=["empty", "dot", "relative", "bot", "link"])
def test_no_tool_is_looked_for_in_a_bots_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    bot, link = tmp_path / "bot", tmp_path / "link"
    executable(bot / "bwrap")
    link.symlink_to(bot)
    monkeypatch.chdir(bot if path in ("", ".") else tmp_path)
    monkeypatch.setenv("PATH", path.format(bot=bot, link=link) + ":/usr/bin")
    found = find_tool("bwrap", [bot])
    assert found is None or not Path(found).is_relative_to(tmp_path)


def test_tools_have_absolute_paths_whatever_path_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    shell = find_tool("sh")
    assert shell is not None
    assert Path(shell).is_absolute()
    launch = AS_ROOT.wrap(Command(("true",), tmp_path), DEFAULT, {})
    for word in ("/bin/sh", "/usr/bin/bwrap", "/usr/bin/setpriv"):
        assert word in launch.argv
    assert not {"bwrap", "sh", "setpriv", "prlimit", "env"} & set(launch.argv) - {"sh"}


@needs_sandbox
def test_a_link_on_path_leads_to_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the folder that it leads to is shown before its own or after it."""
    for place in ("earlier", "later"):
        executable(tmp_path / place / "bin" / place, f"#!/bin/sh\necho {place}\n")
        link = tmp_path / "k" / place
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(f"../{place}/bin/{place}")
        monkeypatch.setenv("PATH", f"{tmp_path}/k:/usr/bin:/bin")
        kind = "root" if os.geteuid() == 0 else "user"
        done = run(kind, [place], tmp_path / "k", variables={"PATH": os.environ["PATH"]})
        assert (done.stdout, done.stderr) == (f"{place}\n", "")


@pytest.mark.slow
@needs_sandbox
def test_a_bwrap_of_the_bot_is_not_executed(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    trace = tmp_path / "trace"
    for tool in ("bwrap", "sh", "setpriv", "env", "true"):
        executable(bot / tool, f"#!/bin/sh\necho {tool} >> {trace}\nexit 1\n")
    (bot / "bot.toml").write_text('command = "python3 bot.py"')
    (bot / "bot.py").write_text("")
    referee("match", str(bot), "builtin:first", "--no-record", cwd=bot, PATH=f":.:{bot}:{os.environ['PATH']}")
    assert not trace.exists()


def test_relative_elements_of_path_find_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(tmp_path / "tool")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ":.:/usr/bin")
    assert find_program("tool", tmp_path) is None
    with pytest.raises(SpawnError, match="No such file"):
        without_sandbox(["tool"], tmp_path, DEFAULT, {"PATH": ":."})
    launch = without_sandbox(["./tool"], tmp_path, DEFAULT, {"PATH": ":."})
    assert launch.argv == (str(tmp_path / "tool"),)


# -- variables --------------------------------------------------------------------------------------------------------

VARIABLES: Final = {
    "LD_PRELOAD": "./evil.so",
    "LD_LIBRARY_PATH": ".",
    "PATH": ".",
    "BASH_ENV": "./evil",
    "odd-one": "x=y",
}


def test_variables_of_a_bot_reach_no_tool_outside(tmp_path: Path) -> None:
    for kind in (Sandbox(), AS_ROOT):
        assert kind.wrap(Command(("bot",), tmp_path), DEFAULT, VARIABLES).environment == WRAPPER_ENVIRONMENT


def test_variables_of_a_bot_reach_nothing_that_may_change_users(tmp_path: Path) -> None:
    words = AS_ROOT.wrap(Command(("bot",), tmp_path), DEFAULT, VARIABLES).argv
    given = [number for number, word in enumerate(words) if "evil" in word or word == "odd-one=x=y"]
    assert min(given) > words.index("--no-new-privs")


@pytest.mark.parametrize("kind", KINDS)
def test_variables_reach_the_bot(kind: str) -> None:
    variables = {"PATH": "/usr/bin:/bin", "A": "x=y z\n'\"$A", "odd-one": "1", "UID": "7", "EMPTY": ""}
    shown = run(kind, ["env", "-0"], variables=variables).stdout.split("\0")
    assert {f"{name}={value}" for name, value in variables.items()} <= set(shown)
    assert {word.partition("=")[0] for word in shown if word} <= {*variables, "PWD", "OLDPWD", "_", "SHLVL"}


@needs_gcc
@pytest.mark.parametrize("kind", KINDS)
def test_a_preloaded_library_runs_in_the_bot_alone(kind: str, tmp_path: Path) -> None:
    source = tmp_path / "evil.c"
    source.write_text(
        "#include <stdio.h>\n#include <unistd.h>\n"
        '__attribute__((constructor)) void start(void) { fprintf(stderr, "user %d\\n", getuid()); }\n'
    )
    library = tmp_path / "evil.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    variables = {"PATH": "/usr/bin:/bin", "LD_PRELOAD": str(library)}
    done = run(kind, ["/bin/true"], tmp_path, variables=variables)
    loaded = done.stderr.splitlines()
    assert loaded
    assert "user 0" not in loaded
    assert len(loaded) == 1


# -- users and rights -------------------------------------------------------------------------------------------------


@needs_sandbox
@needs_root
def test_folders_below_a_private_one_can_be_read(tmp_path: Path) -> None:
    inner = tmp_path / "private" / "bot"
    inner.mkdir(parents=True)
    (inner / "file").write_text("content")
    tmp_path.chmod(0o700)
    assert run("root", ["cat", "file"], inner).stdout == "content"


@pytest.mark.slow
@needs_sandbox
@needs_root
@pytest.mark.parametrize("private", ["bot", "bot/run.sh"])
def test_files_that_only_root_may_read_are_an_error_with_advice(tmp_path: Path, private: str) -> None:
    bot = tmp_path / "bot"
    executable(bot / "run.sh")
    (bot / "bot.toml").write_text('command = "sh run.sh"')
    (tmp_path / private).chmod(0o700)
    ended = referee("match", str(bot), "builtin:first", "--no-record")
    assert ended.status == 1
    assert f"bot: only its owner may read {tmp_path / private}" in ended.message
    assert "chmod -R o+rX" in ended.message


# -- limits -----------------------------------------------------------------------------------------------------------


def test_a_limit_over_the_hard_limit_is_lowered_with_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    hard = {resource.RLIMIT_NPROC: 100, resource.RLIMIT_NOFILE: 256}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (50, hard.get(which, resource.RLIM_INFINITY)))
    limits = ProcessLimits(processes=512, open_files=1024)
    assert capped_limits(limits) == [
        "processes=512 is over the referee's hard limit (see `ulimit -Ha`): 100 is used instead",
        "open_files=1024 is over the referee's hard limit (see `ulimit -Ha`): 256 is used instead",
    ]
    assert max_processes(512) == 100
    assert "98" in Sandbox().wrap(Command(("true",), Path("/usr")), limits, {}).argv
    assert capped_limits(ProcessLimits(processes=99, open_files=256)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_bot_has_a_session_and_namespaces_of_its_own(kind: str) -> None:
    source = "import os; print(os.getsid(0) > 0, *(os.readlink('/proc/self/ns/' + name) for name in os.sys.argv[1:]))"
    names = ["cgroup", "ipc", "mnt", "net", "pid", "uts"]
    own_session, *inside = run(kind, ["/usr/bin/python3", "-c", source, *names]).stdout.split()
    assert own_session == "True", "otherwise it could type into the terminal of the referee (TIOCSTI)"
    assert [
        name for name, of in zip(names, inside, strict=True) if of == str(Path(f"/proc/self/ns/{name}").readlink())
    ] == []


@pytest.mark.parametrize("kind", KINDS)
def test_kernel_ends_a_fork_bomb(kind: str) -> None:
    source = "import os, time\nfor n in range(100):\n  if not os.fork(): time.sleep(9)\n"
    done = run(kind, ["/usr/bin/python3", "-c", source], limits=ProcessLimits(processes=40))
    assert "BlockingIOError" in done.stderr


@pytest.mark.ci_only
@needs_sandbox
@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs prlimit")
def test_bots_are_sandboxed_under_a_low_hard_limit() -> None:
    ended = in_shell('exec prlimit --nproc=300:300 -- "$@"', "sandbox", "--json")
    assert ended.json["sandbox"] == "bubblewrap"


# -- links ------------------------------------------------------------------------------------------------------------


def test_a_bot_that_is_a_link_to_another_folder_is_refused(tmp_path: Path) -> None:
    real = tmp_path / "secret"
    executable(real / "run")
    (real / "bot.toml").write_text('command = "./run"')
    (tmp_path / "bot").symlink_to(real)
    assert find_symlink(tmp_path / "bot") == tmp_path / "bot"
    ended = referee("match", str(tmp_path / "bot"), "builtin:first", "--no-record")
    assert ended.status == 1 or "sandbox: none" in ended.err
    if ended.status == 1:
        assert f"{tmp_path / 'bot'} is a symbolic link" in ended.message
        assert f"give {real} itself" in ended.message


# -- records ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_sandbox
@pytest.mark.parametrize("record", [".", "sub"])
def test_records_are_not_kept_where_a_bot_sees_them(tmp_path: Path, record: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "bot.py").write_text("")
    ended = referee("match", "python3 sub/bot.py", "builtin:first", "--record", record, cwd=tmp_path)
    assert ended.status == 1
    assert "so it would see the records; give another folder with --record" in ended.message


@needs_sandbox
def test_a_pipe_in_the_folder_of_a_bot_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('command = "python3 bot.py"')
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "deep").mkdir()
    os.mkfifo(tmp_path / "deep" / "channel")
    ended = referee("match", str(tmp_path), "builtin:first", "--no-record")
    assert ended.status == 1
    assert f"channel in {tmp_path} is a pipe or a socket" in ended.message


# -- runtimes ---------------------------------------------------------------------------------------------------------

LOCKS_IN_JAVA: Final = """
import java.io.*; import java.nio.channels.*;
public class Locks { public static void main(String[] a) throws Exception {
  try (RandomAccessFile file = new RandomAccessFile("/tmp/lock", "rw")) {
    System.out.println(file.getChannel().lock() != null); } } }
"""
RUNTIMES: Final = {
    "python3": (
        ["/usr/bin/python3", "-c"],
        "import sqlite3, multiprocessing as m; c = sqlite3.connect('/tmp/db'); c.execute('pragma journal_mode=wal');"
        "c.execute('create table t(x)'); c.commit(); print(m.Pool(2).map(abs, [-1]))",
        "[1]",
    ),
    "node": (
        ["/usr/bin/node", "-e"],
        "require('fs').readFileSync('/dev/stdin'); console.log(require('child_process').execSync('echo fine') + '')",
        "fine",
    ),
    "gcc": (
        ["sh", "-c"],
        "echo 'int main(){return 0;}' > /tmp/a.c && gcc /tmp/a.c -o /tmp/a && /tmp/a && echo fine",
        "fine",
    ),
    "java": (["sh", "-c"], f"echo '{LOCKS_IN_JAVA}' > /tmp/Locks.java && java /tmp/Locks.java", "true"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", RUNTIMES)
def test_runtimes_and_compilers_work_and_print_no_warnings(kind: str, program: str) -> None:
    if shutil.which(program, path="/usr/bin:/bin") is None:
        pytest.skip(f"needs {program}")
    argv, source, output = RUNTIMES[program]
    done = run(kind, [*argv, source])
    assert (done.stdout.strip(), done.stderr) == (output, ""), done
