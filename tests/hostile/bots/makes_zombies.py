"""Plays well, with a hundred children that have exited and that it never waits for."""

import os

from prelude import fork, play, ready

ready()
for _ in range(100):
    if fork():
        os._exit(0)
play()
