"""Looks through /proc for processes other than its own: those of the referee and of other bots."""

import os

from prelude import note, play, ready

ready()
for pid in filter(str.isdigit, os.listdir("/proc")):
    with open(f"/proc/{pid}/comm") as name, open(f"/proc/{pid}/environ") as environment:
        note(f"process: {name.read().strip()} with {environment.read()!r}")
play()
