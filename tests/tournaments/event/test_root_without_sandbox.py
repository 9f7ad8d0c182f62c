"""As root and where bubblewrap doesn't work, a tournament plays sample bots, and refuses the bots of others."""

import os
import shutil
from pathlib import Path
from typing import Final

import pytest

from referee import sample_bots
from referee.processes.sandbox import choice
from referee.processes.sandbox.bubblewrap import SandboxError
from tournaments.event.file.example_files import write_example
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.readiness import tournament_preflight

STEADY: Final = sample_bots.SAMPLE_BOTS_FOLDER / "steady-python"
WAYS_OUT: Final = r'Make bubblewrap work, run the referee as an ordinary user, or, .* sandbox = "none" in \[run\]'


@pytest.fixture(autouse=True)
def root_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The state of a new container."""
    monkeypatch.setattr(choice, "BWRAP", "no-such-program")
    monkeypatch.setattr(os, "geteuid", lambda: 0)


def notices_for(file: Path) -> list[str]:
    """The notices before that tournament; it is played without a sandbox."""
    notices: list[str] = []
    assert tournament_preflight(read_tournament(file), notices.append).sandbox is None
    return notices


def tournament(folder: Path, bot: str, run: str = "") -> Path:
    """The file of a tournament with that bot."""
    file = folder / "cup.toml"
    head = f'format = "round_robin"\ngame = "year_of_the_dragon"\n[run]\n{run}\n[[bot]]\nbuiltin = "random"\n'
    file.write_text(f"{head}[[bot]]\n{bot}\n")
    return file


def test_the_sample_bots_are_those_of_the_checkout() -> None:
    folders = {path.parent.name for path in sample_bots.SAMPLE_BOTS_FOLDER.glob("*/bot.toml")}
    assert folders >= set(sample_bots.SAMPLE_BOTS)
    assert all(name.startswith("first-") for name in folders - set(sample_bots.SAMPLE_BOTS))


def test_the_example_is_played_with_one_notice(tmp_path: Path) -> None:
    write_example("round_robin", tmp_path / "cup.toml")
    (notice,) = notices_for(tmp_path / "cup.toml")
    assert "Not in force: bots run as root" in notice


@pytest.mark.parametrize("place", ["alice", "steady-python"])
def test_the_folder_of_somebody_else_is_refused_whatever_its_name(tmp_path: Path, place: str) -> None:
    shutil.copytree(STEADY, tmp_path / place)
    file = tournament(tmp_path, f'path = "{place}"\nname = "alice"')
    with pytest.raises(SandboxError, match=rf"other people's bots \(alice\) would run as root .*{WAYS_OUT}"):
        notices_for(file)


def test_a_link_in_the_place_of_a_sample_bot_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(STEADY, tmp_path / "alice")
    monkeypatch.setattr(sample_bots, "SAMPLE_BOTS_FOLDER", tmp_path / "bots")
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots/steady-python").symlink_to(tmp_path / "alice")
    with pytest.raises(SandboxError, match=WAYS_OUT):
        notices_for(tournament(tmp_path, 'path = "bots/steady-python"'))


@pytest.mark.parametrize(
    "bot",
    ['command = "python3 -"', f'path = "{STEADY}"\nenv = {{ PYTHONPATH = "/elsewhere" }}'],
    ids=["a command", "a sample bot with an environment of its own"],
)
def test_what_may_name_a_program_of_somebody_else_is_refused(bot: str, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=WAYS_OUT):
        notices_for(tournament(tmp_path, bot))


def test_all_bots_play_if_the_organiser_says_so(tmp_path: Path) -> None:
    file = tournament(tmp_path, 'command = "python3 -"', 'sandbox = "none"')
    assert notices_for(file)[0].startswith("sandbox: none, as you asked.")
