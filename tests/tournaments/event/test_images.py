"""A tournament with `files = "image"`: the manifest has the hash of the image that its bots saw."""

import hashlib
from pathlib import Path

import pytest

from referee.processes.sandbox import page_cache
from referee.processes.sandbox.bubblewrap import Sandbox
from tests.processes.image_fixture import PYTHON, image_paths, needs_images, small_system
from tests.tournaments.play.test_phase_change import SIMPLE_BOT
from tournaments.event.service import run_tournament
from tournaments.event.store.folder import TournamentFolder
from tournaments.play.events import ignore
from tournaments.play.interruption import Interruption

FILE = """
format = "round_robin"
game = "year_of_the_dragon"
seats = 2
deals = 1

[clock]
move = "30s"
startup = "30s"

[run]
sandbox = "bwrap"
files = "image"

[[bot]]
name = "simple"
path = "bot"

[[bot]]
name = "random"
builtin = "random"
"""


@pytest.mark.ci_only
@needs_images
async def test_the_manifest_has_the_hash_of_the_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.py").write_text(SIMPLE_BOT)
    (bot / "bot.toml").write_text(f'command = "{PYTHON} bot.py"')
    (tmp_path / "cup.toml").write_text(FILE)
    monkeypatch.setattr(Sandbox, "imaged_paths", lambda sandbox, bots: [*image_paths(), str(bot)])
    monkeypatch.setattr("tournaments.event.directing.report_on", no_report)
    hashes = set()

    def load(path: str) -> None:
        hashes.add(hashlib.sha256(Path(path).read_bytes()).hexdigest())

    monkeypatch.setattr(page_cache, "load", load)
    with small_system(monkeypatch):
        result = await run_tournament(tmp_path / "cup.toml", None, ignore, Interruption())
    assert result.withdrawn == ()
    [session] = TournamentFolder.open(tmp_path / "cup").manifest.sessions
    assert set(session.images) == hashes
    assert len(session.images) == 1
    assert "a file system of its own" in session.sandbox


async def no_report(*of: object) -> None:
    """In place of the report on the sandbox, which takes seconds."""
