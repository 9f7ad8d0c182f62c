"""Tables as CSV: values as they are, and nothing that a spreadsheet would execute."""

import csv

import pytest

from referee.reports.csv_text import format_table, safe_cell
from referee.reports.model import Column, Table, for_programs, numbers


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1"])
def test_a_text_that_a_spreadsheet_would_execute_gets_an_apostrophe(text: str) -> None:
    assert str(safe_cell(text)).startswith("'")


@pytest.mark.parametrize(
    ("cell", "written"), [("a=b", "a=b"), (-1, -1), (-2.0, -2), (0.5, 0.5), (None, ""), (True, "true")]
)
def test_other_cells_are_written_as_they_are(cell: str | float | None, written: str | float) -> None:
    assert safe_cell(cell) == written


def test_programs_get_the_values_and_not_what_people_read() -> None:
    table = Table(
        caption="",
        columns=[
            numbers("points", [1 / 3, 2.0], "points").shown_if(False),
            Column("bot", ["a", "b"], "name", key="=name", values=["a", "=b,\n"]),
            Column("for people only", ["x", "y"]),
            for_programs("seen", [True, None]),
        ],
    )
    text = "".join(format_table(table))
    assert text == 'points,\'=name,seen\r\n0.3333333333333333,"a","true"\r\n2,"\'=b,�",""\r\n'
    assert list(csv.reader(text.splitlines()))[1] == ["0.3333333333333333", "a", "true"]
