"""Plays well, beside two processes in sessions of their own: whichever is killed the other starts again."""

import os
import signal
import time

from prelude import OLD_AGE, fork, play, ready

END = time.monotonic() + OLD_AGE / 2


def head() -> None:
    """Watch a twin, and replace it as soon as it is gone."""
    os.setsid()
    os.closerange(0, 3)
    while time.monotonic() < END:
        theirs, mine = os.pipe()
        twin = os.fork()
        if not twin:
            os.setsid()
            os.close(mine)
            os.read(theirs, 1)  # returns once the other head is gone
        else:
            os.close(theirs)
            os.waitpid(twin, 0)
            os.close(mine)
    signal.alarm(1)
    signal.pause()


ready()
if fork():
    head()
play()
