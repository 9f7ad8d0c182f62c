"""Build commands, run before a bot plays."""

import multiprocessing
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from referee.bots import build as module
from referee.bots.bot_spec import BotSpec
from referee.bots.build import HEAD_LINES, TAIL_LINES, BuildError, build
from referee.bots.built_files import OWNERSHIP_NOTE, UnsafeFolderError, hand_over, repair, take_back
from referee.exception_groups import single_errors
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.sandbox.user_ids import USERS
from referee.processes.supervisor import supervise
from tests.cli.command import referee
from tests.processes.running import python
from tests.processes.sandboxed import WORKING, needs_sandbox


async def built(argv: Sequence[str], folder: Path, sandbox: Sandbox | None = None) -> int:
    """Run a build. Returns how many repositories of Git it made."""
    async with supervise(sandbox) as supervisor:
        return await build(supervisor, BotSpec(name="bot", build=tuple(argv), folder=folder))


async def failure_of(argv: Sequence[str], folder: Path, sandbox: Sandbox | None = None) -> list[str]:
    """The lines of the error of a build."""
    try:
        with single_errors():
            await built(argv, folder, sandbox)
    except BuildError as error:
        return [str(error), *error.output]
    pytest.fail("the build did not fail")


async def test_build_runs_in_the_folder_of_the_bot(tmp_path: Path) -> None:
    await built(python("open('built', 'w').close(); print('fine')"), tmp_path)
    assert (tmp_path / "built").exists()


async def test_build_gets_no_input(tmp_path: Path) -> None:
    await built(python("import sys; sys.exit(len(sys.stdin.read()))"), tmp_path)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_failed_build_shows_the_beginning_and_the_end_of_its_output(tmp_path: Path, stream: str) -> None:
    source = "import sys\nfor n in range({}): print('line', n, file=sys.{})\nsys.exit(2)"
    first, *output = await failure_of(python(source.format(100, stream)), tmp_path)
    assert first == "bot: its build command exited with status 2:"
    ends = [*range(HEAD_LINES), *range(100 - TAIL_LINES, 100)]
    assert output == [
        "  [left out: 75 lines]" if n is None else f"  line {n}" for n in [*ends[:HEAD_LINES], None, *ends[HEAD_LINES:]]
    ]
    _, *output = await failure_of(python(source.format(9000, stream)), tmp_path)
    assert output[:HEAD_LINES] + output[-TAIL_LINES:] == [
        f"  line {n}" for n in (*range(HEAD_LINES), *range(9000 - TAIL_LINES, 9000))
    ]
    assert output[HEAD_LINES].endswith(" bytes]")


async def test_build_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    [line] = await failure_of(["./make-it"], tmp_path)
    assert line == "bot: its build command: can't start './make-it': No such file or directory"


def test_a_build_has_fifteen_minutes() -> None:
    assert "A build may take 15 minutes" in (Path(__file__).parents[2] / "docs/matches.md").read_text()
    assert module.BUILD_TIMEOUT == 15 * 60


async def test_build_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUILD_TIMEOUT", 0.2)
    [line] = await failure_of(python("import signal; signal.alarm(120); signal.pause()"), tmp_path)
    assert line == "bot: its build command took over 0.2 s"


@needs_sandbox
async def test_a_compiler_that_the_sandbox_hides_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden, folder = tmp_path / "elsewhere/compiler", tmp_path / "bot"
    hidden.parent.mkdir()
    folder.mkdir()
    hidden.write_text("#!/bin/sh\n")
    hidden.chmod(0o755)
    told = f"; the sandbox doesn't show {hidden}: show it to bots (--show, or show in a tournament file):"
    for command in (["sh", "-c", "compiler x"], ["sh", "-c", f"{hidden} x"], ["sh", "-c", "echo cc: compiler; exit 1"]):
        monkeypatch.setenv("PATH", f"{hidden.parent}:{os.environ['PATH']}")
        [first, *_] = await failure_of(command, folder, WORKING)
        assert first.endswith(told), first
    (tmp_path / "secret").write_text("private")
    [first, *_] = await failure_of(["sh", "-c", f"cat {tmp_path}/secret /etc/shadow"], folder, WORKING)
    assert "doesn't show" not in first, "only programs are: the output is untrusted"


@needs_sandbox
async def test_build_in_the_sandbox_may_write_to_its_folder_and_nowhere_else(tmp_path: Path) -> None:
    folder, beside = tmp_path / "bot", tmp_path / "beside"
    folder.mkdir()
    await built(["sh", "-c", "echo fine > built"], folder, WORKING)
    assert (folder / "built").read_text() == "fine\n"
    first, *_ = await failure_of(["sh", "-c", f"echo mine > {beside}; exit 2"], folder, WORKING)
    assert first.startswith("bot: its build command exited with status 2 (in the sandbox, where a build may")
    assert not beside.exists()


