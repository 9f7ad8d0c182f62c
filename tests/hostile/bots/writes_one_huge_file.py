"""Writes a gigabyte to a single file when it should think."""

import tempfile

from prelude import note, ready, receive, wait_forever

ready()
receive("act")
with tempfile.TemporaryFile() as file:
    for _ in range(1024):
        file.write(b"x" * (1 << 20))
        file.flush()
note("wrote a gigabyte")
wait_forever()
