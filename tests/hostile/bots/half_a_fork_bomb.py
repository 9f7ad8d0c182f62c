"""Starts 300 processes, fewer than it may, each in a session of its own, and exits."""

import os
import sys

from prelude import fork, ready, receive, wait_forever

ready()
receive("act")
for _ in range(300):
    if fork():
        os.setsid()
        os.closerange(0, 3)
        wait_forever()
sys.exit(8)
