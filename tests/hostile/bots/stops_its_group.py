"""Stops itself and its children with SIGSTOP, in the middle of a line."""

import os
import signal

from prelude import fork, hear, linger, raw, ready

ready()
hear("act")
if fork():
    linger()
raw(b'{"type"')
os.killpg(0, signal.SIGSTOP)
