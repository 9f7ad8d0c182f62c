"""Keeps a gigabyte in files without a name, which are memory, though no process has it in its own."""

import os

from prelude import hear, linger, note, ready

ready()
hear("act")
for number in range(1024 // 16):
    hoard = os.memfd_create(f"hoard{number}")
    for _ in range(16):
        os.write(hoard, b"x" * (1 << 20))
note("kept a gigabyte")
linger()
