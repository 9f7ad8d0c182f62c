"""The database keeps rounds, games and events as they are, all or nothing, and says what is wrong with it."""

import re
import sqlite3
from pathlib import Path

import pytest

from tests.tournaments.event.store.organiser import AT, Organiser, execute
from tournaments.competition.changes import Withdrawn
from tournaments.competition.games import StoredGame
from tournaments.competition.rounds import Round, Table
from tournaments.event.store import database as module
from tournaments.event.store.database import Database
from tournaments.event.store.details import GameDetails, GameThinking
from tournaments.event.store.errors import DamagedDatabase, StoreError

ROUND = Round(number=1, tables=(Table((0, 1)), Table((2, 3))), byes=(4,), deals=2)

DETAILS = GameDetails(
    thinking=(GameThinking(decisions=2, total_ms=3.5, worst_ms=2.25, counts={7: 1, 9: 1}), GameThinking()),
    faults=(None, "crash: it ended"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with one round."""
    path = tmp_path / "what?a #name.db"
    with Database.open(path) as database:
        database.write(rounds=[ROUND])
    return path


def game(number: int) -> StoredGame:
    """A game like any other."""
    return StoredGame(
        game_id=f"r01-t001-d{number:02}-s1",
        round=1,
        table=1,
        deal=number,
        rotation=1,
        bots=(0, 1),
        scores=(3, 2),
        ranks=(1, 2),
        faults=(None, "crash"),
        forfeits=(False, True),
        decisions_hash="0123456789abcdef",
        sha256="ab",
    )


def test_what_is_added_is_found_again(cup: Organiser) -> None:
    cup.withdraw("a")
    cup.replay(next(cup.progress.games()).game_id)
    with Database.open(cup.folder.database, read_only=True) as database:
        assert database.rounds() == [over.round for over in cup.progress.rounds]
        assert sorted(database.games(), key=str) == sorted(cup.progress.games(), key=str)
        assert database.events() == cup.progress.events


def test_rows_are_read_however_many_there_are(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS_PER_FETCH", 3)
    with Database.open(path) as database:
        for number in range(1, 8):
            database.write(games=[(game(number), None)])
        assert [found.deal for found in database.games()] == list(range(1, 8))


def test_what_it_promises_about_the_disk(path: Path) -> None:
    """At rest a read-only copy opens (no WAL), and a commit waits for the disk."""
    with Database.open(path) as database:
        assert database._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert [found.name for found in path.parent.iterdir()] == [path.name]
    with Database.open(path, read_only=True) as database:
        assert database._connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_it_can_be_read_while_another_process_writes(path: Path) -> None:
    with Database.open(path) as writer, Database.open(path, read_only=True) as reader:
        writer.write(games=[(game(1), None)])
        assert len(list(reader.games())) == 1
        with reader.snapshot():
            assert len(reader.rounds()) == 1
        writer.write(games=[(game(2), None)])
        assert len(list(reader.games())) == 2


def test_each_addition_is_all_or_nothing(path: Path) -> None:
    with Database.open(path) as database:
        database.write(games=[(game(1), None)])
        with pytest.raises(StoreError, match="already exists"):
            database.write(games=[(game(2), None)], rounds=[ROUND])
        assert [found.deal for found in database.games()] == [1]
        with pytest.raises(StoreError, match="already exists"):
            database.write(games=[(game(1), None)])


def test_details_go_with_their_game(path: Path) -> None:
    with Database.open(path) as database:
        for number in (1, 2, 3):
            database.write(games=[(game(number), DETAILS)])
        database.write(remove=[game(1).game_id, game(2).game_id], games=[(game(2), None)])
        assert database.details() == {game(3).game_id: DETAILS}, "those of another record say nothing of this one"


@pytest.mark.parametrize(
    "thinking", ['{"counts":{"10000000":1}}', '{"counts":{"7":1' + "0" * 400 + "}}", '{"decisions":-1}']
)
def test_details_that_no_referee_has_written_are_refused(path: Path, thinking: str) -> None:
    with Database.open(path) as database:
        database.write(games=[(game(1), DETAILS)])
    execute(path, f"""UPDATE details SET details = '{{"thinking":[{thinking}],"faults":[null]}}'""")
    with Database.open(path, read_only=True) as database, pytest.raises(StoreError):
        database.details()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"no database" * 1000),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: execute(path, "DROP TABLE games"),
        lambda path: execute(path, "DROP TABLE games", "CREATE VIEW games AS SELECT * FROM games"),
        lambda path: execute(path, "UPDATE rounds SET tables = '[[['"),
        lambda path: execute(path, "UPDATE rounds SET byes = '[\"a\"]'"),
        lambda path: execute(path, 'INSERT INTO events (event) VALUES (\'{"event": "party"}\')'),
    ],
)
def test_damage_is_named_and_so_is_what_repairs_it(path: Path, damage: object) -> None:
    assert callable(damage)
    damage(path)
    with pytest.raises(DamagedDatabase, match=rf"{re.escape(str(path))} is damaged \(.*resume"):
        read_everything(path)


def read_everything(path: Path) -> None:
    """Open a database, and read all of it."""
    with Database.open(path) as database:
        database.check()
        database.rounds()
        list(database.games())
        database.events()


def test_one_that_is_missing_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(DamagedDatabase, match=r"tournament.db is missing; `referee tournament resume` makes"):
        Database.open(tmp_path / "tournament.db", read_only=True)
    assert not list(tmp_path.iterdir())


def test_one_that_is_locked_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUSY_TIMEOUT", 0.01)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="another process has locked it for too long"), Database.open(path) as database:
        database.write(rounds=[ROUND])
    holder.close()


def test_a_reader_can_not_write(path: Path) -> None:
    with (
        Database.open(path, read_only=True) as database,
        pytest.raises(StoreError, match="it is read-only here; make it and its folder writable"),
    ):
        database.write(events=[Withdrawn(round=1, at=AT, bot="a", reason="")])


def test_a_full_disk_keeps_what_was_there(path: Path) -> None:
    with Database.open(path) as database:
        (pages,) = database._connection.execute("PRAGMA page_count").fetchone()
        database._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"\.db: the disk is full; make room, then go on with"):
            add_games(database)
        stored = len(list(database.games()))
    with Database.open(path) as database:
        assert stored == len(list(database.games())) > 0
        database.check()


def add_games(database: Database) -> None:
    """More games than fit."""
    for number in range(1, 1000):
        database.write(games=[(game(number), None)])


def test_a_copy_made_while_the_referee_wrote_can_be_read_where_nothing_can_be_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There SQLite can't make the files that it needs beside a database with a write-ahead log."""
    place = tmp_path / "copy" / path.name
    place.parent.mkdir()
    with Database.open(path) as writer:
        writer.write(events=[Withdrawn(round=2, at=AT, bot="a", reason="late")])
        for suffix in ("", "-wal"):
            part = place.with_name(place.name + suffix)
            part.write_bytes(path.with_name(path.name + suffix).read_bytes())
    original = Database._open

    def refuse(own: Path, file: Path, *, read_only: bool) -> Database:
        if file == place:
            raise StoreError("unable to open database file")
        return original(own, file, read_only=read_only)

    monkeypatch.setattr(Database, "_open", refuse)
    monkeypatch.setattr("os.access", lambda *where: False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Database.open(place, read_only=True) as database:
        assert len(database.events()) == 1
    assert sorted(each.name for each in place.parent.iterdir()) == [place.name, f"{place.name}-wal"]
