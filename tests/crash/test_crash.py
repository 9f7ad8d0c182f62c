"""A tournament that is killed at any moment ends as if it had not been. `make crash` does it with every format."""

from pathlib import Path
from random import Random

import pytest

from tests.crash.crashing import crash, undisturbed, write_tournament

pytestmark = [
    pytest.mark.ci_only,
    pytest.mark.slow,
    pytest.mark.xdist_group("clocks and bombs"),  # not at the same time: its processes take CPU time from clocks
]


def test_a_killed_tournament_ends_with_the_same_standings_games_and_pairings(tmp_path: Path) -> None:
    file = write_tournament(tmp_path / "swiss", "swiss")
    expected, seconds = undisturbed(file, tmp_path / "undisturbed")
    done = crash(file, tmp_path / "out", expected, seconds, 1, Random("swiss"))
    assert done.kills == 1
    assert done.problems == []
