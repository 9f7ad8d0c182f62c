"""Stops itself with SIGSTOP when it should think."""

import os
import signal

from prelude import ready, receive

ready()
receive("act")
os.kill(os.getpid(), signal.SIGSTOP)
