"""The table of slow tests names tests that exist, so that renaming one doesn't move it to the quick tier unseen."""

from pathlib import Path
from typing import Final

import pytest

from tests.tiers import CI_ONLY, ONE_CASE_EACH, SLOW, is_slow

ROOT: Final = Path(__file__).parents[1]


@pytest.mark.parametrize("beginning", [*CI_ONLY, *SLOW, *ONE_CASE_EACH])
def test_every_entry_is_the_beginning_of_the_name_of_a_test(beginning: str) -> None:
    path, _, test = beginning.partition("::")
    folder, _, file = path.rpartition("/")
    files = [found for found in (ROOT / folder).glob(f"{file}*") if found.is_file()]
    assert files, f"tests/tiers.py names {path}, which is not there"
    assert any(f"def {test}" in found.read_text("utf-8") for found in files), f"no test begins with {beginning}"


def test_all_cases_of_a_slow_test_are_slow() -> None:
    assert is_slow("tests/cli/test_killed.py::test_any[1]", first_case=True)


def test_of_other_tests_in_the_table_the_first_case_is_quick() -> None:
    name = "tests/hostile/test_catalogue.py::test_any[bot]"
    assert (is_slow(name, first_case=True), is_slow(name, first_case=False)) == (False, True)


def test_what_is_not_in_the_table_is_quick() -> None:
    assert not is_slow("tests/test_outcome.py::test_any[2]", first_case=False)
