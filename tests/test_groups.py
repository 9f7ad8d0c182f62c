"""Tests of one group run one after another, in one process: measuring time doesn't go well beside using it up."""

import pytest

GROUP = "groups are in force"
pytestmark = pytest.mark.xdist_group(GROUP)


@pytest.mark.skipif("'PYTEST_XDIST_WORKER' not in os.environ", reason="all tests run in one process")
def test_groups_are_in_force(request: pytest.FixtureRequest) -> None:
    """Versions of pytest and pytest-xdist that don't fit together leave the name out, without a word."""
    assert request.node.nodeid.endswith(f"@{GROUP}")
