"""Reading a game record, plain or gzipped, line by line, and what bots wrote to their standard error beside it."""

import codecs
import contextlib
import io
import zlib
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from protocol.record import RECORD, RecordLine, ResultLine
from referee.errors import RefereeError
from referee.files import IrregularFile, is_folder, is_there, read_file
from referee.given_paths import hint
from referee.printable import excerpt, sanitise

_decoder: Final = msgspec.json.Decoder(RecordLine)
MAX_RECORD: Final = 32 * 1024**2
"""Maximum length of an unpacked record in bytes: over ten times that of the longest game."""
TOO_LONG: Final = f"is over {MAX_RECORD // 1024**2} MiB long: too long for a record"
UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
GZIP_MAGIC: Final = b"\x1f\x8b"
RECORD_SUFFIXES: Final = (".jsonl", ".jsonl.gz")
RECORDS_FOLDER: Final = "records"
LATEST_LINK: Final = "latest"
"""A symbolic link to the folder with the records of the newest match, beside that folder."""
MAX_STDERR_READ: Final = 1024 * 1024
"""Bytes that are read of a file with standard error; the referee writes fewer."""
MAX_SEARCHED: Final = 50
"""Maximum number of records of a folder that `finished_record` reads."""
MAX_ERROR_CHARS: Final = 600
"""Maximum length of the message of an InvalidRecord, which may quote the file."""
COMMON_TYPES: Final = ("game", "chance", "decision", "fault", "result")
"""Types of lines that the records of all games share."""


class InvalidRecord(RefereeError):
    """A record has an error. `line`: its line number from 1, or 0 for the whole file; `message`: what is wrong."""

    def __init__(self, line: int, message: str) -> None:
        message = sanitise(message, MAX_ERROR_CHARS)
        super().__init__(line, message)
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class TruncatedRecord(InvalidRecord):
    """A record has no error, but it ends before the game does."""


class NumberedLine(Struct, frozen=True):
    """A line of a record with its number from 1. Lines of types specific to a game are dicts."""

    number: int
    line: RecordLine | dict[str, Any]


def parse_record(data: bytes) -> tuple[list[NumberedLine], bool]:
    """The complete lines of a record, and whether it ends with a complete line. Raises InvalidRecord.

    The first line is a GameLine of the supported version. Raises TruncatedRecord if the record ends within its first
    line.
    """
    parsed: list[NumberedLine] = []
    rest = b""
    # split would make a list of 32 million empty lines
    for number, line in enumerate(io.BytesIO(without_traces_of_editors(data)), start=1):
        if line.endswith(b"\n"):
            parsed.append(NumberedLine(number, parse_line(number, line[:-1])))
        else:
            rest = line
    if not parsed:
        validate_partial_first_line(rest)
        raise TruncatedRecord(0, f"the record {'breaks off in its first line' if rest else 'is empty'}: unfinished")
    return parsed, not rest


