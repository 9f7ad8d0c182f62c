"""The page about formats shows what the formats do."""

import re

import pytest

from tests.docs.format_examples import BLOCK, EXAMPLES, PAGE, with_examples
from tournaments.competition.formats.registry import FORMATS

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_what_the_program_computes(name: str) -> None:
    (shown,) = [found[0] for found in re.finditer(BLOCK, TEXT) if found[1] == name]
    assert shown == with_examples(shown), "if this is meant, run `make generate`"


def test_every_table_of_the_page_is_such_an_example() -> None:
    assert len(re.findall(BLOCK, TEXT)) == TEXT.count("```text")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_worked_example_and_says_what_places_go_by(name: str) -> None:
    assert any(example.startswith(name) for example in EXAMPLES), f"add one of {name} in tests/docs/format_examples.py"
    assert re.search(rf"^\| .*`{name}`.* \|", PAGE.with_name("statistics.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_section_that_names_its_settings(name: str) -> None:
    (section,) = re.findall(rf"^## [^\n]*`{name}`\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert [setting for setting in FORMATS[name].__struct_fields__ if f"`{setting}" not in section] == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_what_byes_late_entries_withdrawals_and_replays_do(name: str) -> None:
    table = TEXT.partition("\n| format | byes | late entries | withdrawals | replays |\n")[2].partition("\n\n")[0]
    (row,) = re.findall(rf"^\| `{name}` \|(.*)\|$", table, re.MULTILINE)
    assert len(row.split(" | ")) == 4
    assert all(cell.strip() for cell in row.split(" | "))
