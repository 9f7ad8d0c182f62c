"""A TOML file that people write, with errors that name the line and what would be right."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.inspect import (
    BoolType,
    DictType,
    FloatType,
    IntType,
    ListType,
    LiteralType,
    Metadata,
    NoneType,
    StrType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from referee.bots.bot_spec import BOT_FILE
from referee.errors import RefereeError
from referee.files import read_file
from referee.given_paths import hint
from referee.near_misses import did_you_mean
from referee.printable import sanitise
from referee.toml import TOKEN, TomlError, parse_toml

MAX_TOURNAMENT_FILE: Final = 64 * 1024
"""Characters of a tournament file: enough for several hundred bots."""
MAX_ERROR: Final = 600
MAX_VALUE: Final = 60
KeyPath = tuple[str | int, ...]
"""A key with the tables that it is in, from the outside; a number counts the tables of an array from 0."""
Settings = TypeVar("Settings", bound=Struct)


class TournamentFileError(RefereeError):
    """A tournament file that can't be used; names the file, the line, and what would be right."""


class Source:
    """A tournament file that is TOML: what it holds, and where."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self._text = text
        try:
            self.table = parse_toml(text, MAX_TOURNAMENT_FILE)
        except TomlError as error:
            raise self._error(error.problem, error.line) from None
        self._replaced: set[KeyPath] = set()
        self._check_numbers()

    def replace(self, table: str, values: Mapping[str, Any]) -> None:
        """Put values that are not from the file in the place of those in a table."""
        if values and isinstance(in_file := self.table.get(table, {}), dict):
            self.table[table] = {**in_file, **values}
            self._replaced |= {(table, key) for key in values}

    def error(self, problem: object, *place: str | int) -> TournamentFileError:
        """An error at a key or table, with its line if it is in the file."""
        return self._error(problem, None if place in self._replaced else self.line(*place))

    @contextmanager
    def errors_at(self, *place: str | int, prefix: str = "") -> Iterator[None]:
        """Turn what is wrong with a value into an error at its key or table; the problem begins with `prefix`."""
        try:
            yield
        except TournamentFileError:
            raise
        except (RefereeError, ValueError) as error:
            raise self.error(f"{prefix}{error}", *place) from None

    def line(self, *place: str | int) -> int | None:
        """The line of a key, or else of the innermost table around it; None if the file has neither."""
        return line_of(self._text, place)

    def _check_numbers(self) -> None:
        """TOML has whole numbers of 64 bits; `tomllib` also reads longer ones, which Python may refuse to show."""
        values: list[tuple[KeyPath, object]] = [((), self.table)]
        while values:
            place, value = values.pop()
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise self.error("a whole number has at most 64 bits", *place)
            inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            values += [((*place, key), each) for key, each in inside]

    def _error(self, problem: object, line: int | None) -> TournamentFileError:
        where = str(self.path) if line is None else f"{self.path}, line {line}"
        return TournamentFileError(sanitise(f"{where}: {problem}", MAX_ERROR))

    def read(self, kind: type[Settings], table: object, *place: str | int) -> Settings:
        """The settings in a table, each checked by the type of the field with its name.

        Raises TournamentFileError.
        """
        name = ".".join(part for part in place if isinstance(part, str))
        title = "the file" if not place else f"[[{name}]]" if isinstance(place[-1], int) else f"[{name}]"
        if not isinstance(table, Mapping):
            raise self.error(f"{title} must be a table, not {format_value(table)}", *place)
        fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
        values = {}
        for key, value in table.items():
            if key not in fields:
                raise self.error(format_unknown(f"{title} has no key", key, fields), *place, key)
            try:
                values[fields[key].name] = msgspec.convert(value, fields[key].type)
            except (msgspec.ValidationError, RecursionError):
                allowed = format_allowed(type_info(fields[key].type))
                given = f"what {key} holds" if isinstance(value, dict | list) else f"{key} = {format_value(value)}"
                problem = f"{given} is not allowed; {key} must be {allowed}"
                if isinstance(value, str):
                    problem += did_you_mean(value, allowed_texts(type_info(fields[key].type)), "")
                raise self.error(problem, *place, key) from None
        for key, field in fields.items():
            if field.required and key not in table:
                raise self.error(f"{title} needs a key {key!r}: {format_allowed(type_info(field.type))}", *place)
        return kind(**values)


def read_source(path: Path) -> Source:
    """Read a tournament file, in UTF-8 with or without a byte order mark. Raises TournamentFileError."""
    try:
        if "\0" in str(path):
            raise TournamentFileError(sanitise(f"{path}: a file name can't contain a NUL byte"))
        text = read_file(path, 4 * MAX_TOURNAMENT_FILE + 1).decode("utf-8-sig")
    except FileNotFoundError:
        raise TournamentFileError(
            sanitise(
                f"{path}: no such file{hint(path, file=True) or '; `referee tournament init` writes one'}", MAX_ERROR
            )
        ) from None
    except OSError as error:
        raise TournamentFileError(sanitise(f"{path}: can't be read: {error.strerror}{hint(path)}", MAX_ERROR)) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise TournamentFileError(
            sanitise(f"{path}, line {line}: is not valid UTF-8; save it as UTF-8", MAX_ERROR)
        ) from None
    if (path.name == BOT_FILE or path.suffix != ".toml") and (more := hint(path)):
        raise TournamentFileError(sanitise(f"{path} is not a tournament file{more}", MAX_ERROR))
    return Source(path, text)


def line_of(text: str, place: KeyPath) -> int | None:
    """The line of a key in a TOML text, or else of the innermost table around it; None if the text has neither.

    `tomllib` doesn't say where a key is, so it is asked which beginnings of the text have it.
    """
    starts, depth = [0], 0
    for token in TOKEN.finditer(text):
        depth += (token[0] in "[{") - (token[0] in "]}")
        if token[0] == "\n" and not depth:
            starts.append(token.end())

    def is_before(index: int) -> bool:
        """Whether the text has it before the statement, blank line or comment with this index."""
        return has_key(parse_toml(text[: starts[index]], MAX_TOURNAMENT_FILE), place)

    whole = parse_toml(text, MAX_TOURNAMENT_FILE)
    while place and not has_key(whole, place):
        place = place[:-1]
    own = bisect_left(range(len(starts)), True, key=is_before) - 1
    return text.count("\n", 0, starts[own]) + 1 if place else None


def has_key(value: Any, place: KeyPath) -> bool:
    for key in place:
        known = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        if key not in known:
            return False
        value = value[key]
    return True


# -- the texts of errors --------------------------------------------------------------------------------------


def format_unknown(problem: str, name: str, known: Iterable[str]) -> str:
    """An error about an unknown name, with the most similar known one, or else all."""
    return f"{problem} {format_value(name)}{did_you_mean(name, known)}"


def format_value(value: object) -> str:
    """A value roughly as written in the file, truncated if it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return sanitise(f'"{value}"' if isinstance(value, str) else str(value), MAX_VALUE)


