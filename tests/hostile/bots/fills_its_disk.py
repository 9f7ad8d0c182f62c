"""Plays well, after it has written to every folder it can until that is full, or has taken a gigabyte."""

import os
import tempfile

from prelude import note, play, ready


def fill(folder: str) -> int:
    """Write 64 files of 16 MiB, which nobody sees and which are gone with this process."""
    files = []
    written = 0
    try:
        for number in range(64):
            path = os.path.join(folder, f"rubbish{number}")
            files.append(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            os.unlink(path)
            for _ in range(16):
                written += os.write(files[-1], b"x" * (1 << 20))
    except OSError as error:
        note(f"{folder}: {written >> 20} MiB, then {error.strerror}")
    else:
        note(f"{folder}: {written >> 20} MiB, and there was room for more")
    for file in files:
        os.close(file)
    return written


ready()
everywhere = {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm", "/dev", "/run", "/", os.getcwd()}
note(f"{sum(map(fill, everywhere)) >> 20} MiB in all")
play()
