"""What a bot's folder, its variables and its links must not decide: which tools run, with which rights, on what."""

import itertools
import os
import resource
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from referee.files import find_program, find_symlink, find_tool
from referee.processes import linux
from referee.processes.launch import SpawnError, without_sandbox
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits, capped_limits, max_processes
from referee.processes.sandbox import choice, user_ids
from referee.processes.sandbox.bubblewrap import WRAPPER_ENVIRONMENT, Sandbox, SandboxError
from referee.processes.sandbox.user_ids import USERS, UserIds, in_use
from referee.processes.sandbox.visibility import visible_paths
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
def test_each_process_has_a_user_id_of_its_own_that_is_not_roots() -> None:
    users = [int(run("root", ["id", "-u"]).stdout) for _ in range(2)]
    assert len(set(users)) == 2
    assert all(user in range(*USERS) for user in users)


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


def test_root_without_a_sandbox_runs_what_the_organiser_would_start_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "BWRAP", "no-such-program")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    chosen, words = choice.choose("auto")
    assert chosen is None
    assert "bubblewrap is not installed" in words
    assert "Not in force: bots run as root" in words
    assert "\n" not in words


def test_the_command_that_installs_bubblewrap_is_named_where_there_is_a_package_manager(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid=(): "/sbin/apk" if name == "apk" else None)
    assert choice.probe() == (None, "bubblewrap is not installed (apk add bubblewrap)")
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid=(): None)
    assert choice.probe() == (None, "bubblewrap is not installed")


def test_root_without_setpriv_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "SETPRIV", "no-such-program")
    monkeypatch.setattr(choice, "why_it_fails", lambda launch: "")
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid: "/usr/bin/bwrap" if name == "bwrap" else None)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for mode in ("auto", "bwrap"):
        with pytest.raises(SandboxError, match="no-such-program"):
            choice.choose(mode)


def test_auto_does_without_a_sandbox_only_where_bubblewrap_itself_does_not_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid: "/usr/bin/bwrap")
    monkeypatch.setattr(choice, "why_it_fails", lambda launch: "no namespaces here")
    assert choice.choose("auto")[0] is None
    monkeypatch.setattr(choice, "why_it_fails", lambda launch: "no limit" if launch.files else "")
    with pytest.raises(
        SandboxError, match="bubblewrap works here, but not with everything that the sandbox needs: no limit"
    ):
        choice.choose("auto")


def test_a_bubblewrap_that_gives_no_answer_is_no_reason_to_do_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = tmp_path / "bwrap"
    stuck.write_text("#!/bin/sh\nexec sleep 100\n")
    stuck.chmod(0o755)
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid: str(stuck) if name == "bwrap" else "/usr/bin/env")
    monkeypatch.setattr(choice, "PROBE_TIMEOUT", 0.1)
    with pytest.raises(SandboxError, match="not known whether it works: try again"):
        choice.choose("auto")


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


def test_links_in_a_command_show_nothing(tmp_path: Path) -> None:
    secret, bots, folder = tmp_path / "secret", tmp_path / "bots", tmp_path / "here"
    for each in (secret / "src", bots, folder):
        each.mkdir(parents=True)
    (secret / "src" / "bot.py").write_text("")
    (bots / "alice").symlink_to(secret)
    for word in (f"{bots}/alice", f"{bots}/alice/src/bot.py", "../bots/alice/src"):
        assert visible_paths(["sh", word], folder, from_command_line=True) - {Path("/usr"), Path("/bin")} == {folder}
        advice = Sandbox().missing_from_view(["sh", word], folder, from_command_line=True)
        assert advice is not None
        assert "symbolic link" in advice
        assert str(secret) in advice


def test_an_element_of_path_that_leads_out_of_a_bots_folder_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, secret = tmp_path / "bot", tmp_path / "secret"
    executable(secret / "bin" / "tool")
    executable(bot / "own" / "bin" / "other")
    (bot / "venv").symlink_to(secret)
    monkeypatch.setenv("PATH", f"{bot}/venv/bin:{bot}/own/bin")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    seen = visible_paths(["tool"], elsewhere, from_command_line=False, bot_folders=[bot])
    assert seen - {Path("/usr")} == {elsewhere}  # where Python may be installed
    assert bot / "own" in visible_paths(["other"], elsewhere, from_command_line=False, bot_folders=[bot])


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


def test_processes_of_the_referee_never_use_the_same_user_ids() -> None:
    parts = [Sandbox(setpriv="setpriv").share(part, 3) for part in range(3)]
    ranges = [range(*part.users) for part in parts]
    assert all(set(one).isdisjoint(other) for one in ranges for other in ranges if one is not other)
    for part, expected in zip(parts, ranges, strict=True):
        assert part.new_user() in expected


def test_user_ids_are_unique_and_do_not_follow_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_ids, "in_use", set)
    users = UserIds(*USERS)
    given = [users.new() for _ in range(USERS[1] - USERS[0])]
    assert sorted(given) == list(range(*USERS))
    steps = [following - user for user, following in itertools.pairwise(given)]
    assert max(steps.count(step) for step in {*steps}) < 20, "nobody can tell the next one"


def test_no_user_id_is_given_while_a_process_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_ids, "in_use", lambda: {101, 103})
    users = UserIds(100, 108)
    given = [users.new() for _ in range(60)]
    assert set(given) == {100, 102, 104, 105, 106, 107}
    assert all(user != following for user, following in itertools.pairwise(given))


@pytest.mark.skipif(not linux.IS_LINUX, reason="needs /proc")
def test_user_ids_of_running_processes_are_known() -> None:
    assert os.geteuid() in in_use()
