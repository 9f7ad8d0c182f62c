"""Has ten children that use 60 MiB each, in sessions of their own."""

import os

from prelude import fork, hear, linger, ready

ready()
hear("act")
for _ in range(10):
    if fork():
        os.setsid()
        hoard = b"x" * (60 << 20)
        linger()
linger()
