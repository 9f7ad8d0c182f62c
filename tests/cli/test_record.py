"""`referee record`: verifying and showing records from the command line."""

import gzip
from pathlib import Path

from referee.record.render import render
from referee.record.replay import Replay
from tests.cli.command import Run, assert_error, referee


def test_right_records_are_confirmed_a_line_each(played: tuple[Run, Path]) -> None:
    ended, records = played
    verified = referee("record", "verify", *sorted(records.iterdir()))
    assert verified.status == 0
    assert verified.err == ""
    *lines, summary = verified.out.splitlines()
    assert summary == f"{len(lines)} records: {len(lines)} ok"
    for game, line in zip(ended.json["games"], lines, strict=True):
        count = len(Path(game["record"]).read_text().splitlines())
        scores = ", ".join(f"{bot} {score}" for bot, score in zip(game["bots"], game["scores"], strict=True))
        assert line == f"{game['record']}: ok: {count} lines; {scores}"


def test_each_wrong_file_is_named_with_its_first_wrong_line_and_the_others_are_checked_all_the_same(
    played: tuple[Run, Path], tmp_path: Path
) -> None:
    right = (played[1] / "0001-1.jsonl").read_bytes()
    lines = right.split(b"\n")
    contents = {
        "right.jsonl.gz": gzip.compress(right),
        "cut.jsonl": right[: len(right) // 2],
        "cut.jsonl.gz": gzip.compress(right)[:300],
        "changed.jsonl": b"\n".join([*lines[:9], lines[9].replace(b'"seat":', b'"seat":1'), *lines[10:]]),
        "foreign.txt": b"Dear diary,\n",
        "other.json": b'{"name":"x"}\n',
        "binary": bytes(range(256)),
        "empty": b"",
        "version2.jsonl": right.replace(b'"record":1', b'"record":2'),
        "evil.jsonl": right.replace(b'"name":"bot"', rb'"name":"\u001b[2J"'),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "none").mkdir()
    ended = referee("record", "verify", *contents, "missing.jsonl", "none", cwd=tmp_path)
    assert ended.status == 1
    assert ended.err == ""
    *each, summary = ended.out.splitlines()
    verdicts = dict(line.split(": ", 1) for line in each)
    assert list(verdicts) == [*contents, "missing.jsonl", "none"]
    assert summary == "12 records: 2 ok, 2 UNFINISHED, 8 WRONG"
    assert verdicts["right.jsonl.gz"].startswith("ok: ")
    whole = contents["cut.jsonl"].count(b"\n")
    assert verdicts["cut.jsonl"] == f"UNFINISHED: line {whole}: the record breaks off here"
    assert verdicts["cut.jsonl.gz"].startswith("WRONG: can't be read: ")
    assert verdicts["changed.jsonl"].startswith("WRONG: line 10: ")
    assert "is due, not" in verdicts["changed.jsonl"]
    for foreign in ("foreign.txt", "other.json", "binary"):
        assert verdicts[foreign].startswith("WRONG: line 1: a game record begins with")
    assert verdicts["empty"] == "UNFINISHED: the record is empty"
    assert verdicts["version2.jsonl"].startswith("WRONG: line 1: this is version '2' of the record format")
    assert verdicts["evil.jsonl"].startswith("ok: ")
    assert verdicts["missing.jsonl"] == "WRONG: can't be read: No such file or directory"
    assert verdicts["none"] == "WRONG: contains no game records (.jsonl or .jsonl.gz)"
    ended = referee("record", "verify", *contents, "missing.jsonl", "none", "--json", cwd=tmp_path)
    assert (ended.status, ended.json["ok"], ended.err) == (1, False, "")
    assert {each["record"]: f"{each['verdict']}: {each['details']}" for each in ended.json["records"]} == verdicts
    assert referee("record", "verify", "right.jsonl.gz", "--json", cwd=tmp_path).json["ok"] is True


def test_all_records_of_a_folder_are_verified(played: tuple[Run, Path], tmp_path: Path) -> None:
    right = (played[1] / "0001-1.jsonl").read_bytes()
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "r01.jsonl.gz").write_bytes(gzip.compress(right))
    (tmp_path / "records" / "r02.jsonl").write_bytes(right[:100])
    (tmp_path / "tournament.toml").write_text("")
    ended = referee("record", "verify", ".", cwd=tmp_path)
    assert ended.status == 1
    first, second, summary = ended.out.splitlines()
    assert first.startswith("records/r01.jsonl.gz: ok: ")
    assert second.startswith("records/r02.jsonl: UNFINISHED: ")
    assert summary == "2 records: 1 ok, 1 UNFINISHED"
    one = referee("record", "verify", played[1] / "0001-1.jsonl")
    assert one.out.count("\n") == 1, "one record needs no summary"


