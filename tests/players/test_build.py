"""Build commands, run before a bot plays."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from referee.players import build as module
from referee.players.bot_spec import BotSpec
from referee.players.build import MAX_OUTPUT_LINES, BuildError, build
from referee.processes.sandbox import Sandbox
from referee.processes.supervisor import supervise
from tests.processes.running import python
from tests.processes.sandboxed import WORKING, needs_sandbox
from tournaments.preparation import single_errors


async def built(argv: Sequence[str], folder: Path, sandbox: Sandbox | None = None) -> None:
    """Run a build."""
    async with supervise(sandbox) as supervisor:
        await build(supervisor, BotSpec(name="bot", build=tuple(argv), folder=folder))


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
async def test_failed_build_shows_the_end_of_its_output(tmp_path: Path, stream: str) -> None:
    source = f"import sys\nfor n in range(100): print('line', n, file=sys.{stream})\nsys.exit(2)"
    first, *output = await failure_of(python(source), tmp_path)
    assert first == "bot: its build command exited with status 2:"
    assert output == [f"  line {number}" for number in range(100 - MAX_OUTPUT_LINES, 100)]


async def test_build_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    [line] = await failure_of(["./make-it"], tmp_path)
    assert line == "bot: its build command: can't start './make-it': No such file or directory"


async def test_build_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUILD_TIMEOUT", 0.2)
    [line] = await failure_of(python("import signal; signal.alarm(120); signal.pause()"), tmp_path)
    assert line == "bot: its build command took over 0.2 s:"


@needs_sandbox
async def test_build_in_the_sandbox_may_write_to_its_folder_and_nowhere_else(tmp_path: Path) -> None:
    folder, beside = tmp_path / "bot", tmp_path / "beside"
    folder.mkdir()
    await built(["sh", "-c", "echo fine > built"], folder, WORKING)
    assert (folder / "built").read_text() == "fine\n"
    first, *_ = await failure_of(["sh", "-c", f"echo mine > {beside}; exit 2"], folder, WORKING)
    assert first.startswith("bot: its build command exited with status 2 (in the sandbox, without network and home;")
    assert not beside.exists()


async def test_build_leaves_no_program_with_the_rights_of_its_owner(tmp_path: Path) -> None:
    await built(["sh", "-c", "mkdir sub; cp /bin/true sub/tool; chmod 6755 sub/tool"], tmp_path)
    assert (tmp_path / "sub" / "tool").stat().st_mode & 0o7777 == 0o755


@needs_sandbox
async def test_build_in_the_sandbox_can_not_write_git_hooks(tmp_path: Path) -> None:
    hooks = tmp_path / ".git" / "hooks"
    hooks.mkdir(parents=True)
    await built(["sh", "-c", "echo evil > .git/hooks/post-merge; echo fine > built"], tmp_path, WORKING)
    assert (tmp_path / "built").exists()
    assert list(hooks.iterdir()) == []
