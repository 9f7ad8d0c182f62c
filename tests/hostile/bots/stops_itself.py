"""Stops itself with SIGSTOP when it should think."""

import os
import signal

from prelude import hear, ready

ready()
hear("act")
os.kill(os.getpid(), signal.SIGSTOP)
