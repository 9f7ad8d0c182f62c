"""Whatever an interruption or a damaged disk has left, the state of a tournament is found again; repairs are named."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from tests.tournaments.event.store.conftest import Begin
from tests.tournaments.event.store.organiser import Organiser
from tournaments.competition.changes import FilesAccepted, Replayed, Withdrawn
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.progress import Progress
from tournaments.event.store.begun import BegunGames
from tournaments.event.store.database import Database
from tournaments.event.store.errors import DamagedDatabase, StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import Loaded, load
from tournaments.event.store.verification import verify

FIRST = "r01-t001-d01-s1"
THIRD = 'format = "swiss"\ngame = "pebbles"\nseats = 3\ndeals = 2\n[swiss]\nrounds = 3\n[options]\nheap = 6\n'


def assert_same(loaded: Loaded, expected: Progress) -> None:
    """The state is the expected one."""
    assert list(loaded.progress.games()) == list(expected.games())
    assert loaded.progress.view() == expected.view()
    assert loaded.progress.events == expected.events
    assert loaded.progress.entries == expected.entries
    assert loaded.progress.struck_out == expected.struck_out


def assert_nothing_to_repair(cup: Organiser) -> None:
    """A second repair finds nothing, so the first has done everything."""
    loaded = load(cup.folder, repair=True)
    assert loaded.repairs == []
    assert_same(loaded, load(cup.folder, repair=False).progress)


def loaded(cup: Organiser) -> Loaded:
    """Loaded with repairs, after a check that looking at it writes nothing."""
    before = {path: path.read_bytes() for path in cup.folder.path.rglob("*") if path.is_file()}
    try:
        load(TournamentFolder.open(cup.folder.path), repair=False)
    finally:
        assert {path: path.read_bytes() for path in cup.folder.path.rglob("*") if path.is_file()} == before
    return load(TournamentFolder.open(cup.folder.path), repair=True)


def play_on(cup: Organiser) -> Organiser:
    """Another referee resumes in the folder."""
    folder = TournamentFolder.open(cup.folder.path)
    return Organiser(folder, load(folder, repair=True).progress)


# -- interruptions --------------------------------------------------------------------------------------------


@pytest.mark.ci_only
@pytest.mark.parametrize("text", [None, THIRD])
def test_whenever_it_stops_it_ends_the_same(begin: Begin, text: str | None) -> None:
    """After every game another referee resumes and finds nothing to repair."""
    arguments = () if text is None else (text, "abcde")
    undisturbed, cup = begin(*arguments, name="undisturbed"), begin(*arguments)
    undisturbed.play_rounds()
    while cup.progress.current is not None or cup.pair():
        assert cup.progress.current is not None
        missing = cup.progress.current.missing()
        cup.play_game(missing[0])
        if len(missing) == 1:
            cup.close()
        found = loaded(cup)
        assert found.repairs == []
        if len(missing) > 1:
            assert_same(found, cup.progress)
        cup = play_on(cup)
    assert list(cup.progress.games()) == list(undisturbed.progress.games())
    assert cup.manifest.rounds == undisturbed.manifest.rounds


def test_a_complete_record_without_a_row_is_adopted(cup: Organiser) -> None:
    cup.pair()
    assert cup.progress.current is not None
    cup.play_game(cup.progress.current.missing()[0], row=False)
    found = loaded(cup)
    assert found.repairs == ["r03-t001-d03-s1: finished, but not in the database; added from the record"]
    assert_same(found, cup.progress)
    assert_nothing_to_repair(cup)


def test_the_last_game_of_a_round_without_a_row_ends_it(begin: Begin) -> None:
    cup = begin()
    cup.pair()
    assert cup.progress.current is not None
    *most, last = cup.progress.current.missing()
    for planned in most:
        cup.play_game(planned)
    cup.play_game(last, row=False)
    cup.progress.close()
    found = loaded(cup)
    assert len(found.repairs) == 1
    assert len(found.progress.rounds) == 1
    assert found.manifest.with_rounds(found.progress).rounds[0].games == 4


def test_unfinished_files_are_removed(cup: Organiser) -> None:
    left = [cup.folder.records / "r03-t001-d03-s1.jsonl.gz.temporary", cup.folder.path / "manifest.json.temporary"]
    for path in left:
        path.write_text("half")
    found = loaded(cup)
    assert found.repairs == ["removed: 2 unfinished files, left when the referee was stopped"]
    assert not any(path.exists() for path in left)


def test_an_event_that_only_the_database_has_is_added_to_the_manifest(cup: Organiser) -> None:
    manifest = cup.manifest
    cup.withdraw("b")
    cup.apply(FilesAccepted(round=3, at="", bots={"a": "11"}))
    cup.folder.write_manifest(manifest)
    found = loaded(cup)
    assert found.manifest.bots[0].files_sha256 == "11"
    assert found.repairs == ["added to the manifest: 2 events, which the database already had"]
    assert found.manifest.events == tuple(cup.progress.events)
    assert_same(found, cup.progress)
    assert_nothing_to_repair(cup)
    assert verify(cup.folder.path).differences == [], "the head is over the event"


@pytest.mark.slow
def test_an_event_that_only_the_manifest_has_is_added_to_the_database(cup: Organiser) -> None:
    cup.join("late")
    cup.replay(FIRST)
    cup.execute("DELETE FROM events")
    cup.execute("DELETE FROM games WHERE again > 0")
    found = loaded(cup)
    assert found.repairs == ["added to the database: 2 events, which the manifest already had"]
    assert_same(found, cup.progress)
    assert_nothing_to_repair(cup)


def test_a_replay_that_was_stopped_before_it_counted_is_set_aside(cup: Organiser) -> None:
    manifest, game = cup.manifest, cup.replay(FIRST)
    cup.execute("DELETE FROM events")
    cup.execute(f"DELETE FROM games WHERE game_id = '{game.game_id}'")
    cup.folder.write_manifest(manifest)
    found = loaded(cup)
    assert found.repairs == [
        f"{game.game_id}: its record doesn't count: it was not scored before the referee was stopped. It is kept as "
        f"set_aside/{game.game_id}.jsonl.gz"
    ]
    assert (cup.folder.path / "set_aside" / f"{game.game_id}.jsonl.gz").exists()
    assert found.progress.struck_out == {}
    assert_nothing_to_repair(cup)


# -- the database ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"no database" * 1000),
        lambda path: path.write_bytes(path.read_bytes()[:9000]),
        lambda path: path.write_bytes(b""),
        lambda path: path.unlink(),
    ],
)
def test_a_database_that_is_damaged_is_made_anew(cup: Organiser, damage: Callable[[Path], None]) -> None:
    cup.join("late")
    cup.withdraw("a")
    cup.replay(FIRST)
    cup.pair()
    assert cup.progress.current is not None
    cup.play_game(cup.progress.current.missing()[0])
    journal = cup.folder.path / "tournament.db-journal"
    journal.write_bytes(b"of the old one")
    damage(cup.folder.database)
    damaged = cup.folder.database.exists()
    looked_at = load(cup.folder, repair=False)
    assert_same(looked_at, cup.progress)
    assert "Until then this is computed from the records" in looked_at.repairs[0]
    found = loaded(cup)
    assert len(found.repairs) == 1
    assert "was created from the manifest and the records: 10 games in 3 rounds" in found.repairs[0]
    assert (cup.folder.path / "set_aside" / "tournament.db").exists() == damaged
    assert not journal.exists()
    assert_same(found, cup.progress)
    assert_nothing_to_repair(cup)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rounds SET number = 9 WHERE number = 2",
        "UPDATE rounds SET tables = '[]' WHERE number = 2",
        "UPDATE rounds SET tables = '[[0, 77]]' WHERE number = 2",
        "UPDATE rounds SET deals = 123456789 WHERE number = 2",
        "DELETE FROM rounds",
        "UPDATE games SET bots = '[0]'",
        "UPDATE games SET ranks = '[1, 99]'",
        "UPDATE games SET round = 9 WHERE round = 2",
        "DELETE FROM games WHERE again > 0",
        "UPDATE events SET event = replace(event, 'wished', 'had')",
        "UPDATE games SET sha256 = 'ab' WHERE round = 1",
    ],
)
def test_a_database_that_says_what_can_not_be_is_made_anew(cup: Organiser, statement: str) -> None:
    cup.withdraw("a")
    cup.replay(FIRST)
    cup.execute(statement)
    assert_same(loaded(cup), cup.progress)
    assert_nothing_to_repair(cup)


def test_rounds_that_are_not_those_of_the_bracket_are_taken_from_the_records(begin: Begin) -> None:
    cup = begin('format = "knockout"\ngame = "pebbles"\n[options]\nheap = 5\n')
    cup.play_rounds(1)
    for column, table in (("tables", "rounds"), ("bots", "games")):
        cup.execute(f"UPDATE {table} SET {column} = replace(replace(replace({column}, 0, 9), 1, 0), 9, 1)")
    found = loaded(cup)
    assert "the tables of round 1 are not those of the bracket" in found.repairs[0]
    assert_same(found, cup.progress)
    assert_nothing_to_repair(cup)


def test_a_result_that_was_changed_in_the_database_is_corrected(cup: Organiser) -> None:
    cup.execute(f"UPDATE games SET scores = '[9, 0]' WHERE game_id = '{FIRST}'")
    found = loaded(cup)
    assert found.repairs == [f"{FIRST}: the results in the database and in the record differed"]
    assert_same(found, cup.progress)
    assert_nothing_to_repair(cup)


def test_a_later_version_is_left_alone(cup: Organiser) -> None:
    cup.execute("PRAGMA user_version = 7")
    before = cup.folder.database.read_bytes()
    with pytest.raises(StoreError, match=r"written by a later referee \(schema 7; this one reads 1\)"):
        load(cup.folder, repair=True)
    assert cup.folder.database.read_bytes() == before


# -- records --------------------------------------------------------------------------------------------------


def alter(cup: Organiser, game_id: str) -> None:
    """Change one digit of a record, and pack it again."""
    data = cup.folder.read_record(game_id)
    cup.folder.write_record(game_id, data.replace(b'"count":1', b'"count":2', 1).replace(b'"left":4', b'"left":3', 1))


@pytest.mark.parametrize("how", ["removed", "altered"])
def test_a_game_of_the_round_in_progress_without_its_record_is_played_again(cup: Organiser, how: str) -> None:
    cup.pair()
    assert cup.progress.current is not None
    game = cup.play_game(cup.progress.current.missing()[0])
    if how == "removed":
        cup.folder.record(game.game_id).unlink()
    else:
        cup.folder.write_record(game.game_id, b"{}\n")
    found = loaded(cup)
    problem = "disappeared" if how == "removed" else f"been altered (kept as set_aside/{game.game_id}.jsonl.gz)"
    assert found.repairs == [f"{game.game_id}: its record has {problem}; the game is to be played again"]
    assert found.lost == []
    assert found.progress.current is not None
    assert found.progress.current.missing()[0].game_id == game.game_id
    begun = BegunGames(cup.folder.begun)
    begun.begin([game.game_id])
    assert begun.again([game.game_id]) == {game.game_id: [f"its record has {problem.partition(' (')[0]}"]}
    assert_nothing_to_repair(cup)
    cup = play_on(cup)
    cup.play_rounds()
    assert len(cup.progress.rounds) == 3


@pytest.mark.parametrize("how", ["removed", "altered"])
def test_a_lost_game_of_an_earlier_round_counts_until_it_is_played_again(cup: Organiser, how: str) -> None:
    if how == "removed":
        cup.folder.record(FIRST).unlink()
    else:
        cup.folder.write_record(FIRST, b"{}\n")
    found = loaded(cup)
    assert [game.game_id for game in found.lost] == [FIRST]
    assert len(found.repairs) == 1
    assert_same(found, cup.progress)
    cup = play_on(cup)
    new = cup.replay(FIRST, lost=True)
    assert cup.progress.rounds[0].played[FIRST] == new
    assert_same(loaded(cup), cup.progress)
    assert_nothing_to_repair(cup)
    cup.execute("DELETE FROM games")  # the event has the old result, so even the database can be recreated
    assert_same(loaded(cup), cup.progress)


def test_a_lost_replay_is_played_again(cup: Organiser) -> None:
    new = cup.replay(FIRST)
    cup.folder.record(new.game_id).unlink()
    found = loaded(cup)
    assert found.lost == [new]
    assert_same(found, cup.progress)


def test_without_record_and_database_the_error_says_what_is_missing(cup: Organiser) -> None:
    cup.folder.record(FIRST).unlink()
    cup.folder.database.unlink()
    before = sorted(cup.folder.path.rglob("*"))
    with pytest.raises(StoreError, match=f"{FIRST}: no record in .*Put the record back from a copy"):
        load(cup.folder, repair=True)
    assert sorted(cup.folder.path.rglob("*")) == before


def test_without_the_database_the_chain_vouches_for_the_records(cup: Organiser) -> None:
    name = next(name for name in cup.folder.record_ids() if b'"count":1' in cup.folder.read_record(name))
    alter(cup, name)
    cup.folder.database.unlink()
    with pytest.raises(StoreError, match=r"the records of round \d in .* are not those that were played"):
        load(cup.folder, repair=True)


def test_a_record_that_no_round_asks_for_is_set_aside(cup: Organiser) -> None:
    data = cup.folder.read_record(FIRST)
    for name in ("r01-t009-d01-s1", "r03-t001-d03-s1", "r03-t001-d03-s2"):
        cup.folder.write_record(name, data.replace(FIRST.encode(), name.encode()) if name[-1] == "1" else b"{}\n")
    found = loaded(cup)
    assert sorted(repair.partition(":")[0] for repair in found.repairs) == [
        "r01-t009-d01-s1",
        "r03-t001-d03-s1",
        "r03-t001-d03-s2",
    ]
    assert all("its record doesn't count" in repair for repair in found.repairs)
    assert_same(found, cup.progress)
    assert_nothing_to_repair(cup)


@pytest.mark.parametrize("asked", ["order", "additions"])
def test_rounds_that_the_format_refuses_are_those_of_a_damaged_database(
    asked: str, cup: Organiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise FormatError("round 1 was not paired like this")

    monkeypatch.setattr(type(cup.folder.manifest.regulations.format_settings), asked, refuse)
    with pytest.raises(DamagedDatabase, match="round 1 was not paired like this"):
        load(cup.folder, repair=False)


# -- the seed and the manifest --------------------------------------------------------------------------------


def test_another_seed_is_refused(cup: Organiser) -> None:
    (cup.folder.path / "seed").write_text("another one")
    with pytest.raises(StoreError, match="is not the one that the manifest commits to"):
        load(cup.folder, repair=True)


def test_without_the_seed_nothing_can_be_played_but_all_be_seen(cup: Organiser) -> None:
    (cup.folder.path / "seed").unlink()
    with pytest.raises(StoreError, match="seed is missing"):
        load(cup.folder, repair=True)
    assert_same(load(cup.folder, repair=False), cup.progress)


def test_events_that_can_not_have_happened_are_refused(cup: Organiser) -> None:
    event = Withdrawn(round=3, at="", bot="nobody", reason="")
    cup.folder.write_manifest(cup.manifest.with_events([event]))
    with pytest.raises(StoreError, match='event 1: "nobody" withdrew, but did not take part'):
        load(cup.folder, repair=True)
    game = next(cup.progress.games())
    for change in ({"game_id": "x"}, {"replacement": FIRST}, {"round": 1}, {"old": structs.replace(game, bots=(0, 9))}):
        replay = Replayed(
            round=3, at="", game_id=game.game_id, replacement=f"{game.game_id}-again1", reason="", old=game
        )
        cup.folder.write_manifest(structs.replace(cup.manifest, events=(structs.replace(replay, **change),)))
        with pytest.raises(StoreError, match="event 1: "):
            load(cup.folder, repair=True)


def test_repairs_can_be_interrupted_anywhere(cup: Organiser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped after each change of the disk, and done again, repairs lead to the same."""
    cup.pair()
    assert cup.progress.current is not None
    cup.play_game(cup.progress.current.missing()[0], row=False)
    stray = cup.folder.read_record(FIRST)
    cup.folder.write_record("r01-t009-d01-s1", stray)
    cup.folder.database.write_bytes(b"no database" * 1000)
    for steps in range(20):
        left = steps

        class Killed(BaseException):
            pass

        def killing(real: Callable[..., object]) -> Callable[..., object]:
            def step(*args: object, **kwargs: object) -> object:
                nonlocal left
                left -= 1
                if left < 0:
                    raise Killed
                return real(*args, **kwargs)

            return step

        with monkeypatch.context() as patch:
            for owner, name in ((Path, "rename"), (Database, "write"), (Path, "unlink"), (Database, "_prepare")):
                patch.setattr(owner, name, killing(getattr(owner, name)))
            try:
                found = load(cup.folder, repair=True)
            except Killed:
                continue
            break
    assert steps > 3
    assert_same(found, cup.progress)
    assert_nothing_to_repair(cup)
