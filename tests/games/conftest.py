"""Fixtures of the rules tests."""

import pytest

from tests.games.dragon import DragonTable


@pytest.fixture
def dragon() -> DragonTable:
    """A table of In the Year of the Dragon for three, with no expansion."""
    return DragonTable()