def test_a_record_is_shown_and_a_truncated_one_as_far_as_it_goes(played: tuple[Run, Path], tmp_path: Path) -> None:
    record = played[1] / "0001-1.jsonl"
    shown = referee("record", "show", record)
    assert shown.status == 0
    assert shown.err == ""
    assert "bot" in shown.out
    (tmp_path / "cut.jsonl").write_bytes(record.read_bytes()[:5000])
    cut = referee("record", "show", "cut.jsonl", cwd=tmp_path)
    assert cut.status == 1
    assert cut.err.startswith("referee: cut.jsonl: line ")
    assert cut.err.count("\n") == 1
    assert shown.out.splitlines() == list(render(Replay(record)))
    kept = cut.out.splitlines()
    assert kept[-1].startswith("The record breaks off here, after line ")
    assert kept[10] == shown.out.splitlines()[10]


def test_file_that_is_no_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "diary").write_text("Dear diary,\n")
    assert_error(referee("record", "show", "missing", cwd=tmp_path), 1, "missing: can't be read: No such file")
    assert_error(referee("record", "show", "diary", cwd=tmp_path), 1, "diary: line 1: a game record begins with")


def test_what_can_not_be_shown_is_answered_with_a_game_that_can(played: tuple[Run, Path], tmp_path: Path) -> None:
    folder = tmp_path / "records/latest"
    folder.mkdir(parents=True)
    right = (played[1] / "0001-1.jsonl").read_bytes()
    (folder / "0001-1.jsonl").touch()
    (folder / "0001-2.jsonl").write_bytes(right[:5000])

    def shown(name: str) -> str:
        ended = referee("record", "show", name, cwd=tmp_path)
        assert ended.status == 1
        return ended.err.removeprefix("referee: ").rstrip("\n")

    empty, folder_only = "records/latest/0001-1.jsonl: the record is empty: unfinished", "is a folder, not a record"
    none = "no game in records/latest is finished: its match was interrupted, or is under way"
    assert shown("records/latest/0001-1.jsonl") == f"{empty}; {none}"
    assert shown("records/latest") == f"records/latest: {folder_only}; {none}"
    (folder / "0002-1.jsonl").write_bytes(right)
    command = "referee record show records/latest/0002-1.jsonl"
    assert shown("records/latest/0001-1.jsonl") == f"{empty}; a finished game beside it: {command}"
    assert shown("records/latest/9.jsonl").endswith(f"No such file or directory; a finished game beside it: {command}")
    assert shown("records/latest") == f"records/latest: {folder_only}; show one of the games in it: {command}"
    assert "those of the newest match are in records/latest" in shown("records")
    assert shown("0002-1").endswith("; did you mean records/latest/0002-1.jsonl?")
    (folder / "notes.txt").write_text("a note\n")
    assert shown("records/latest/notes.txt").endswith(f"a finished game beside it: {command}")
    assert referee(*command.split()[1:], cwd=tmp_path).status == 0
    assert "beside" not in shown("records/latest/0001-2.jsonl"), "it was shown as far as it goes"
