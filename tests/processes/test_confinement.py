"""What a bot's folder, its variables and its links must not decide: which tools run, with which rights, on what."""

import os
import resource
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from referee.files import find_program, find_symlink, find_tool
from referee.processes.launch import SpawnError, without_sandbox
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits, capped_limits, max_processes
from referee.processes.sandbox.bubblewrap import WRAPPER_ENVIRONMENT, Sandbox
from tests.cli.command import in_shell, referee
from tests.processes.sandboxed import KINDS, needs_root, needs_sandbox, run

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
    launch = AS_ROOT.wrap(["true"], tmp_path, DEFAULT, {})
    for word in ("/bin/sh", "/usr/bin/bwrap", "/usr/bin/setpriv"):
        assert word in launch.argv
    assert not {"bwrap", "sh", "setpriv", "prlimit", "env"} & set(launch.argv) - {"sh"}


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
        assert kind.wrap(["bot"], tmp_path, DEFAULT, VARIABLES).environment == WRAPPER_ENVIRONMENT


def test_variables_of_a_bot_reach_nothing_that_may_change_users(tmp_path: Path) -> None:
    words = AS_ROOT.wrap(["bot"], tmp_path, DEFAULT, VARIABLES).argv
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
    assert "98" in Sandbox().wrap(["true"], Path("/usr"), limits, {}).argv
    assert capped_limits(ProcessLimits(processes=99, open_files=256)) == []


@pytest.mark.slow
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
