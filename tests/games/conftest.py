"""Fixtures of the rules tests."""

import pytest

from tests.games.dragon import Table


@pytest.fixture
def dragon() -> Table:
    """A table of In the Year of the Dragon for three, with no expansion."""
    return Table()
