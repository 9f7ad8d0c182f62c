"""Folders of tournaments that an earlier referee wrote are read, verified and resumed with the same results.

The folders, and the program that made them, are in `tests/golden/tournaments_of_COMMIT`. Never make them again with a
later referee: what they promise is that folders of organisers stay good.
"""

import json
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.command import referee

GOLDEN: Final = Path(__file__).parents[2] / "golden" / "tournaments_of_4bb396e"
BOTS: Final = "@BOTS@"
"""Stands in the folders for the folder in which the bot `seeded` is."""
COMMANDS: Final = ("standings", "games", "pairings")
CASES: Final = sorted(path.relative_to(GOLDEN) for path in GOLDEN.glob("*/*") if (path / "folder").is_dir())
INTERRUPTED: Final = [case for case in CASES if case.name == "interrupted"]


def test_all_formats_are_there() -> None:
    assert len(CASES) == 15
    assert len(INTERRUPTED) == 7


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """A copy of the folder with the bot."""
    shutil.copytree(GOLDEN / "seeded", tmp_path / "bots" / "seeded")
    return tmp_path / "bots"


def copied(case: Path, bots: Path) -> Path:
    """The folder of a tournament as it would have been written on this machine."""
    folder = bots.parent / "folder"
    shutil.copytree(GOLDEN / case / "folder", folder)
    for name in ("records", "stderr"):
        (folder / name).mkdir(exist_ok=True)
    for name in ("manifest.json", "tournament.toml"):
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace(BOTS, str(bots)), encoding="utf-8")
    return folder


def expected(case: Path) -> dict[str, Any]:
    """What the earlier referee showed."""
    return {command: json.loads((GOLDEN / case / f"{command}.json").read_text()) for command in COMMANDS}


def shown(folder: Path) -> dict[str, Any]:
    """What this referee shows."""
    return {command: referee("tournament", command, folder, "--json").json for command in COMMANDS}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_verifies_and_shows_the_same(case: Path, bots: Path) -> None:
    folder = copied(case, bots)
    verified = referee("tournament", "verify", folder)
    assert verified.status == 0, verified.out + verified.err
    assert shown(folder) == expected(case)


@pytest.mark.parametrize("case", INTERRUPTED, ids=str)
def test_an_interrupted_one_is_resumed_to_the_same_end(case: Path, bots: Path) -> None:
    folder = copied(case, bots)
    resumed = referee("tournament", "resume", folder)
    assert resumed.status == 0, resumed.err
    assert shown(folder) == expected(case.with_name("finished"))
    assert referee("tournament", "verify", folder).status == 0


@pytest.mark.parametrize("format_", ["knockout", "swiss_tables"])
def test_it_has_a_report_whose_times_and_faults_are_read_from_the_records(format_: str, bots: Path) -> None:
    pytest.importorskip("jinja2", reason="the packages of the extra report are not installed")
    case = Path(format_) / "finished"
    folder = copied(case, bots)
    before = (folder / "tournament.db").read_bytes()
    site = folder.parent / "site"
    assert referee("tournament", "report", folder, "-o", site, "--replays", "none").status == 0
    index = (site / "index.html").read_text(encoding="utf-8")
    assert all(row["name"] in index for row in expected(case)["standings"]["standings"])
    assert "ms per decision" in index
    assert (folder / "tournament.db").read_bytes() == before
