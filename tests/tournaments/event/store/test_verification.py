"""`verify` trusts nothing: whatever is changed after the fact is found and named."""

import contextlib
import gzip
import hashlib
import json
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from msgspec import structs

from referee.games.opening import DrawnOpenings, GivenOpenings, ListedOpening, ListedOpenings
from referee.players.clock import TimeControl
from tests.cli.command import referee
from tests.game_runner.pebbles import registered_pebbles
from tests.tournaments.event.store.conftest import SWISS, Begin
from tests.tournaments.event.store.organiser import Organiser, tournament_file
from tests.tournaments.samples import sample_of, sample_regulations
from tournaments.competition.changes import (
    AnyChange,
    Change,
    FilesAccepted,
    Joined,
    Replayed,
    Withdrawn,
)
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.games import StoredGame
from tournaments.competition.regulations import SHARED_DEALS, Entrant
from tournaments.event.store.chain import json_hash
from tournaments.event.store.errors import StoreError
from tournaments.event.store.load import load
from tournaments.event.store.manifest import Manifest
from tournaments.event.store.verification import Verification, verify
from tournaments.event.store.verified_results import hashes_of_files, value_differences
from tournaments.play.conditions import Conditions

FIRST = "r01-t001-d01-s1"
THREES = 'format = "swiss"\ngame = "pebbles"\nseats = 3\ndeals = 2\n[swiss]\nrounds = 2\n'


def finish(cup: Organiser) -> Organiser:
    """Play to the end, and store the standings, as JSON has them."""
    cup.finish_with_standings()
    return cup


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Organiser:
    """A tournament with a late entry, a withdrawal, a bot that can't be started, and games that were played again."""
    folder = tmp_path_factory.mktemp("finished")
    with registered_pebbles():
        cup = Organiser.begin(tournament_file(folder, SWISS), folder / "cup")
        cup.play_rounds(1)
        cup.join("late")
        cup.withdraw("b")
        cup.failing.add("c")
        cup.play_rounds(1)
        cup.replay(FIRST)
        cup.replay(f"{FIRST}-again1")
        return finish(cup)


@pytest.fixture
def finished(played: Organiser, tmp_path: Path, pebbles_known: None) -> Organiser:
    """A copy of that tournament."""
    return played.copied_to(tmp_path / "cup")


def verified(cup: Organiser) -> Verification:
    """Verify it, and check that this writes nothing."""
    before = {path: path.read_bytes() for path in cup.folder.path.rglob("*") if path.is_file()}
    found = verify(cup.folder.path)
    assert {path: path.read_bytes() for path in cup.folder.path.rglob("*") if path.is_file()} == before
    assert found.ok == (not found.differences)
    return found


def problems(cup: Organiser) -> dict[str, str]:
    """What differs, by where."""
    return {difference.where: difference.problem for difference in verified(cup).differences}


def edit_manifest(cup: Organiser, edit: Callable[[Any], object]) -> None:
    """Change the manifest without us."""
    path = cup.folder.path / "manifest.json"
    manifest = json.loads(path.read_text())
    edit(manifest)
    path.write_text(json.dumps(manifest))


def edit_record(cup: Organiser, game_id: str, edit: Callable[[list[Any]], object]) -> None:
    """Change the lines of a record without us."""
    lines = [json.loads(line) for line in cup.folder.read_record(game_id).splitlines()]
    edit(lines)
    data = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    cup.folder.record(game_id).write_bytes(gzip.compress(data.encode()))


# -- what was played ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_finished_tournament_is_as_it_says(finished: Organiser) -> None:
    found = verified(finished)
    assert found.differences == []
    assert found.unchecked == []
    assert found.finished
    assert found.records == len(list(finished.progress.games()))
    assert found.head == finished.manifest.head


def test_the_records_and_the_manifest_are_enough(finished: Organiser) -> None:
    for path in (finished.folder.database, finished.folder.file, finished.folder.path / "stderr"):
        path.rmdir() if path.is_dir() else path.unlink()
    found = verified(finished)
    assert found.ok
    assert found.unchecked == ["tournament.db is missing"]


