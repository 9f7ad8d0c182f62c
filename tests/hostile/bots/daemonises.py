"""Plays well, and leaves a daemon behind: forked twice, in a session of its own, without its pipes."""

import os

from prelude import fork, note, play, ready, wait_forever

ready()
if fork():
    os.setsid()
    reading, writing = os.pipe()
    if fork():
        note("the daemon runs")
        os.chdir("/")
        os.closerange(0, 3)
        os.close(writing)
        wait_forever()
    os.close(writing)
    os.read(reading, 1)  # until the daemon has closed its pipes
    os._exit(0)
os.wait()
play()