DEEP_TOOL = """
import os, shutil
for level in range({depth}):
    os.mkdir('d' * 200)
    os.chdir('d' * 200)
shutil.copy('/bin/true', 'tool')
os.chmod('tool', 0o6755)
os.chmod('tool', os.stat('tool').st_mode)
if {closed}:
    os.chmod('.', 0o111)
"""


def mode_below(folder: Path, depth: int) -> int:
    """The mode of the tool below this number of folders, whose path may be too long."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    mode = os.stat("tool", dir_fd=here).st_mode
    os.close(here)
    return mode & 0o7777


@pytest.mark.parametrize(("depth", "closed"), [(1, True), (40, False)], ids=["in a folder of mode 0111", "PATH_MAX"])
async def test_no_folder_keeps_a_program_with_the_rights_of_its_owner(tmp_path: Path, depth: int, closed: bool) -> None:
    source = python(DEEP_TOOL.format(depth=depth, closed=closed))
    await built(source, tmp_path)
    assert mode_below(tmp_path, depth) == 0o755
    shutil.rmtree(tmp_path / ("d" * 200))  # pytest can't


def take_back_as_nobody(folder: int) -> None:
    """As an ordinary user, from whom a mode can keep something."""
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    os.fchdir(folder)
    take_back(Path())


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
def test_folder_that_its_owner_may_not_read_is_searched_all_the_same(tmp_path: Path) -> None:
    inner = tmp_path / "closed"
    inner.mkdir()
    shutil.copy("/bin/true", inner / "tool")
    for path in (inner / "tool", inner, tmp_path):
        os.chown(path, 65534, 65534)
    (inner / "tool").chmod(0o6111)
    inner.chmod(0o111)
    child = multiprocessing.get_context("fork").Process(
        target=take_back_as_nobody, args=(os.open(tmp_path, os.O_RDONLY),)
    )
    child.start()
    child.join()
    assert child.exitcode == 0
    assert (inner / "tool").stat().st_mode & 0o7777 == 0o111


@needs_sandbox
async def test_pipes_and_sockets_of_a_build_are_removed(tmp_path: Path) -> None:
    await built(["sh", "-c", "mkdir sub; mkfifo sub/channel; echo fine > sub/file"], tmp_path, WORKING)
    assert [path.name for path in (tmp_path / "sub").iterdir()] == ["file"]


@needs_sandbox
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
async def test_build_runs_as_a_user_of_its_own_and_its_files_are_the_organisers_afterwards(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("x")
    private = tmp_path / "private"
    private.write_text("x")
    private.chmod(0o600)
    os.link(tmp_path / "source", tmp_path / "linked")
    await built(["sh", "-c", "id -u > who; umask 077; mkdir out; cp who out/made"], tmp_path, WORKING)
    assert int((tmp_path / "who").read_text()) != 0
    assert {path.stat().st_uid for path in tmp_path.rglob("*")} == {0}
    assert tmp_path.stat().st_uid == 0
    assert (tmp_path / "out" / "made").stat().st_mode & 0o444 == 0o444, "the bot is another user and reads it"
    assert private.stat().st_mode & 0o777 == 0o600


def keeps_attributes(folder: Path) -> bool:
    """Whether the attribute that notes the owner can be set: in a container root may not be allowed to."""
    try:
        os.setxattr(folder, OWNERSHIP_NOTE, b"")
    except OSError:
        return False
    os.removexattr(folder, OWNERSHIP_NOTE)
    return True


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("noted", [True, False], ids=["with the owner noted", "where no attributes can be kept"])
def test_folder_of_a_build_that_was_interrupted_is_repaired(tmp_path: Path, noted: bool) -> None:
    folder = tmp_path / "bot"
    folder.mkdir(mode=0o755)
    has_attributes = keeps_attributes(folder)
    if noted and not has_attributes:
        pytest.skip("root may not set trusted attributes here")
    owner = 12345 if noted else 54321
    (folder / "source").write_text("x")
    (folder / "kept").write_text("x")
    for path in (folder, folder / "source"):
        os.chown(path, 12345, 12345)
    os.chown(tmp_path, 54321, 54321)
    builder = USERS[0]
    hand_over(folder, builder)
    assert folder.stat().st_uid == (folder / "source").stat().st_uid == builder
    inner = folder / "sub"
    inner.mkdir(mode=0o700)
    (inner / "tool").write_text("x")
    (inner / "tool").chmod(0o6700)
    os.mkfifo(inner / "channel")
    for path in (inner, inner / "tool", inner / "channel"):
        os.lchown(path, builder, builder)
    (inner / "tool").chmod(0o6700)
    folder.chmod(0o700)
    if has_attributes and not noted:
        os.removexattr(folder, OWNERSHIP_NOTE)
    assert repair(folder, range(*USERS))
    assert sorted(path.name for path in folder.rglob("*")) == ["kept", "source", "sub", "tool"]
    assert {folder.stat().st_uid, *(path.stat().st_uid for path in folder.rglob("*") if path.name != "kept")} == {owner}
    assert (folder / "kept").stat().st_uid == 0, "it was never handed over"
    assert (inner / "tool").stat().st_mode & 0o7777 == 0o755
    assert folder.stat().st_mode & 0o7777 == 0o755
    assert not repair(folder, range(*USERS))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_folder_that_is_being_built_is_not_repaired(tmp_path: Path) -> None:
    hand_over(tmp_path, 12345)
    with subprocess.Popen(["sleep", "60"], user=12345) as builder:
        with pytest.raises(UnsafeFolderError, match="is being built by another referee"):
            repair(tmp_path, [12345])
        builder.kill()
    assert repair(tmp_path, [12345])


@needs_sandbox
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_match_repairs_the_folder_of_a_bot_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text('command = "true"')
    hand_over(folder, USERS[0])
    os.mkfifo(folder / "channel")
    ended = referee("match", str(folder), "builtin:first", "--games", "1", "--no-record")
    assert f"bot: its last build was interrupted; {folder} has been made safe again" in ended.err
    assert not (folder / "channel").exists()


@needs_sandbox
async def test_build_in_the_sandbox_can_not_write_git_hooks(tmp_path: Path) -> None:
    hooks = tmp_path / ".git" / "hooks"
    hooks.mkdir(parents=True)
    await built(["sh", "-c", "echo evil > .git/hooks/post-merge; echo fine > built"], tmp_path, WORKING)
    assert (tmp_path / "built").exists()
    assert list(hooks.iterdir()) == []


@needs_sandbox
async def test_build_in_the_sandbox_can_not_write_its_bot_toml(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text("as it was")
    tries = "echo evil > bot.toml; rm -f bot.toml; echo evil > other; mv other bot.toml; mv bot.toml away; echo > built"
    await built(["sh", "-c", tries], tmp_path, WORKING)
    assert (tmp_path / "built").exists()
    assert (tmp_path / "bot.toml").read_text() == "as it was"


@pytest.mark.parametrize("change", ["echo evil >> bot.toml", "rm bot.toml", "rm bot.toml; ln -s /dev/null bot.toml"])
async def test_build_without_a_sandbox_that_changes_its_bot_toml_has_failed(tmp_path: Path, change: str) -> None:
    (tmp_path / "bot.toml").write_text("as it was")
    [line] = await failure_of(["sh", "-c", change], tmp_path)
    assert line.startswith("bot: its build changed its bot.toml, which says how it is built and started: put that file")


@pytest.mark.parametrize("sandbox", [None, pytest.param(WORKING, marks=needs_sandbox)], ids=["none", "bwrap"])
async def test_repositories_that_a_build_makes_are_removed(tmp_path: Path, sandbox: Sandbox | None) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "vendor" / ".git").mkdir(parents=True)
    make = (
        "mkdir -p a/b/.git c/objects c/refs; echo evil > a/b/.git/config; echo 'gitdir: /x' > a/.git; echo > c/HEAD;"
        " echo > HEAD; ln -s /x vendor/x; chmod 0 a/b/.git"
    )
    assert await built(["sh", "-c", make], tmp_path, sandbox) == 3
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    assert left == {".git", "vendor", "vendor/.git", "vendor/x", "a", "a/b", "c", "c/objects", "c/refs", "HEAD"}


@pytest.mark.parametrize("sandbox", [None, pytest.param(WORKING, marks=needs_sandbox)], ids=["none", "bwrap"])
async def test_only_the_owner_may_change_what_a_build_left(tmp_path: Path, sandbox: Sandbox | None) -> None:
    make = "mkdir d; echo > d/f; echo > d/g; chmod 777 d d/f; chmod 666 d/g; chmod u+s,g+s,+t d/f; chmod +t,g+s d; true"
    await built(["sh", "-c", make], tmp_path, sandbox)
    modes = {name: (tmp_path / name).stat().st_mode & 0o7777 for name in ("d", "d/f", "d/g")}
    assert modes == {"d": 0o755, "d/f": 0o755, "d/g": 0o644}
