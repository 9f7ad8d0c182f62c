"""Records that several tests look at; not to be changed."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.pages.playing import PLANS, third_game


@pytest.fixture(scope="session")
def _records(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("records")
    with third_game():
        return {name: plan.record(folder / f"{name}.jsonl") for name, plan in PLANS.items()}


@pytest.fixture
def records(_records: Mapping[str, Path]) -> Iterator[Mapping[str, Path]]:
    """A record of each game, by its name. The third game is registered."""
    with third_game():
        yield _records