@pytest.mark.ci_only
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_verified(begin: Begin, name: str) -> None:
    sample = sample_of(name)
    bots = "abcde"[: sample.max_bots]
    found = verified(
        finish(begin(tomli_w.dumps({"format": name, "game": "pebbles", name: sample.settings(bots)}), bots))
    )
    assert (found.differences, found.unchecked) == ([], [])
    assert found.records > 0


@pytest.mark.slow
@pytest.mark.parametrize("deals_of", ["table", "round"])
def test_either_kind_of_deals_can_be_verified_with_late_entries_and_replays(begin: Begin, deals_of: str) -> None:
    cup = begin(f'deals_of = "{deals_of}"\n{THREES}', "abcdef")
    cup.play_rounds(1)
    cup.join("late")
    cup.replay(FIRST)
    finish(cup)
    found = verified(cup)
    assert (found.differences, found.unchecked) == ([], [])
    headers = [json.loads(cup.folder.read_record(f"r01-t{table:03}-d01-s1").splitlines()[0]) for table in (1, 2)]
    assert (headers[0]["seed"] == headers[1]["seed"]) == (deals_of == "round")
    again = json.loads(cup.folder.read_record(f"{FIRST}-again1").splitlines()[0])
    assert again["seed"] == headers[0]["seed"]
    manifest = cup.manifest
    assert (manifest.shared_deals == SHARED_DEALS) == (deals_of == "round")
    assert (SHARED_DEALS in referee("tournament", "standings", cup.folder.path).out) == (deals_of == "round")


@pytest.mark.parametrize("games", [0, 1, 4, 5, 8])
def test_a_tournament_in_progress_is_as_it_says_so_far(begin: Begin, games: int) -> None:
    cup = begin()
    for _ in range(games):
        if cup.progress.current is None:
            cup.pair()
        assert cup.progress.current is not None
        cup.play_game(cup.progress.current.missing()[0])
        if cup.progress.current.complete:
            cup.close()
    found = verified(cup)
    assert found.differences == []
    assert (found.records, found.rounds, found.finished) == (games, games // 4, False)


def test_without_the_seed_it_says_what_can_not_be_checked(cup: Organiser) -> None:
    (cup.folder.path / "seed").unlink()
    found = verified(cup)
    assert found.ok
    assert len(found.unchecked) == 1
    assert "the seed is not public: deals, pairings and standings can't be computed" in found.unchecked[0]
    edit_record(cup, FIRST, lambda lines: lines[0].update(seed="ab"))
    assert (f"record {FIRST}", "line 1: luck, drawn after this line: the seed gives others than the record has") in [
        (difference.where, difference.problem) for difference in verified(cup).differences
    ]
    assert "the chain of its records ends with" in problems(cup)["round 1"]


def test_an_outsider_can_compute_the_chain_from_what_is_documented(finished: Organiser) -> None:
    """With nothing but the files, as the documentation of the chain says."""
    manifest = json.loads((finished.folder.path / "manifest.json").read_text())

    def hashed(data: bytes | str) -> str:
        return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()

    def json_hash(value: Any) -> str:
        return hashed(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))

    def record_hash(name: str) -> str:
        return hashed(gzip.decompress((finished.folder.records / f"{name}.jsonl.gz").read_bytes()))

    head = hashed(manifest["seed_commitment"] + json_hash(manifest["opening"]))
    for number in range(1, 5):
        for event in manifest["events"]:
            if event["round"] == number:
                head = hashed(head + json_hash(event))
                if event["event"] == "replayed":
                    head = hashed(head + record_hash(event["replacement"]))
        if number <= 3:
            names = [path.name.removesuffix(".jsonl.gz") for path in finished.folder.records.glob(f"r{number:02}-*")]
            first = [name for name in names if "again" not in name]
            for name in sorted(first, key=lambda name: (name[-1], name)):  # rotations, then tables, then deals
                head = hashed(head + record_hash(name))
            assert manifest["rounds"][number - 1]["head"] == head
    assert manifest["head"] == head
    assert {event["event"] for event in manifest["events"]} == {"joined", "withdrawn", "replayed"}


