"""The database of a tournament: rounds, games and events as rows, which can be read while it runs.

Its contents follow from the manifest and the records, and can be computed from them if it is lost.
"""

import contextlib
import functools
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import msgspec

from referee.files import is_special, is_there
from referee.printable import sanitise
from tournaments.competition.changes import AnyChange
from tournaments.competition.games import StoredGame
from tournaments.competition.rounds import Round, Table
from tournaments.event.store.details import GameDetails
from tournaments.event.store.errors import NO_DATABASE, DamagedDatabase, StoreError

T = TypeVar("T")
DATABASE_SCHEMA: Final = 1
"""The version of the schema. An empty file has version 0."""
TABLES: Final = (
    "CREATE TABLE rounds (number INTEGER PRIMARY KEY, deals INTEGER NOT NULL, tables TEXT NOT NULL, "
    "byes TEXT NOT NULL) STRICT",
    "CREATE TABLE games (game_id TEXT PRIMARY KEY, round INTEGER NOT NULL, number_of_table INTEGER NOT NULL, "
    "deal INTEGER NOT NULL, rotation INTEGER NOT NULL, again INTEGER NOT NULL, bots TEXT NOT NULL, "
    "scores TEXT NOT NULL, ranks TEXT NOT NULL, faults TEXT NOT NULL, forfeits TEXT NOT NULL, "
    "decisions_hash TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT",
    "CREATE TABLE events (number INTEGER PRIMARY KEY, event TEXT NOT NULL) STRICT",
    "CREATE TABLE details (game_id TEXT PRIMARY KEY, details TEXT NOT NULL) STRICT",
)
"""Lists are JSON, by seat; `bots` are indices of entries."""
READ_SCHEMA: Final = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema"
BUSY_TIMEOUT: Final = 30.0
"""Seconds to wait for another process that reads or writes."""
ROWS_PER_FETCH: Final = 5_000
"""Rows that are fetched together. Between two fetches others may write, unless within a `snapshot`."""
GAME_FIELDS: Final = tuple(StoredGame.__struct_fields__)
COLUMNS: Final = ", ".join("number_of_table" if name == "table" else name for name in GAME_FIELDS)
JSON_COLUMNS: Final = frozenset(("tables", "byes", "bots", "scores", "ranks", "faults", "forfeits", "event", "details"))
SIDE_FILES: Final = ("-journal", "-wal", "-shm")
"""Suffixes of the files that SQLite keeps beside a database while it writes."""
RECOVERY_ERRORS: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
MAX_CELL: Final = 16 << 20
"""Bytes of one value. Longer ones are refused."""
MAX_GAME: Final = 64 << 10
MAX_READ_BYTES: Final = 64 << 20
"""Bytes of all rounds, of all events, and of the games that are fetched together."""
MAX_SQL: Final = 16 << 10
"""Bytes of a statement, so also of one in the schema."""
MAX_SECONDS: Final = 60.0
"""CPU time that a statement may take: far more than the largest tournament needs. Not the time
of day, in which the process may have been stopped."""
STEPS_PER_CHECK: Final = 100_000
"""Instructions of SQLite between two looks at the time."""
SQLITE_REMEDIES: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; make room, then go on with `referee tournament resume`",
    sqlite3.SQLITE_READONLY: "it is read-only here; make it and its folder writable, or copy the folder",
    sqlite3.SQLITE_BUSY: "another process has locked it for too long; end what reads it, then try again",
    sqlite3.SQLITE_LOCKED: "another process has locked it for too long; end what reads it, then try again",
    sqlite3.SQLITE_CANTOPEN: "it can't be opened; is it there, and may you read and write it and its folder?",
    sqlite3.SQLITE_PERM: "you may not read or write it; change its owner or its mode",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write; see the log of the system, then try again",
}


