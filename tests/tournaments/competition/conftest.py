"""Fixtures for tests of competitions."""

from collections.abc import Iterator

import pytest

from tournaments.competition.formats import designs, round_robin, table_search


@pytest.fixture
def short_search(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Search a twentieth as long for tables: for tests of what holds however good the tables are."""
    monkeypatch.setattr(designs, "ROUND_STEPS", 1000)
    monkeypatch.setattr(table_search, "MIN_SEARCH_STEPS", 1000)
    caches = round_robin._even, round_robin._even_apart
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()
