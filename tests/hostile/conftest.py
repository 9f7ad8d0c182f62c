"""Fixtures of the tests with hostile bots."""

from collections.abc import Iterator

import pytest

from tests.game_runner.harness import Harness
from tests.hostile.hostile_harness import HostileHarness


@pytest.fixture
def hostile_harness(harness: Harness) -> Iterator[HostileHarness]:
    """Games with hostile bots."""
    hostile_harness = HostileHarness(harness)
    yield hostile_harness
    hostile_harness.close()


@pytest.fixture
def secret_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something of the organiser's that no bot may get to see."""
    monkeypatch.setenv("REFEREE_TEST_SECRET", "gold")
