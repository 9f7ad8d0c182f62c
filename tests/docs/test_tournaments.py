"""The page about tournaments describes every key of the file and every field of a plan."""

import re
from pathlib import Path

import msgspec
import pytest

from tournaments.formats import FORMATS
from tournaments.tiebreaks import TIE_BREAKS
from tournaments.tournament_file import BotTable, ClockTable, FileTable, RunTable
from tournaments.tournament_plan import Duration, Meetings, PlannedBot, TournamentPlan

PAGE = Path(__file__).parents[2] / "docs" / "tournaments.md"
OF_THE_FILE = {"schema", "tournament", "format", "game", "seats", "points", "batches", "game_seconds"}
"""Fields of a plan that repeat the file or are in the description of another."""


@pytest.mark.parametrize(
    "kind", [FileTable, ClockTable, RunTable, BotTable, TournamentPlan, PlannedBot, Meetings, Duration]
)
def test_every_key_is_described(kind: type[msgspec.Struct]) -> None:
    missing = {name for name in kind.__struct_fields__ if f"`{name}`" not in PAGE.read_text(encoding="utf-8")}
    assert missing <= OF_THE_FILE


@pytest.mark.parametrize("name", FORMATS)
def test_every_setting_of_a_format_is_in_its_row(name: str) -> None:
    (row,) = re.findall(rf"^\| `{name}` \|.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [setting for setting in FORMATS[name].__struct_fields__ if not re.search(rf"`{setting}[ `]", row)] == []


def test_every_tie_break_is_named() -> None:
    assert [name for name in TIE_BREAKS if f"`{name}`" not in PAGE.read_text(encoding="utf-8")] == []
