"""`referee record export`: the decisions of games as a table."""

import csv
import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.games import find_codec, find_game, game_names
from referee.record.replay import Replay
from tests.cli.command import Run, assert_error, referee

csv.field_size_limit(10**7)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a record of each game."""
    folder = tmp_path_factory.mktemp("games")
    for game in game_names():
        match = ("match", "builtin:random", "builtin:random", "--game", game, "--seed", "export")
        ended = referee(*match, "--games", "1", "--no-rotate", "--record", folder / game)
        assert ended.status == 0, ended.err
        (folder / game / "0001-1.jsonl").rename(folder / f"{game}.jsonl")
    return folder


def rows_of(text: str) -> list[dict[str, Any]]:
    """The rows of a CSV text."""
    return list(csv.DictReader(io.StringIO(text)))


def exported(*arguments: str | Path) -> list[dict[str, Any]]:
    """The rows that the command writes to stdout."""
    ended = referee("record", "export", *arguments, "--csv")
    assert (ended.status, ended.err) == (0, "")
    return rows_of(ended.out)


def test_there_is_a_row_for_each_decision_with_what_came_of_it(folder: Path) -> None:
    for game in game_names():
        file = folder / f"{game}.jsonl"
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        decisions = [line for line in lines if line["type"] == "decision"]
        rows = exported(file)
        assert len(rows) == len(decisions)
        for number, (row, line) in enumerate(zip(rows, decisions, strict=True), start=1):
            assert (row["game"], row["number"], row["record"]) == (game, str(number), str(file))
            assert (row["seat"], row["decision"]) == (str(line["seat"]), line["decision"])
            assert json.loads(row["action"]) == line["action"]
            assert row["forced"] == ("true" if line.get("forced") else "false")
            assert row["ms"] == ("" if "ms" not in line else f"{line['ms']:g}") or float(row["ms"]) == line["ms"]
            assert int(row["score"]) == lines[-1]["scores"][line["seat"]]
            assert int(row["rank"]) == lines[-1]["ranks"][line["seat"]]
            assert row["fault"] == ""


@pytest.mark.slow
def test_a_row_has_what_the_seat_saw_and_could_do(folder: Path) -> None:
    for game in game_names():
        replay = Replay(folder / f"{game}.jsonl")
        rows = iter(exported(folder / f"{game}.jsonl"))
        codec = find_codec(find_game(game))(replay.config)
        while replay.replayed < len(replay.rest):
            if type(replay.rest[replay.replayed].line).__name__ == "DecisionLine":
                row, turn = next(rows), replay.game.turn
                assert turn is not None
                assert row["observation"] == msgspec.json.encode(replay.game.observe(turn.seat)).decode()
                legal = json.loads(row["legal"])
                assert legal == json.loads(msgspec.json.encode(replay.game.legal_actions()))
                assert len(legal) == int(row["choices"])
                assert legal[int(row["index"])] == json.loads(row["action"])
                act = {name: json.loads(row[name]) for name in ("observation", "legal")}
                _, indices = codec.of_message(act | {"decision": row["decision"]})
                assert len(indices) == len(legal)  # what learners need can be had from a row
            replay.step()
        assert next(rows, None) is None


@pytest.mark.slow
def test_the_rows_of_all_records_of_a_folder_are_written_to_a_file_and_counted(folder: Path, tmp_path: Path) -> None:
    ended = referee("record", "export", folder, "--csv", "-o", tmp_path / "all.csv")
    rows = rows_of((tmp_path / "all.csv").read_text())
    assert rows == [row for game in sorted(game_names()) for row in exported(folder / f"{game}.jsonl")]
    assert ended == Run(0, f"{tmp_path / 'all.csv'}: {len(rows)} decisions of 2 games\n", "")
    assert rows_of(referee("record", "export", folder, "--csv", "-o", "-").out) == rows


def test_an_unfinished_game_is_written_up_to_its_end_without_a_result(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "forbidden_city.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "part.jsonl").write_text("".join(lines[:-1]))
    ended = referee("record", "export", tmp_path, "--csv")
    assert ended.status == 1
    assert ended.err == f"{tmp_path / 'part.jsonl'}: line {len(lines) - 1}: the record breaks off here: unfinished\n"
    rows = rows_of(ended.out)
    assert len(rows) == sum('"type":"decision"' in line for line in lines)
    assert {(row["score"], row["rank"]) for row in rows} == {("", "")}


def test_a_wrong_record_is_written_up_to_the_wrong_line_and_the_others_too(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "forbidden_city.jsonl").read_text().splitlines(keepends=True)
    wrong = next(number for number, line in enumerate(lines) if number > 20 and '"type":"decision"' in line)
    lines[wrong] = lines[wrong].replace('"x":', '"x":9')
    (tmp_path / "a.jsonl").write_text("".join(lines))
    (tmp_path / "b.jsonl").write_text("nothing")
    shutil.copy(folder / "year_of_the_dragon.jsonl", tmp_path / "c.jsonl")
    ended = referee("record", "export", tmp_path, "--csv", "-o", tmp_path / "all.csv")
    assert ended.status == 1
    assert f"a.jsonl: line {wrong + 1}: " in ended.err
    assert "b.jsonl: " in ended.err
    rows = rows_of((tmp_path / "all.csv").read_text())
    assert ended.out == f"{tmp_path / 'all.csv'}: {len(rows)} decisions of 2 games\n", (
        "only those with rows are counted"
    )
    assert sum(row["record"].endswith("a.jsonl") for row in rows) == sum(
        '"type":"decision"' in line for line in lines[:wrong]
    )
    assert sum(row["record"].endswith("c.jsonl") for row in rows) == len(exported(tmp_path / "c.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give one of --csv, --parquet, --pgn and --sgf"),
        (("--csv", "--parquet"), "give one of --csv, --parquet, --pgn and --sgf"),
        (("--parquet",), "--parquet needs a file: -o decisions.parquet"),
        (("--csv", "x.csv"), "--csv takes no file: -o x.csv"),
        (("--parquet", "x.parquet"), "--parquet takes no file: -o x.parquet"),
    ],
)
def test_one_form_has_to_be_given(arguments: tuple[str, ...], message: str, folder: Path) -> None:
    assert_error(referee("record", "export", folder, *arguments), 2, message)


def test_a_record_is_not_overwritten(folder: Path) -> None:
    file = folder / "forbidden_city.jsonl"
    before = file.read_bytes()
    assert_error(referee("record", "export", folder, "--csv", "-o", file), 2, "is one of the records")
    assert file.read_bytes() == before


def test_a_file_that_cant_be_written_is_named(folder: Path, tmp_path: Path) -> None:
    ended = referee("record", "export", folder, "--csv", "-o", tmp_path / "no" / "such" / "all.csv")
    assert_error(ended, 1, f"can't write {tmp_path}/no/such/all.csv: No such file or directory")


def test_parquet_has_the_same_rows_with_types(folder: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the packages of the extra parquet are not installed")
    assert referee("record", "export", folder, "--parquet", "-o", tmp_path / "all.parquet").status == 0
    table = parquet.read_table(tmp_path / "all.parquet")
    types = {field.name: str(field.type) for field in table.schema}
    assert (types["seat"], types["forced"], types["ms"], types["score"]) == ("int64", "bool", "double", "int64")
    rows = exported(folder)
    assert table.column_names == list(rows[0])
    for row, other in zip(rows, table.to_pylist(), strict=True):
        for name in ("number", "seat", "action", "observation", "legal", "index", "rank"):
            assert row[name] == str(other[name])


def test_without_the_extra_parquet_the_command_says_what_to_install(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ended = referee("record", "export", folder, "--parquet", "-o", tmp_path / "all.parquet")
    assert_error(ended, 1, "pip install -e '.[parquet]'")
    assert not (tmp_path / "all.parquet").exists()
