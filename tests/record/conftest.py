"""Fixtures of the tests of records."""

import copy
from pathlib import Path

import pytest

from tests.record import city_records
from tests.record.played import FaultyPlayer, GamePlan, Line, RetryingPlayer, lines_of

EVENTFUL = GamePlan(
    "year_of_the_dragon",
    {"players": 4, "great_wall": True, "super_event": "random"},
    {0: RetryingPlayer(), 2: FaultyPlayer(at=30, code="crash", retries=1)},
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
def game(request: pytest.FixtureRequest, tmp_path: Path) -> city_records.CityRecord:
    """Games of The Forbidden City of each number of players and on both start tiles."""
    players, start_tile = request.param
    return city_records.record_city_game(tmp_path, players, start_tile=start_tile)
