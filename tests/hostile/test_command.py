"""The real `referee match` with hostile bots: its exit status, and no output that a terminal would interpret."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.command import ENVIRONMENT, REFEREE, Run, referee, run_on_terminal
from tests.hostile.cleanup import no_processes_left
from tests.hostile.hostile_harness import BOTS, PRELUDE
from tests.processes.sandboxed import needs_sandbox
from tests.timeouts import TEST_TIMEOUT

pytestmark = pytest.mark.slow

MODES = [
    "none",
    pytest.param("bwrap", marks=needs_sandbox),
]
ESCAPES: Final = "\\u001b[2J\\u001b]0;owned\\u0007\\u009b31m\\u007f\\u202e\\u2028"
"""As a string in TOML."""


@pytest.fixture(autouse=True)
def no_process_of_a_bot_is_left(tmp_path: Path) -> Iterator[None]:
    """No process of these bots survives its match."""
    with no_processes_left(tmp_path):
        yield


def add_bot(folder: Path, bot: str, toml: str = "", name: str | None = None) -> Path:
    """A folder with a bot of tests/hostile/bots and a bot.toml."""
    bot_folder = folder / (name or bot)
    bot_folder.mkdir()
    for part in (bot, *PRELUDE):
        shutil.copy(BOTS / f"{part}.py", bot_folder)
    command = json.dumps([sys.executable, "-ESB", f"{bot}.py"])
    (bot_folder / "bot.toml").write_text(f"command = {command}\n{toml}")
    return bot_folder


def match(folder: Path, *arguments: str | Path) -> Run:
    """A match of a few games with clocks for a busy machine."""
    return referee("match", *arguments, "--games", "2", "--no-rotate", "--time-scale", "30", cwd=folder)


def assert_printable(text: str) -> None:
    """All characters are printable or ends of lines."""
    unprintable = {char for char in text if not char.isprintable() and char != "\n"}
    assert unprintable == set()


@pytest.mark.parametrize("mode", MODES)
def test_escape_sequences_are_replaced_in_output_records_and_names_of_files(tmp_path: Path, mode: str) -> None:
    hostile = add_bot(tmp_path, "escape_sequences", f'name = "hostile{ESCAPES}"\n')
    for arguments in (["--no-record"], ["--record", "kept"], ["--json", "--record", "json"], ["--json", "--no-record"]):
        ended = match(tmp_path, hostile, "builtin:first", "--sandbox", mode, *arguments)
        assert ended.status == 3
        assert "owned" in ended.out
        assert_printable(ended.out)
        assert_printable(ended.err)
    records = [path for folder in ("kept", "json") for path in (tmp_path / folder).iterdir()]
    assert {path.suffix for path in records} == {".jsonl", ".stderr"}
    for path in records:
        assert_printable(path.name)
        if path.suffix == ".jsonl":
            text = path.read_text()
            assert_printable(text)
            infos = [json.loads(line).get("info") for line in text.splitlines()]
            assert any("\x1b[2J\x1b]0;owned" in info for info in infos if info), "it is kept, escaped"
            for command in ("show", "verify"):
                shown = referee("record", command, path)
                assert shown.status == 0
                assert_printable(shown.out + shown.err)
        else:
            assert path.read_bytes().startswith(b"log \x1b[2J"), "the stderr log is what the bot wrote"


def test_escape_sequences_do_not_reach_a_terminal(tmp_path: Path) -> None:
    hostile = add_bot(tmp_path, "escape_sequences", f'name = "hostile{ESCAPES}"\n')
    match = ("match", hostile, "builtin:first", "--games", "2", "--no-record", "--time-scale", "30")
    shown = run_on_terminal(*match, status=3, cwd=tmp_path, TERM="xterm")
    assert "hostile" in shown
    for sequence in ("\x1b[2J", "\x1b]0;", "\x07", "\x9b", "\u202e"):
        assert sequence not in shown


@pytest.mark.parametrize(
    ("toml", "build"),
    [
        (f'"key{ESCAPES}" = 1\n', ""),
        (f'name = "x{ESCAPES}\n', ""),
        ("", f"import sys; sys.exit('failed{ESCAPES}')"),
    ],
    ids=["an unknown key", "an error of syntax", "a failed build"],
)
def test_escape_sequences_in_a_bot_toml_and_its_build_do_not_reach_a_terminal(
    tmp_path: Path, toml: str, build: str
) -> None:
    (tmp_path / "hostile").mkdir()
    command = "command = 'python3 bot.py'\n"
    if build:
        (tmp_path / "hostile" / "build.py").write_text(build)
        command += f"build = {json.dumps([sys.executable, '-ESB', 'build.py'])}\n"
    (tmp_path / "hostile" / "bot.toml").write_text(command + toml)
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [REFEREE, "match", "hostile", "builtin:first", "--no-record"],
            stderr=slave,
            env=ENVIRONMENT,
            cwd=tmp_path,
            check=False,
            timeout=TEST_TIMEOUT,
        )
        os.close(slave)
        shown = os.read(master, 65536).decode()
    finally:
        os.close(master)
    assert done.returncode in (1, 2)
    assert "referee: " in shown
    assert_printable(shown.replace("\r\n", "\n"))


def test_name_of_a_megabyte_is_cut_short(tmp_path: Path) -> None:
    ended = match(tmp_path, add_bot(tmp_path, "megabyte_name"), "builtin:first", "--record", "kept", "--json")
    assert ended.status == 0
    assert len(ended.out) < 5000
    first = json.loads((tmp_path / "kept" / "0001-1.jsonl").read_text().splitlines()[0])
    assert (first["players"][0]["name"], first["players"][0]["bot"]) == ("megabyte_name", "N" * 60)


def test_bot_in_a_folder_with_an_unprintable_name_is_called_bot(tmp_path: Path) -> None:
    ended = match(tmp_path, add_bot(tmp_path, "empty_name", 'name = ""\n', name="\x1b\x07"), "builtin:first", "--json")
    assert ended.status == 0
    assert ended.json["games"][0]["bots"] == ["bot", "first"]


def test_bots_of_the_same_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    same = [add_bot(tmp_path, "same_name", 'name = "same"\n', name=name) for name in ("one", "two")]
    faulty = add_bot(tmp_path, "index_true", 'name = "same"\n', name="three")
    ended = match(tmp_path, *same, faulty, "--record", "kept", "--json")
    assert ended.status == 3
    assert ended.json["games"][0]["bots"] == ["same (one)", "same (two)", "same (three)"]
    assert [(fault["bot"], fault["code"]) for fault in ended.json["faults"]] == [("same (three)", "bad_message")] * 2
    start = json.loads((tmp_path / "kept" / "0001-1.jsonl").read_text().splitlines()[0])
    assert [player["name"] for player in start["players"]] == ["same (one)", "same (two)", "same (three)"]


FAULTING: Final = {
    "exits_mid_game": r"crash: exited with status 5 at act 2",
    "endless_spaces": r"oversize: a line of over 1048576 bytes without an end at act 1",
    "daemonises_and_exits": r"crash: exited with status 7 at act 1",
    "speaks_protocol_2": r"protocol_version: speaks protocol 2; this referee speaks 1",
}


@pytest.mark.parametrize("mode", MODES)
def test_game_of_five_in_which_all_but_one_are_hostile(tmp_path: Path, mode: str) -> None:
    bots = [add_bot(tmp_path, bot) for bot in ("well_behaved", *FAULTING)]
    ended = match(tmp_path, *bots, "--sandbox", mode, "--record", "kept", "--json")
    assert ended.status == 3
    found: dict[str, Any] = ended.json
    winner = found["standings"][0]
    assert (winner["name"], winner["wins"]["mean"]) == ("well_behaved", 1.0)
    assert len(found["faults"]) == 2 * len(FAULTING)
    for fault in found["faults"]:
        assert re.fullmatch(FAULTING[fault["bot"]], f"{fault['code']}: {fault['message']}")
    records = sorted((tmp_path / "kept").glob("*.jsonl"))
    assert len(records) == 2
    assert referee("record", "verify", *records).status == 0