def without_traces_of_editors(data: bytes) -> bytes:
    """A record without a byte order mark and blank lines at the end, and with its last LF, if its last line is whole,
    which a JSON object that breaks off is not. Raises InvalidRecord for UTF-16."""
    if data.startswith(UTF16_MARKS):
        raise InvalidRecord(0, "is UTF-16, not UTF-8: convert it, for example with iconv -f UTF-16 -t UTF-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    lines = data.rstrip()
    try:
        whole = isinstance(msgspec.json.decode(lines[lines.rfind(b"\n") + 1 :]), dict)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        whole = False
    return lines + b"\n" if whole else data


def read_unpacked(path: Path) -> bytes:
    """The content of a record, plain or gzipped. Raises InvalidRecord, for more than MAX_RECORD bytes too."""
    try:
        data = read_file(path, MAX_RECORD + 1)
    except IrregularFile as error:
        raise InvalidRecord(0, "is a folder, not a record" if is_folder(path) else str(error.strerror)) from None
    except OSError as error:
        meant = "" if is_there(path) else hint(path)
        raise InvalidRecord(0, f"can't be read: {error.strerror}{meant}") from None
    if len(data) > MAX_RECORD:
        raise InvalidRecord(0, TOO_LONG)
    return without_traces_of_editors(unpack(data) if data.startswith(GZIP_MAGIC) else data)


def unpack(packed: bytes) -> bytes:
    """The content of a gzipped record. Raises InvalidRecord, for more than MAX_RECORD bytes too."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        data = unpacker.decompress(packed, MAX_RECORD + 1)
    except zlib.error as error:
        raise InvalidRecord(0, f"can't be read: {error}") from None
    if len(data) > MAX_RECORD:
        raise InvalidRecord(0, TOO_LONG)
    if not unpacker.eof:
        raise InvalidRecord(0, "can't be read: the gzipped file is cut off")
    if unpacker.unused_data:
        raise InvalidRecord(0, "can't be read: the gzipped file is followed by something else")
    return data


def find_records(folder: Path) -> list[Path]:
    """The records in a folder, sorted by name, then those in its subfolder `records`, where a tournament keeps them.

    Raises InvalidRecord if there are none.
    """
    found: list[Path] = []
    try:
        for place in (folder, folder / RECORDS_FOLDER):
            if place == folder or is_folder(place):
                found += sorted(path for path in place.iterdir() if path.name.endswith(RECORD_SUFFIXES))
    except OSError as error:
        raise InvalidRecord(0, f"can't be read: {error.strerror}{hint(folder)}") from None
    if not found:
        newest = folder / LATEST_LINK
        where = f"; those of the newest match are in {newest}" if is_folder(newest) else hint(folder)
        raise InvalidRecord(0, f"contains no game records ({' or '.join(RECORD_SUFFIXES)}){where}")
    return found


def finished_record(folder: Path) -> Path | None:
    """The first record in a folder whose last line is a result, among the first MAX_SEARCHED; None if there is none.

    Raises InvalidRecord if there are no records.
    """
    for path in find_records(folder)[:MAX_SEARCHED]:
        with contextlib.suppress(InvalidRecord):
            *_, last = read_unpacked(path).rsplit(b"\n", 2)[:-1] or [b""]
            if isinstance(parse_line(2, last), ResultLine):
                return path
    return None


def parse_line(number: int, line: bytes) -> RecordLine | dict[str, Any]:
    """A line of a record, converted to its type. Raises InvalidRecord."""
    try:
        fields = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fields, problem = None, f"{error}: {excerpt(line)}"
    else:
        problem = f"not an object with a type: {excerpt(line)}"
    kind = fields.get("type") if isinstance(fields, dict) else None
    if number == 1:
        validate_first_line(kind, fields, line)
    if not isinstance(kind, str):
        raise InvalidRecord(number, problem)
    if kind == "game" and number > 1:
        raise InvalidRecord(number, "a record has only one game line, its first")
    parsed: RecordLine | dict[str, Any] = fields
    if kind in COMMON_TYPES:
        try:
            parsed = _decoder.decode(line)
        except msgspec.ValidationError as error:
            raise InvalidRecord(number, f"{error}: {excerpt(line)}") from None
    return parsed


def validate_partial_first_line(part: bytes) -> None:
    """Raises InvalidRecord unless these bytes can be the beginning of the first line."""
    if part[:1] in (b"", b"{"):
        try:
            msgspec.json.decode(part)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return  # it ends in the middle of an object
    parse_line(1, part)


def validate_first_line(kind: Any, fields: Any, line: bytes) -> None:
    """Raises InvalidRecord unless the file is a record of the supported version."""
    if kind != "game":
        raise InvalidRecord(1, f"a game record begins with a line of type game, not {excerpt(line)}")
    if fields.get("record") != RECORD:
        version = excerpt(msgspec.json.encode(fields.get("record")))
        raise InvalidRecord(1, f"this is version {version} of the record format; this referee reads version {RECORD}")


def stem(record: Path) -> str:
    name = record.name
    return next((name.removesuffix(suffix) for suffix in RECORD_SUFFIXES if name.endswith(suffix)), name)


def read_stderr(record: Path, players: int) -> list[bytes]:
    """What bots wrote to their standard error, by seat: beside the record, or where a tournament keeps it."""
    texts = []
    for seat in range(players):
        texts.append(b"")
        for folder in (record.parent, record.parent.parent / "stderr"):
            try:
                # not through a link: it could lead to a file of the reader's, and the page may be sent to others
                texts[-1] = read_file(folder / f"{stem(record)}.seat{seat}.stderr", MAX_STDERR_READ, follow=False)
            except OSError:
                continue
            break
    return texts
