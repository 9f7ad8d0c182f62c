"""The browser of the tests of pages."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.opening import chromium


@pytest.fixture(scope="session")
def started() -> Iterator[Any]:
    """One browser for all tests."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(started: Any) -> Iterator[Any]:
    """The same for one test, whose pages are closed with it."""
    yield started
    for context in started.contexts:
        context.close()
