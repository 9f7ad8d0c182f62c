"""Forks, and its children fork, until there are 1500 of them."""

import mmap
import os
import signal
import sys

from prelude import OLD_AGE, hear, linger, ready

ENOUGH = 1500

ready()
hear("act")
born = mmap.mmap(-1, ENOUGH)
while (place := born.find(b"\0")) >= 0:
    born[place] = 1
    try:
        if not os.fork():
            signal.alarm(OLD_AGE)
    except OSError:
        sys.exit(9)
linger()
