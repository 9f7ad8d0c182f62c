"""A BOT that can't play is refused before any game, with what is wrong and what to do about it."""

import os
from pathlib import Path

import pytest

from tests.cli.bots import make_bot
from tests.cli.command import assert_error, referee

pytestmark = pytest.mark.slow


def assert_bot_refused(bot: str | Path, cwd: Path, words: str, status: int = 2) -> None:
    """A match with this bot is refused with these words."""
    assert_error(referee("match", bot, "builtin:first", "--no-record", cwd=cwd), status, words)
    assert not (cwd / "records").exists()


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        ("missing", "missing: no such folder"),
        ("human@Web", "human@Web: no such folder or program; did you mean 'human@web'?"),
        ("mine=Random", "Random: no such folder or program; did you mean 'builtin:random'?"),
        ("TCP:9000", "TCP:9000: no such folder or program; did you mean 'tcp:9000'?"),
        ("missing/bot.toml", 'missing has no bot.toml; write one with name = "…" and command = "…"'),
        ("no-such-program --fast", "program 'no-such-program' not found; is it installed, and is it executable?"),
        ("python3 missing.py", "missing: file 'missing.py' not found in "),
        ("builtin:unknown", "unknown built-in player 'builtin:unknown'; available: builtin:random, builtin:first"),
        ("builtin:Rand", "unknown built-in player 'builtin:Rand'; did you mean 'builtin:random'?"),
        ("", "a BOT is empty; give a folder, a command in quotes, or builtin:random"),
        ("python3 'half a quote", "can't be split into words: "),
    ],
)
def test_argument_that_is_no_bot_is_refused(bot: str, words: str, tmp_path: Path) -> None:
    assert_bot_refused(bot, tmp_path, words)


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('nmae = "x"\ncommand = "python3 bot.py"', "unknown field 'nmae'; did you mean 'name'?"),
        ('command = "x"\n[limits]\nmemory = 3', "limits has an unknown field 'memory'; did you mean 'memory_mb'?"),
        ('command = "x"\n[limits]\nmemory_mb = 0', "limits.memory_mb: expected a whole number >= 1"),
        ('command = "x"\nlimits = "none"', "limits: expected a table, got text"),
        ('name = "x"', 'it has no command; write how the bot is started, for example command = "python3 bot.py"'),
        ("command = 7", "command: expected text or a list, got a whole number"),
        ('command = ["python3", 3]', "command[1]: expected text, got a whole number"),
        ('command = ""', "the command in folder/bot.toml is empty"),
        ('command = "x"\nshow = ["/etc"]', "unknown field 'show'; available: command, name, build, limits"),
        ('command = "x"\nbuild = []', "the build command in folder/bot.toml is empty"),
        ("command = python3 bot.py", "folder/bot.toml is not valid TOML: "),
        ('command = "no-such-program"', "folder: program 'no-such-program' not found; is it installed"),
        (
            'command = "./bot.py"',
            "folder: ./bot.py is not executable",
        ),
        ('command = "python3 src/main.py"', "folder: file 'src/main.py' not found in "),
    ],
)
def test_a_folder_with_a_wrong_bot_toml_is_refused(toml: str, words: str, tmp_path: Path) -> None:
    make_bot(tmp_path / "folder", toml=toml)
    assert_bot_refused("folder", tmp_path, words)


def test_a_folder_without_a_bot_toml_and_those_whose_bot_toml_is_no_text_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert_bot_refused("folder", tmp_path, 'folder has no bot.toml; write one with name = "…" and command = "…"')
    (folder / "bot.toml").write_bytes(b'name = "\xff"')
    assert_bot_refused("folder", tmp_path, "folder/bot.toml is not valid TOML: ")
    (folder / "bot.toml").unlink()
    os.mkfifo(folder / "bot.toml")
    assert_bot_refused("folder", tmp_path, "can't read folder/bot.toml: is not a regular file")


def test_a_build_command_that_fails_is_shown_with_its_output(tmp_path: Path) -> None:
    toml = 'name = "mine"\ncommand = "python3 bot.py"\nbuild = ["sh", "-c", "echo compiling; echo oops >&2; exit 7"]'
    make_bot(tmp_path / "folder", toml=toml)
    ended = referee("match", "folder", "builtin:first", cwd=tmp_path)
    assert ended.status == 1
    lines = ended.err.splitlines()
    assert lines[-3].startswith("referee: mine: its build command exited with status 7")
    assert lines[-2:] == ["  compiling", "  oops"]


def test_limits_beyond_the_organisers_are_not_in_force_and_a_notice_says_so(tmp_path: Path) -> None:
    toml = 'name = "greedy"\ncommand = "python3 bot.py"\n[limits]\nmemory_mb = 4096\nprocesses = 20'
    make_bot(tmp_path / "folder", toml=toml)
    play = ("match", "folder", "builtin:first", "--games", "1", "--no-record", "--time-scale", "30")
    ended = referee(*play, "--limit", "memory_mb=1000", cwd=tmp_path)
    assert ended.status == 0
    assert "greedy asks for memory_mb=4096, but only gets 1000 (raise it with --limit memory_mb=…)" in ended.err
    assert "processes" not in ended.err.partition("greedy asks")[2]
    assert "asks for" not in referee(*play, "--limit", "memory_mb=5000", cwd=tmp_path).err


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--limit", "memory=1", "--limit memory=1: unknown limit 'memory'"),
        ("--env", "NO_SUCH_VARIABLE", "--env NO_SUCH_VARIABLE is not set here; write NO_SUCH_VARIABLE=VALUE"),
        ("--show", "FIRST=folder", "folder can't be shown to FIRST: unknown bot; did you mean 'first'?"),
        ("--show", "no/such/folder", "no/such/folder can't be shown to bots: there is no such file or folder"),
    ],
)
def test_wrong_settings_of_the_isolation_are_refused(tmp_path: Path, option: str, value: str, words: str) -> None:
    make_bot(tmp_path / "folder")
    ended = referee("match", "folder", "builtin:first", option, value, cwd=tmp_path)
    assert ended.status == 2
    assert words in ended.err
