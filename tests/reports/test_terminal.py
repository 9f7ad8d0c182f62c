"""Tables on terminals: on a narrow one no name is lost, no two names are shown alike, and no number is cut."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from referee.reports.model import Cell, Column, Table, drawings, for_programs, numbers
from referee.reports.terminal import MIN_NAME_CELLS, fitting_tables, shorten_names

LONG = "x" * 59
TABLE = Table(
    caption="Standings",
    columns=[
        numbers("", [1, 2], "place"),
        drawings("moved", ["<svg>", "<svg>"], ""),
        Column("bot", [Cell(f"{LONG}1", to="bot:0"), f"{LONG}2"], "name"),
        for_programs("name", ["a", "b"]),
        Column("against", [f"{LONG}2", f"{LONG}1"], "name"),
        Column("mean score", ["36.0 ± 2.9", "35.1 ± 15.5"]),
        Column("out in", ["final", "semi-final"], "text"),
        Column("wins", ["43.3 % (24–65)", "0.0 % (0–34)"]),
        numbers("faults", [0, 12]),
    ],
)


def lines(width: int | None, *, framed: bool = True) -> list[list[str]]:
    """The lines of each table that is made for a terminal."""
    tables = fitting_tables(TABLE, width, lambda text, style: text, framed=framed)
    return [[line.rstrip() for line in table] for table in tables]


@pytest.mark.parametrize("framed", [True, False])
@pytest.mark.parametrize("width", [50, 60, 80, 120])
def test_names_that_differ_at_the_end_stay_distinct_and_every_column_is_shown(width: int, framed: bool) -> None:
    tables = lines(width, framed=framed)
    assert max(cell_len(line) for table in tables for line in table) <= width
    for heading in ("mean score", "out in", "wins", "faults"):
        assert sum(heading in line for table in tables for line in table) == 1
    for table in tables:
        rows = [re.findall(r"x+(?:…x*)?[12]\b", line) for line in table if "x" in line]
        assert [[name[-1] for name in names] for names in rows] == [["1", "2"], ["2", "1"]]
        assert len({tuple(names) for names in rows}) == 2


def test_names_are_whole_where_there_is_room_and_in_a_pipe_and_numbers_are_on_the_right() -> None:
    for width in (None, 230):
        ((_, heading, _, first, second, _),) = lines(width)
        assert first == f"│ 1 │ {LONG}1 │ {LONG}2 │  36.0 ± 2.9 │ final      │ 43.3 % (24–65) │      0 │"
        assert second == f"│ 2 │ {LONG}2 │ {LONG}1 │ 35.1 ± 15.5 │ semi-final │   0.0 % (0–34) │     12 │"
        assert "moved" not in heading


@pytest.mark.parametrize("width", [5, 20, 30])
def test_numbers_are_never_cut_however_narrow_the_terminal(width: int) -> None:
    text = "\n".join(line for table in lines(width) for line in table)
    assert [cell for cell in ("36.0 ± 2.9", "35.1 ± 15.5", "43.3 % (24–65)", "0.0 % (0–34)") if cell not in text] == []


NAMES = st.text("ab京", min_size=1, max_size=60)


@pytest.mark.slow
@given(st.lists(NAMES, min_size=1, max_size=5), st.integers(MIN_NAME_CELLS, 70))
def test_shortened_names_fit_and_are_distinct(names: list[str], width: int) -> None:
    short = shorten_names(names, width)
    assert all(cell_len(short[name]) <= width for name in names)
    assert len(set(short.values())) == len(set(names))


def test_names_are_cut_in_the_middle_unless_that_would_make_them_equal() -> None:
    assert shorten_names(["short", "a-very-long-name"], 9) == {"short": "short", "a-very-long-name": "a-ve…name"}
    assert shorten_names(["begins-1-the-same-end", "begins-2-the-same-end"], 12) == {
        "begins-1-the-same-end": "begins-1…end",
        "begins-2-the-same-end": "begins-2…end",
    }
    assert shorten_names([f"{'x' * 30}{number}{'x' * 30}" for number in (1, 2)], 9) == {
        f"{'x' * 30}1{'x' * 30}": "1:xxx…xxx",
        f"{'x' * 30}2{'x' * 30}": "2:xxx…xxx",
    }
