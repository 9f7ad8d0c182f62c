"""Fixtures of the tests of records."""

import copy
from pathlib import Path

import pytest

from tests.record import city_story
from tests.record.played import Clumsy, Failing, Line, Played, lines_of

EVENTFUL = Played(
    "year_of_the_dragon",
    {"players": 4, "great_wall": True, "super_event": "random"},
    {0: Clumsy(), 2: Failing(at=30, code="crash", retries=1)},
)


@pytest.fixture(scope="session")
def eventful_lines(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    """A record in which everything occurs; not to be changed."""
    return lines_of(EVENTFUL.record(tmp_path_factory.mktemp("records") / "eventful.jsonl"))


@pytest.fixture
def lines(eventful_lines: list[Line]) -> list[Line]:
    """A record in which everything occurs, to be changed."""
    return copy.deepcopy(eventful_lines)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where to write a record."""
    return tmp_path / "record.jsonl"


@pytest.fixture(params=[(2, "garden"), (3, "advanced"), (4, "garden")], ids=str)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> city_story.Played:
    """Games of The Forbidden City of each number of players and on both start tiles."""
    players, start_tile = request.param
    return city_story.played(tmp_path, players, start_tile=start_tile)