class Database:
    """An open database. May be used from any thread, one at a time. All methods raise StoreError."""

    def __init__(self, path: Path, connection: sqlite3.Connection, *, read_only: bool) -> None:
        self.path = path
        self._connection = connection
        self._read_only = read_only
        self._closing = contextlib.ExitStack()
        self._until = 0.0
        """The CPU time of this thread at which the statement is interrupted."""
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_CELL)
        connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MAX_SQL)
        connection.set_progress_handler(lambda: time.thread_time() > self._until, STEPS_PER_CHECK)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Self:
        """Open a database; a new one is created, unless `read_only`.

        Raises StoreError for a database of a later referee, and DamagedDatabase. Opened for reading it writes nothing,
        and may be open while another process writes. Where it can't be opened because it was copied while a referee
        wrote, to a place where nothing can be written, a temporary copy is read.
        """
        if read_only and not is_there(path):
            raise DamagedDatabase(path, NO_DATABASE)
        for part in (path, *(path.with_name(path.name + suffix) for suffix in SIDE_FILES)):
            if is_special(part):
                raise DamagedDatabase(path, f"{part.name} is not a regular file")  # SQLite would wait for a pipe
        try:
            return cls._open(path, path, read_only=read_only)
        except StoreError:
            if not read_only or os.access(path.parent, os.W_OK):
                raise
        with contextlib.ExitStack() as stack, _errors(path):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-database-")))
            for part in (path, path.with_name(f"{path.name}-wal")):
                if is_there(part):
                    shutil.copyfile(part, folder / part.name)
            database = cls._open(path, folder / path.name, read_only=True)
            database._closing = stack.pop_all()
            return database

    @classmethod
    def _open(cls, path: Path, file: Path, *, read_only: bool) -> Self:
        """Open a file as the database with this path, which errors name."""
        with _errors(path):
            connection = sqlite3.connect(
                f"{file.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}",
                uri=True,
                timeout=BUSY_TIMEOUT,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            database = cls(path, connection, read_only=read_only)
            with database._errors():
                database._prepare(read_only=read_only)
        except BaseException:
            connection.close()
            raise
        return database

    def close(self) -> None:
        """Close it, so that it is one file, which can be opened from a read-only copy. May be called more than once."""
        if not self._read_only:
            with contextlib.suppress(sqlite3.Error):  # already closed, or being read: the next writer does it
                self._connection.execute("PRAGMA journal_mode = DELETE")
        with self._errors(), self._closing:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self, *, read_only: bool) -> None:
        connection = self._connection
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > DATABASE_SCHEMA:
            raise StoreError(
                f"{self.path} was written by a later referee (schema {version}; this one reads {DATABASE_SCHEMA}):"
                " use that one"
            )
        if version < (1 if read_only else 0):
            raise DamagedDatabase(self.path, "it has no schema version")
        # Before anything else is read or written: a view, a virtual table, a computed column or a trigger could take
        # for ever, or all memory.
        expected = schema() if version else []
        found = connection.execute(f"{READ_SCHEMA} LIMIT {len(expected) + 1}").fetchall()
        if sorted(found) != expected:
            raise DamagedDatabase(self.path, f"its tables are not those of schema {version}")
        if not read_only:
            # A commit to a write-ahead log costs a quarter of the CPU time, and readers don't hold it up.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            if not version:
                with self._transaction():
                    create_tables(connection)

    # -- reading ----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Within it all methods that read see the same state, whatever others write; writers wait for its end."""
        with self._errors():
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with self._errors():
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def rounds(self) -> list[Round]:
        with self._errors():
            rows = self._read("SELECT number, deals, tables, byes FROM rounds ORDER BY number")
            return [
                Round(
                    number=number,
                    deals=deals,
                    tables=msgspec.json.decode(tables, type=tuple[Table, ...]),
                    byes=msgspec.json.decode(byes, type=tuple[int, ...]),
                )
                for number, deals, tables, byes in rows
            ]

    def games(self) -> Iterator[StoredGame]:
        """All games in no particular order, read with little memory however many there are."""
        return self._rows("games", COLUMNS, _game)

    def details(self) -> dict[str, GameDetails]:
        """By the id of a game its details, of those that have any."""
        return dict(
            self._rows(
                "details", "game_id, details", lambda row: (row[0], msgspec.json.decode(row[1], type=GameDetails))
            )
        )

    def events(self) -> list[AnyChange]:
        with self._errors():
            rows = self._read("SELECT event FROM events ORDER BY number")
            return [msgspec.json.decode(event, type=AnyChange) for (event,) in rows]

    def check(self) -> None:
        """Read all of it. Raises DamagedDatabase if anything is wrong with the file."""
        with self._errors():
            found = [problem for (problem,) in self._connection.execute("PRAGMA integrity_check(1)")]
        if found != ["ok"]:
            raise DamagedDatabase(self.path, found[0])

    def _rows(self, table: str, columns: str, decode: Callable[[tuple[Any, ...]], T]) -> Iterator[T]:
        """All rows of a table, fetched ROWS_PER_FETCH at a time."""
        last = 0
        while True:
            with self._errors():
                found: list[T] = []
                for number, *row in self._read(
                    f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT ?", last, ROWS_PER_FETCH
                ):
                    if number <= last or _size(row) > MAX_GAME:
                        raise DamagedDatabase(self.path, f"row {number} of its {table} can't have been written")
                    last = number
                    found.append(decode(tuple(row)))
            if not found:
                return
            yield from found

    def _read(self, statement: str, *parameters: int) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, of at most MAX_READ_BYTES."""
        size = 0
        for row in self._connection.execute(statement, parameters):
            size += _size(row)
            if size > MAX_READ_BYTES:
                raise DamagedDatabase(self.path, f"it has over {MAX_READ_BYTES >> 20} MiB, far more than is written")
            yield row

    # -- writing ----------------------------------------------------------------------------------------------

    def write(
        self,
        *,
        remove: Iterable[str] = (),
        rounds: Iterable[Round] = (),
        games: Iterable[tuple[StoredGame, GameDetails | None]] = (),
        events: Iterable[AnyChange] = (),
    ) -> None:
        """In one transaction remove games by their ids, then add rounds, finished games, whose records are durable, and
        events."""
        with self._transaction():
            for game_id in remove:
                for table in ("games", "details"):
                    self._connection.execute(f"DELETE FROM {table} WHERE game_id = ?", (game_id,))
            for round_ in rounds:
                self._insert("rounds", msgspec.structs.asdict(round_))
            for game, details in games:
                row = msgspec.structs.asdict(game)
                row["number_of_table"] = row.pop("table")
                self._insert("games", row)
                if details is not None:
                    self._insert("details", {"game_id": game.game_id, "details": details})
            for event in events:
                self._insert("events", {"event": event})

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing. After an error nothing is changed."""
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Limit the time of a statement, and turn errors into a StoreError."""
        self._until = time.thread_time() + MAX_SECONDS
        with _errors(self.path):
            yield

    def _insert(self, table: str, row: dict[str, Any]) -> None:
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        values = [msgspec.json.encode(value).decode() if name in JSON_COLUMNS else value for name, value in row.items()]
        self._connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)


def create_tables(connection: sqlite3.Connection) -> None:
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {DATABASE_SCHEMA}")


@functools.cache
def schema() -> list[tuple[str, str, str, str]]:
    """What a database has in its schema: type, name, table and statement of each part."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create_tables(connection)
        return sorted(connection.execute(READ_SCHEMA).fetchall())


