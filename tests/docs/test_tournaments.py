"""The pages about tournaments describe every key of the file and every field of the JSON of its commands."""

import re
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.game_list import GameRow, Pairings, RoundRow, TableRow
from tournaments.competition.intervals import Rating
from tournaments.competition.results import Forfeit, PairRow, RoundInProgress, StandingRow, Standings
from tournaments.competition.tiebreaks import TIE_BREAKS
from tournaments.event.check_results import Readiness
from tournaments.event.file.tables import BotTable, ClockTable, FileTable, RunTable
from tournaments.event.plan import Duration, Meetings, PlannedBot, TournamentPlan
from tournaments.event.store.verification import Verification
from tournaments.event.store.verified_results import Difference

DOCS: Final = Path(__file__).parents[2] / "docs"
FILE: Final = (DOCS / "tournament-file.md").read_text(encoding="utf-8")
RESULTS: Final = (DOCS / "tournament-results.md").read_text(encoding="utf-8")
MAX_PAGE: Final = 20_000
"""Bytes: longer pages are not read."""
OF_THE_FILE = {"schema", "tournament", "format", "game", "seats", "points", "batches", "game_seconds"}
"""Fields of a plan that repeat the file or are in the description of another."""


@pytest.mark.parametrize(
    "page", [*sorted(DOCS.glob("tournament*.md")), DOCS / "rulings.md"], ids=lambda page: page.stem
)
def test_the_pages_are_short_enough_to_be_read(page: Path) -> None:
    assert len(page.read_bytes()) < MAX_PAGE


@pytest.mark.parametrize(
    "kind", [FileTable, ClockTable, RunTable, BotTable, TournamentPlan, PlannedBot, Meetings, Duration]
)
def test_every_key_is_described(kind: type[msgspec.Struct]) -> None:
    missing = {name for name in kind.__struct_fields__ if f"`{name}`" not in FILE}
    assert missing <= OF_THE_FILE


@pytest.mark.parametrize("name", FORMATS)
def test_every_setting_of_a_format_is_in_its_row(name: str) -> None:
    section = FILE.partition("\n## Formats\n")[2].partition("\n## ")[0]
    (row,) = re.findall(rf"^\| `{name}` \|.*$", section, re.MULTILINE)
    assert [setting for setting in FORMATS[name].__struct_fields__ if not re.search(rf"`{setting}[ `]", row)] == []


def test_the_key_format_lists_every_format() -> None:
    (row,) = re.findall(r"^\| `format` \| required \|(.*)$", FILE, re.MULTILINE)
    assert re.findall(r"`(\w+)`", row) == list(FORMATS)


def test_every_tie_break_is_named() -> None:
    assert [name for name in TIE_BREAKS if f"`{name}`" not in FILE] == []


@pytest.mark.parametrize(
    "kind",
    [
        Standings, StandingRow, PairRow, Rating, RoundInProgress, Forfeit, SprtState,
        GameRow, Pairings, RoundRow, TableRow, Readiness, Verification, Difference,
    ],
)  # fmt: skip
def test_every_field_that_a_command_prints_as_json_is_described(kind: type[msgspec.Struct]) -> None:
    text = RESULTS.partition("\n## JSON\n")[2]
    assert [name for name in kind.__struct_fields__ if f"`{name}`" not in text] == []
