"""Files that are not game records, or that cannot be read or written, are refused with a clear reason."""

import gzip
import os
import tracemalloc
from pathlib import Path

import pytest

from protocol.codec import encode_json
from protocol.record import ChanceLine
from referee.record.reader import (
    MAX_RECORD,
    MAX_STDERR_READ,
    InvalidRecord,
    find_records,
    parse_record,
    read_stderr,
    read_unpacked,
)
from referee.record.writer import BUFFER_BYTES, CopiedRecord, RecordFile, RecordWriteError
from tests.record.played import Line, compress, first_error, lines_of, write

GAME = b'{"type":"game","record":1,"game":"year_of_the_dragon","config":{},"seed":"","players":[],"referee":""}\n'
NO_GAME_LINE = "a game record begins with a line of type game, not "


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"\n", 1, NO_GAME_LINE + "''"),
        (b"Dear diary", 1, NO_GAME_LINE + "'Dear diary'"),
        (b'{"name":"without the end of its line"}', 1, NO_GAME_LINE),
        (b"[project]\nname = 1\n", 1, NO_GAME_LINE + "'[project]'"),
        (b'{"hello":"world"}\n', 1, NO_GAME_LINE + """'{"hello":"world"}'"""),
        (b"[1,2]\n", 1, NO_GAME_LINE + "'[1,2]'"),
        (b'{"type":7}\n', 1, NO_GAME_LINE + """'{"type":7}'"""),
        (b"\x7fELF\x02\x01\n\x00\xff\n", 1, NO_GAME_LINE + r"'\x7fELF\x02\x01'"),
        (b"PK\x03\x04" + b"\xff" * 300 + b"\n", 1, "(304 bytes)"),
        ('{"type":"game"}\n'.encode("utf-16"), 0, "is UTF-16, not UTF-8: convert it, for example with iconv"),
        ('\ufeff{"type":"game"}\n'.encode("utf-16-be"), 0, "is UTF-16, not UTF-8"),
        (b"[" * 100_000 + b"\n", 1, NO_GAME_LINE),
        (b'{"type":"game","record":"1"}\n', 1, """this is version '"1"' of the record format"""),
        (b'{"type":"game"}\n', 1, "this is version 'null' of the record format; this referee reads version 1"),
        (b'{"type":"game","record":1}\n', 1, """: '{"type":"game","record":1}'"""),
        (GAME + b'\n{"type":"x"}\n', 2, ": ''"),
        (GAME + b"null\n", 2, "not an object with a type: 'null'"),
        (GAME + b'{"seat":1}\n', 2, """not an object with a type: '{"seat":1}'"""),
        (GAME + b'{"type":"x\xff"}\n', 2, r""": '{"type":"x\ufffd"}'"""),
        (GAME + b"\x00" * 50 + b"\n", 2, r": '\x00\x00"),
        (GAME + b'{"type":"chance","what":' + b"[" * 100_000 + b"\n", 2, """: '{"type":"chance","what":[["""),
        (b"\x1f\x8b but not really", 0, "can't be read: "),
        (gzip.compress(GAME, mtime=0)[:-9], 0, "can't be read: "),
        (gzip.compress(b"Hello\n", mtime=0), 1, NO_GAME_LINE + "'Hello'"),
    ],
)
def test_what_is_not_a_record_is_refused_with_the_line_and_the_reason(
    content: bytes, line: int, words: str, path: Path
) -> None:
    path.write_bytes(content)
    found = first_error(path)
    assert type(found) is InvalidRecord
    assert found.line == line
    assert words in str(found)
    assert str(found).isprintable()
    assert len(str(found)) < 600


def test_a_missing_file_and_a_folder_can_not_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    wrong = {
        "none.jsonl": "can't be read: No such file or directory",
        ".": "is a folder, not a record",
        "fifo": "it is not a regular file",
        "/dev/zero": "it is not a regular file",
    }
    for name, words in wrong.items():
        found = first_error(tmp_path / name)
        assert type(found) is InvalidRecord
        assert str(found) == words