def _size(row: Iterable[Any]) -> int:
    return sum(len(value) for value in row if isinstance(value, str | bytes))


def _game(row: Sequence[Any]) -> StoredGame:
    fields = dict(zip(GAME_FIELDS, row, strict=True))
    for name in JSON_COLUMNS.intersection(fields):
        fields[name] = msgspec.json.decode(fields[name])
    return msgspec.convert(fields, StoredGame)


@contextlib.contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Turn the errors of SQLite, and values that this module can't have written, into a StoreError."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # a bug, such as use after closing
    except sqlite3.IntegrityError as error:
        raise StoreError(f"{path}: a row to be added already exists ({sanitise(error)})") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0)
        if code == sqlite3.SQLITE_READONLY_ROLLBACK:
            raise DamagedDatabase(path, "its last change was interrupted, and must be undone first") from None
        if code & 0xFF in RECOVERY_ERRORS and is_there(path.with_name(f"{path.name}-wal")):
            raise DamagedDatabase(path, "it was not closed, and can't be read without writing to its folder") from None
        if code == sqlite3.SQLITE_INTERRUPT:
            raise DamagedDatabase(path, f"a statement took over {MAX_SECONDS:g} s, as if it would never end") from None
        remedy = SQLITE_REMEDIES.get(code & 0xFF)
        if remedy is None:
            raise DamagedDatabase(path, error) from None
        raise StoreError(f"{path}: {remedy}") from None
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise DamagedDatabase(path, error) from None
