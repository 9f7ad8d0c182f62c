"""What was probably meant by a name that doesn't exist."""

import difflib
import re
from collections.abc import Iterable
from typing import Final

MAX_NAME: Final = 60
"""Characters of a name that are compared: finding a similar one takes more than linear time."""
MIN_SIMILARITY: Final = 0.65
"""Minimum similarity, from 0 to 1, of a misspelt name to the right one."""
MIN_PART: Final = 3
"""Characters of a part of a name that can stand for it."""


def nearest(given: str, names: Iterable[str]) -> str | None:
    """The name that differs only in case or punctuation; or else that is abbreviated, that is most similar, that has
    what is given as a part, or that is a word of it. None if there is none.
    """
    plain = {_plain(name): name for name in reversed(list(names))}
    word = _plain(given[:MAX_NAME])
    if word in plain or not word:
        return plain.get(word)
    close = sorted((name for name in reversed(plain) if is_abbreviation(word, name)), key=len)
    close = close or difflib.get_close_matches(word, reversed(plain), 1, MIN_SIMILARITY)
    close = close or sorted((name for name in plain if len(word) >= MIN_PART and word in name), key=len)
    close = close or [name for name in map(_plain, re.split(r"[\W_]", given[:MAX_NAME])) if name in plain]
    return plain[close[0]] if close else None


def did_you_mean(given: str, names: Iterable[str], otherwise: str = "available:", prefix: str = "") -> str:
    """The end of an error about an unknown name: a question, or else all names after `otherwise`, unless that is empty.
    `prefix`: is written before each name."""
    names = list(names)
    meant = nearest(given, names)
    if meant is not None:
        return f"; did you mean {prefix + meant!r}?"
    return f"; {otherwise} {', '.join(prefix + name for name in names)}" if names and otherwise else ""


def is_abbreviation(word: str, name: str) -> bool:
    """Whether a word has only letters of the name, in order and from the first one on, as idx for index."""
    letters = iter(name)
    return len(word) > 1 and word[0] == name[:1] and all(letter in letters for letter in word)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()
