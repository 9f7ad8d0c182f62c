"""Keeps a gigabyte in files without a name, which are memory, though no process has it in its own."""

import os

from prelude import note, ready, receive, wait_forever

ready()
receive("act")
for number in range(1024 // 16):
    block = os.memfd_create(f"block{number}")
    for _ in range(16):
        os.write(block, b"x" * (1 << 20))
note("kept a gigabyte")
wait_forever()
