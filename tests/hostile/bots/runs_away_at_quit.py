"""Plays well, and when told to leave starts a chain of children in other sessions instead."""

import os

from prelude import answer, fork, hear, linger, ready

ready()
try:
    while True:
        answer(hear("act"))
finally:
    for _ in range(8):
        if not fork():
            os._exit(0)
        os.setsid()
    linger()
