"""Parsing TOML of unknown origin: in bounded time, with a single type of error."""

import re
from typing import Any, Final

from referee.printable import sanitise

MAX_TOML: Final = 16 * 1024
"""Maximum length in characters. A dotted key like a.a.a… costs the square of its length, in time and in memory."""
MAX_TOML_LINE: Final = 2_000
"""Maximum length of a line in a text of more than MAX_TOML characters. A key has to fit into one line."""
BYTE_ORDER_MARK: Final = "\ufeff"
"""What some editors put before UTF-8."""
POSITION: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
"""The position at the end of a message of `tomllib`."""


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
    """The values in a TOML text of at most `max_chars` characters. Raises TomlError.

    If it has more than MAX_TOML characters, none of its lines may have more than MAX_TOML_LINE.
    """
    import tomllib  # noqa: PLC0415 (it takes long, and most matches read no TOML)

    if len(text) > max_chars:
        raise TomlError(f"too long: at most {max_chars} characters are read")
    if len(text) > MAX_TOML:
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > MAX_TOML_LINE:
                raise TomlError(f"not valid here: line {number} is over {MAX_TOML_LINE} characters", number)
    try:
        return tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
    except RecursionError:
        raise TomlError("not valid TOML: nested too deeply") from None
    except ValueError as error:  # a TOMLDecodeError, or Python's limit on the digits of a number
        position = POSITION.search(str(error))
        at = None if position is None else int(position[1] or text.count("\n") + 1)
        raise TomlError(f"not valid TOML: {sanitise(error)}", at) from None
