"""Where the system calls and folders of Linux are missing, bots play and are checked without what depends on them.

No other system was ever tried: this is as near to macOS as Linux comes.
"""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.bots import make_bot
from tests.cli.command import ENVIRONMENT, REFEREE
from tests.processes.sandboxed import needs_root
from tests.timeouts import TEST_TIMEOUT
from tournaments.event.store.manifest import decode_manifest

UNSHARE: Final = ("unshare", "-m")

pytestmark = [pytest.mark.slow, needs_root]


def elsewhere(*arguments: str, folder: Path) -> str:
    """What a command of the referee writes there; it must succeed."""
    if subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to a mount namespace of its own")
    argv = [*UNSHARE, sys.executable, str(Path(__file__).with_name("elsewhere.py")), str(REFEREE), *arguments]
    done = subprocess.run(
        argv, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=TEST_TIMEOUT, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.ci_only
def test_a_match_is_played_by_two_workers(tmp_path: Path) -> None:
    options = ("--games", "1", "--time-scale", "3", "--workers", "2", "--concurrency", "2")
    said = elsewhere("match", str(make_bot(tmp_path / "bot")), "builtin:random", *options, folder=tmp_path)
    assert "sandbox: none" in said
    assert len(list((tmp_path / "records/latest").glob("*.jsonl"))) == 2


@pytest.mark.ci_only
def test_a_tournament_is_played(tmp_path: Path) -> None:
    make_bot(tmp_path / "bot")
    (tmp_path / "cup.toml").write_text(
        'format = "round_robin"\ngame = "forbidden_city"\ndeals = 1\n'
        '[run]\nsandbox = "none"\n[[bot]]\npath = "bot"\n[[bot]]\nbuiltin = "random"\n'
    )
    elsewhere("tournament", "run", "cup.toml", folder=tmp_path)
    assert decode_manifest((tmp_path / "cup/manifest.json").read_bytes(), "cup").finished


@pytest.mark.ci_only
def test_a_bot_is_checked(tmp_path: Path) -> None:
    options = ("--quick", "--only", "process", "--only", "ending", "--time-scale", "3")
    said = elsewhere("bot", "check", str(make_bot(tmp_path / "bot")), *options, folder=tmp_path)
    assert "skipped idle: this system doesn't say" in said
    assert "0 failed" in said
