"""`kill -9` of the referee in the middle of a match costs the running games and nothing else."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import referee, start
from tests.cli.inotify import IN_CLOSE_WRITE, IN_CREATE, IN_MODIFY, FolderEvents, on_linux
from tests.timeouts import TEST_TIMEOUT

pytestmark = pytest.mark.slow

CONCURRENCY = 3
MOMENTS = [
    pytest.param((IN_CREATE, 2), id="as the first records are opened"),
    pytest.param((IN_MODIFY, 4), id="as a block is written", marks=pytest.mark.ci_only),
    pytest.param((IN_CLOSE_WRITE, 4), id="as a game is finished"),
]


def kill_match(records: Path, moment: tuple[int, int], *arguments: str | Path) -> None:
    """Play a match and kill it at this moment: after so many events of a kind in the folder of its records."""
    records.mkdir()
    kind, count = moment
    options = ("--record", records, "--games", "5000", "--no-timeout", "--concurrency", str(CONCURRENCY))
    with (
        FolderEvents(records, kind) as events,
        start(
            *("match", *arguments, *options),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as match,
    ):
        try:
            events.wait_for(count, ".jsonl")
            assert match.poll() is None, "the match ended before it was killed"
        finally:
            match.kill()
        # Its workers live on for a moment, and may open a record in it: they hold this pipe until they end.
        match.communicate(timeout=TEST_TIMEOUT)
        assert match.returncode == -signal.SIGKILL


def is_finished(record: Path) -> bool:
    """Whether the last line is whole and gives a result, as any reader of JSON lines would see it."""
    *lines, rest = record.read_bytes().split(b"\n")
    return rest == b"" and bool(lines) and json.loads(lines[-1])["type"] == "result"


def assert_only_running_games_are_lost(records: Path) -> None:
    """Finished games verify, the few others are unfinished."""
    paths = sorted(records.glob("*.jsonl"))
    finished = [path for path in paths if is_finished(path)]
    unfinished = [path for path in paths if path not in finished]
    assert len(unfinished) <= CONCURRENCY
    verified = referee("record", "verify", records)
    lines = dict(line.split(": ", 1) for line in verified.out.splitlines()[: len(paths)])
    assert list(lines) == list(map(str, paths))
    assert verified.status == (1 if unfinished else 0)
    for path in finished:
        assert lines[str(path)].startswith("ok: ")
    for path in unfinished:
        assert lines[str(path)].startswith("UNFINISHED: ")
        alone = referee("record", "verify", path)
        assert (alone.status, alone.out) == (1, f"{path}: {lines[str(path)]}\n")
        shown = referee("record", "show", path)
        assert shown.status == 1
        assert "unfinished" in shown.err


@on_linux
@pytest.mark.parametrize("moment", MOMENTS)
def test_every_finished_game_is_whole_and_the_running_ones_are_reported_as_unfinished(
    moment: tuple[int, int], bot: Path, tmp_path: Path
) -> None:
    records = tmp_path / "records"
    kill_match(records, moment, bot, "builtin:random", "--sandbox", "none")
    assert_only_running_games_are_lost(records)
    kind, count = moment
    if kind == IN_CLOSE_WRITE:
        assert sum(map(is_finished, records.glob("*.jsonl"))) >= count
