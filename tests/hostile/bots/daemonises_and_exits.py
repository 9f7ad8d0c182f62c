"""Exits when it should think; a daemon that holds all its pipes open is left."""

import os
import sys

from prelude import fork, hear, linger, ready

ready()
hear("act")
if fork():
    os.setsid()
    if fork():
        linger()
    os._exit(0)
os.wait()
sys.exit(7)
