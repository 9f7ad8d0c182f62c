"""Has ten children that use 60 MiB each, in sessions of their own."""

import os

from prelude import fork, ready, receive, wait_forever

ready()
receive("act")
for _ in range(10):
    if fork():
        os.setsid()
        block = b"x" * (60 << 20)
        wait_forever()
wait_forever()
