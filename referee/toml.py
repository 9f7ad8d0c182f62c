"""TOML that people write: whatever a file holds, reading it ends soon, and in values or in one kind of error."""

import re
import tomllib
from typing import Any, Final

from referee.printable import sanitise

MAX_TOML: Final = 16 * 1024
"""Characters of a file that is read. Names like a.a.a… cost the square of their length, in time and in memory."""
MAX_LINE: Final = 2_000
"""Characters of a line in a longer file: a name has to fit into one."""
POSITION: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
"""Where an error of `tomllib` says that it is."""


class TomlError(ValueError):
    """A text that is no TOML file to be read; says what is wrong with it. `line` is where, if that is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line

    @property
    def problem(self) -> str:
        """What is wrong, without the position."""
        return POSITION.sub("", str(self))


def parse_toml(text: str, most: int = MAX_TOML) -> dict[str, Any]:
    """What a TOML text of at most `most` characters holds. Raises TomlError.

    One of more than MAX_TOML characters may have no line of more than MAX_LINE.
    """
    if len(text) > most:
        raise TomlError(f"too long: at most {most} characters are read")
    if len(text) > MAX_TOML:
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > MAX_LINE:
                raise TomlError(f"not valid here: line {number} is over {MAX_LINE} characters", number)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("not valid TOML: nested too deeply") from None
    except ValueError as error:  # a TOMLDecodeError, or Python's word on a number of thousands of digits
        position = POSITION.search(str(error))
        at = None if position is None else int(position[1] or text.count("\n") + 1)
        raise TomlError(f"not valid TOML: {sanitise(error)}", at) from None
