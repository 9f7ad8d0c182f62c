"""Sends garbage, and then ignores its fault, `quit`, the end of its input and SIGTERM."""

import signal

from prelude import hear, linger, raw, ready

signal.signal(signal.SIGTERM, signal.SIG_IGN)
ready()
hear("act")
raw(b"I shall not be moved\n")
linger()
