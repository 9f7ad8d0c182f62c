"""Kills and stops its parent and whatever else it can reach, and plays on."""

import os
import signal

from prelude import attempt, play, ready

ready()
for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
    attempt(f"{number.name} to its parent", os.kill, os.getppid(), number)
    attempt(f"{number.name} to everybody", os.kill, -1, number)
play()
