"""Reading a game record, plain or gzipped, line by line."""

import gzip
import zlib
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from protocol.record import RECORD, RecordLine
from referee.printable import excerpt, sanitise

_decoder: Final = msgspec.json.Decoder(RecordLine)
MAX_MESSAGE: Final = 600
"""Characters that the words about a wrong line may take."""
_types: Final = ("game", "chance", "decision", "fault", "result")


class InvalidRecord(Exception):
    """A record that is not right: the line (from 1; 0 for the file as a whole) and what is wrong with it."""

    def __init__(self, line: int, message: str) -> None:
        message = sanitise(message, MAX_MESSAGE)  # it may quote the file
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line
        self.message = message


class TruncatedRecord(InvalidRecord):
    """A record that is right as far as it goes, but of a game that broke off."""


class Entry(Struct, frozen=True):
    """A line of a record: its number from 1, and what it holds; lines that only some games have are dicts."""

    number: int
    line: RecordLine | dict[str, Any]


def read_record(path: Path) -> tuple[list[Entry], bool]:
    """The whole lines of a record, and whether nothing comes after them. Raises InvalidRecord.

    The first line is a GameLine of a version that this program knows. A record of which not even that much was
    written is TruncatedRecord.
    """
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidRecord(0, f"can't be read: {getattr(error, 'strerror', None) or error}") from None
    lines = data.split(b"\n")
    rest = lines.pop()
    entries = [Entry(number, parse_line(number, line)) for number, line in enumerate(lines, start=1)]
    if not entries:
        check_beginning(rest)
        raise TruncatedRecord(0, f"the record {'breaks off in its first line' if rest else 'is empty'}: unfinished")
    return entries, not rest


def parse_line(number: int, line: bytes) -> RecordLine | dict[str, Any]:
    """What a line holds. Raises InvalidRecord."""
    try:
        fields = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fields, problem = None, f"{error}: {excerpt(line)}"
    else:
        problem = f"no object with a type: {excerpt(line)}"
    kind = fields.get("type") if isinstance(fields, dict) else None
    if number == 1:
        check_first(kind, fields, line)
    if not isinstance(kind, str):
        raise InvalidRecord(number, problem)
    if kind == "game" and number > 1:
        raise InvalidRecord(number, "a record has only one game line, its first")
    parsed: RecordLine | dict[str, Any] = fields
    if kind in _types:
        try:
            parsed = _decoder.decode(line)
        except msgspec.ValidationError as error:
            raise InvalidRecord(number, f"{error}: {excerpt(line)}") from None
    return parsed


def check_beginning(part: bytes) -> None:
    """Whether this may be how a record begins: nothing at all, a first line without its end. Raises InvalidRecord."""
    if part[:1] in (b"", b"{"):
        try:
            msgspec.json.decode(part)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return  # it breaks off in the middle of an object
    parse_line(1, part)


def check_first(kind: Any, fields: Any, line: bytes) -> None:
    """The first line tells what kind of file it is. Raises InvalidRecord."""
    if kind != "game":
        raise InvalidRecord(1, f"a game record begins with a line of type game, not {excerpt(line)}")
    if fields.get("record") != RECORD:
        version = excerpt(msgspec.json.encode(fields.get("record")))
        raise InvalidRecord(1, f"this is version {version} of the record format; this referee reads version {RECORD}")
