"""Kills its whole process group, itself included."""

import os
import signal

from prelude import fork, hear, linger, ready

ready()
hear("act")
if fork():
    linger()
os.killpg(0, signal.SIGKILL)
