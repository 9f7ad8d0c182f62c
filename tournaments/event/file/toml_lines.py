"""The line of each key in a TOML text, for error messages; `tomllib` doesn't report it."""

import re
import tomllib
from bisect import bisect_right
from typing import Final

KeyPath = tuple[str | int, ...]
"""A key with the tables that it is in, from the outside; a number counts the tables of an array from 0."""

MAX_KEY_DEPTH: Final = 4
"""Keys that are deeper in tables count as the table at this depth."""
BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
SPACE: Final = re.compile(r"[ \t]*")
STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'")
KEY: Final = re.compile(rf"[A-Za-z0-9_-]+|{STRING.pattern}")
TOKEN: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' r"|'''.*?'{3,5}" rf"|{STRING.pattern}" r"|#[^\n]*|[\[{]|[\]}]|\n|[^\[\]{}\"'#\n]+",
    re.DOTALL,
)
"""A part of a value: a string, a comment, a bracket, a line end, or whatever is between them."""


class KeyLines:
    """The lines of the keys and tables of a text that `tomllib` has accepted. Of any other text, as many as are found.

    >>> lines = KeyLines('name = "Cup"\\n[[bot]]\\npath = "a"\\n')
    >>> lines.find("bot", 0, "path"), lines.find("bot", 0, "owner"), lines.find("seats")
    (3, 2, None)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._lines: dict[KeyPath, int] = {}
        self._arrays: dict[KeyPath, int] = {}
        """The number of tables in each array of tables so far."""
        table: KeyPath | None = ()
        while table is not None and self._skip(BLANK) < len(text):
            table = self._statement(table)

    def find(self, *place: str | int) -> int | None:
        """The line of a key, or else of the innermost table around it that has a line of its own."""
        for length in range(min(len(place), MAX_KEY_DEPTH), 0, -1):
            if place[:length] in self._lines:
                return self._lines[place[:length]]
        return None

    def _statement(self, table: KeyPath) -> KeyPath | None:
        """Read a header or a key with its value; the table that the next key belongs to, None if this is not TOML."""
        line = bisect_right(self._starts, self._position)
        header = next((bracket for bracket in ("[[", "[") if self._text.startswith(bracket, self._position)), "")
        self._position += len(header)
        keys = self._dotted_key()
        if not keys:
            return None
        if not header:
            self._note((*table, *keys), line)
            self._skip_value()
            return table
        place = self._within_arrays(keys[:-1])
        self._note((*place, keys[-1]), line)
        self._position += len(header)
        if header == "[":
            return self._within_arrays(keys)
        place = (*place, keys[-1])
        self._arrays[place] = self._arrays.get(place, 0) + 1
        place = (*place, self._arrays[place] - 1)
        self._note(place, line)
        return place

    def _within_arrays(self, keys: KeyPath) -> KeyPath:
        """The place of a table in a header, where the name of an array of tables stands for its last one so far."""
        place: KeyPath = ()
        for key in keys:
            place = (*place, key)
            if place in self._arrays:
                place = (*place, self._arrays[place] - 1)
        return place

    def _note(self, place: KeyPath, line: int) -> None:
        for length in range(1, min(len(place), MAX_KEY_DEPTH) + 1):
            self._lines.setdefault(place[:length], line)

    def _dotted_key(self) -> KeyPath:
        keys: list[str] = []
        while True:
            self._skip(SPACE)
            match = KEY.match(self._text, self._position)
            if match is None:
                return ()
            self._position = match.end()
            keys.append(plain_key(match[0]))
            self._skip(SPACE)
            if not self._text.startswith(".", self._position):
                return tuple(keys)
            self._position += 1

    def _skip_value(self) -> None:
        """Go to the end of the line where a value ends."""
        depth = 0
        while (match := TOKEN.match(self._text, self._position)) is not None:
            if match[0] == "\n" and depth <= 0:
                return
            depth += (match[0] in "[{") - (match[0] in "]}")
            self._position = match.end()

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._position)
        assert match is not None, "the pattern also matches an empty string"
        self._position = match.end()
        return self._position


def plain_key(written: str) -> str:
    """A part of a key without its quotes and escapes."""
    if written[0] not in "\"'":
        return written
    try:
        return next(iter(tomllib.loads(f"{written} = 0")))
    except tomllib.TOMLDecodeError:
        return written
