"""Hashes of the source files of the referee that decide a game and the pairings."""

import hashlib
import inspect
from pathlib import Path

from referee.games import Game
from tournaments.competition import formats
from tournaments.competition.formats.interface import Format
from tournaments.play.archives import files_hash


def hash_rules(game: type[Game]) -> str:
    return files_hash(Path(inspect.getfile(game)).parent)


def hash_formats(format_: type[Format]) -> str:
    """The hash of the source files of all formats here, with the module of a format that was registered elsewhere."""
    here, module = Path(formats.__file__).parent, Path(inspect.getfile(format_))
    if module.is_relative_to(here):
        return files_hash(here)
    return hashlib.sha256((files_hash(here) + hashlib.sha256(module.read_bytes()).hexdigest()).encode()).hexdigest()
