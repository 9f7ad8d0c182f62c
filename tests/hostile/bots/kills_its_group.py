"""Kills its whole process group, itself included."""

import os
import signal

from prelude import fork, ready, receive, wait_forever

ready()
receive("act")
if fork():
    wait_forever()
os.killpg(0, signal.SIGKILL)
