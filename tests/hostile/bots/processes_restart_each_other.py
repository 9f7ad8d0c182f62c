"""Plays well, beside two processes in sessions of their own: when one is killed the other starts it again."""

import os
import signal
import time

from prelude import LIFETIME, fork, play, ready

END = time.monotonic() + LIFETIME / 2


def restart_other() -> None:
    """Start the other process again whenever it has ended."""
    os.setsid()
    os.closerange(0, 3)
    while time.monotonic() < END:
        reading, writing = os.pipe()
        other = os.fork()
        if not other:
            os.setsid()
            os.close(writing)
            os.read(reading, 1)  # returns once the other process has ended
        else:
            os.close(reading)
            os.waitpid(other, 0)
            os.close(writing)
    signal.alarm(1)
    signal.pause()


ready()
if fork():
    restart_other()
play()
