"""TOML that people write: whatever a file holds, reading it ends soon, and in values or in one kind of error."""

import tomllib
from typing import Any, Final

from referee.printable import sanitise

MAX_TOML: Final = 16 * 1024
"""Characters of a file that is read. Names like a.a.a… cost the square of their length, in time and in memory."""


class TomlError(ValueError):
    """A text that is no TOML file to be read; says what is wrong with it."""


def parse_toml(text: str) -> dict[str, Any]:
    """What a TOML text holds. Raises TomlError."""
    if len(text) > MAX_TOML:
        raise TomlError(f"too long: at most {MAX_TOML} characters are read")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("not valid TOML: nested too deeply") from None
    except ValueError as error:  # a TOMLDecodeError, or Python's word on a number of thousands of digits
        raise TomlError(f"not valid TOML: {sanitise(error)}") from None
