"""Opens every file of /proc and /sys for writing, where the kernel's settings are, and plays on."""

import os

from prelude import note, play, ready


def opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


ready()
found = []
for top in ("/proc/sys", "/proc/self", "/proc/pressure", "/sys"):
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in ("task", "fd")]
        found += [path for path in (f"{folder}/{name}" for name in names) if opens(path)]
note(f"{len(found)} files open for writing: {found[:3]}")
play()
