"""Parsing TOML of unknown origin: in bounded time, with a single type of error."""

import re
from typing import Any, Final

from referee.printable import printable, sanitise

MAX_TOML: Final = 16 * 1024
"""Maximum length in characters."""
MAX_KEY_PARTS: Final = 100
"""Maximum number of parts in a dotted key: `tomllib` takes the square of it in time and memory."""
BYTE_ORDER_MARK: Final = "\ufeff"
"""What some editors put before UTF-8."""
POSITION: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
"""The position at the end of a message of `tomllib`."""
KEY: Final = re.compile(r"""\s*+(\[++[^]#]*+\]++|(?:[\w.-]|"[^"]*+"|'[^']*+')++)\s*+(?:=\s*+|#|$)""")
"""A key with its equals sign, or the name of a table, at the beginning of a line."""
MAX_KEY: Final = 60
TOKEN: Final = re.compile(
    r'"""(?:\\.|.)*?(?:"{3,5}|\Z)|"(?:[^"\\\n]|\\.)*+"?'
    r"|'''.*?(?:'{3,5}|\Z)|'[^'\n]*+'?|#[^\n]*|[\[\]{}=,.\n]",
    re.DOTALL,
)
"""A string, a comment, or a character between keys, values and lines. A string that isn't closed is one too: otherwise
its end would be looked for again from each later quote."""


class TomlError(ValueError):
    """The text is not valid TOML, or too long. The message says what is wrong; `line` is where, if known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line

    @property
    def problem(self) -> str:
        """The message without the position."""
        return POSITION.sub("", str(self))


def parse_toml(text: str, max_chars: int = MAX_TOML) -> dict[str, Any]:
    """The values in a TOML text of at most `max_chars` characters, its keys within MAX_KEY_PARTS. Raises TomlError."""
    import tomllib  # noqa: PLC0415 (it takes long, and most matches read no TOML)

    if len(text) > max_chars:
        raise TomlError(f"too long: at most {max_chars} characters are read")
    dots = 0
    for token in TOKEN.finditer(text):
        dots = dots + 1 if token[0] == "." else 0 if token[0] in "[{]}=,\n" else dots
        if dots == MAX_KEY_PARTS:
            number = text.count("\n", 0, token.start()) + 1
            raise TomlError(f"not valid here: a key in line {number} has more than {MAX_KEY_PARTS} parts", number)
    try:
        return tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
    except RecursionError:
        raise TomlError("not valid TOML: nested too deeply") from None
    except ValueError as error:  # a TOMLDecodeError, or Python's limit on the digits of a number
        problem, position = str(error), POSITION.search(str(error))
        if position is None:
            raise TomlError(f"not valid TOML: {sanitise(problem)}") from None
        number = int(position[1] or text.count("\n") + 1)
        line = text.removeprefix(BYTE_ORDER_MARK).split("\n")[number - 1]
        problem = _explain(problem[: position.start()], line, int(position[2] or len(line) + 1))
        raise TomlError(f"not valid TOML: {sanitise(problem)}{position[0]}", number) from None


def _explain(problem: str, line: str, column: int) -> str:
    """A problem that `tomllib` has in this line, in plain words if it is a usual one."""
    key = KEY.match(line)
    if key is not None and problem.startswith(("Cannot overwrite", "Cannot declare")):
        return f"{printable(key[1], MAX_KEY)} is given twice"
    value = line[column - 1 :] if problem == "Invalid value" else ""
    if key is not None and problem.startswith("Expected newline"):  # after the digits of 1s, for example
        value = line[key.end() :].strip()
    if re.match(r"True\b|False\b", value):
        return f"{problem}: write true and false in small letters"
    return f"{problem}: put text in quotes" if re.match(r"[\w./~$]", value) else problem
