"""Exits when it should think; a daemon that holds all its pipes open is left."""

import os
import sys

from prelude import fork, ready, receive, wait_forever

ready()
receive("act")
if fork():
    os.setsid()
    if fork():
        wait_forever()
    os._exit(0)
os.wait()
sys.exit(7)
