"""`referee tournament verify`: what it prints, and its exit status."""

from pathlib import Path

import pytest
from msgspec import structs, to_builtins

from tests.cli.command import assert_error, referee
from tests.tournaments.event.store.organiser import Organiser, tournament_file
from tournaments.competition.results import tournament_standings

DRAGON = 'format = "round_robin"\ngame = "year_of_the_dragon"\nname = "Cup"\n'


@pytest.fixture
def cup(tmp_path: Path) -> Organiser:
    """A finished round robin of three bots."""
    organiser = Organiser.begin(tournament_file(tmp_path, DRAGON, "abc"), tmp_path / "cup")
    organiser.play_rounds()
    organiser.finish(to_builtins(tournament_standings(organiser.progress, True)))
    return organiser


@pytest.mark.slow
def test_a_tournament_that_is_as_it_says(cup: Organiser) -> None:
    found = referee("tournament", "verify", cup.folder.path)
    assert (found.status, found.err) == (0, "")
    assert found.out.splitlines() == [
        "Cup: 6 records and 3 rounds verified; nothing differs",
        f"head of the chain of records: {cup.manifest.head}",
    ]


@pytest.mark.slow
def test_it_is_compared_with_a_head_that_was_kept(cup: Organiser) -> None:
    found = referee("tournament", "verify", cup.folder.path, "--against", cup.manifest.rounds[1].head)
    assert found.status == 0
    assert found.out.splitlines()[-1] == "the head given with --against is the one after round 2"
    other = referee("tournament", "verify", cup.folder.path, "--against", "0" * 64)
    assert other.status == 1
    assert f"chain: {'0' * 64} is not one of its heads" in other.out
    assert_error(referee("tournament", "verify", cup.folder.path, "--against", "abc"), 2, "64 hexadecimal digits")


@pytest.mark.slow
def test_what_differs_is_named(cup: Organiser) -> None:
    name = "r02-t001-d02-s1"
    data = cup.folder.read_record(name)
    cup.folder.write_record(name, data.replace(b'"ranks":[1,2]', b'"ranks":[1,1]').replace(b"[2,1]", b"[1,1]"))
    cup.folder.write_manifest(structs.replace(cup.manifest, seed="another"))
    found = referee("tournament", "verify", cup.folder.path)
    assert found.status == 1
    assert f"record {name}: line " in found.out
    assert "seed: " in found.out
    assert "round 2: the chain" in found.out
    as_json = referee("tournament", "verify", cup.folder.path, "--json")
    assert as_json.status == 1
    assert as_json.json["ok"] is False
    assert {"where": "seed", "problem": as_json.json["differences"][0]["problem"]} == as_json.json["differences"][0]


@pytest.mark.slow
def test_what_is_no_tournament(tmp_path: Path) -> None:
    assert_error(referee("tournament", "verify", tmp_path / "nowhere"), 2, "does not exist")
    (tmp_path / "manifest.json").write_text("\x1b[2J")
    assert_error(referee("tournament", "verify", tmp_path), 1, "is not the manifest of a tournament")
