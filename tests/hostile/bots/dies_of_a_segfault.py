"""Dies by a signal while it should think."""

import os
import signal

from prelude import hear, ready

ready()
hear("act")
os.kill(os.getpid(), signal.SIGSEGV)
