"""A match that is interrupted, or whose output can't be written, loses no finished game."""

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.bots import BOT, make_bot
from tests.cli.command import in_shell, referee, start
from tests.cli.inotify import IN_CLOSE_WRITE, FolderEvents, on_linux
from tests.timeouts import TEST_TIMEOUT

pytestmark = pytest.mark.slow

PLAIN = ("--game", "forbidden_city", "--sandbox", "none", "--no-timeout", "--json")


@contextmanager
def match(records: Path, *arguments: str | Path, **options: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """A match under way of which a game is finished."""
    records.mkdir()
    command = ("match", *arguments, *PLAIN, "--record", records)
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    with (
        FolderEvents(records, IN_CLOSE_WRITE) as events,
        start(*command, environment={"FORCE_COLOR": "1"}, **streams) as process,
    ):
        try:
            events.wait_for(1, ".jsonl")
            yield process
        finally:
            process.kill()


def assert_counted_and_kept(out: bytes | str, *, interrupted: bool, cwd: Path | None = None) -> list[str]:
    """Standard output is one JSON object, and the games in it have records that verify; their names."""
    [line] = out.splitlines()
    found = json.loads(line)
    assert found["interrupted"] is interrupted
    paths: list[str] = [game["record"] for game in found["games"]]
    assert paths
    assert referee("record", "verify", *paths, cwd=cwd).status == 0
    return paths


@pytest.mark.ci_only
@on_linux
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.ci_only)])
def test_a_signal_is_answered_the_same_way_when_nobody_reads_the_results_any_more(
    number: signal.Signals, bot: Path, tmp_path: Path
) -> None:
    with match(tmp_path / "records", bot, "builtin:random", "--games", "5000") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.send_signal(number)
        err = process.stderr.read()
        assert process.wait(TEST_TIMEOUT) == 130
    kept = f"referee: interrupted; the games finished so far are counted and kept in {tmp_path / 'records'}"
    assert err.endswith(f"{kept}\n".encode())


@pytest.mark.ci_only
@on_linux
def test_under_nohup_a_match_ignores_sighup(bot: Path, tmp_path: Path) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with match(tmp_path / "records", bot, "builtin:random", "--games", "4", preexec_fn=ignore) as process:
        process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(timeout=TEST_TIMEOUT)
        assert process.returncode == 0
    assert len(assert_counted_and_kept(out, interrupted=False)) == 8


@pytest.mark.ci_only
@on_linux
def test_repeated_sigint_does_not_lose_the_results(bot: Path, tmp_path: Path) -> None:
    """Ctrl-C again and again, until the command has ended."""
    with match(tmp_path / "records", bot, "builtin:random", "--games", "5000") as process:
        until = time.monotonic() + TEST_TIMEOUT
        while process.returncode is None and time.monotonic() < until:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.002)
        out, err = process.communicate(timeout=TEST_TIMEOUT)
        assert process.returncode == 130
    assert b"Traceback" not in err
    assert_counted_and_kept(out, interrupted=True)


@pytest.mark.ci_only
@on_linux
def test_a_closed_terminal_does_not_stop_a_match(bot: Path, tmp_path: Path) -> None:
    """The progress bar has nowhere to go from the second game on."""
    master, slave = pty.openpty()
    with match(tmp_path / "records", bot, "builtin:random", "--games", "6", stderr=slave) as process:
        os.close(slave)
        os.close(master)
        out, _ = process.communicate(timeout=TEST_TIMEOUT)
        assert process.returncode == 0
    assert len(assert_counted_and_kept(out, interrupted=False)) == 12


@pytest.mark.ci_only
def test_a_stderr_log_that_can_not_be_written_costs_no_game(tmp_path: Path) -> None:
    noise = "        print('noise ' * 500, file=sys.stderr, flush=True)\n"
    bot = make_bot(tmp_path / "bot", BOT + noise)
    line = 'ulimit -f 100; exec "$@"'
    ended = in_shell(line, "match", bot, "builtin:first", *PLAIN, "--games", "2", "--record", "records", cwd=tmp_path)
    assert ended.status == 0, ended.err
    assert len(ended.json["games"]) == 4
    cut = list((tmp_path / "records").glob("*.stderr"))
    assert cut
    assert all(path.stat().st_size < 256 * 1024 for path in cut)


def test_a_match_whose_next_record_can_not_be_written_shows_the_finished_games_and_the_reason(tmp_path: Path) -> None:
    """Another file takes the name of a later record meanwhile."""
    taking = "\nopen(os.path.join('..', 'records', '0003-1.jsonl'), 'w').close()\n"
    bot = make_bot(tmp_path / "bot", f"import os{taking}{BOT}")
    arguments = (*PLAIN, "--games", "9", "--no-rotate", "--concurrency", "1", "--record", "records")
    ended = referee("match", bot, "builtin:random", *arguments, cwd=tmp_path)
    assert ended.status == 1
    kept = "the games finished so far are counted and kept in records\n"
    assert ended.err.endswith(f"referee: can't write the record records/0003-1.jsonl: File exists\n{kept}")
    names = assert_counted_and_kept(ended.out, interrupted=True, cwd=tmp_path)
    assert names == ["records/0001-1.jsonl", "records/0002-1.jsonl"]
    assert ended.json["notices"][-1] == "can't write the record records/0003-1.jsonl: File exists"
