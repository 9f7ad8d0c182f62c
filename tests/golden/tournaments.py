"""The folders of two small tournaments, each as one text: what a referee of today writes.

=== records/r01-t001-d01-s1.jsonl.gz       the path of a file, and below it its lines
=== tournament.db                          of the database, the statements that make it
"""

import gzip
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final
from unittest import mock

from msgspec import structs

from referee import version
from tests.game_runner.pebbles import registered_pebbles
from tests.golden.scenarios import VERSION
from tests.tournaments.event.store.organiser import AT, Organiser, tournament_file
from tournaments.competition.changes import Penalised

FILE: Final = 'name = "Golden"\ngame = "pebbles"\n'
HEADING: Final = "=== "
DATABASE: Final = "tournament.db"
VERSIONS: Final = {"referee": VERSION, "protocol": "1", "record": "1", "rules": "0" * 64, "formats": "0" * 64}
"""In manifests, so that another machine or a change of the rules of a game changes none of them."""


def finished(folder: Path) -> Organiser:
    """A Swiss for two with all kinds of changes, played to its end."""
    text = f'{FILE}format = "swiss"\n[swiss]\nrounds = 3\n[options]\nheap = 5\n'
    cup = Organiser.begin(tournament_file(folder, text, "abc"), folder / "cup")
    cup.play_rounds(1)
    cup.join("late")
    cup.play_rounds(1)
    cup.withdraw("a")
    cup.replay("r01-t001-d01-s1")
    cup.apply(Penalised(round=cup.progress.next_number, at=AT, bot="b", points=-0.5, reason="was late"))
    cup.finish_with_standings()
    return cup


def interrupted(folder: Path) -> Organiser:
    """A round robin at tables of three, stopped in the middle of its second round."""
    text = f'{FILE}format = "round_robin"\nseats = 3\n[round_robin]\nrounds = 2\n[options]\nheap = 5\n'
    cup = Organiser.begin(tournament_file(folder, text, "abcde"), folder / "cup")
    cup.play_rounds(1)
    cup.pair()
    assert cup.progress.current is not None
    cup.play_game(cup.progress.current.missing()[0])
    return cup


TOURNAMENTS: Final[dict[str, Callable[[Path], Organiser]]] = {"finished": finished, "interrupted": interrupted}
"""By the name of the file."""


def lines_of_folder(name: str) -> list[str]:
    """The text of a folder that is written now."""
    with (
        tempfile.TemporaryDirectory() as temporary,
        registered_pebbles(),
        mock.patch.object(version, "__version__", VERSION),
        mock.patch("tournaments.event.store.new_manifest.current_versions", return_value=VERSIONS),
    ):
        cup = TOURNAMENTS[name](Path(temporary))
        runs = [structs.replace(run, host="host", system="Linux", started=AT) for run in cup.manifest.sessions]
        cup.folder.write_manifest(structs.replace(cup.manifest, sessions=tuple(runs)))
        files = sorted(path for path in cup.folder.path.rglob("*") if path.is_file())
        return [line for path in files for line in _file_lines(path, path.relative_to(cup.folder.path))]


def _file_lines(path: Path, name: Path) -> Iterator[str]:
    yield f"{HEADING}{name.as_posix()}"
    if name.name == DATABASE:
        yield from _statements(path)
    else:
        content = path.read_bytes()
        yield from (gzip.decompress(content) if name.suffix == ".gz" else content).decode().splitlines()


def _statements(path: Path) -> Iterator[str]:
    with closing(sqlite3.connect(path)) as connection:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        yield f"PRAGMA user_version = {schema};"
        tables = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        yield from (f"{statement};" for _, statement in tables)
        for table, _ in tables:
            columns = [column for _, column, *_ in connection.execute(f"PRAGMA table_info({table})")]
            values = ", ".join(f"quote({column})" for column in columns)
            for row in connection.execute(f"SELECT {values} FROM {table} ORDER BY rowid"):
                yield f"INSERT INTO {table} VALUES ({', '.join(row)});"


def write_folder(lines: list[str], folder: Path) -> None:
    """Make the folder that is given as text."""
    for part in "\n".join(lines).removeprefix(HEADING).split(f"\n{HEADING}"):
        name, _, text = part.partition("\n")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == DATABASE:
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript(text)
        else:
            content = text.encode() if name == "seed" else f"{text}\n".encode()
            path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
