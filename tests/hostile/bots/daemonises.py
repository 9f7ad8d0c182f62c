"""Plays well, and leaves a daemon behind: forked twice, in a session of its own, without its pipes."""

import os

from prelude import fork, note, play, ready, wait_forever

ready()
if fork():
    os.setsid()
    if fork():
        note("the daemon runs")
        os.chdir("/")
        os.closerange(0, 3)
        wait_forever()
    os._exit(0)
os.wait()
play()
