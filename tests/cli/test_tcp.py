"""`tcp:PORT`: a bot that is started manually and connects, in a match and in a replay."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import pytest

from referee.bots.bot_spec import BotSpecError, parse_bot
from tests.cli.bots import BOT, make_bot
from tests.cli.command import Run, assert_error, referee, referee_process, start
from tests.cli.test_match import without_ms
from tests.timeouts import TEST_TIMEOUT
from tournaments.event.file.file_as_run import bot_table
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.file.tournament_file import read_tournament

COUNTING: Final = BOT.replace("    message =", "    print(line[9:14], file=sys.stderr)\n    message =")
"""Writes the type of each message to standard error."""
EXITING: Final = BOT.replace(
    'elif message["type"] == "act":', 'elif message["type"] == "act":\n        if LEAVES: break'
)
"""Exits at its first question if LEAVES is true."""
FREE: Final = ("--no-timeout", "--sandbox", "none")


class Waiting:
    """A referee that waits for a bot; `stderr` is read as far as the tests have asked for it."""

    def __init__(self, process: subprocess.Popen[str], cache: Path) -> None:
        assert process.stderr is not None
        self.process = process
        self.stderr: IO[str] = process.stderr
        self._cache = str(cache)

    def announced(self) -> tuple[str, str]:
        """The port and the token of its next announcement."""
        for line in self.stderr:
            if "and sends this line first:" in line:
                return line.partition(", port ")[2].partition(",")[0], next(self.stderr).strip()
        raise AssertionError("no bot is waited for")

    def connect(self, *command: str | Path) -> Run:
        """Run `referee bot connect` with the port that is announced."""
        port, _ = self.announced()
        return referee_process("bot", "connect", port, *command, XDG_CACHE_HOME=self._cache)

    def finish(self) -> tuple[int, str, str]:
        """The status, and what else it writes."""
        out, err = self.process.communicate(timeout=TEST_TIMEOUT)
        return self.process.returncode, out, err


@contextlib.contextmanager
def waiting(cache: Path, *arguments: str | Path) -> Iterator[Waiting]:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start(*arguments, environment={"XDG_CACHE_HOME": str(cache)}, text=True, **pipes) as process:
        try:
            yield Waiting(process, cache)
        finally:
            process.kill()


@pytest.mark.slow
def test_all_games_are_played_over_one_connection_as_if_the_referee_had_started_the_bot(
    bot: Path, tmp_path: Path
) -> None:
    counting = make_bot(tmp_path / "bot", COUNTING)
    options = ("--games", "2", "--seed", "by hand", *FREE)
    with waiting(tmp_path, "match", "dbg=tcp:0", "builtin:random", *options, "--record", tmp_path / "tcp") as match:
        done = match.connect(counting)
        status, out, _ = match.finish()
    assert status == 0
    assert "│ dbg " in out
    assert done.status == 0
    kinds = done.err.split()
    assert (kinds[0], kinds.count("hello"), kinds.count("start"), kinds[-1]) == ("hello", 1, 4, 'quit"')
    referee("match", f"dbg={bot}", "builtin:random", *options, "--record", tmp_path / "pipe")
    for record in (tmp_path / "pipe").iterdir():
        if record.suffix == ".jsonl":
            by_hand, started = without_ms(tmp_path / "tcp" / record.name), without_ms(record)
            assert by_hand[1:] == started[1:]
            first = json.loads(started[0])
            assert (
                sum("files_sha256" in player and bool(player.pop("files_sha256")) for player in first["players"]) == 1
            )
            assert json.loads(by_hand[0]) == first, "the referee doesn't know the files of a bot started by hand"
    assert not list((tmp_path / "referee").iterdir())


@pytest.mark.slow
def test_a_bot_in_python_connects_in_two_lines_and_after_a_crash_once_more(tmp_path: Path) -> None:
    with waiting(tmp_path, "match", "tcp:0", "builtin:first", "--games", "1", *FREE, "--no-record") as match:
        tokens = set()
        for leaves in (True, False):
            port, token = match.announced()
            tokens.add(token)
            source = (
                f"import socket, sys; LEAVES = {leaves}\n"
                f'link = socket.create_connection(("127.0.0.1", {port})); link.sendall(b"{token}\\n")\n'
                f'sys.stdin, sys.stdout = link.makefile("r"), link.makefile("w")\n{EXITING}'
            )
            subprocess.run([sys.executable, "-c", source], check=True, timeout=TEST_TIMEOUT)
        status, out, _ = match.finish()
    assert len(tokens) == 2
    assert status == 3
    assert "closed the connection at act 1" in out


@pytest.mark.slow
def test_a_replay_puts_its_questions_to_a_bot_that_connects(bot: Path, tmp_path: Path) -> None:
    referee("match", bot, "builtin:first", "--only", "1-1", "--seed", "s", *FREE, "--record", tmp_path / "records")
    record = tmp_path / "records/0001-1.jsonl"
    with waiting(tmp_path, "bot", "replay", record, "tcp:0", "--seat", "0", "--no-timeout") as replay:
        assert replay.connect(sys.executable, bot / "bot.py").status == 0
        status, out, _ = replay.finish()
    assert status == 0, out
    assert "answers are the same" in out


@pytest.mark.slow
def test_ctrl_c_ends_the_wait(tmp_path: Path) -> None:
    with waiting(tmp_path, "match", "tcp:0", "builtin:first", *FREE, "--no-record") as match:
        match.announced()
        match.process.send_signal(signal.SIGINT)
        status, _, _ = match.finish()
    assert status == 130
    assert not list((tmp_path / "referee").iterdir())


def test_what_is_no_port_or_taken_is_said(tmp_path: Path) -> None:
    for wrong in ("tcp:65536", "a=tcp:x", "tcp:", "tcp:-1", "tcp:1 2"):
        with pytest.raises(BotSpecError, match=r"invalid port in .*: write tcp:9000, a number up to 65535, or tcp:0"):
            parse_bot(wrong)
    assert_error(
        referee("match", "a=tcp:9000", "b=tcp:9000"), 2, "two bots can't connect to one port: tcp:9000 is given"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ended = referee("match", f"tcp:{port}", "builtin:first", *FREE)
    assert_error(ended, 1, f"tcp:{port}: can't listen on this port")
    ended = referee("bot", "connect", "9000", "true", XDG_CACHE_HOME=str(tmp_path))
    assert_error(ended, 1, "none of your referees is waiting for a bot on port 9000")


def test_a_tournament_does_not_wait_for_anybody(tmp_path: Path) -> None:
    problem = "tcp:9000: .* can only play in `referee match`"
    cup = tmp_path / "cup.toml"
    bots = '[[bot]]\nbuiltin = "first"\n[[bot]]\ncommand = "tcp:9000"\n'
    cup.write_text(f'format = "round_robin"\ngame = "year_of_the_dragon"\n{bots}')
    with pytest.raises(TournamentFileError, match=problem):
        read_tournament(cup)
    with pytest.raises(BotSpecError, match=problem):
        bot_table("NAME=tcp:9000", None)
