"""A tournament with several workers, and signals that all its processes get at once."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.bots import make_bot
from tests.cli.command import ENVIRONMENT, REFEREE, referee
from tests.cli.inotify import IN_MOVED_TO, FolderEvents, on_linux
from tests.timeouts import TEST_TIMEOUT

FILE = """
    format = "round_robin"
    game = "forbidden_city"
    seed = "x"
    deals = 2000
    [clock]
    move = "30s"
    startup = "30s"
    [run]
    concurrency = 3
    workers = 2
    sandbox = "none"
    [[bot]]
    path = "bot"
    [[bot]]
    builtin = "random"
    [[bot]]
    builtin = "first"
"""


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.ci_only)], ids=str)
def test_a_signal_to_all_processes_of_a_terminal_loses_no_game(tmp_path: Path, how: signal.Signals) -> None:
    """With SIGINT the running games are finished: workers leave it to the director."""
    make_bot(tmp_path / "bot")
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    file.write_text(FILE)
    with (
        FolderEvents(tmp_path, IN_MOVED_TO) as made,
        subprocess.Popen(
            [REFEREE, "tournament", "run", file, "--out", out],
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            made.wait_for(1, out.name)
            with FolderEvents(out / "records", IN_MOVED_TO) as finished:
                there = sum(path.name.endswith(".gz") for path in (out / "records").iterdir())
                finished.wait_for(3 - there, ".jsonl.gz")
        finally:
            os.killpg(process.pid, how)
        _, errors = process.communicate(timeout=TEST_TIMEOUT)
    assert process.returncode == 130
    assert "worker process" not in errors, "none died"
    assert "Traceback" not in errors
    assert f"referee tournament resume {out}" in errors
    games = referee("tournament", "games", out, "--json").json
    assert {game["game_id"] for game in games} == {
        path.name.removesuffix(".jsonl.gz") for path in (out / "records").iterdir()
    }
    assert len(games) >= 3
    assert all(game["faults"] == [None, None] for game in games)
