"""Cases of tests of which CI takes some, and `make check-all` the others."""

from collections.abc import Container, Iterable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def some_in_ci(cases: Iterable[T], in_ci: Container[T]) -> list[Any]:
    """All cases for `parametrize`; those that are not in `in_ci` have the mark `check_all`."""
    return [case if case in in_ci else pytest.param(case, marks=pytest.mark.check_all) for case in cases]
