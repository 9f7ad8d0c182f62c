"""A database that was made to take all memory, or for ever, is refused before any of it is read."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tournaments.event.store import database as module
from tournaments.event.store.database import SIDE_FILES, Database
from tournaments.event.store.errors import DamagedDatabase

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
POISONS = {
    "a computed column of 50 MB in each row": (
        "ALTER TABLE games ADD COLUMN big TEXT AS (hex(zeroblob(25000000))) VIRTUAL",
    ),
    "a computed column in place of one": (
        "DROP TABLE events",
        "CREATE TABLE events (number INTEGER PRIMARY KEY, event TEXT AS (hex(zeroblob(25000000)))) STRICT",
    ),
    "a full-text table over an endless view": (
        "DROP TABLE events",
        f"CREATE VIEW endless AS {ENDLESS} SELECT i AS number, 'x' AS event FROM n",
        "CREATE VIRTUAL TABLE events USING fts5(event, content='endless', content_rowid='number')",
    ),
    "a view in place of a table": (
        "DROP TABLE rounds",
        f"CREATE VIEW rounds AS {ENDLESS} SELECT i AS number, 1 AS deals, '[]' AS tables, '[]' AS byes FROM n",
    ),
    "a trigger": ("CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM rounds; END",),
    "an index over an expression": ("CREATE INDEX i ON games (hex(zeroblob(1000)))",),
    "one more table": ("CREATE TABLE more (i)",),
    "a column without NOT NULL": (
        "DROP TABLE events",
        "CREATE TABLE events (number INTEGER PRIMARY KEY, event TEXT) STRICT",
    ),
    "tables of its own in a database without a version": ("PRAGMA user_version = 0", "DROP TABLE events"),
    "a version below all": ("PRAGMA user_version = -1",),
}
GAME = "INSERT INTO games VALUES ('g' || {i}, 1, 1, 1, 1, 0, '[0]', '[1]', '[1]', '[null]', '[false]', '', {sha})"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A good database."""
    Database.open(tmp_path / "tournament.db").close()
    return tmp_path / "tournament.db"


def change(path: Path, *statements: str) -> None:
    """Change the file without the referee."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("read_only", [True, False], ids=["verify", "resume"])
@pytest.mark.parametrize("poison", POISONS.values(), ids=POISONS)
def test_only_the_schema_of_the_referee_is_accepted(path: Path, poison: tuple[str, ...], read_only: bool) -> None:
    try:
        change(path, *poison)
    except sqlite3.OperationalError as error:
        if "no such module" in str(error):
            pytest.skip(f"this SQLite can't make it: {error}")
        raise
    before = path.read_bytes()
    with pytest.raises(DamagedDatabase, match=r"its tables are not those of schema|it has no schema version"):
        Database.open(path, read_only=read_only)
    assert path.read_bytes() == before


def all_rounds(database: Database) -> object:
    """What a reader of rounds gets."""
    return database.rounds()


def all_games(database: Database) -> object:
    """What a reader of games gets."""
    return list(database.games())


@pytest.mark.parametrize(
    ("statement", "read", "problem"),
    [
        pytest.param(
            "INSERT INTO rounds VALUES (1, 1, cast(zeroblob(17000000) AS TEXT), '[]')",
            all_rounds,
            "string or blob too big",
            id="a value of 17 MB",
        ),
        pytest.param(
            f"{ENDLESS} INSERT INTO rounds SELECT i, 1, '[' || printf('%15000000s', '') || ']', '[]' FROM n LIMIT 5",
            all_rounds,
            "it has over 64 MiB, far more than is written",
            id="many values of 15 MB",
        ),
        pytest.param(
            GAME.format(i=1, sha="cast(zeroblob(70000) AS TEXT)"),
            all_games,
            "row 1 of its games can't have been written",
            id="a game of 70 kB",
        ),
    ],
)
def test_what_is_read_has_a_limit(path: Path, statement: str, read: Callable[[Database], object], problem: str) -> None:
    change(path, statement)
    with Database.open(path, read_only=True) as database, pytest.raises(DamagedDatabase, match=problem):
        read(database)


def test_a_statement_that_takes_too_long_is_interrupted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(path, *(GAME.format(i=number, sha="'x'") for number in range(20)))
    monkeypatch.setattr(module, "STEPS_PER_CHECK", 1)
    with Database.open(path, read_only=True) as database:
        assert len(list(database.games())) == 20
        monkeypatch.setattr(module, "MAX_SECONDS", -1.0)
        with pytest.raises(DamagedDatabase, match="a statement took over -1 s, as if it would never end"):
            list(database.games())


@pytest.mark.parametrize("read_only", [True, False], ids=["verify", "resume"])
@pytest.mark.parametrize("suffix", ["", *SIDE_FILES])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(path: Path, suffix: str, read_only: bool) -> None:
    part = path.with_name(path.name + suffix)
    part.unlink(missing_ok=True)
    os.mkfifo(part)
    with pytest.raises(DamagedDatabase, match=rf"{part.name} is not a regular file"):
        Database.open(path, read_only=read_only)
