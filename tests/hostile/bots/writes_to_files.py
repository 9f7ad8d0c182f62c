"""Changes its own program and writes into the folders it is given as arguments, and plays on."""

import os
import sys

from prelude import attempt, play, ready


def write(path: str) -> int:
    """Put a file there."""
    with open(path, "a") as file:
        return file.write("# was here\n")


ready()
for path in (__file__, "left-behind", *(os.path.join(folder, "left-behind") for folder in sys.argv[1:])):
    attempt(f"writing {path}", write, path)
play()