OLD = StoredGame(
    game_id="g", round=1, table=1, deal=1, rotation=1, bots=(0, 1), scores=(1, 0), ranks=(1, 2), faults=(None, "crash"),
    forfeits=(False, True), sha256="ab",
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            Joined(round=2, at="t", bot=Entrant(name="é", owner="o"), source={"path": "p"}, files_sha256="ab"),
            "18ad1d76e06dda3c",
        ),
        (Withdrawn(round=2, at="t", bot="a", reason="r"), "7dfd3e02dddb5b35"),
        (FilesAccepted(round=2, at="t", bots={"b": "1", "a": "2"}), "3b38bfd89e25eb79"),
        (Replayed(round=2, at="t", game_id="g", replacement="h", reason="r", old=OLD), "eea52cb1c38bd6c9"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Change) else "",
)
def test_the_hash_of_a_change_stays_what_it_is(change: AnyChange, expected: str) -> None:
    """Chains of tournaments contain it. A change with another content needs a new form of the chain."""
    assert json_hash(change).startswith(expected)


def test_every_head_that_was_published_is_one_of_the_chain(finished: Organiser) -> None:
    manifest = finished.manifest
    published = [manifest.first_head, *(over.head for over in manifest.rounds), manifest.head]
    found = [verify(finished.folder.path, against=head) for head in published]
    assert [each.against for each in found] == ["the opening", "round 1", "round 2", "round 3", "round 3"]
    assert all(each.ok for each in found)


@pytest.mark.parametrize(
    "forge",
    [
        lambda manifest: structs.replace(manifest, conditions=Conditions(control=TimeControl(startup=60.0))),
        lambda manifest: structs.replace(manifest, regulations=structs.replace(manifest.regulations, anonymous=False)),
        lambda manifest: structs.replace(
            manifest, bots=(structs.replace(manifest.bots[0], files_sha256="0" * 64), *manifest.bots[1:])
        ),
    ],
    ids=["clock", "regulations", "hash of a bot"],
)
def test_a_folder_that_is_forged_as_a_whole_is_not_the_one_of_a_kept_head(
    begin: Begin, forge: Callable[[Manifest], Manifest]
) -> None:
    cup = begin()
    cup.play_rounds(1)
    kept = [cup.manifest.first_head, cup.manifest.head]
    cup.folder.write_manifest(structs.replace(forge(cup.manifest), rounds=(), opening={}).opened())
    cup.folder.write_manifest(cup.manifest.with_rounds(cup.progress))
    assert [each.where for each in verified(cup).differences if each.where == "manifest"] == []
    for head in kept:
        found = verify(cup.folder.path, against=head)
        assert (found.ok, found.against) == (False, None)
        assert f"{head} is not one of its heads" in {each.where: each.problem for each in found.differences}["chain"]


def test_the_files_of_a_bot_are_those_of_the_round_and_from_a_change_within_it_the_new_ones() -> None:
    entrant, first = Entrant(name="late"), {"a": "a1", "b": None}
    events = (
        Joined(round=3, at="", bot=entrant, source={}, files_sha256="late3"),
        FilesAccepted(round=3, at="", bots={"a": "a3"}),
        FilesAccepted(round=5, at="", bots={"a": "a5", "b": "b5"}),
    )
    manifest = Manifest(
        regulations=sample_regulations("swiss"), versions={}, bots=(), conditions=Conditions(), seed_commitment="",
        seed_secret=True, events=events,
    )  # fmt: skip

    def hashes(name: str, again: int = 0) -> list[list[str]]:
        games = [structs.replace(OLD, round=number, again=again) for number in range(1, 7)]
        return [hashes_of_files(manifest, first, name, game) for game in games]

    assert hashes("a") == [["a1"], ["a1", "a3"], ["a3"], ["a3", "a5"], ["a5"], ["a5"]]
    assert hashes("a", again=1) == [["a1", "a3", "a5"]] * 2 + [["a3", "a5"]] * 2 + [["a5"]] * 2
    assert hashes("b") == [[], [], [], ["b5"], ["b5"], ["b5"]]
    assert hashes("late")[2:] == [["late3"]] * 4


