"""Starts 300 processes, fewer than it may, each in a session of its own, and exits."""

import os
import sys

from prelude import fork, hear, linger, ready

ready()
hear("act")
for _ in range(300):
    if fork():
        os.setsid()
        os.closerange(0, 3)
        linger()
sys.exit(8)
