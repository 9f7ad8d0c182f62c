"""Fixtures of the tests of records."""

import copy
from pathlib import Path

import pytest

from tests.record.played import Clumsy, Failing, Line, Played, lines_of

EVENTFUL = Played(
    "year_of_the_dragon",
    {"players": 4, "great_wall": True, "super_event": "random"},
    {0: Clumsy(), 2: Failing(at=30, code="crash", warnings=1)},
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