@pytest.mark.parametrize(
    ("computed", "stored", "where"),
    [
        ({"a": [1, None, "x", True]}, {"a": [1, None, "x", True]}, []),
        ({"a": 1.0, "b": 1e9, "c": 0.0}, {"a": 1, "b": 1e9 + 1, "c": 9e-7}, []),
        ({"a": 1.0, "b": 1e9, "c": 0.0}, {"a": 1.00001, "b": 1e9 + 1e4, "c": 2e-6}, [".a", ".b", ".c"]),
        ({"a": 1, "b": 1, "c": True, "d": 1.0}, {"a": 1.0, "b": True, "c": 1, "d": True}, [".a", ".b", ".c", ".d"]),
        ({"a": 1}, {"b": 1}, [".a", ".b"]),
        ([{"name": "x", "n": 1}, [2]], [{"name": "x", "n": 2}, [3], 4], ["[x].n", "[1][0]", "[2]"]),
        ([1, 2], [1], ["[1]"]),
        ({}, [], [""]),
    ],
)
def test_values_may_differ_in_the_last_digits_of_floats_only(
    computed: object, stored: object, where: list[str]
) -> None:
    assert [each for each, _ in value_differences(computed, stored)] == where


# -- what was changed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda lines: lines[-1].update(scores=[9, 0]), r"the scores are \[\d,\d\], not \[9,0\]"),
        (lambda lines: lines[-1].update(ranks=[1, 1]), r"the ranks are"),
        (lambda lines: lines[-1].update(faults=["crash", None]), r"the faults are"),
        (lambda lines: lines[1].update(value=7), r"line 1: luck, drawn after this line: the seed gives others"),
        (lambda lines: lines[0].update(seed="other"), r"the seed gives others than the record has"),
        (lambda lines: lines[0]["config"].update(heap=6), r"line \d+: "),
        (lambda lines: lines[0].update(game_id="r01-t002-d01-s1"), r"this is the record of r01-t002-d01-s1"),
        (lambda lines: lines[0].update(game_id="r1"), r"game_id is missing, or not the id of a game"),
        (lambda lines: lines[0].update(public_id="1"), r"the public_id is not that of the game"),
        (lambda lines: lines[0]["bot_seeds"].reverse(), r"the bot_seeds are not those of the game"),
        (lambda lines: lines[0]["players"][0].update(name="x"), r'unknown bot "x"'),
        (lambda lines: lines[0]["players"].reverse(), r"round 1 seats|the database has other values of: bots"),
        (lambda lines: lines[0].update(clock={"move_ms": 5}), r"the clock is not that of the manifest"),
        (lambda lines: lines.pop(), r"unfinished|breaks off"),
        (lambda lines: lines.append(lines[-1]), r"nothing may follow the result"),
        (lambda lines: lines[0].update(referee="9.9"), r"the database has other values of: sha256"),
    ],
)
def test_a_changed_record_is_named(finished: Organiser, edit: Callable[[list[Any]], object], problem: str) -> None:
    name = "r01-t001-d01-s2"
    edit_record(finished, name, edit)
    found = verified(finished)
    own = [difference for difference in found.differences if difference.where == f"record {name}"]
    assert any(re.search(problem, difference.problem) for difference in own), found
    assert any(difference.where == "round 1" for difference in found.differences)  # the chain


def test_a_result_that_is_forged_together_with_its_decisions_breaks_the_chain(finished: Organiser) -> None:
    """A game that could have been played, with the deal of the seed; even the database is made to agree."""
    planned = structs.replace(finished.progress.rounds[0].planned["r01-t001-d01-s2"], game_id="another")
    data = finished.play(planned).replace(b"another", b"r01-t001-d01-s2")  # built-in players had other bot seeds
    assert data != finished.folder.read_record("r01-t001-d01-s2")
    digest = finished.folder.write_record("r01-t001-d01-s2", data)
    result = json.loads(data.splitlines()[-1])
    finished.execute(
        f"UPDATE games SET sha256 = '{digest}', scores = '{json.dumps(result['scores'])}', "
        f"ranks = '{json.dumps(result['ranks'])}' WHERE game_id = 'r01-t001-d01-s2'",
    )
    assert "the chain of its records ends with" in problems(finished)["round 1"]


