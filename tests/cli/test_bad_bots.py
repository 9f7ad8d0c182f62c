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


def test_a_bot_that_can_not_play_is_refused(tmp_path: Path) -> None:
    """All that may be wrong with one: tests/bots/test_command_line.py and test_bot_spec.py."""
    assert_bot_refused("missing", tmp_path, "missing: no such folder")
    make_bot(tmp_path / "folder", toml='command = "x"\nbuild = []')
    assert_bot_refused("folder", tmp_path, "the build command in folder/bot.toml is empty")


def test_a_folder_without_a_bot_toml_and_those_whose_bot_toml_is_no_text_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert_bot_refused("folder", tmp_path, 'folder has no bot.toml; write one with name = "…" and command = "…"')
    (folder / "bot.toml").write_bytes(b'name = "\xff"')
    assert_bot_refused("folder", tmp_path, "folder/bot.toml is not valid TOML: ")
    (folder / "bot.toml").unlink()
    os.mkfifo(folder / "bot.toml")
    assert_bot_refused("folder", tmp_path, "can't read folder/bot.toml: it is not a regular file")


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
