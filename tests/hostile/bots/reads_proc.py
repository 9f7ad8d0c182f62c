"""Looks through /proc for processes other than its own: those of the referee and of other bots."""

import os
from pathlib import Path

from prelude import attempt, note, play, ready

ready()
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except PermissionError:
        name = "hidden"
    note(f"process: {name}")
    attempt("its environment", Path(f"/proc/{pid}/environ").read_bytes)
play()