def test_a_removed_record_is_named(finished: Organiser) -> None:
    finished.folder.record("r02-t001-d02-s1").unlink()
    found = problems(finished)
    assert found["record r02-t001-d02-s1"].startswith("it is missing")
    assert "chain" in found["round 2"]


def test_a_record_that_was_added_is_named(finished: Organiser) -> None:
    data = finished.folder.read_record(FIRST)
    for name in ("r01-t009-d01-s1", f"{FIRST}-again7", "r09-t001-d09-s1"):
        finished.folder.write_record(name, data.replace(FIRST.encode(), name.encode()))
    (finished.folder.records / "notes.txt").touch()
    found = problems(finished)
    assert found[f"record {FIRST}-again7"] == "the database has no such game"
    assert {"record r01-t009-d01-s1", "record r09-t001-d09-s1", "records/notes.txt"} <= set(found)


@pytest.mark.parametrize(
    ("edit", "where", "problem"),
    [
        (lambda of: of.update(seed="other"), "seed", "it is not the one that was committed to"),
        (lambda of: of.update(seed=None), "manifest", "finished, but the seed is not in it"),
        (lambda of: of.update(seed_commitment="ab"), "seed", "it is not the one that was committed to"),
        (lambda of: of.update(head="ab"), "manifest", "but `head` is ab"),
        (lambda of: of["rounds"][1].update(head="ab"), "round 2", "but the manifest says ab"),
        (lambda of: of["rounds"].pop(), "manifest", "`rounds` has no head for it"),
        (lambda of: of["events"].pop(1), "round 2, table", "the format seats"),
        (lambda of: of["events"][1].update(bot="a"), "round 2, table", "the format seats"),
        (lambda of: of["events"][2]["old"].update(ranks=[2, 2]), "manifest, event 3", "not that of its record"),
        (lambda of: of["events"].pop(3), f"record {FIRST}-again2", "no event records"),
        (lambda of: of["bots"].pop(), "manifest", "`bots` are a, b, c, d, but a, b, c, d, late take"),
        (lambda of: of["regulations"]["bots"].reverse(), "manifest", "take part"),
        (lambda of: of["regulations"].update(deals=2), "record r01-t001-d02-s1", "missing"),
        (lambda of: of["regulations"]["config"].update(heap=9), f"record {FIRST}", "options of the game"),
        (
            lambda of: of["regulations"].update(game="forbidden_city", config={"players": 2}),
            f"record {FIRST}",
            "plays forbidden_city",
        ),
        (lambda of: of["regulations"].update(game="chess"), "manifest", "unknown game 'chess'"),
        (lambda of: of["regulations"].update(seats=9), "manifest", "seats must be from 2 to 5"),
        (lambda of: of["regulations"]["settings"].update(rounds=2), "round 3", "ends before it"),
        (lambda of: of["regulations"]["settings"].update(rounds=4), "round 4", "was not played"),
        (lambda of: of["conditions"]["clock"].update(move=5.0), f"record {FIRST}", "the clock is not that"),
        (
            lambda of: of["standings"]["standings"][0].update(points=9),
            "standings.standings[{name}].points",
            "in the manifest 9",
        ),
        (lambda of: of.update(standings=None), "standings", "in the manifest null"),
        (lambda of: of["conditions"]["clock"].update(startup=5.0), "manifest", "`conditions` is not what it was in"),
        (lambda of: of["conditions"].update(retries=5), "manifest", "`conditions` is not what it was in"),
        (lambda of: of["bots"][0].update(files_sha256="ab"), "manifest", 'the bot "a" is not what it was in `opening`'),
        (
            lambda of: of["bots"][-1].update(files_sha256="ab"),
            "manifest",
            'the files of "late" are not those in `events`',
        ),
        (lambda of: of["bots"][-1].update(owner="x"), "manifest", 'the owner of "late" is not the one in `events`'),
        (lambda of: of.update(finished=False), "manifest", "not finished, but `standings` is in it"),
        (lambda of: of.update(finished=False, standings=None), "manifest", "not finished, but `seed` is in it"),
        (lambda of: of.update(builds={"a": {"one": ["ab"]}}), "manifest", '"a" has `builds`, but no'),
        (lambda of: of.update(builds={"a": {"one": ["ab"]}}), "manifest", '"one" is in `builds`, but has'),
        (lambda of: of["bots"][0].update(sources_sha256="../a"), "manifest", "is not a SHA-256: ../a"),
        (lambda of: of.update(shared_deals="none"), "manifest", "`shared_deals` does not follow"),
        (lambda of: of["rounds"][0].update(games=9), "round 1", "but the manifest says 9"),
        (lambda of: of["opening"]["conditions"].update(retries=5), "round 1", "but the manifest says"),
        (lambda of: of["opening"].update(conditions={"show": [5]}), "manifest", "`opening` can't be used"),
        (lambda of: of.pop("opening"), "manifest", "`opening` can't be used"),
        (lambda of: of["events"][1].update(reason="none"), "round 2", "but the manifest says"),
        (lambda of: of["regulations"].update(chain=2), "manifest", "chain is 2, and this referee knows"),
        (lambda of: of["regulations"].update(statistics=0), "manifest", "statistics is 0, and this referee"),
        (
            lambda of: of["regulations"].update(pairing="dutch/another/1"),
            "manifest",
            "pairing is 'dutch/another/1', and this referee knows only 'dutch/brackets/1': use the one that wrote it",
        ),
    ],
)
def test_a_changed_manifest_is_named(
    finished: Organiser, edit: Callable[[Any], object], where: str, problem: str
) -> None:
    standings = finished.manifest.standings
    edit_manifest(finished, edit)
    found = [
        difference.problem
        for difference in verified(finished).differences
        if difference.where.startswith(where.format(name=standings["standings"][0]["name"]))
    ]
    assert any(problem in text for text in found), verified(finished).differences


