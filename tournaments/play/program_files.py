"""The files of the program itself: all processes that play games of one run have to have imported the same ones."""

import hashlib
import inspect
import os
from functools import cache
from pathlib import Path
from typing import Final

import protocol
import referee
import tournaments
from referee.bots.files_hash import tree_files
from referee.games import Game
from referee.processes.sandbox.visibility import KIT_TEMPLATES

PACKAGES: Final = (protocol, referee, tournaments)
"""The packages of the program."""


def program_hash() -> str:
    """The SHA-256 of the modules of the program, without what they import from elsewhere."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        root = Path(next(iter(package.__path__)))
        for name, path in tree_files(root, [KIT_TEMPLATES]):
            if name.endswith(b".py"):
                content = Path(os.fsdecode(path)).read_bytes()
                digest.update(b"%s %s\n" % (name, hashlib.sha256(content).hexdigest().encode()))
    return digest.hexdigest()


@cache
def imported_hash(game: type[Game]) -> str:
    """The hash of the program and of the module of a game as they were when this process asked first."""
    return hashlib.sha256(program_hash().encode() + Path(inspect.getfile(game)).read_bytes()).hexdigest()
