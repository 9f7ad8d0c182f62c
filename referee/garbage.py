"""How often the garbage collector scans a process that plays games."""

import gc
from typing import Final

OBJECTS_PER_COLLECTION: Final = 10_000
"""New objects until the collector scans them. Reference counts free what a game leaves but for about a dozen objects,
so memory does not grow."""


def collect_rarely() -> None:
    """Make the collector scan new objects rarely, and nothing that exists now, such as modules, which are never freed.

    A scan of everything stops all games and clocks of the process meanwhile.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS_PER_COLLECTION)