@pytest.mark.parametrize(
    ("statement", "where", "problem"),
    [
        (f"UPDATE games SET scores = '[9, 0]' WHERE game_id = '{FIRST}'", f"record {FIRST}", "other values of: scores"),
        (f"DELETE FROM games WHERE game_id = '{FIRST}'", f"record {FIRST}", "the database has no such game"),
        ("UPDATE rounds SET byes = '[0]' WHERE number = 1", "database", "other tables, byes or deals for round 1"),
        ("DELETE FROM events WHERE number = 2", "database", "its events differ from those in the manifest"),
        ("UPDATE games SET ranks = '[['", "database", "is damaged"),
        ("PRAGMA user_version = 9", "database", "written by a later referee"),
    ],
)
def test_a_changed_database_is_named(finished: Organiser, statement: str, where: str, problem: str) -> None:
    finished.execute(statement)
    assert problem in problems(finished)[where]


def test_only_what_was_changed_is_named(finished: Organiser) -> None:
    """The rest of the tournament is still checked against what was played."""
    edit_record(finished, "r03-t001-d03-s1", lambda lines: lines[0].update(referee="9.9"))
    assert set(problems(finished)) == {"record r03-t001-d03-s1", "round 3"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_any_byte_of_a_record_matters(finished: Organiser, seed: int) -> None:
    random_state = random.Random(seed)
    name = random_state.choice([name for name in finished.folder.record_ids() if not name.startswith("r02")])
    data = bytearray(finished.folder.read_record(name))
    for _ in range(10):
        place = random_state.randrange(len(data))
        changed = bytes(data[:place]) + bytes([data[place] ^ 1]) + bytes(data[place + 1 :])
        finished.folder.record(name).write_bytes(gzip.compress(changed))
        assert f"record {name}" in problems(finished), changed


@pytest.mark.slow
def test_a_lost_record_is_said_and_no_difference(begin: Begin) -> None:
    cup = begin()
    cup.play_rounds(2)
    cup.folder.record(FIRST).unlink()
    cup.replay(FIRST, lost=True)
    found = verified(finish(cup))
    assert found.differences == []
    assert len(found.unchecked) == 1
    assert f"{FIRST}: its record was lost, and it was played again" in found.unchecked[0]


# -- hostile input --------------------------------------------------------------------------------------------


@pytest.mark.ci_only
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.check_all)])
def test_folders_of_any_content_are_survived(cup: Organiser, step: int) -> None:
    """A manifest whose values are replaced by others, one after another, and files that are none."""
    cup = finish(cup)
    path = cup.folder.path / "manifest.json"
    original = json.loads(path.read_text())
    odd: list[Any] = [None, -1, 10**30, 1e308, "", "x", [], {}, [[]], {"a": 1}, True]
    for number, place in enumerate(places(original)[::step]):
        manifest = json.loads(json.dumps(original))
        parent = manifest
        for key in place[:-1]:
            parent = parent[key]
        parent[place[-1]] = odd[number % len(odd)]
        path.write_text(json.dumps(manifest))
        with contextlib.suppress(StoreError):
            verify(cup.folder.path)
    path.write_text(json.dumps(original))
    cup.folder.record(FIRST).unlink()
    os.mkfifo(cup.folder.record(FIRST))
    (cup.folder.records / "r01-t001-d01-s2.jsonl.gz").unlink()
    (cup.folder.records / "r01-t001-d01-s2.jsonl.gz").mkdir()
    assert {f"record {FIRST}", "record r01-t001-d01-s2"} <= set(problems(cup))


