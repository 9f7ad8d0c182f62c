"""Hashes of the source files of the referee that decide a game and the pairings."""

import hashlib
import inspect
from pathlib import Path

from referee.bots.files_hash import tree_lines
from referee.games import Game
from tournaments.competition import formats
from tournaments.competition.formats.interface import Format


def hash_sources(folder: Path) -> str:
    """The hash of a folder with source files of the referee itself."""
    return hashlib.sha256(b"".join(tree_lines(folder))).hexdigest()


def hash_rules(game: type[Game]) -> str:
    """The hash of the source files of a game's package."""
    return hash_sources(Path(inspect.getfile(game)).parent)


def hash_formats(format_: type[Format]) -> str:
    """The hash of the source files of all formats here, with the module of a format that was registered elsewhere."""
    here, module = Path(formats.__file__).parent, Path(inspect.getfile(format_))
    if module.is_relative_to(here):
        return hash_sources(here)
    return hashlib.sha256((hash_sources(here) + hashlib.sha256(module.read_bytes()).hexdigest()).encode()).hexdigest()
