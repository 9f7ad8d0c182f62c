"""Reading files of openings: one opening a line, with actions as the game writes them in `legal`."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from referee.games.opening import ListedOpening, OpeningError

COMMENT_MARK: Final = "#"
BETWEEN_ACTIONS: Final = re.compile(r"\s*")
ACTION_WORD: Final = re.compile(r"\S+")
_decoder: Final = json.JSONDecoder()


def read_openings(name: str, text: str) -> list[ListedOpening]:
    """The openings in the text of a file of this name. Empty lines are left out. Raises OpeningError."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        source = f"{name}:{number}"
        actions = [*parse_line(source, line)]
        if actions:
            found.append(ListedOpening(source=source, actions=actions))
    return found


def parse_line(source: str, line: str) -> Iterator[Any]:
    """The actions of a line: JSON objects, arrays of them, and words. Raises OpeningError."""
    end = 0
    while True:
        start = BETWEEN_ACTIONS.match(line, end).end()  # type: ignore[union-attr]
        if start == len(line) or line[start] == COMMENT_MARK:
            return
        if line[start] in "{[":
            try:
                value, end = _decoder.raw_decode(line, start)
            except (ValueError, RecursionError) as error:
                problem = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
                raise OpeningError(f"{source}: invalid JSON in column {start + 1}: {problem}") from None
            yield from value if isinstance(value, list) else [value]
        else:
            word = ACTION_WORD.match(line, start)
            assert word is not None
            yield word[0]
            end = word.end()
