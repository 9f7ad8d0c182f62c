"""Fixtures of the tests with hostile bots."""

from collections.abc import Iterator

import pytest

from tests.hostile.stage import Stage
from tests.match.arena import Arena


@pytest.fixture
def stage(arena: Arena) -> Iterator[Stage]:
    """Where they play."""
    stage = Stage(arena)
    yield stage
    stage.close()


@pytest.fixture
def secret_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something of the organiser's that no bot may get to see."""
    monkeypatch.setenv("REFEREE_TEST_SECRET", "gold")
