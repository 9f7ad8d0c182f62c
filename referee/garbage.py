"""How often the garbage collector scans a process that plays games."""

import gc
from typing import Final

OBJECTS_PER_COLLECTION: Final = 10_000
"""New objects until the collector scans them. Reference counting frees all but about a dozen objects of a game, so
memory does not grow."""


def collect_rarely() -> None:
    """Make the collector scan new objects rarely, and never what exists now, such as modules, which are never freed.

    A full scan would block all games and clocks of the process.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS_PER_COLLECTION)
