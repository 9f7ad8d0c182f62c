"""Plays well, and at `quit` starts a chain of children in other sessions."""

import os

from prelude import answer, fork, ready, receive, wait_forever

ready()
try:
    while True:
        answer(receive("act"))
finally:
    for _ in range(8):
        if not fork():
            os._exit(0)
        os.setsid()
    wait_forever()
