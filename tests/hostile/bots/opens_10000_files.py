"""Plays well, after it has tried to open 10,000 files."""

import os

from prelude import note, play, ready

ready()
opened = []
try:
    opened += [os.open(__file__, os.O_RDONLY) for _ in range(10_000)]
except OSError as error:
    note(f"no more files: {error.strerror}")
play()
