"""Writes to standard error for ever instead of thinking."""

import os

from prelude import ready, receive

ready()
receive("act")
while True:
    os.write(2, b"thinking very hard\n" * 10_000)
