"""Reads the files it is given as arguments (those of other bots, old records, the home folder), and plays on."""

import os
import sys

from prelude import attempt, play, ready


def read(path: str) -> object:
    """What is in a file or a folder."""
    if os.path.isdir(path):
        return [os.path.join(path, name) for name in os.listdir(path)] or os.stat(os.path.join(path, "nothing"))
    with open(path, "rb") as file:
        return file.read()


ready()
for path in sys.argv[1:]:
    attempt(f"reading {path}", read, path)
play()
