"""The file of ratings that a tournament file may name, as `referee ratings --json` writes it."""

import math
from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.files import read_file
from referee.printable import sanitise

MAX_RATINGS_FILE: Final = 16 << 20


class RatingsError(RefereeError):
    """A file of ratings that can't be used. The text says why."""


class _Elo(Struct, frozen=True):
    elo: float


class _Row(Struct, frozen=True):
    name: str
    rating: _Elo


class _Ratings(Struct, frozen=True):
    ratings: list[_Row]


def read_ratings(path: Path) -> Mapping[str, list[float]]:
    """The ratings of each bot's versions by its name, the best first. Raises RatingsError."""
    try:
        read = msgspec.json.decode(read_file(path, MAX_RATINGS_FILE).removeprefix(BOM_UTF8), type=_Ratings)
    except OSError as error:
        raise RatingsError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        problem = f"{path} is not what `referee ratings --json` writes: {error}"
        raise RatingsError(sanitise(problem)) from None
    found: dict[str, list[float]] = {}
    for row in read.ratings:
        if math.isfinite(row.rating.elo):
            found.setdefault(row.name, []).append(row.rating.elo)
    return {name: sorted(values, reverse=True) for name, values in found.items()}