@pytest.mark.slow
@pytest.mark.parametrize("packed", [True, False], ids=["gzipped", "plain"])
@pytest.mark.parametrize(
    "content", [b"\0", b'{"type":"fault","seat":0,"code":"crash","message":""}\n'], ids=["zeros", "lines"]
)
def test_a_file_of_gigabytes_is_refused_without_unpacking_it(path: Path, content: bytes, packed: bool) -> None:
    more = GAME + content * (MAX_RECORD // len(content))
    path.write_bytes(gzip.compress(more, compresslevel=1) if packed else more)
    tracemalloc.start()
    found = first_error(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert type(found) is InvalidRecord
    assert str(found) == "is over 32 MiB long: too long for a record"
    assert peak < 4 * MAX_RECORD


def test_records_of_a_folder_are_found_in_order_also_those_of_a_tournament(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl.gz", "a.seat0.stderr", "records/c.jsonl.gz", "other/d.jsonl", "x.jsonl.part"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [str(found.relative_to(tmp_path)) for found in find_records(tmp_path)] == [
        "a.jsonl.gz",
        "b.jsonl",
        "records/c.jsonl.gz",
    ]
    with pytest.raises(InvalidRecord, match=r"contains no game records \(\.jsonl or \.jsonl\.gz\)"):
        find_records(new_folder(tmp_path / "empty"))


def new_folder(path: Path) -> Path:
    """A folder without files."""
    path.mkdir()
    return path


def test_a_gzipped_record_is_known_by_its_content_not_by_its_name(lines: list[Line], path: Path) -> None:
    packed = compress(write(path, lines))
    packed.rename(path)
    assert first_error(path) is None
    entries, whole = parse_record(read_unpacked(path))
    assert whole
    assert [entry.number for entry in entries] == list(range(1, len(lines) + 1))


# -- writing --------------------------------------------------------------------------------------------------


def test_lines_reach_the_file_in_whole_when_the_buffer_is_full_and_at_the_end(path: Path) -> None:
    record = RecordFile(path)
    line = ChanceLine(what="deck", value="x" * 1000)
    for _ in range(BUFFER_BYTES // 1000 - 1):
        record.write(line)
    assert path.read_bytes() == b""
    record.write(encode_json(line))
    record.write(line)
    written = path.read_bytes()
    assert len(written) >= BUFFER_BYTES
    assert written.endswith(b"}\n")
    record.close()
    assert len(lines_of(path)) == BUFFER_BYTES // 1000 + 1


def test_closing_twice_is_not_an_error(path: Path) -> None:
    record = RecordFile(path)
    record.write(ChanceLine(what="deck", value=1))
    record.close()
    record.close()
    assert lines_of(path) == [{"type": "chance", "what": "deck", "value": 1}]


def test_lines_are_copied_as_the_file_has_them_and_closing_the_copy_closes_the_file(path: Path) -> None:
    copies: list[bytes] = []
    copied = CopiedRecord(RecordFile(path), copies.append)
    for value in ("é\u2028", 2):
        copied.write(ChanceLine(what="deck", value=value))
    copied.close()
    assert b"\n".join([*copies, b""]) == path.read_bytes()
    assert [line["value"] for line in lines_of(path)] == ["é\u2028", 2]


def test_stderr_of_each_seat_is_beside_the_record_or_where_a_tournament_keeps_it(tmp_path: Path) -> None:
    record, elsewhere = tmp_path / "records" / "g1.jsonl.gz", tmp_path / "stderr"
    record.parent.mkdir()
    elsewhere.mkdir()
    (elsewhere / "secret").write_text("of the reader")
    (record.parent / "g1.seat0.stderr").write_text("beside")
    (elsewhere / "g1.seat0.stderr").write_text("not this")
    (elsewhere / "g1.seat2.stderr").write_bytes(b"x" * (MAX_STDERR_READ + 1))
    (elsewhere / "g1.seat3.stderr").symlink_to("secret")
    assert read_stderr(record, 4) == [b"beside", b"", b"x" * MAX_STDERR_READ, b""]


def test_a_record_never_overwrites_another(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(RecordWriteError, match=r"can't write the record .*record\.jsonl: File exists"):
        RecordFile(path)
    assert path.read_text() == "precious"


def test_a_record_that_can_not_be_written_says_where_and_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RecordWriteError, match=r"can't write the record .*/file/x\.jsonl: Not a directory"):
        RecordFile(tmp_path / "file" / "x.jsonl")
    with pytest.raises(RecordWriteError, match="No such file or directory"):
        RecordFile(tmp_path / "nowhere" / "x.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_an_error_that_says_so_and_the_file_is_closed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "open", lambda self, *args, **kwargs: open("/dev/full", "wb", buffering=0))  # noqa: PTH123, SIM115
    record = RecordFile(path)
    record.write(ChanceLine(what="deck", value=1))
    with pytest.raises(RecordWriteError, match="No space left on device"):
        record.close()
    record.close()