def format_allowed(kind: Type) -> str:
    match kind:
        case Metadata(type=inner, extra_json_schema={"examples": [example]}):
            return f"{format_allowed(inner)}, such as {format_value(example)}"
        case Metadata(type=inner):
            return format_allowed(inner)
        case UnionType(types=types):
            return " or ".join(format_allowed(each) for each in types if not isinstance(each, NoneType))
        case LiteralType(values=values):
            *others, last = map(format_value, values)
            return f"{', '.join(others)} or {last}" if others else last
        case BoolType():
            return "true or false"
        case IntType(ge=None, le=None):
            return "a whole number"
        case IntType(ge=low, le=None):
            return f"a whole number from {low}"
        case IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case FloatType():
            return "a number"
        case StrType():
            return "a text in quotes"
        case ListType(item_type=item) | VarTupleType(item_type=item):
            return f"a list in brackets, each element {format_allowed(item)}"
        case DictType(value_type=item):
            return f"a table {{ NAME = … }}, each value {format_allowed(item)}"
    return "something else"


def allowed_texts(kind: Type) -> list[str]:
    """The strings that a type allows, if it enumerates them."""
    if isinstance(kind, UnionType):
        return [text for each in kind.types for text in allowed_texts(each)]
    return [value for value in kind.values if isinstance(value, str)] if isinstance(kind, LiteralType) else []
