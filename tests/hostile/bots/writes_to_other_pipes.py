"""Writes into every pipe of every process it finds but its own, and plays on."""

import os

from prelude import note, play, ready

ready()
mine = {os.readlink(f"/proc/self/fd/{fd}") for fd in range(3)}
written = 0
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            path = f"/proc/{pid}/fd/{fd}"
            if os.readlink(path).startswith("pipe:") and os.readlink(path) not in mine:
                pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
                written += os.write(pipe, b"surprise\n")
    except OSError:
        continue
note(f"wrote {written} bytes into pipes of others")
play()
