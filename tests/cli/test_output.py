"""Output to pipes, terminals, closed streams and other encodings."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import in_shell, referee_process, start
from tests.cli.on_pty import run_on_terminal
from tests.timeouts import TEST_TIMEOUT

pytestmark = pytest.mark.slow

MATCH = ("match", "builtin:random", "builtin:first", "--games", "2", "--no-record")
COLOUR = re.compile(r"\x1b\[[0-9;]*\b(3[0-7]|9[0-7]|38;[0-9;]+)m")


def with_closed_pipe(*arguments: str | Path, stream: str = "stdout") -> "subprocess.CompletedProcess[bytes]":
    """A command of which nobody reads this stream any more."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | {stream: writing}
        with start(*arguments, **streams) as process:
            out, err = process.communicate(timeout=TEST_TIMEOUT)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)
    finally:
        os.close(writing)


@pytest.mark.parametrize("arguments", [("games",), ("schema",), MATCH, (*MATCH, "--json")])
def test_a_closed_pipe_needs_no_message_and_ends_as_other_programs_do(arguments: tuple[str, ...]) -> None:
    ended = with_closed_pipe(*arguments)
    assert ended.stderr == b""
    assert ended.returncode == 128 + signal.SIGPIPE


def test_a_closed_pipe_changes_neither_the_status_of_a_failed_command_nor_its_messages(tmp_path: Path) -> None:
    record = tmp_path / "wrong.jsonl"
    record.write_text("[]\n")
    assert with_closed_pipe("record", "verify", record).returncode == 1
    faulty = with_closed_pipe("match", "python3 -c pass", "builtin:first", "--games", "1", "--sandbox", "none")
    assert faulty.returncode == 3
    usage = with_closed_pipe("record", "show", tmp_path / "missing.jsonl")
    assert (usage.returncode, usage.stderr) == (1, referee_process(*usage.args).err.encode())
    played = with_closed_pipe(*MATCH, "--sandbox", "none", "--json", stream="stderr")
    assert (played.returncode, len(json.loads(played.stdout)["games"])) == (0, 4)


@pytest.mark.ci_only
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(("arguments", "status"), [(("games",), 1), (MATCH, 1), (("record", "verify", __file__), 1)])
def test_output_that_can_not_be_written_is_one_clear_line(arguments: tuple[str, ...], status: int) -> None:
    ended = in_shell('exec "$@" >/dev/full', *arguments)
    assert ended.status == status
    assert ended.err == "referee: can't write to standard output: No space left on device\n"


@pytest.mark.parametrize(
    "redirection", ["<&- 2>&-", *(pytest.param(each, marks=pytest.mark.check_all) for each in ("<&-", "2>&-"))]
)
def test_closed_streams_do_not_stop_a_match(redirection: str, bot: Path) -> None:
    options = ("--games", "1", "--no-record", "--json", "--no-timeout")
    ended = in_shell(f'exec "$@" {redirection}', "match", bot, "builtin:first", *options)
    assert ended.status == 0
    assert ended.json["standings"][0]["games"] == 2


def test_without_an_output_a_command_still_does_its_work(tmp_path: Path) -> None:
    ended = in_shell('exec "$@" >&-', *MATCH[:-1], "--record", "records", cwd=tmp_path)
    assert (ended.status, ended.err) == (1, "referee: can't write to standard output: Bad file descriptor\n")
    assert len(list(tmp_path.glob("records/*.jsonl"))) == 4


def test_what_an_encoding_lacks_is_replaced() -> None:
    ended = in_shell('PYTHONIOENCODING=ascii exec "$@"', *MATCH, "--games", "7")
    assert ended.status == 0
    assert ended.out.isascii()
    assert "? and (low?high): 95 % confidence intervals" in ended.out


def test_colour_is_shown_on_a_terminal_unless_no_color_is_set() -> None:
    shown = run_on_terminal(*MATCH, TERM="xterm-256color")
    assert COLOUR.search(shown)
    assert "games" in shown
    assert COLOUR.search(run_on_terminal("games", "--help", TERM="xterm-256color"))
    for arguments in (MATCH, ("games", "--help")):
        assert not COLOUR.search(run_on_terminal(*arguments, TERM="xterm-256color", NO_COLOR="1"))
    assert "\x1b" not in run_on_terminal(*MATCH, TERM="dumb")
