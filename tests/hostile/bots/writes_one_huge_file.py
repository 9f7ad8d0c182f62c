"""Writes a gigabyte to a single file when it should think."""

import tempfile

from prelude import hear, linger, note, ready

ready()
hear("act")
with tempfile.TemporaryFile() as file:
    for _ in range(1024):
        file.write(b"x" * (1 << 20))
        file.flush()
note("wrote a gigabyte")
linger()
