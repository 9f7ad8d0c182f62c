"""A user without HOME and without an entry in /etc/passwd, as in many containers, can run matches."""

import pwd

import pytest

from referee.processes.environment import environment
from tests.game_runner.harness import FIRST, Harness


@pytest.fixture
def nobody_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """This user has neither."""

    def unknown(user: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {user}")

    for name in ("HOME", "RUSTUP_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)


@pytest.mark.usefixtures("nobody_at_home")
def test_environment_has_no_path_of_a_home() -> None:
    for sandboxed in (True, False):
        variables = environment({}, sandboxed=sandboxed)
        assert "RUSTUP_HOME" not in variables
        assert variables["HOME"].startswith("/")


@pytest.mark.usefixtures("nobody_at_home")
async def test_match_is_played(harness: Harness) -> None:
    played = await harness.play_one(harness.bot(), FIRST)
    assert played.outcome.faults == [None, None]
