"""Tables: no bot's name is lost on a narrow terminal, nor are two long ones shown alike."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from referee.reports.terminal import MIN_NAME_CELLS, shorten_names
from tests.cli.command import referee, run_on_terminal

pytestmark = pytest.mark.slow

LONG = "x" * 59
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
MATCH = (f"{LONG}1=builtin:random", f"{LONG}2=builtin:first", "--games", "7", "--seed", "s", "--no-record")


def on_narrow_terminal(columns: int) -> list[str]:
    """The lines below the heading that a terminal of so many columns shows of a match of two bots with long names."""
    shown = ESCAPES.sub("", run_on_terminal("match", *MATCH, columns=columns, TERM="xterm"))
    _, heading, results = shown.replace("\r\n", "\n").partition("7 deals, seed s\n")
    assert heading
    return results.splitlines()


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_names_that_differ_at_the_end_stay_distinct_and_every_column_is_shown(columns: int) -> None:
    lines = [line for line in on_narrow_terminal(columns) if not line.startswith("±")]
    assert max(map(cell_len, lines)) <= columns
    for heading in ("games", "mean score", "mean rank", "wins", "faults", "score per deal", "ahead", "better"):
        at = next(number for number, line in enumerate(lines) if heading in line)
        rows = list(itertools.takewhile(lambda line: line.startswith(("┡", "│", "x")), lines[at + 1 :]))
        rows = [row for row in rows if "x" in row]
        shown = [re.findall(r"x+(?:…x*)?[12]\b", row) for row in rows]
        assert all(shown), rows
        assert len({str(names) for names in shown}) == len(rows)
        assert {name[-1] for names in shown for name in names} == {"1", "2"}


def test_names_are_whole_where_there_is_room_and_in_a_pipe() -> None:
    assert sum(f"│ {LONG}{number} │" in line for line in on_narrow_terminal(150) for number in (1, 2)) == 2
    out = referee("match", *MATCH, COLUMNS="40").out
    assert all(f"│ {LONG}{number} │" in out for number in (1, 2))
    assert "…" not in out


@pytest.mark.parametrize("columns", [10, 20, 30])
def test_numbers_are_never_cut_however_narrow_the_terminal(columns: int) -> None:
    whole = referee("match", *MATCH).out
    shown = "\n".join(on_narrow_terminal(columns))
    cells = re.findall(r"[+\d.]+ (?:± [\d.]+|% \(\d+–\d+\))", whole)
    assert len(cells) == 2 * 3 + 2
    assert [cell for cell in cells if cell not in shown] == []


NAMES = st.text("ab京", min_size=1, max_size=60)


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