def places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, but of long lists only the first."""
    if isinstance(value, dict):
        return [found for key in value for found in [(*place, key), *places(value[key], (*place, key))]]
    if isinstance(value, list) and value:
        return [(*place, 0), *places(value[0], (*place, 0))]
    return []


# -- openings ---------------------------------------------------------------------------------------------------------

OPENINGS = 'format = "round_robin"\ngame = "pebbles"\ndeals = 2\n[options]\nheap = 9\n[opening]\n'


@pytest.mark.slow
@pytest.mark.parametrize("opening", ["plies = 2", 'file = "book"', 'file = "book"\nplies = 1'])
def test_games_with_openings_can_be_verified(begin: Begin, tmp_path: Path, opening: str) -> None:
    """With those of a file also where the file is gone from where it was."""
    book = tmp_path / "book"
    book.write_text('# pebbles\n{"count":1} {"count":2}\n[{"count":3},{"count":3}]\n')
    cup = begin(OPENINGS + opening, "abc")
    book.unlink()
    finish(cup)
    assert verified(cup).ok


ANOTHER = ListedOpening(source="2 drawn decisions", actions=[{"count": 1}, {"count": 1}])


@pytest.mark.slow
@pytest.mark.parametrize(
    "played",
    [ListedOpenings(listed=[ANOTHER], seed=""), DrawnOpenings(plies=1, seed=""), None],
    ids=["another one", "a shorter one", "none"],
)
def test_another_opening_is_found(begin: Begin, played: GivenOpenings | None) -> None:
    cup = begin(OPENINGS + "plies = 2", "abc")
    cup.openings = played
    finish(cup)
    problems = [found.problem for found in verified(cup).differences]
    expected = re.compile(r"line 1: the opening is not that of deal \d: 2 drawn decisions")
    assert problems
    assert all(expected.fullmatch(each) for each in problems)


@pytest.mark.slow
def test_an_opening_where_there_is_none_is_found(begin: Begin) -> None:
    cup = begin()
    cup.openings = DrawnOpenings(plies=1, seed="")
    finish(cup)
    problems = {found.problem for found in verified(cup).differences}
    assert "line 1: it has an opening, and games of the tournament have none" in problems


def test_a_changed_file_of_openings_is_found_and_nothing_is_played_from_it(begin: Begin, tmp_path: Path) -> None:
    (tmp_path / "book").write_text('{"count":1}\n')
    cup = begin(OPENINGS + 'file = "book"', "abc")
    (cup.folder.path / "openings").write_text('{"count":2}\n')
    changed = f"{cup.folder.path}/openings is not the file that the manifest has the hash of; put it back as it was"
    assert [found.problem for found in verified(cup).differences] == [changed]
    with pytest.raises(StoreError, match="is not the file"):
        load(cup.folder, repair=True)
