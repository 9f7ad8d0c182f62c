"""Fixtures of the referee's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.games import GAMES
from tests.match.arena import Arena
from tests.match.pebbles import Pebbles


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    """Where bots play."""
    arena = Arena(tmp_path)
    yield arena
    arena.close()


@pytest.fixture
def pebbles_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry knows the tests' own game, so that its records can be replayed."""
    monkeypatch.setitem(GAMES, Pebbles.name, Pebbles)


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots that are to leave are killed almost at once: for those that don't leave of themselves."""
    monkeypatch.setattr("tournaments.runner.QUIT_GRACE", 0.05)
