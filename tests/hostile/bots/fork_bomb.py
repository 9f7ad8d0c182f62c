"""Forks, and its children fork, until there are 1500 of them."""

import mmap
import os
import signal
import sys

from prelude import LIFETIME, ready, receive, wait_forever

ENOUGH = 1500

ready()
receive("act")
born = mmap.mmap(-1, ENOUGH)
while (place := born.find(b"\0")) >= 0:
    born[place] = 1
    try:
        if not os.fork():
            signal.alarm(LIFETIME)
    except OSError:
        sys.exit(9)
wait_forever()
