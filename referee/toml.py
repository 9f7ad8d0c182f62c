"""Parsing TOML of unknown origin: in bounded time, with a single type of error."""

import tomllib
from typing import Any, Final

from referee.printable import sanitise

MAX_TOML: Final = 16 * 1024
"""Maximum length in characters. A dotted key like a.a.a… costs the square of its length, in time and in memory."""


class TomlError(ValueError):
    """The text is not valid TOML, or too long. The message says what is wrong."""


def parse_toml(text: str) -> dict[str, Any]:
    """The values in a TOML text. Raises TomlError."""
    if len(text) > MAX_TOML:
        raise TomlError(f"too long: at most {MAX_TOML} characters are read")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("not valid TOML: nested too deeply") from None
    except ValueError as error:  # a TOMLDecodeError, or Python's limit on the digits of a number
        raise TomlError(f"not valid TOML: {sanitise(error)}") from None
