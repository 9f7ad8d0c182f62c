"""Folders of tournaments as the referee of today writes them are read, verified and resumed.

`make generate` renews them: a diff of them that was not meant is a change of what organisers have on their disks.
"""

import json
from pathlib import Path

import pytest

from tests.cli.command import referee
from tests.generate.files import stored
from tests.golden.tournaments import TOURNAMENTS, write_folder

pytestmark = pytest.mark.usefixtures("pebbles_known")


@pytest.fixture
def cup(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The folder with the name that is the parameter."""
    write_folder(stored(f"tests/golden/tournaments/{request.param}.txt"), tmp_path / "cup")
    (tmp_path / "cup" / "stderr").mkdir()
    return tmp_path / "cup"


@pytest.mark.parametrize("cup", TOURNAMENTS, indirect=True)
def test_it_is_read_and_nothing_differs(cup: Path) -> None:
    before = {path: path.read_bytes() for path in cup.rglob("*") if path.is_file()}
    verified = referee("tournament", "verify", cup)
    assert verified.status == 0, verified.out + verified.err
    shown = {}
    for command in ("standings", "games", "pairings"):
        found = referee("tournament", command, cup, "--json")
        assert (found.status, found.err) == (0, "")
        shown[command] = found.json
    assert len(shown["games"]) == len(list((cup / "records").iterdir()))
    manifest = json.loads((cup / "manifest.json").read_text())
    assert manifest["standings"] == (shown["standings"] if manifest["finished"] else None)
    assert {path: path.read_bytes() for path in cup.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("cup", ["interrupted"], indirect=True)
def test_it_is_resumed_to_its_end_without_a_repair(cup: Path) -> None:
    resumed = referee("tournament", "resume", cup)
    assert resumed.status == 0, resumed.err
    assert "set aside" not in resumed.err
    assert referee("tournament", "verify", cup).status == 0
    assert referee("tournament", "standings", cup, "--json").json["finished"]
